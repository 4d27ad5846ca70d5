"""Rankers that learn from labels which unread documents to read next.

A ranker is fitted again whenever enough has been read (`due`). It gets the question and every label so far, and
returns a score for each document. It keeps no state between two fits, so that the same log of labels gives the
same order.
"""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from tarstop_core.errors import InputProblem
from tarstop_core.plugins import load_class, make
from tarstop_core.ranking.features import Features, Matrix

Floats = NDArray[np.float64]

EVERY_LABEL = 50  # Up to this many labels, there is a fit after each
FURTHER = 0.04  # From then on, there is one whenever labels grew by this share
ITS_SCORE = ""  # Stands for a document's score from elsewhere in a list of words
FEW = 5  # With this many relevant documents, scores from elsewhere get half their weight


class Label(IntEnum):
    """Label of a document, as rankers see it."""

    UNREAD = 0
    NOT_RELEVANT = 1
    RELEVANT = 2  # Included by title and abstract; its full text has not been judged
    INCLUDED = 3  # By its full text
    OTHER_KIND = 4  # On the topic, but excluded by its full text for the kind of study it is


@dataclass(frozen=True, eq=False)
class Feedback:
    """Everything a ranker may use."""

    question: str
    labels: NDArray[np.int8]  # A `Label` for each document, by its position in the collection. Shape (N,).
    start: Floats  # Scores of the list's own order, the highest to be read first. Shape (N,).
    words_for: str = ""  # Words in favour of a document, as a person typed them
    words_against: str = ""
    outside: Floats | None = None
    """Scores from elsewhere, such as a language model's; NaN where there is none. Shape (N,)."""

    @property
    def count(self) -> int:
        """Number of labels."""
        return int(np.count_nonzero(self.labels))


