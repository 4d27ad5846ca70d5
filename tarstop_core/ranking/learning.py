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
from scipy.sparse import csr_array, vstack
from sklearn.linear_model import LogisticRegression

from tarstop_core.ranking.features import Features, Matrix

Floats = NDArray[np.float64]

EVERY_LABEL = 50
"""So many labels are learned from one by one …"""
FURTHER = 0.04
"""… and then whenever there are more by this share."""


class Label(IntEnum):
    """What was said of a document, as a ranker is told."""

    UNREAD = 0
    NOT_RELEVANT = 1
    RELEVANT = 2
    """Included by title and abstract; its full text has not been judged."""
    INCLUDED = 3
    """By its full text."""
    OTHER_KIND = 4
    """On the topic, but excluded at full text for the kind of study it is."""


@dataclass(frozen=True, eq=False)
class Told:
    """Everything a ranker may use."""

    question: str
    labels: NDArray[np.int8]
    """A `Label` for each document, by its position in the collection. Shape (N,)."""
    start: Floats
    """Scores of the order in which the list stands, the highest to be read first. Shape (N,)."""
    words_for: str = ""
    """What speaks for a document, as a person typed it."""
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
    version: ClassVar[int] = 1
    """Rises whenever the same labels can give another order."""
    said: ClassVar[str]
    """What it does, as a sentence."""

    @abstractmethod
    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """A score for each document, the highest to be read first; those of documents already read do not matter.

        The same arguments give the same scores, shape (N,), on one machine. What it draws at random follows from the
        seed and the number of labels.
        """

    def weights(self, features: Features, told: Told, seed: int) -> NDArray[np.float32] | None:
        """What each term adds to the score of a document that holds it, shape (terms,), where words make the score.

        None where they do not: then it cannot be said which words put a document first.
        """
        return None


@dataclass(frozen=True)
class Unmoved(Ranker):
    """Learns nothing, for comparison."""

    name = "unmoved"
    said = "Leaves the list in the order in which it stands."

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """Those of the list's own order."""
        return told.start


@dataclass(frozen=True)
class Logistic(Ranker):
    """Logistic regression on words and pairs; the question counts as one relevant document."""

    name = "logistic"
    said = "Logistic regression on stems of words and pairs of them, anew after every label up to 50 and then every 4 %."

    strength: float = 1.0
    """C: how far a weight may go from 0."""
    ratio: float = 9.8
    """The relevant together weigh so many times what those not relevant do."""
    presumed: int = 10
    """Documents drawn from the unread are presumed not relevant until so many were found to be."""

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """Logit of being relevant, up to a constant."""
        found = self.weights(features, told, seed)
        return told.start if found is None else np.asarray(features.matrix @ found, dtype=np.float64)

    def weights(self, features: Features, told: Told, seed: int) -> NDArray[np.float32] | None:
        """None until there is something to tell apart."""
        if not told.count:
            return None
        rng = np.random.default_rng((seed, told.count))
        relevant = np.flatnonzero(np.isin(told.labels, (Label.RELEVANT, Label.INCLUDED)))
        against = np.flatnonzero(told.labels == Label.NOT_RELEVANT)
        unread = np.flatnonzero(told.labels == Label.UNREAD)
        drawn = rng.choice(unread, min(len(unread), max(0, self.presumed - len(against))), replace=False)
        rows = [features.of(each) for each in (told.question, told.words_for) if each]
        plus = len(rows) + len(relevant)
        rows += [features.matrix[relevant], features.matrix[against], features.matrix[drawn]]
        if told.words_against:
            rows.append(features.of(told.words_against))
        taught = vstack(rows, format="csr")
        y = np.arange(taught.shape[0]) < plus
        if y.all() or not y.any():
            return None
        weights = np.where(y, 1.0, plus / (self.ratio * (len(y) - plus)))
        weights *= len(y) / weights.sum()
        return self._fit(taught, y, weights)

    def _fit(self, rows: Matrix, y: NDArray[np.bool_], weights: Floats) -> NDArray[np.float32]:
        """Weight of each term, learned from the terms that occur in these rows."""
        used, column = np.unique(rows.indices, return_inverse=True)
        small = csr_array(
            (rows.data.astype(np.float64), column, rows.indptr), shape=(rows.shape[0], len(used))
        )
        fitted = LogisticRegression(C=self.strength).fit(small, y, weights)
        found = np.zeros(rows.shape[1], dtype=np.float32)
        found[used] = fitted.coef_[0]
        return found


RANKERS: dict[str, Ranker] = {each.name: each for each in (Logistic(), Unmoved())}
DEFAULT = "logistic"


def due(labels: int, at_last_fit: int) -> bool:
    """Whether a ranker is to be asked anew, given the numbers of labels now and when it was last asked.

    Examples
    --------
    >>> due(1, 0), due(0, 0), due(101, 100), due(104, 100)
    (True, False, False, True)
    """
    further = labels - at_last_fit
    return further > 0 and (labels <= EVERY_LABEL or further >= FURTHER * at_last_fit)


def reading_order(scores: Floats, seed: int) -> NDArray[np.intp]:
    """Positions by falling score; equal ones in an order drawn by the seed. Shape (N,).

    The order of records in a source can leak what they are labelled.

    Examples
    --------
    >>> reading_order(np.array([1.0, 3.0, 2.0]), 0).tolist()
    [1, 2, 0]
    """
    return np.lexsort((np.random.default_rng(seed).permutation(len(scores)), -scores))
