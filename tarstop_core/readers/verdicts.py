"""Verdicts of several readers on the records of a list, with final verdicts and audit draws."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.errors import InputProblem


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts of the readers on n records, with final verdicts and audit draws.

    Raises
    ------
    InputProblem
        When lengths differ, a record has no verdict, or a drawn record was included by a reader or has no final verdict.
    """

    included: Floats
    """1 if a reader included a record, 0 if the reader excluded it, NaN if not read; shape (n, readers)."""
    relevant: Floats
    """Final verdict: 1 if a record is relevant, 0 if not, NaN if open; shape (n,)."""
    drawn: Ints
    """Place of a record among the audit draws, from 1; 0 if not drawn; shape (n,)."""
    ordered: bool = False
    """Whether the places are the order in which records were drawn."""
    names: tuple[str, ...] = ()
    """Names of the records in messages; without names, a record is called by its number."""

    def __post_init__(self) -> None:
        if not len(self.included) == len(self.relevant) == len(self.drawn):
            raise InputProblem("Verdicts, answers and audit draws cover different numbers of records.")
        faults = (
            (np.asarray(np.isnan(self.included).all(axis=1)), "has no verdict; leave it out or add one"),
            (
                (self.drawn > 0) & ~self.excluded,
                "was drawn for the audit although a reader included it; draw from what everybody excluded",
            ),
            (
                (self.drawn > 0) & np.isnan(self.relevant),
                "was drawn for the audit and has no answer; judge it",
            ),
        )
        for where, fault in faults:
            if where.any():
                raise InputProblem(f"{self.first_name(where)} {fault}.")

    def first_name(self, where: Flags) -> str:
        """Name of the first of the flagged records in a message."""
        first = int(where.argmax())
        return self.names[first] if self.names else f"Record {first + 1}"

    @property
    def excluded(self) -> Flags:
        """Whether everybody who read a record excluded it, shape (n,)."""
        return np.asarray(~(self.included == 1).any(axis=1))
