"""Features of rankers: TF-IDF weights of word stems, and of pairs of neighbouring stems, in each document.

A term is identified by its hash instead of a vocabulary. So any text can be compared with a collection whose words are
not stored, and 200,000 documents are counted as fast as by the BM25 index.
"""

import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import Progress
from tarstop_core.ranking.words import WORD_TOKENS

VERSION = 1  # Raise it when features change, so that stored ones are computed again
BITS = 24  # Bits of a term's hash
_PLACES = 1 << BITS
_DOCUMENTS_AT_A_TIME = 2048
FREQUENT = 1 << 16
"""Number of terms stored as frequent; nearly any labelled documents contain most of them, and few others."""
FEW = 1 << 14  # Up to this many terms, a search is faster than a table of all hashes
_PARTS, _HELD = ("frequent", "rare", "by_term"), ("data", "indices", "indptr", "shape")
_MIX = np.uint32(0x9E3779B1)  # 2³² divided by the golden ratio: multiplication spreads neighbouring numbers

Matrix = csr_array


@dataclass(frozen=True, eq=False)
class Features:
    """Features of a collection of N documents; made by :func:`make_features`."""

    places: NDArray[np.int32]
    """Hashes of the terms that have a column, ascending, shape (terms,). Terms of only one document have none."""
    column: NDArray[np.int32]
    """Column of each of these terms, shape (terms,); frequent terms come first, which makes products a third faster."""
    idf: NDArray[np.float32]  # Weight of one occurrence, by column, shape (terms,)
    frequent: Matrix
    """Weights of the most frequent terms in each document, single precision, shape (N, `FREQUENT` or fewer)."""
    rare: Matrix
    """Weights of the other terms in each document, shape (N, others)."""
    by_term: Matrix
    """Transpose of `rare`, shape (others, N)."""

    def __len__(self) -> int:
        """Number of documents, N."""
        return int(self.frequent.shape[0])

    @property
    def matrix(self) -> Matrix:
        """Weight of each term in each document, shape (N, terms); rows have a length of at most 1."""
        return self.rows(np.arange(len(self)))

    def rows(self, at: NDArray[np.intp]) -> Matrix:
        """Weight of each term in the documents at these positions, shape (n, terms)."""
        return csr_array(hstack((self.frequent[at], self.rare[at]), format="csr"))

    def times(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Product `matrix @ weights`, shape (N,), with weights by column, shape (terms,).

        Rare terms with weight 0 are skipped. The order of summation is that of the matrix product.
        """
        product, of_rare = self.frequent @ weights[:FREQUENT], weights[FREQUENT:]
        used = np.flatnonzero(of_rare != 0)
        rows = self.by_term[used]
        np.add.at(product, rows.indices, rows.data * np.repeat(of_rare[used], np.diff(rows.indptr)))
        return np.asarray(product)

    def of(self, text: str) -> Matrix:
        """Features of any text, shape (1, terms), ignoring terms without a column."""
        counts = _counted([text], _Codes())
        column = self._columns(counts.indices)
        has_column = column >= 0
        column = column[has_column]
        weights = (1 + np.log(counts.data[has_column])) * self.idf[column]
        weights /= np.sqrt((weights**2).sum()) or 1.0
        row = csr_array((weights, column, np.array([0, len(column)])), shape=(1, len(self.places)))
        return row.astype(np.float32)

    def spelled(self, text: str) -> dict[int, str]:
        """Spelling in a text of the terms that have a column, by column; common words inside a pair are left out.

        >>> sorted(make_features(["steel masts", "a steel mast"]).spelled("Masts of steel, steel mast").values())
        ['Masts', 'steel', 'steel mast']
        """
        codes = _Codes()
        pieces = [piece for piece in WORD_TOKENS.split(text) if codes[piece]]
        words = np.array([codes[piece] for piece in pieces], dtype=np.uint32)
        terms = [*pieces, *map(" ".join, pairwise(pieces))]
        spellings: dict[int, str] = {}
        columns = self._columns(_places(words, words[:-1], words[1:])).tolist()
        for column, term in zip(columns, terms, strict=True):
            if column >= 0:
                spellings.setdefault(column, term)
        return spellings

    def _columns(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """Columns of hashed terms; -1 for terms without one."""
        if not len(self.places):
            return np.full(len(places), -1, dtype=np.int32)
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.column[at], np.int32(-1))

    def save(self, file: Path) -> None:
        """Write the features as an ``.npz`` file."""
        parts = {f"{name}_{part}": getattr(getattr(self, name), part) for name in _PARTS for part in _HELD}
        with file.open("wb") as out:
            np.savez(out, version=VERSION, places=self.places, column=self.column, idf=self.idf, **parts)


def load_features(file: Path) -> Features | None:
    """Read features that `Features.save` wrote; None if there is no intact file of this version."""
    try:
        with np.load(file, allow_pickle=False) as held:
            if int(held["version"]) != VERSION:
                return None
            parts = []
            for name in _PARTS:
                data, indices, starts, shape = (held[f"{name}_{part}"] for part in _HELD)
                parts.append(csr_array((data, indices, starts), shape=tuple(shape)))
            return Features(held["places"], held["column"], held["idf"], *parts)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError):
        return None


def make_features(texts: Iterable[str], progress: Progress | None = None) -> Features:
    """Compute the features of a collection; they are the same on every machine.

    A term that occurs t times in a document, and in f of N documents, has the weight (1 + ln t) · (1 + ln((1 + N) / (1 + f))).
    Rows are divided by their length. A term of only one document counts for that length but gets no column, because it
    says nothing about other documents.

    Parameters
    ----------
    texts : iterable of str
        One text per document; a text may be empty.
    progress : callable, optional
        Called as ``progress(done, N)`` every 2,048 documents and at the end.

    Returns
    -------
    Features

    Raises
    ------
    InputProblem
        When there are no documents.

    Examples
    --------
    >>> features = make_features(["a steel mast", "steel masts", "a kettle"])
    >>> features.matrix.shape, features.of("masts").nnz
    ((3, 3), 1)
    """
    every = texts if isinstance(texts, list) else list(texts)
    if not every:
        raise InputProblem("There is no document to learn from; add a file with at least one record.")
    codes, blocks = _Codes(), []
    for first in range(0, len(every), _DOCUMENTS_AT_A_TIME):
        blocks.append(_counted(every[first : first + _DOCUMENTS_AT_A_TIME], codes))
        if progress is not None:
            progress(min(first + _DOCUMENTS_AT_A_TIME, len(every)), len(every))
    places, held_by = np.unique(np.concatenate([block.indices for block in blocks]), return_counts=True)
    idf = (1 + np.log((1 + len(every)) / (1 + held_by))).astype(np.float32)
    shared = np.flatnonzero(held_by > 1)
    frequent = np.argsort(-held_by[shared], kind="stable")
    column = np.full(len(places), -1, dtype=np.int32)
    column[shared[frequent]] = np.arange(len(shared))
    term = _finder(places)
    for number, block in enumerate(blocks):
        blocks[number] = _weighed(block, term(block.indices), idf, column, len(shared))
    matrix = vstack(blocks, format="csr")
    return Features(places[shared], column[shared], idf[shared[frequent]], *split(matrix))


def _finder(places: NDArray[np.int32]) -> Callable[[NDArray[np.int32]], NDArray[np.int32]]:
    """A function that maps hashes to their indices among all hashes that occur."""
    if len(places) <= FEW:
        return lambda wanted: np.searchsorted(places, wanted).astype(np.int32)
    at = np.empty(_PLACES, dtype=np.int32)  # only entries of hashes that occur are filled
    at[places] = np.arange(len(places))
    return lambda wanted: at[wanted]


def split(matrix: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Split a matrix of weights into frequent terms, other terms, and the transpose of the latter."""
    rare = matrix[:, FREQUENT:]
    return matrix[:, :FREQUENT], rare, rare.T.tocsr()


def _weighed(
    counts: Matrix, term: NDArray[np.int32], idf: NDArray[np.float32], column: NDArray[np.int32], columns: int
) -> Matrix:
    """Weigh counts, scale rows to length 1, and then drop terms without a column."""
    weights = (1 + np.log(counts.data)) * idf[term]
    documents = counts.shape[0]
    row = np.repeat(np.arange(documents), np.diff(counts.indptr))
    length = np.sqrt(np.bincount(row, weights.astype(np.float64) ** 2, minlength=documents))
    weights /= length[row].astype(np.float32)
    stays = column[term] >= 0
    starts = np.concatenate(([0], np.bincount(row[stays], minlength=documents).cumsum())).astype(np.int32)
    rows = csr_array((weights[stays], column[term[stays]], starts), shape=(documents, columns))
    rows.sort_indices()
    return rows


class _Codes(dict[str, int]):
    """Maps a piece of text to the hash of its word, or to 0 if it is no word; each piece is processed once."""

    def __missing__(self, piece: str) -> int:
        word = WORD_TOKENS.word(piece)
        self[piece] = code = (zlib.crc32(word.encode("utf-8", "surrogatepass")) or 1) if word else 0
        return code


def _counted(texts: list[str], codes: _Codes) -> Matrix:
    """Count each term in each document, by hash: shape (documents, 2 to the power of `BITS`)."""
    running: list[int] = []
    lengths = np.zeros(len(texts), dtype=np.int64)
    for number, text in enumerate(texts):
        before = len(running)
        running.extend(filter(None, map(codes.__getitem__, WORD_TOKENS.split(text))))
        lengths[number] = len(running) - before
    words = np.array(running, dtype=np.uint32)
    document = np.repeat(np.arange(len(texts)), lengths)
    neighbours = document[1:] == document[:-1]
    term = _places(words, words[:-1][neighbours], words[1:][neighbours])
    row = np.concatenate((document, document[1:][neighbours])).astype(np.int32)
    # Repeated entries are added up.
    return csr_array((np.ones(len(term), dtype=np.float32), (row, term)), shape=(len(texts), _PLACES))


def _places(
    words: NDArray[np.uint32], first: NDArray[np.uint32], second: NDArray[np.uint32]
) -> NDArray[np.int32]:
    """Hashes of words, then of pairs of words, reduced to `BITS` bits."""
    pairs = ((first * _MIX) ^ second) * _MIX
    return (np.concatenate((words, pairs)) >> np.uint32(32 - BITS)).astype(np.int32)
