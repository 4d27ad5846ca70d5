"""What labels say about the documents still unread: rankers that learn.

A ranker is asked anew whenever enough has been read (`due`). It is told the question and every label so far, and
answers with a score for each document; it keeps nothing between two questions, so that the same log of labels gives the
same order.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack
from sklearn.svm import LinearSVC

from tarstop_core.ranking.features import Features, Matrix

Floats = NDArray[np.float64]

EVERY_LABEL = 50  # So many labels are learned from one by one …
FURTHER = 0.04  # … and then whenever there are more by this share
ITS_SCORE = ""  # Stands among words for a document's score from elsewhere
FEW = 5  # So many relevant documents bear scores from elsewhere out by half


class Label(IntEnum):
    """What was said of a document, as a ranker is told."""

    UNREAD = 0
    NOT_RELEVANT = 1
    RELEVANT = 2  # Included by title and abstract; its full text has not been judged
    INCLUDED = 3  # By its full text
    OTHER_KIND = 4  # On the topic, but excluded by its full text for the kind of study it is


@dataclass(frozen=True, eq=False)
class Told:
    """Everything a ranker may use."""

    question: str
    labels: NDArray[np.int8]  # A `Label` for each document, by its position in the collection. Shape (N,).
    start: Floats  # Scores of the order in which the list stands, the highest to be read first. Shape (N,).
    words_for: str = ""  # What speaks for a document, as a person typed it
    words_against: str = ""
    outside: Floats | None = None
    """Scores from elsewhere, such as a language model's; NaN where there is none. Shape (N,)."""

    @property
    def count(self) -> int:
        """Number of labels."""
        return int(np.count_nonzero(self.labels))


class Ranker(ABC):
    """Puts unread documents in order, by what was said of those that were read.

    One's own is a frozen dataclass derived from this, whose fields are its settings.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1  # Rises whenever the same labels can give another order
    said: ClassVar[str]  # What it does, as a sentence

    @abstractmethod
    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """A score for each document, the highest to be read first; those of documents already read do not matter.

        The same arguments give the same scores, shape (N,), on one machine. What it draws at random follows from the
        seed and the number of labels.
        """

    def why(self, features: Features, told: Told, at: int, text: str, seed: int) -> dict[str, float]:
        """What each word of the document at this position, spelled as in its text, and each pair adds to its score.

        `ITS_SCORE` stands for what it brought from elsewhere. The most comes first; nothing where that cannot be said.
        """
        return {}


@dataclass(frozen=True)
class Unmoved(Ranker):
    """Learns nothing, for comparison."""

    name = "unmoved"
    said = "Leaves the list in the order in which it stands."

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """Those of the list's own order."""
        return told.start


