"""BM25: rank documents by a query.

The recipe `PAPER` equals ``rank_bm25.BM25Okapi`` with its defaults (k1 = 1.5, b = 0.75, epsilon = 0.25; lower case,
white-space tokens), which produced the published rankings. That library loops over all documents for every query word;
here the weight of every (word, document) pair is computed once, and a query adds up the rows of its words. The recipe
`WORDS` is for people's lists; ``docs/ranking.md`` measures it.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tarstop_core.errors import InputProblem
from tarstop_core.ranking.words import PAPER_TOKENS, WORD_TOKENS, Tokens

EPSILON = 0.25  # Share of the mean idf that replaces smaller ones

Progress = Callable[[int, int], None]
"""Called with the number of documents done and the number of all documents."""

LEFT_OUT = -1  # Row of a piece of text that is no word
_DOCUMENTS_AT_A_TIME = 2048  # Documents between two reports of progress
_WEIGHTS_AT_A_TIME = 1 << 20  # Limits the temporary arrays of the weight formula to a few megabytes


@dataclass(frozen=True)
class Recipe:
    """Tokens and parameters of BM25."""

    name: str
    description: str  # Completes the sentence "BM25 on …"
    tokens: Tokens
    k1: float
    b: float
    floor: bool
    """Whether every idf is at least epsilon times the mean absolute idf; otherwise only negative idfs are replaced."""
    repeats: float  # A word that occurs n times in the query counts n to this power


PAPER = Recipe("paper", "titles and abstracts", PAPER_TOKENS, k1=1.5, b=0.75, floor=False, repeats=1)
WORDS = Recipe(
    "words", "word stems of titles and abstracts", WORD_TOKENS, k1=0.9, b=0.4, floor=True, repeats=0.5
)
RECIPES = {recipe.name: recipe for recipe in (PAPER, WORDS)}
SENTENCES = {WORDS.name: "(BM25 on word stems of titles and abstracts)", PAPER.name: "(BM25"}
"""What a sentence on a list's order contains, by recipe, if a version stored no recipe; the first one that fits counts."""


def recipe_told(sentence: str) -> str:
    """Name of the BM25 recipe in a sentence that a version without recipes stored or exported; empty if it names none.

    >>> recipe_told("By likeness to “mast” (BM25 on titles and abstracts)."), recipe_told("By the scores in the file.")
    ('paper', '')
    """
    return next((name for name, words in SENTENCES.items() if words in sentence), "")


@dataclass(frozen=True, eq=False)
class Bm25Index:
    """A collection prepared for BM25 queries; made by `build_index`."""

    vocabulary: dict[str, int]  # Row of each word, in the order of first occurrence
    weights: csr_array[np.float64, tuple[int, int]]
    """What one occurrence of a word in the query adds to the score of a document, shape (words, N)."""
    recipe: Recipe = PAPER

    def __len__(self) -> int:
        """Number of documents, N."""
        return int(self.weights.shape[1])

    def shares_word(self, query: str) -> bool:
        """Whether at least one document contains a word of the query."""
        return any(word in self.vocabulary for word in self.recipe.tokens(query))

    def scores(self, query: str) -> NDArray[np.float64]:
        """Score all documents by a query, shape (N,); all 0 if no document shares a word with it.

        With `PAPER`, as in rank_bm25, a word counts as often as it occurs in the query. A word in more than half of the
        documents has epsilon times the mean idf, which can be negative in collections of a few documents.

        >>> index = build_index(["foldable mast", "mast for an antenna", "a kettle", "a lid", "a cup"])
        >>> index.scores("antenna mast").round(3).tolist()
        [0.364, 1.104, 0.0, 0.0, 0.0]
        """
        words = self.recipe.tokens(query)
        counts = Counter(self.vocabulary[word] for word in words if word in self.vocabulary)
        rows, repeats = np.array([*counts], dtype=np.intp), np.array([*counts.values()], dtype=np.float64)
        return np.asarray(self.weights[rows].T @ repeats**self.recipe.repeats, dtype=np.float64)


def build_index(texts: Iterable[str], progress: Progress | None = None, recipe: Recipe = PAPER) -> Bm25Index:
    """Prepare a collection for BM25 queries.

    Parameters
    ----------
    texts : iterable of str
        One text per document; an empty text scores 0.
    progress : callable, optional
        Called as ``progress(done, N)`` every 2,048 documents and at the end.
    recipe : Recipe
        Tokens and parameters.

    Returns
    -------
    Bm25Index
        Takes about 12 bytes per distinct word of each document.

    Raises
    ------
    InputProblem
        When there are no documents, or none contains a word.

    Notes
    -----
    If f of N documents contain a word, idf = ln(N − f + 0.5) − ln(f + 0.5). With `PAPER`, a negative idf is replaced by
    epsilon times the mean idf of the vocabulary, negative ones included. With `WORDS`, every idf is at least epsilon times
    the mean absolute idf, so that a word in more documents never weighs more. A word that occurs t times in a document of
    length l has the weight idf · t(k1 + 1) / (t + k1(1 − b + b·l / mean length)).

    Trotman, Puurula, Burgess: Improvements to BM25 and Language Models Examined (2014); rank_bm25 0.2.2. k1 and b of
    `WORDS` are the defaults of Anserini (Yang, Fang, Lin: Anserini, 2017).
    """
    every_text = texts if isinstance(texts, list) else list(texts)
    if not every_text:
        raise InputProblem("There is no document to rank; add a file with at least one record.")
    vocabulary, lengths, words, times, starts = _count_words(every_text, progress, recipe.tokens)
    if not len(words):
        raise InputProblem(
            f"All {len(every_text)} documents are without text; add titles or abstracts, or keep the list's own order."
        )
    counts = csr_array((times, words, starts), shape=(len(every_text), len(vocabulary)))
    del times, words, starts
    by_word = counts.T.tocsr()  # rows are words, and the documents within a row ascend
    del counts

    idf = _inverse_document_frequency(np.diff(by_word.indptr), len(every_text), recipe.floor)
    length_term = recipe.k1 * (1 - recipe.b + recipe.b * lengths / (lengths.sum() / len(lengths)))
    weights = np.repeat(idf, np.diff(by_word.indptr))
    for start in range(0, by_word.nnz, _WEIGHTS_AT_A_TIME):
        part = slice(start, start + _WEIGHTS_AT_A_TIME)
        t = by_word.data[part]
        weights[part] *= t * (recipe.k1 + 1) / (t + length_term[by_word.indices[part]])
    matrix = csr_array((weights, by_word.indices, by_word.indptr), shape=by_word.shape)
    return Bm25Index(vocabulary, matrix, recipe)


