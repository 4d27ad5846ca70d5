"""Ranked lists of documents with labels and studies, the input of experiments and calibrators."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.tables import Tables
from tarstop_core.effects.studies import Studies
from tarstop_core.errors import InputProblem

PIECE = 1000  # Documents that are hashed at once


@dataclass(frozen=True, eq=False)
class Topic:
    """One ranked list of N documents; InputProblem when the arrays differ in length."""

    name: str  # Topic identifier, as in the run and the qrels
    ids: NDArray[np.str_]  # Document identifiers in screening order, best first, shape (N,)
    scores: NDArray[np.float64] | None = None
    """Retrieval scores in the same order, shape (N,); None for a list that has only its order."""
    labels: NDArray[np.bool_] | None = None
    """Whether a document is relevant, shape (N,); None if there are no labels (a live session)."""
    n_relevant: int | None = None  # R, the number of relevant documents in the qrels, ranked or not
    labelled: NDArray[np.bool_] | None = None
    """Whether a document is labelled, shape (N,); None if all are. An unlabelled document has the label False, which
    does not mean that it is irrelevant.
    """

    def __post_init__(self) -> None:
        for what, column in (("scores", self.scores), ("labels", self.labels), ("marks", self.labelled)):
            if column is not None and len(column) != len(self.ids):
                raise InputProblem(
                    f"Topic {self.name} has {len(self.ids)} documents but {len(column)} {what}; "
                    "give one for every document."
                )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def omega(self) -> bool:
        """ω⁺: whether the qrels contain a relevant document, ranked or not."""
        return bool(self.n_relevant)

    @property
    def first_hit(self) -> int | None:
        """Depth of the first relevant document, from 1; None if none is ranked."""
        if self.labels is None or not self.labels.any():
            return None
        return int(np.argmax(self.labels)) + 1


@dataclass(frozen=True, eq=False)
class Outcome:
    """One outcome of a review of a test, as experiments use it.

    InputProblem when studies and positions differ in number, or positions fall or are outside 0 … N.
    """

    topic: Topic
    """The ranked documents. A document is relevant if it has extractable data for this outcome; `n_relevant` counts
    such documents, ranked or not.
    """
    review: str
    """The review that the outcome belongs to. Outcomes of one review are dependent: split, weight and resample reviews."""
    tables: Tables
    """n studies in screening order: by the rank of their document, then by name."""
    positions: NDArray[np.int64]
    """0-based rank of each study's document, never falling, shape (n,). A study whose document is not ranked has position
    N: screening never reaches it, but it is part of the truth.
    """

    def __post_init__(self) -> None:
        _check_places(self.topic, len(self.tables), self.positions)

    @property
    def name(self) -> str:
        """Name of the topic."""
        return self.topic.name


@dataclass(frozen=True, eq=False)
class EffectOutcome:
    """One outcome of a review of an intervention, as experiments use it; fields as in :class:`Outcome`."""

    topic: Topic
    review: str
    studies: Studies
    positions: NDArray[np.int64]

    def __post_init__(self) -> None:
        _check_places(self.topic, len(self.studies), self.positions)

    @property
    def name(self) -> str:
        """Name of the topic."""
        return self.topic.name


def _check_places(topic: Topic, studies: int, positions: NDArray[np.int64]) -> None:
    """Raise InputProblem unless there is a position per study, in rising order and within the list."""
    documents = len(topic)
    if len(positions) != studies:
        raise InputProblem(
            f"Outcome {topic.name} has {studies} studies but {len(positions)} positions; give one for every study."
        )
    if studies and (positions.min() < 0 or positions.max() > documents or (np.diff(positions) < 0).any()):
        raise InputProblem(
            f"The studies of outcome {topic.name} are not in the order of their documents, or lie outside "
            f"the list of {documents:,}; sort them by position, from 0 to {documents:,}."
        )


def records_digest(ids: Sequence[str], scores: Sequence[float] | None) -> str:
    """Hash of a ranked list: its documents, their order and their scores."""
    digest = hashlib.sha256()
    scored = ["null"] if scores is None else _pieces([float(v) for v in scores])
    for piece in chain(["["], _pieces(ids), [", "], scored, ["]"]):
        digest.update(piece.encode())
    return digest.hexdigest()[:16]


def _pieces(values: Sequence[object]) -> Iterator[str]:
    """Yield a list as JSON in pieces, because encoding a long one at once would block other threads."""
    yield "["
    for start in range(0, len(values), PIECE):
        yield (", " if start else "") + json.dumps(values[start : start + PIECE])[1:-1]
    yield "]"


def placed(
    topic: Topic, name: str, documents: Sequence[str], studies: Sequence[str]
) -> tuple[Topic, NDArray[np.int64]]:
    """Label a ranked list by the studies of an outcome, and find the rank of each study.

    Parameters
    ----------
    topic : Topic
        The list, of N documents.
    name : str
        Name of the outcome.
    documents : sequence of str
        Identifier of each study's document; "" if none is given.
    studies : sequence of str
        Names of the studies.

    Returns
    -------
    Topic
        The list with labels; `n_relevant` counts documents that are not ranked too.
    ndarray of int, shape (studies,)
        0-based rank of each study's document; N if it is not ranked.
    """
    end = len(topic)
    rank = {document: at for at, document in enumerate(topic.ids.tolist())}
    at = np.array([rank.get(document, end) for document in documents], dtype=np.int64)
    labels = np.zeros(end, dtype=bool)
    labels[at[at < end]] = True
    # A study without a document counts as a document of its own that is not ranked.
    relevant = {
        (document, "" if document else study) for document, study in zip(documents, studies, strict=True)
    }
    return replace(topic, name=name, labels=labels, n_relevant=len(relevant)), at