@dataclass(frozen=True)
class Linear(Ranker):
    """A linear support vector machine on words and pairs; the question counts as one relevant document.

    Where the list began and scores from elsewhere are columns beside the words, weighed by what the labels show them to be
    worth.
    """

    name = "linear"
    said = (
        "A linear support vector machine on stems of words, pairs of them and the score by which the list began; the "
        "question counts as a relevant document."
    )

    strength: float = 0.03  # C: how far a weight may go from 0
    ratio: float = 10.0  # The relevant together weigh so many times what those not relevant do
    presumed: int = 10
    """Documents drawn from the unread are presumed not relevant until so many were found to be."""
    beside: float = 0.05  # Spread of a column of scores, where the words of a document have length 1
    included: float = 5.0
    """What a document included by its full text weighs, where the others on the topic weigh 1: those included by their
    abstracts so far, and those excluded for their kind of study, whose words are the topic's all the same."""

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """Distance from the boundary, in the direction of the relevant."""
        columns = self._columns(told)
        learned = self._learned(features, told, columns, seed)
        if learned is None:
            return told.start
        of_words, of_columns = learned
        return np.asarray(features.times(of_words) + columns @ of_columns, dtype=np.float64)

    def why(self, features: Features, told: Told, at: int, text: str, seed: int) -> dict[str, float]:
        """Each term, or score, times its weight."""
        columns = self._columns(told)
        learned = self._learned(features, told, columns, seed)
        if learned is None:
            return {}
        row, spelled, (of_words, of_columns) = features.rows(np.array([at])), features.spelled(text), learned
        adds = row.data * of_words[row.indices]
        found = {spelled[column]: float(add) for column, add in zip(row.indices.tolist(), adds, strict=True)}
        if told.outside is not None:
            found[ITS_SCORE] = float(columns[at, 1] * of_columns[1])
        return dict(sorted(found.items(), key=lambda each: -each[1]))

    def _columns(self, told: Told) -> Floats:
        """What stands beside the words: where the list began, then scores from elsewhere, where there are. Shape (N, 1 or 2)."""
        columns = _scaled(told.start, self.beside)[:, None]
        if told.outside is None:
            return columns
        outside = _scaled(told.outside, self.beside)
        return np.column_stack((columns, outside * _worth(outside, told.labels)))

    def _learned(
        self, features: Features, told: Told, columns: Floats, seed: int
    ) -> tuple[NDArray[np.float32], Floats] | None:
        """Weight of each term and of each column beside them; None while there is nothing to learn from."""
        said, rng = told.labels, np.random.default_rng((seed, told.count))
        read, unread = np.flatnonzero(said), np.flatnonzero(said == Label.UNREAD)
        wanted = max(0, self.presumed - int(np.count_nonzero(said == Label.NOT_RELEVANT)))
        shown = np.concatenate((read, rng.choice(unread, min(len(unread), wanted), replace=False)))
        plus = [text for text in (told.question, told.words_for) if text]
        minus = [told.words_against] if told.words_against else []
        typed = len(plus) + len(minus)
        y = np.concatenate((np.arange(typed) < len(plus), said[shown] >= Label.RELEVANT))
        words = vstack([*map(features.of, (*plus, *minus)), features.rows(shown)], format="csr")
        known = told.count or told.words_for or told.words_against
        if not known or not words.nnz or y.all() or not y.any():
            return None
        beside = np.zeros((typed, columns.shape[1]))
        beside[: len(plus), 0] = np.quantile(columns[:, 0], 0.99)  # it would be near the top of the list
        weights = np.where(np.append(np.zeros(typed), said[shown]) == Label.INCLUDED, self.included, 1.0)
        weights[~y] *= weights[y].sum() / (self.ratio * np.count_nonzero(~y))
        weights *= len(y) / weights.sum()
        # Learned from those terms alone that occur in these rows.
        used, term = np.unique(words.indices, return_inverse=True)
        occurring = csr_array((words.data, term.astype(np.int32), words.indptr), shape=(len(y), len(used)))
        own = csr_array(np.vstack((beside, columns[shown])))
        rows = hstack((occurring, own), format="csr", dtype=np.float64)
        for part in ("indices", "indptr"):  # as liblinear wants
            setattr(rows, part, getattr(rows, part).astype(np.int32))
        weighed = self.fit(rows, y, weights)
        of_words = np.zeros(words.shape[1], dtype=np.float32)
        of_words[used] = weighed[: len(used)]
        return of_words, weighed[len(used) :]

    def fit(self, rows: Matrix, y: NDArray[np.bool_], weights: Floats) -> Floats:
        """What each column of some rows weighs, given which rows are relevant and how much each row counts."""
        machine = LinearSVC(C=self.strength, tol=1e-3, random_state=0)
        return np.asarray(machine.fit(rows, y, weights).coef_[0])


def _scaled(scores: Floats, size: float) -> Floats:
    """Scores with mean 0 and this spread; 0 where there is none. Shape (N,)."""
    known = np.isfinite(scores)
    if not known.any():
        return np.zeros(len(scores))
    away = np.where(known, scores - scores[known].mean(), 0.0)
    return np.asarray(size * away / (scores[known].std() or 1.0))


def _worth(scores: Floats, labels: NDArray[np.int8]) -> float:
    """1 + d², d being how many standard deviations the relevant lie above the others: less of them while they are few."""
    relevant, others = scores[labels >= Label.RELEVANT], scores[labels == Label.NOT_RELEVANT]
    if len(relevant) < 2 or len(others) < 2:
        return 1.0
    spread = float(np.sqrt((relevant.var() + others.var()) / 2))
    apart = max(0.0, float(relevant.mean() - others.mean())) / (spread or np.inf)
    return 1 + (apart * len(relevant) / (len(relevant) + FEW)) ** 2


RANKERS: dict[str, Ranker] = {each.name: each for each in (Linear(), Unmoved())}
DEFAULT = "linear"


def due(labels: int, at_last_fit: int) -> bool:
    """Whether a ranker is to be asked anew, given the numbers of labels now and when it was last asked.

    >>> due(1, 0), due(0, 0), due(101, 100), due(104, 100)
    (True, False, False, True)
    """
    further = labels - at_last_fit
    return further > 0 and (labels <= EVERY_LABEL or further >= FURTHER * at_last_fit)


def reading_order(scores: Floats, seed: int) -> NDArray[np.intp]:
    """Positions by falling score; equal ones in an order drawn by the seed. Shape (N,).

    The order of records in a source can leak what they are labelled.

    >>> reading_order(np.array([1.0, 3.0, 2.0]), 0).tolist()
    [1, 2, 0]
    """
    drawn = np.random.default_rng(seed).permutation(len(scores))
    return drawn[np.argsort(-scores[drawn], kind="stable")]
