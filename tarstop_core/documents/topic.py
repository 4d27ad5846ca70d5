"""A ranked list of documents with its labels and 2×2 tables: the input of everything else."""

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

PIECE = 1000
"""Documents that are hashed at once."""


@dataclass(frozen=True, eq=False)
class Topic:
    """One ranked list. InputProblem when the arrays disagree in length."""

    name: str  # Topic identifier, as in the run and the qrels
    ids: NDArray[np.str_]  # Document identifiers in screening order (best first). Shape (N,).
    scores: NDArray[np.float64] | None = None
    """Retrieval scores in the same order; None for a list that has only its order. Shape (N,)."""
    labels: NDArray[np.bool_] | None = None
    """True where the document is relevant; None when nothing is known (a live session). Shape (N,)."""
    n_relevant: int | None = None  # R, the number of relevant documents the qrels know, ranked or not
    known: NDArray[np.bool_] | None = None
    """Where a label is known: a document that nobody read is unlabelled, not irrelevant (its label is False, and says
    nothing). None: all are. Shape (N,).
    """

    def __post_init__(self) -> None:
        for what, column in (("scores", self.scores), ("labels", self.labels), ("marks", self.known)):
            if column is not None and len(column) != len(self.ids):
                raise InputProblem(
                    f"Topic {self.name} has {len(self.ids)} documents but {len(column)} {what}; "
                    "give one for every document."
                )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def omega(self) -> bool:
        """ω⁺: the qrels hold a relevant document, whether it was ranked or not."""
        return bool(self.n_relevant)

    @property
    def first_hit(self) -> int | None:
        """Depth (1-based) of the first relevant document; None when none is ranked."""
        if self.labels is None or not self.labels.any():
            return None
        return int(np.argmax(self.labels)) + 1


@dataclass(frozen=True, eq=False)
class Outcome:
    """One review outcome as an experiment sees it.

    InputProblem when studies and positions disagree in number, or positions fall or leave 0 … N.
    """

    topic: Topic
    """The ranked documents. A label says that the document brings extractable data for this outcome; `n_relevant`
    counts such documents, ranked or not.
    """
    review: str
    """The review that the outcome belongs to. Outcomes of one review are not independent: split, weigh and resample by
    review.
    """
    tables: Tables
    """n studies in the order in which screening meets them: by rank of their document, then by name."""
    positions: NDArray[np.int64]
    """0-based rank of the document that each study comes from, never falling. A study whose document is not ranked has
    position N = len(topic): no depth of screening meets it, but it is part of the truth. Shape (n,).
    """

    def __post_init__(self) -> None:
        _check_places(self.topic, len(self.tables), self.positions)

    @property
    def name(self) -> str:
        """The name of the topic."""
        return self.topic.name


@dataclass(frozen=True, eq=False)
class EffectOutcome:
    """One outcome of a review of an intervention as an experiment sees it; fields as of :class:`Outcome`."""

    topic: Topic
    review: str
    studies: Studies
    positions: NDArray[np.int64]

    def __post_init__(self) -> None:
        _check_places(self.topic, len(self.studies), self.positions)

    @property
    def name(self) -> str:
        """The name of the topic."""
        return self.topic.name


def _check_places(topic: Topic, studies: int, at: NDArray[np.int64]) -> None:
    documents = len(topic)
    if len(at) != studies:
        raise InputProblem(
            f"Outcome {topic.name} has {studies} studies but {len(at)} positions; give one for every study."
        )
    if len(at) and (at.min() < 0 or at.max() > documents or (np.diff(at) < 0).any()):
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
    """Write a list as JSON, in pieces: written at once a long one would keep other threads waiting."""
    yield "["
    for start in range(0, len(values), PIECE):
        yield (", " if start else "") + json.dumps(values[start : start + PIECE])[1:-1]
    yield "]"


def placed(
    topic: Topic, name: str, documents: Sequence[str], studies: Sequence[str]
) -> tuple[Topic, NDArray[np.int64]]:
    """Find the studies of an outcome in a ranked list.

    Parameters
    ----------
    topic : Topic
        The list, of N documents.
    name : str
        What the outcome is called.
    documents : sequence of str
        The document that brings each study; "" where none is named.
    studies : sequence of str
        Names of the studies.

    Returns
    -------
    Topic
        The list, in which those documents are relevant, whether they are ranked or not.
    ndarray of int
        The position of each study's document; N where it is not ranked.
    """
    end = len(topic)
    rank = {document: at for at, document in enumerate(topic.ids.tolist())}
    at = np.array([rank.get(document, end) for document in documents], dtype=np.int64)
    labels = np.zeros(end, dtype=bool)
    labels[at[at < end]] = True
    # A study without a document has one of its own that nobody listed.
    relevant = {
        (document, "" if document else study) for document, study in zip(documents, studies, strict=True)
    }
    return replace(topic, name=name, labels=labels, n_relevant=len(relevant)), at
