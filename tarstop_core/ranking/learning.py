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

    def with_weights(
        self, features: Features, told: Told, seed: int
    ) -> tuple[Floats, NDArray[np.float32] | None]:
        """The same scores, and what each term adds to that of a document which holds it, shape (terms,).

        None where words add nothing to scores: then it cannot be said which of them put a document first.
        """
        return self.scores(features, told, seed), None


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

    strength: float = 0.03
    """C: how far a weight may go from 0."""
    ratio: float = 10.0
    """The relevant together weigh so many times what those not relevant do."""
    presumed: int = 10
    """Documents drawn from the unread are presumed not relevant until so many were found to be."""
    start: float = 0.05
    """Size of the column of scores by which the list began, where a document's words have length 1."""
    outside: float = 0.2
    """Size of the column of scores from elsewhere."""
    included: float = 2.0
    """What a document included by its full text weighs, where one included by its abstract weighs 1."""

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        """Distance from the boundary, in the direction of the relevant."""
        return self.with_weights(features, told, seed)[0]

    def with_weights(
        self, features: Features, told: Told, seed: int
    ) -> tuple[Floats, NDArray[np.float32] | None]:
        """None until there is something to tell apart."""
        if not told.count:
            return told.start, None
        said = told.labels
        relevant = np.flatnonzero((said == Label.RELEVANT) | (said == Label.INCLUDED))
        against = np.flatnonzero(said == Label.NOT_RELEVANT)
        unread = np.flatnonzero(said == Label.UNREAD)
        rng = np.random.default_rng((seed, told.count))
        drawn = rng.choice(unread, min(len(unread), max(0, self.presumed - len(against))), replace=False)
        read = np.concatenate((relevant, against, drawn))
        typed = [told.question, *filter(None, (told.words_for, told.words_against))]
        columns = np.column_stack(
            (_scaled(told.start, self.start), _scaled(told.outside, self.outside, len(said)))
        )
        beside = np.zeros((len(typed), 2))
        beside[0, 0] = np.quantile(columns[:, 0], 0.99)  # it would be near the top of the list
        words = vstack([*map(features.of, typed), features.matrix[read]])
        y = np.concatenate(
            (
                [True] + [True] * bool(told.words_for) + [False] * bool(told.words_against),
                np.arange(len(read)) < len(relevant),
            )
        )
        weights = np.ones(len(y))
        weights[len(typed) :][said[read] == Label.INCLUDED] = self.included
        if y.all():
            return told.start, None
        weights[~y] *= weights[y].sum() / (self.ratio * np.count_nonzero(~y))
        weights *= len(y) / weights.sum()
        of_words, of_columns = _fitted(words, np.vstack((beside, columns[read])), y, weights, self.strength)
        return np.asarray(features.matrix @ of_words + columns @ of_columns, dtype=np.float64), of_words


def _scaled(scores: Floats | None, size: float, N: int = 0) -> Floats:
    """Scores with mean 0 and this spread; 0 where there is none. Shape (N,)."""
    if scores is None:
        return np.zeros(N)
    known = np.isfinite(scores)
    away = np.where(known, scores, 0.0) - (scores[known].mean() if known.any() else 0.0)
    spread = away[known].std() if known.any() else 0.0
    return np.where(known, size * away / (spread or 1.0), 0.0)


def _fitted(
    words: Matrix, columns: Floats, y: NDArray[np.bool_], weights: Floats, strength: float
) -> tuple[NDArray[np.float32], Floats]:
    """Weight of each term, learned from those that occur in these rows, and of each column beside them."""
    used, column = np.unique(words.indices, return_inverse=True)
    rows = csr_array(
        (words.data.astype(np.float64), column.astype(np.int32), words.indptr.astype(np.int32)),
        shape=(len(y), len(used)),
    )
    fitted = LinearSVC(C=strength, tol=1e-3, random_state=0).fit(
        hstack((rows, csr_array(columns))), y, weights
    )
    of_words = np.zeros(words.shape[1], dtype=np.float32)
    of_words[used] = fitted.coef_[0, : len(used)]
    return of_words, fitted.coef_[0, len(used) :]


RANKERS: dict[str, Ranker] = {each.name: each for each in (Linear(), Unmoved())}
DEFAULT = "linear"


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
    drawn = np.random.default_rng(seed).permutation(len(scores))
    return drawn[np.argsort(-scores[drawn], kind="stable")]