class Ranker(ABC):
    """Puts unread documents in order by the labels of the read ones.

    A person's own ranker is a frozen dataclass derived from this, whose fields are its settings.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1  # Rises whenever the same labels can give another order
    said: ClassVar[str]  # What it does, as a sentence

    @abstractmethod
    def scores(self, features: Features, feedback: Feedback, seed: int) -> Floats:
        """Score each document, the highest to be read first.

        Parameters
        ----------
        features : Features
            Weights of the words in each of N documents.
        feedback : Feedback
            The question, the labels, and all else a ranker may use.
        seed : int
            Together with the number of labels it decides what is drawn at random.

        Returns
        -------
        ndarray, shape (N,)
            The same for the same arguments on one machine; scores of documents already read do not matter.
        """

    def why(self, features: Features, feedback: Feedback, at: int, text: str, seed: int) -> dict[str, float]:
        """Contribution of each word, and each pair of words, of a document to its score.

        Parameters
        ----------
        features : Features
            Weights of the words in each of N documents.
        feedback : Feedback
            The question, the labels, and all else a ranker may use.
        at : int
            Position of the document.
        text : str
            Its text; words are spelled as in it.
        seed : int
            As for :meth:`scores`.

        Returns
        -------
        dict of float
            The largest first; `ITS_SCORE` stands for the document's score from elsewhere. Empty where a ranker cannot explain.
        """
        return {}


@dataclass(frozen=True)
class StaticRanker(Ranker):
    """Learns nothing, for comparison."""

    name = "unmoved"
    said = "Keeps the list in its order."

    def scores(self, features: Features, feedback: Feedback, seed: int) -> Floats:
        return feedback.start


@dataclass(frozen=True)
class SVMRanker(Ranker):
    """A linear support vector machine on words and pairs; the question counts as one relevant document.

    The score by which the list began and scores from elsewhere are columns beside the words, weighed by how well they agree
    with the labels.
    """

    name = "linear"
    said = (
        "A linear support vector machine on word stems, word pairs and the list’s first "
        "scores; the question counts as a relevant document."
    )

    strength: float = 0.03  # C, the inverse strength of regularisation
    ratio: float = 10.0  # Total weight of the relevant documents relative to the others
    presumed: int = 10
    """Unread documents drawn at random are presumed not relevant until this many irrelevant ones were found."""
    beside: float = 0.05  # Spread of a column of scores, relative to the length 1 of a document's words
    included: float = 5.0
    """What a document included by its full text weighs, where the others on the topic weigh 1: those included by their
    abstracts so far, and those excluded for their kind of study, whose words are the topic's anyway."""

    def scores(self, features: Features, feedback: Feedback, seed: int) -> Floats:
        columns = self._columns(feedback)
        learned = self._learned(features, feedback, columns, seed)
        if learned is None:
            return feedback.start
        of_words, of_columns = learned
        # The distance from the boundary, towards the relevant documents.
        return np.asarray(features.times(of_words) + columns @ of_columns, dtype=np.float64)

    def why(self, features: Features, feedback: Feedback, at: int, text: str, seed: int) -> dict[str, float]:
        columns = self._columns(feedback)
        learned = self._learned(features, feedback, columns, seed)
        if learned is None:
            return {}
        row, spelled, (of_words, of_columns) = features.rows(np.array([at])), features.spelled(text), learned
        adds = row.data * of_words[row.indices]
        adds_by_term = {
            spelled[column]: float(add) for column, add in zip(row.indices.tolist(), adds, strict=True)
        }
        if feedback.outside is not None:
            adds_by_term[ITS_SCORE] = float(columns[at, 1] * of_columns[1])
        return dict(sorted(adds_by_term.items(), key=lambda item: -item[1]))

    def _columns(self, feedback: Feedback) -> Floats:
        """Columns besides the words: the score of the list's own order, then scores from elsewhere. Shape (N, 1 or 2)."""
        columns = _scaled(feedback.start, self.beside)[:, None]
        if feedback.outside is None:
            return columns
        outside = _scaled(feedback.outside, self.beside)
        return np.column_stack((columns, outside * _worth(outside, feedback.labels)))

    def _learned(
        self, features: Features, feedback: Feedback, columns: Floats, seed: int
    ) -> tuple[NDArray[np.float32], Floats] | None:
        """Weights of the terms and of the columns besides; None while there is nothing to learn from."""
        labels, rng = feedback.labels, np.random.default_rng((seed, feedback.count))
        read, unread = np.flatnonzero(labels), np.flatnonzero(labels == Label.UNREAD)
        wanted = max(0, self.presumed - int(np.count_nonzero(labels == Label.NOT_RELEVANT)))
        rows_used = np.concatenate((read, rng.choice(unread, min(len(unread), wanted), replace=False)))
        plus = [text for text in (feedback.question, feedback.words_for) if text]
        minus = [feedback.words_against] if feedback.words_against else []
        typed = len(plus) + len(minus)
        y = np.concatenate((np.arange(typed) < len(plus), labels[rows_used] >= Label.RELEVANT))
        words = vstack([*map(features.of, (*plus, *minus)), features.rows(rows_used)], format="csr")
        has_evidence = feedback.count or feedback.words_for or feedback.words_against
        if not has_evidence or not words.nnz or y.all() or not y.any():
            return None
        beside = np.zeros((typed, columns.shape[1]))
        beside[: len(plus), 0] = np.quantile(columns[:, 0], 0.99)  # it would be near the top of the list
        weights = np.where(
            np.append(np.zeros(typed), labels[rows_used]) == Label.INCLUDED, self.included, 1.0
        )
        weights[~y] *= weights[y].sum() / (self.ratio * np.count_nonzero(~y))
        weights *= len(y) / weights.sum()
        # Only terms that occur in these rows are fitted.
        used, term = np.unique(words.indices, return_inverse=True)
        occurring = csr_array((words.data, term.astype(np.int32), words.indptr), shape=(len(y), len(used)))
        own = csr_array(np.vstack((beside, columns[rows_used])))
        rows = hstack((occurring, own), format="csr", dtype=np.float64)
        for part in ("indices", "indptr"):  # as liblinear wants
            setattr(rows, part, getattr(rows, part).astype(np.int32))
        weighed = self.fit(rows, y, weights)
        of_words = np.zeros(words.shape[1], dtype=np.float32)
        of_words[used] = weighed[: len(used)]
        return of_words, weighed[len(used) :]

    def fit(self, rows: Matrix, y: NDArray[np.bool_], weights: Floats) -> Floats:
        """Fit the weight of each column.

        Parameters
        ----------
        rows : csr_array, shape (n, columns)
            Features of the documents learned from.
        y : ndarray of bool, shape (n,)
            Which of them are relevant.
        weights : ndarray, shape (n,)
            How much each of them counts.

        Returns
        -------
        ndarray, shape (columns,)
            Positive where a column speaks for relevance.
        """
        from sklearn.svm import LinearSVC  # slow to import, seldom needed

        machine = LinearSVC(C=self.strength, tol=1e-3, random_state=0)
        return np.asarray(machine.fit(rows, y, weights).coef_[0])


