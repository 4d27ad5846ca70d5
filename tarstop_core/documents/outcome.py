"""One outcome of a diagnostic-accuracy review: a ranked list, and the 2×2 tables that lie in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.tables import Tables
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem


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
        at, documents = self.positions, len(self.topic)
        if len(at) != len(self.tables):
            raise InputProblem(
                f"Outcome {self.name} has {len(self.tables)} studies but {len(at)} positions; "
                "give one for every study."
            )
        if len(at) and (at.min() < 0 or at.max() > documents or (np.diff(at) < 0).any()):
            raise InputProblem(
                f"The studies of outcome {self.name} are not in the order of their documents, or lie outside "
                f"the list of {documents:,}; sort them by position, from 0 to {documents:,}."
            )

    @property
    def name(self) -> str:
        """The name of the topic."""
        return self.topic.name
