"""Rankers that learn from labels which unread documents to read next (active learning).

A ranker is fitted again whenever enough documents were read (`due`). It gets the question and all labels so far, and
returns a score for each document. It keeps no state between fits, so the same log of labels gives the same order.
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

EVERY_LABEL = 50  # Up to this many labels, the ranker is fitted after each
FURTHER = 0.04  # Later it is fitted whenever the number of labels grew by this share
ITS_SCORE = ""  # Key of a document's external score among its words
FEW = 5  # With this many relevant documents, the agreement of external scores with labels counts half


class Label(IntEnum):
    """Label of a document for rankers."""

    UNREAD = 0
    NOT_RELEVANT = 1
    RELEVANT = 2  # Included by title and abstract; the full text was not judged yet
    INCLUDED = 3  # Included by full text
    OTHER_KIND = 4  # On the topic, but excluded by full text because of the kind of study


@dataclass(frozen=True, eq=False)
class Feedback:
    """Everything a ranker may use."""

    question: str
    labels: NDArray[np.int8]  # A `Label` per document of the collection, shape (N,)
    start: Floats  # Scores of the initial order, highest first, shape (N,)
    words_for: str = ""  # Words that a person typed in favour of documents
    words_against: str = ""  # Words that a person typed against documents
    outside: Floats | None = None
    """External scores, such as those of a language model, shape (N,); NaN where there is none."""

    @property
    def count(self) -> int:
        """Number of labels."""
        return int(np.count_nonzero(self.labels))


class Ranker(ABC):
    """Ranks unread documents by the labels of the read ones.

    A ranker is a frozen dataclass derived from this class; its fields are its settings.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1  # Raise it whenever the same labels can give another order
    summary: ClassVar[str]  # A sentence on what the ranker does

    @abstractmethod
    def scores(self, features: Features, feedback: Feedback, seed: int) -> Floats:
        """Score all documents; those with the highest scores are read first.

        Parameters
        ----------
        features : Features
            Weights of the words in each of N documents.
        feedback : Feedback
            The question, the labels, and everything else a ranker may use.
        seed : int
            Random draws depend on this and the number of labels only.

        Returns
        -------
        ndarray, shape (N,)
            Equal for equal arguments on one machine; scores of documents already read are ignored.
        """

    def why(self, features: Features, feedback: Feedback, at: int, text: str, seed: int) -> dict[str, float]:
        """Contributions of the words and pairs of words of a document to its score.

        Parameters
        ----------
        features : Features
            Weights of the words in each of N documents.
        feedback : Feedback
            The question, the labels, and everything else a ranker may use.
        at : int
            Position of the document.
        text : str
            Its text, from which the spelling of words is taken.
        seed : int
            As for :meth:`scores`.

        Returns
        -------
        dict of str to float
            The largest first; `ITS_SCORE` is the key of the external score. Empty if the ranker cannot explain.
        """
        return {}


@dataclass(frozen=True)
class StaticRanker(Ranker):
    """Keeps the initial order, for comparison."""

    name = "unmoved"
    summary = "Keeps the list in its order."

    def scores(self, features: Features, feedback: Feedback, seed: int) -> Floats:
        return feedback.start


@dataclass(frozen=True)
class SVMRanker(Ranker):
    """A linear support vector machine on words and pairs of words; the question counts as a relevant document.

    Initial and external scores are further columns. External scores are weighted by their agreement with the labels.
    """

    name = "linear"
    summary = (
        "A linear support vector machine on word stems, word pairs and the list’s first "
        "scores; the question counts as a relevant document."
    )

    strength: float = 0.03  # C, the inverse strength of regularisation
    ratio: float = 10.0  # Total weight of relevant documents relative to that of the others
    presumed: int = 10
    """Random unread documents count as irrelevant until this many irrelevant ones were read."""
    beside: float = 0.05  # Standard deviation of a column of scores; the words of a document have length 1
    included: float = 5.0
    """Weight of a document included by full text. Other relevant documents weigh 1: those included by abstract so far, and
    those excluded for their kind of study, whose words fit the topic too."""

    def scores(self, features: Features, feedback: Feedback, seed: int) -> Floats:
        columns = self._columns(feedback)
        learned = self._learned(features, feedback, columns, seed)
        if learned is None:
            return feedback.start
        of_words, of_columns = learned
        # Proportional to the distance from the boundary, on the side of the relevant documents.
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
        """Columns of initial and, if there are any, external scores, shape (N, 1 or 2)."""
        columns = _scaled(feedback.start, self.beside)[:, None]
        if feedback.outside is None:
            return columns
        outside = _scaled(feedback.outside, self.beside)
        return np.column_stack((columns, outside * _agreement(outside, feedback.labels)))

    def _learned(
        self, features: Features, feedback: Feedback, columns: Floats, seed: int
    ) -> tuple[NDArray[np.float32], Floats] | None:
        """Weights of the terms and of the columns of scores; None while there is nothing to learn from."""
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
        beside[: len(plus), 0] = np.quantile(columns[:, 0], 0.99)  # a typed text would rank near the top
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
        for part in ("indices", "indptr"):  # liblinear requires 32-bit indices
            setattr(rows, part, getattr(rows, part).astype(np.int32))
        fitted = self.fit(rows, y, weights)
        of_words = np.zeros(words.shape[1], dtype=np.float32)
        of_words[used] = fitted[: len(used)]
        return of_words, fitted[len(used) :]

    def fit(self, rows: Matrix, y: NDArray[np.bool_], weights: Floats) -> Floats:
        """Fit the weight of each column.

        Parameters
        ----------
        rows : csr_array, shape (n, columns)
            Features of the training documents.
        y : ndarray of bool, shape (n,)
            Whether each is relevant.
        weights : ndarray, shape (n,)
            Their weights.

        Returns
        -------
        ndarray, shape (columns,)
            Positive for columns that indicate relevance.
        """
        from sklearn.svm import LinearSVC  # slow to import, seldom needed

        machine = LinearSVC(C=self.strength, tol=1e-3, random_state=0)
        return np.asarray(machine.fit(rows, y, weights).coef_[0])


