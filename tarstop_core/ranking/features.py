"""The features of a ranker: the weight of each word, and of each pair of neighbouring words, in each document.

TF-IDF over word stems and pairs of them. A term is known by its hash, not by its place in a vocabulary: any text can be
weighed against a collection without the collection's words being kept, and a list of 200,000 documents is counted at the
speed of BM25's index.
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

VERSION = 1  # Rises when other features are counted, so that stored features are made again
BITS = 24  # Bits of a term's hash
_PLACES = 1 << BITS
_DOCUMENTS_AT_A_TIME = 2048
FREQUENT = 1 << 16  # The most frequent terms, which nearly every set of labels uses; it uses few others
FEW = 1 << 14  # Up to this many terms, a search is faster than making a table of all places
_PARTS, _HELD = ("frequent", "rare", "by_term"), ("data", "indices", "indptr", "shape")
_MIX = np.uint32(0x9E3779B1)  # 2³² divided by the golden ratio, which spreads neighbouring numbers far apart

Matrix = csr_array


@dataclass(frozen=True, eq=False)
class Features:
    """A collection as a ranker sees it; made by `make_features`."""

    places: NDArray[np.int32]
    """Hashes of the terms with a column, ascending; terms of only one document have none. Shape (terms,)."""
    column: NDArray[np.int32]
    """Column of each of these terms; the most frequent come first, which makes products a third faster. Shape (terms,)."""
    idf: NDArray[np.float32]  # Weight of one occurrence, by column. Shape (terms,)
    frequent: Matrix
    """Weight of each of the most frequent terms in each document, single precision. Shape (N, `FREQUENT` at most)."""
    rare: Matrix
    """Weight of each of the other terms in each document. Shape (N, others)."""
    by_term: Matrix
    """Transpose of `rare`. Shape (others, N)."""

    def __len__(self) -> int:
        """N, the number of documents."""
        return int(self.frequent.shape[0])

    @property
    def matrix(self) -> Matrix:
        """Weight of each term in each document, rows of length 1 at most; put together again. Shape (N, terms)."""
        return self.rows(np.arange(len(self)))

    def rows(self, at: NDArray[np.intp]) -> Matrix:
        """Weight of each term in the documents at these positions. Shape (n, terms)."""
        return csr_array(hstack((self.frequent[at], self.rare[at]), format="csr"))

    def times(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Product `matrix @ weights`, shape (N,), added up in the same order.

        `weights`, shape (terms,), stand by column; rare terms without a weight are passed over.
        """
        product, of_rare = self.frequent @ weights[:FREQUENT], weights[FREQUENT:]
        weighing = np.flatnonzero(of_rare != 0)
        held = self.by_term[weighing]
        np.add.at(product, held.indices, held.data * np.repeat(of_rare[weighing], np.diff(held.indptr)))
        return np.asarray(product)

    def of(self, text: str) -> Matrix:
        """Turn any text into a row like those of the collection, shape (1, terms), without terms that only it has."""
        counts = _counted([text], _Codes())
        column = self._columns(counts.indices)
        has_column = column >= 0
        column = column[has_column]
        weights = (1 + np.log(counts.data[has_column])) * self.idf[column]
        weights /= np.sqrt((weights**2).sum()) or 1.0
        row = csr_array((weights, column, np.array([0, len(column)])), shape=(1, len(self.places)))
        return row.astype(np.float32)

    def spelled(self, text: str) -> dict[int, str]:
        """Spelling of the text's terms that have a column, by column; common words between a pair are left out.

        >>> sorted(make_features(["steel masts", "a steel mast"]).spelled("Masts of steel, steel mast").values())
        ['Masts', 'steel', 'steel mast']
        """
        codes = _Codes()
        pieces = [piece for piece in WORD_TOKENS.split(text) if codes[piece]]
        words = np.array([codes[piece] for piece in pieces], dtype=np.uint32)
        written = [*pieces, *map(" ".join, pairwise(pieces))]
        written_as: dict[int, str] = {}
        columns = self._columns(_places(words, words[:-1], words[1:])).tolist()
        for column, term in zip(columns, written, strict=True):
            if column >= 0:
                written_as.setdefault(column, term)
        return written_as

    def _columns(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """Columns of hashed terms; -1 where there is none."""
        if not len(self.places):
            return np.full(len(places), -1, dtype=np.int32)
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.column[at], np.int32(-1))

    def save(self, file: Path) -> None:
        """Write the features beside the collection, as ``.npz``."""
        parts = {f"{name}_{part}": getattr(getattr(self, name), part) for name in _PARTS for part in _HELD}
        with file.open("wb") as out:
            np.savez(out, version=VERSION, places=self.places, column=self.column, idf=self.idf, **parts)


def load_features(file: Path) -> Features | None:
    """Read what `Features.save` wrote; None if there is nothing of this version, so that features must be made again."""
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
    """Count the terms of a collection and weigh them.

    One text a document; single texts may be empty. ``progress(done, N)`` is called every 2,048 documents and at the end. The
    same texts give the same features on every machine. InputProblem when there is no document.

    A term that a document holds t times weighs (1 + ln t) · (1 + ln((1 + N) / (1 + f))), f being the number of documents
    that hold it; rows are divided by their length. A term that one document holds alone counts in that length and
    then has no column: it says nothing about any other document.

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
    """Return a lookup from places to their index among all that occur."""
    if len(places) <= FEW:
        return lambda wanted: np.searchsorted(places, wanted).astype(np.int32)
    at = np.empty(_PLACES, dtype=np.int32)  # only the entries that are looked up are filled
    at[places] = np.arange(len(places))
    return lambda wanted: at[wanted]


def split(matrix: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Split term weights as `Features` keeps them: frequent terms, the others, and the others by term."""
    rare = matrix[:, FREQUENT:]
    return matrix[:, :FREQUENT], rare, rare.T.tocsr()


def _weighed(
    counts: Matrix, term: NDArray[np.int32], idf: NDArray[np.float32], column: NDArray[np.int32], columns: int
) -> Matrix:
    """Rows scaled to length 1, then without the terms that have no column."""
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
    """Hash of the word of each piece of text, 0 if it is left out; each piece is processed once."""

    def __missing__(self, piece: str) -> int:
        word = WORD_TOKENS.word(piece)
        self[piece] = code = (zlib.crc32(word.encode("utf-8", "surrogatepass")) or 1) if word else 0
        return code


def _counted(texts: list[str], codes: _Codes) -> Matrix:
    """How often each document holds each term, by place: shape (documents, 2 to the `BITS`)."""
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
    # Terms that occur twice are added up.
    return csr_array((np.ones(len(term), dtype=np.float32), (row, term)), shape=(len(texts), _PLACES))


def _places(
    words: NDArray[np.uint32], first: NDArray[np.uint32], second: NDArray[np.uint32]
) -> NDArray[np.int32]:
    """Hashes of words, then of pairs, in `BITS` bits."""
    pairs = ((first * _MIX) ^ second) * _MIX
    return (np.concatenate((words, pairs)) >> np.uint32(32 - BITS)).astype(np.int32)