def _scaled(scores: Floats, size: float) -> Floats:
    """Scale scores to mean 0 and this spread, with 0 for a missing one. Shape (N,)."""
    is_there = np.isfinite(scores)
    if not is_there.any():
        return np.zeros(len(scores))
    away = np.where(is_there, scores - scores[is_there].mean(), 0.0)
    return np.asarray(size * away / (scores[is_there].std() or 1.0))


def _worth(scores: Floats, labels: NDArray[np.int8]) -> float:
    """Factor 1 + d², with d the standard deviations between relevant documents and others; smaller while they are few."""
    relevant, others = scores[labels >= Label.RELEVANT], scores[labels == Label.NOT_RELEVANT]
    if len(relevant) < 2 or len(others) < 2:
        return 1.0
    spread = float(np.sqrt((relevant.var() + others.var()) / 2))
    apart = max(0.0, float(relevant.mean() - others.mean())) / (spread or np.inf)
    return 1 + (apart * len(relevant) / (len(relevant) + FEW)) ** 2


RANKERS: dict[str, Ranker] = {ranker.name: ranker for ranker in (SVMRanker(), StaticRanker())}
DEFAULT = "linear"
_EARLIER = {"Told": "Feedback", "Linear": "SVMRanker", "Unmoved": "StaticRanker"}


if not TYPE_CHECKING:  # A type checker knows only today's names.

    def __getattr__(name: str) -> Any:
        """Classes by their earlier names, which people's own files may still import."""
        if name not in _EARLIER:
            raise AttributeError(f"module {__name__} has no attribute {name}")
        warnings.warn(f"{name} is now called {_EARLIER[name]}.", DeprecationWarning, stacklevel=2)
        return globals()[_EARLIER[name]]


def parse_ranker(spec: str) -> Ranker:
    """Parse the name of a ranker, or run a person's own file.

    Raises
    ------
    InputProblem
        When there is none of that name, or a file does not yield one.
    """
    file, _, name = spec.rpartition(":")
    if file.endswith(".py"):
        kind = load_class(file, name, Ranker, "ranker", "tarstop_core.ranking.learning.Ranker")  # type: ignore[type-abstract]
        for attribute in ("name", "said"):
            if not isinstance(getattr(kind, attribute, None), str):
                raise InputProblem(
                    f"The ranker {name} in {file} has no text '{attribute}'; add it to the class."
                )
        return make(kind, file, name, {}, "ranker")
    if spec.endswith(".py"):
        raise InputProblem(f"Which ranker of {spec}? Name its class as in {spec}:Name.")
    if spec not in RANKERS:
        raise InputProblem(
            f"There is no ranker '{spec}'; choose one of {', '.join(RANKERS)}, or name file.py:Name."
        )
    return RANKERS[spec]


def due(labels: int, at_last_fit: int) -> bool:
    """Whether a ranker is due for another fit, given the number of labels now and at the last fit.

    >>> due(1, 0), due(0, 0), due(101, 100), due(104, 100)
    (True, False, False, True)
    """
    further = labels - at_last_fit
    return further > 0 and (labels <= EVERY_LABEL or further >= FURTHER * at_last_fit)


def reading_order(scores: Floats, seed: int) -> NDArray[np.intp]:
    """Positions by falling score, with ties in an order drawn by the seed. Shape (N,).

    The order of records in a source can leak what they are labelled.

    >>> reading_order(np.array([1.0, 3.0, 2.0]), 0).tolist()
    [1, 2, 0]
    """
    drawn = np.random.default_rng(seed).permutation(len(scores))
    return drawn[np.argsort(-scores[drawn], kind="stable")]