def _scaled(scores: Floats, size: float) -> Floats:
    """Scale scores to mean 0 and standard deviation `size`; missing ones become 0. Shape (N,)."""
    given = np.isfinite(scores)
    if not given.any():
        return np.zeros(len(scores))
    centred = np.where(given, scores - scores[given].mean(), 0.0)
    return np.asarray(size * centred / (scores[given].std() or 1.0))


def _agreement(scores: Floats, labels: NDArray[np.int8]) -> float:
    """Factor 1 + d² for scores, where d is the standardised mean difference by label, shrunk while hits are few."""
    relevant, others = scores[labels >= Label.RELEVANT], scores[labels == Label.NOT_RELEVANT]
    if len(relevant) < 2 or len(others) < 2:
        return 1.0
    spread = float(np.sqrt((relevant.var() + others.var()) / 2))
    difference = max(0.0, float(relevant.mean() - others.mean())) / (spread or np.inf)
    return 1 + (difference * len(relevant) / (len(relevant) + FEW)) ** 2


RANKERS: dict[str, Ranker] = {ranker.name: ranker for ranker in (SVMRanker(), StaticRanker())}
DEFAULT = "linear"
_EARLIER = {"Told": "Feedback", "Linear": "SVMRanker", "Unmoved": "StaticRanker"}


if not TYPE_CHECKING:  # type checkers see the current names only

    def __getattr__(name: str) -> Any:
        """Return a class by an earlier name, which people's own files may still import."""
        if name not in _EARLIER:
            raise AttributeError(f"module {__name__} has no attribute {name}")
        warnings.warn(f"{name} is now called {_EARLIER[name]}.", DeprecationWarning, stacklevel=2)
        return globals()[_EARLIER[name]]


def parse_ranker(spec: str) -> Ranker:
    """Return a ranker by its name, or from a person's own file (``file.py:Name``).

    Raises
    ------
    InputProblem
        When there is no ranker of this name, or the file does not define one.
    """
    file, _, name = spec.rpartition(":")
    if file.endswith(".py"):
        kind = load_class(file, name, Ranker, "ranker", "tarstop_core.ranking.learning.Ranker")  # type: ignore[type-abstract]
        if "said" in vars(kind):
            warnings.warn(
                f"{name} in {file}: 'said' is now called 'summary'.", DeprecationWarning, stacklevel=2
            )
            kind.summary = vars(kind)["said"]
        for attribute in ("name", "summary"):
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
    """Whether a ranker must be fitted again, given the numbers of labels now and at the last fit.

    >>> due(1, 0), due(0, 0), due(101, 100), due(104, 100)
    (True, False, False, True)
    """
    further = labels - at_last_fit
    return further > 0 and (labels <= EVERY_LABEL or further >= FURTHER * at_last_fit)


def reading_order(scores: Floats, seed: int) -> NDArray[np.intp]:
    """Positions by falling score, shape (N,), with ties in random order.

    Ties do not keep the order of the records, because this may reveal their labels.

    >>> reading_order(np.array([1.0, 3.0, 2.0]), 0).tolist()
    [1, 2, 0]
    """
    drawn = np.random.default_rng(seed).permutation(len(scores))
    return drawn[np.argsort(-scores[drawn], kind="stable")]
