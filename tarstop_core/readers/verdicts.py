"""Verdicts of several readers on the records of a list, with the answers that are known."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.errors import InputProblem


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The readers' verdicts on n records, and the known answers.

    InputProblem when lengths differ, a record has no verdict, or a draw was not among what everybody excluded or has no answer.
    """

    included: Floats
    """1 where a reader included a record, 0 where he excluded it, NaN where he did not read it; shape (n, readers)."""
    relevant: Floats
    """1 or 0 where it is known whether a record is relevant, else NaN; shape (n,)."""
    drawn: Ints
    """Place of a record among the audit draws, from 1 on, 0 where it was not drawn; shape (n,)."""
    ordered: bool = False
    """Whether the places say in which order records were drawn."""
    names: tuple[str, ...] = ()
    """What each record is called in a message; empty: by its number."""

    def __post_init__(self) -> None:
        if not len(self.included) == len(self.relevant) == len(self.drawn):
            raise InputProblem("Verdicts, answers and audit draws cover different numbers of records.")
        faults = (
            (np.isnan(self.included).all(axis=1), "has no verdict; leave it out or add one"),
            (
                (self.drawn > 0) & ~self.excluded,
                "was drawn for the audit although a reader included it; draw from what everybody excluded",
            ),
            (
                (self.drawn > 0) & np.isnan(self.relevant),
                "was drawn for the audit and has no answer; judge it",
            ),
        )
        for at, fault in faults:
            if at.any():
                first = int(at.argmax())
                raise InputProblem(f"{self.names[first] if self.names else f'Record {first + 1}'} {fault}.")

    @property
    def excluded(self) -> Flags:
        """Flags of the records that everybody who read them excluded, shape (n,)."""
        return np.asarray(~(self.included == 1).any(axis=1))