def rank_documents(
    texts: Iterable[str], query: str, recipe: Recipe = PAPER
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rank documents by BM25 against a query.

    Parameters
    ----------
    texts : iterable of str
        One text per document.
    query : str
        Words to search for.
    recipe : Recipe
        Tokens and parameters.

    Returns
    -------
    order : ndarray of int, shape (N,)
        Positions by falling score, as in :func:`rank_order`.
    scores : ndarray, shape (N,)
        Scores in the *given* order of the documents.

    Raises
    ------
    InputProblem
        When the query is empty or shares no word with any document, and as in :func:`build_index`.
    """
    if not recipe.tokens(query):
        raise InputProblem(
            "The query is empty; write a sentence or paste the claims to rank the documents by."
        )
    index = build_index(texts, recipe=recipe)
    if not index.shares_word(query):
        raise InputProblem(
            f"No word of the query occurs in any of the {len(index)} documents; "
            "use words that their titles or abstracts would contain."
        )
    scores = index.scores(query)
    return rank_order(scores), scores


def rank_order(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Positions of documents by falling score, shape (N,); ties keep their order, and NaN (no score) comes last.

    >>> rank_order(np.array([1.0, 3.0, np.nan, 3.0])).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")


def _count_words(
    texts: list[str], progress: Progress | None, tokens: Tokens
) -> tuple[dict[str, int], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Vocabulary, lengths of documents, and their words as the arrays of a sparse matrix: words, counts and row starts."""
    number = _Numbers(tokens)
    lengths, distinct = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts) + 1, dtype=np.int64)
    words: list[NDArray[np.int32]] = []
    times: list[NDArray[np.int32]] = []
    # Documents are counted in blocks, so that the words of a large collection are never all in memory.
    for first in range(0, len(texts), _DOCUMENTS_AT_A_TIME):
        running: list[int] = []
        block = texts[first : first + _DOCUMENTS_AT_A_TIME]
        block_starts = np.zeros(len(block) + 1, dtype=np.int64)
        for row, text in enumerate(block):
            running.extend(map(number.__getitem__, tokens.split(text)))
            block_starts[row + 1] = len(running)
        codes = np.array(running, dtype=np.int32)
        counted = codes != LEFT_OUT
        codes = codes[counted]
        block_starts = np.concatenate(([0], np.cumsum(counted)))[block_starts]
        lengths[first : first + len(block)] = np.diff(block_starts)
        ones, shape = np.ones(len(codes), dtype=np.int32), (len(block), len(number.vocabulary))
        counts = csr_array((ones, codes, block_starts), shape=shape)
        counts.sum_duplicates()
        words.append(counts.indices.astype(np.int32, copy=False))
        times.append(counts.data)
        distinct[first + 1 : first + 1 + len(block)] = np.diff(counts.indptr)
        if progress is not None:
            progress(first + len(block), len(texts))
    all_words = np.concatenate(words)
    words.clear()  # before the second large array is made
    return number.vocabulary, lengths, all_words, np.concatenate(times), np.cumsum(distinct)


class _Numbers(dict[str, int]):
    """Maps a piece of text to the row of its word, or to `LEFT_OUT`; each piece is processed once per collection."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.vocabulary: dict[str, int] = {}
        self._word = tokens.word

    def __missing__(self, piece: str) -> int:
        word = self._word(piece)
        row = self.vocabulary.setdefault(word, len(self.vocabulary)) if word else LEFT_OUT
        self[piece] = row
        return row


def _inverse_document_frequency(
    holding: NDArray[np.int32], n_documents: int, floor: bool
) -> NDArray[np.float64]:
    """Idf of each word from the number of documents that contain it, with small or negative ones replaced."""
    idf: NDArray[np.float64] = np.log(n_documents - holding + 0.5) - np.log(holding + 0.5)
    if floor:
        np.maximum(idf, EPSILON * np.abs(idf).mean(), out=idf)
        return idf
    # As in rank_bm25, the mean includes the negative idfs of very common words, and is summed word by word; numpy's pairwise
    # sum would change the scores of long queries by about 1e-10.
    idf[idf < 0] = EPSILON * (np.cumsum(idf)[-1] / len(idf))
    return idf
