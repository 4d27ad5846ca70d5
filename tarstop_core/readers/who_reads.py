"""Advise who should read the next stretch of a list: a person, a machine, or both."""

from dataclasses import dataclass, replace

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.presentation.messages import Messages
from tarstop_core.readers.played import ReadList
from tarstop_core.readers.strategies import (
    SENSITIVITY,
    Prices,
    ReaderKnowledge,
    ReadingOption,
    Strategy,
    Stretch,
    compare,
)
from tarstop_core.readers.verdicts import Verdicts

message = Messages("readers/who_reads.jinja")


@dataclass(frozen=True)
class WhoReads:
    """Strategies for the next stretch, and the data that they are compared on."""

    read: int
    """Records up to the last one that a person read or that was resolved."""
    stretch: Stretch
    rest: Stretch
    learned: ReaderKnowledge
    options: tuple[ReadingOption[Strategy], ...]
    """Sorted by falling value."""


def who_reads(
    verdicts: Verdicts, records: int, prices: Prices, worth: float, sensitivity: float = SENSITIVITY
) -> WhoReads:
    """Compare strategies for the next stretch by what reading so far has taught.

    The list counts as read up to the last record that has a verdict of the person or a final verdict. Earlier records
    that the person did not read were left to the machine.

    Parameters
    ----------
    verdicts : Verdicts
        Column 0: the machine, on every record. Column 1: the person, on records read. In the order of the list.
    records : int
        Length of the next stretch.
    prices : Prices
        Prices per record.
    worth : float
        Value of a relevant record found, in the same unit.
    sensitivity : float
        Chance that the person includes a relevant record, in (0, 1].

    Returns
    -------
    WhoReads

    Raises
    ------
    InputProblem
        When the machine has no verdict on a record, nothing is left to read, or a number is out of range.
    """
    _check_all_judged(verdicts)
    check_worth(worth, sensitivity)
    if records < 1:
        raise InputProblem(f"The next stretch has {records} records; give a number of 1 or more.")
    machine, person = verdicts.included.T
    answered, by_person = ~np.isnan(verdicts.relevant), ~np.isnan(person)
    begun = np.flatnonzero(answered | by_person)
    read = int(begun[-1]) + 1 if len(begun) else 0
    if read == len(machine):
        raise InputProblem("Every record has been read; there is no next stretch to compare ways for.")
    includes = machine == 1
    relevant = np.where(answered, verdicts.relevant, person) == 1
    learned = replace(ReaderKnowledge(), sensitivity=sensitivity)
    # A final verdict on a record that the machine includes, or on a random draw, is unbiased. All other records that the
    # person read count by the chance that the person recognises a relevant one.
    is_unbiased = answered & (includes | (verdicts.drawn > 0))
    exposure = np.where(by_person & ~is_unbiased, sensitivity, (by_person | answered).astype(float))
    for side, name in ((includes, "included"), (~includes, "excluded")):
        rate = getattr(learned, name).after(int((relevant & side).sum()), float(exposure[side].sum()))
        learned = replace(learned, **{name: rate})
    stretch, rest = Stretch.of(includes[read : read + records]), Stretch.of(includes[read + records :])
    return WhoReads(read, stretch, rest, learned, compare(stretch, rest, learned, prices, worth))


def labelled_throughout(verdicts: Verdicts) -> ReadList:
    """The list for comparing whole strategies; InputProblem when a record lacks a verdict of machine or person or a final one."""
    machine, person = verdicts.included.T
    _check_all_judged(verdicts)
    for judged, what in ((person, "verdict of the person"), (verdicts.relevant, "final verdict")):
        without = np.isnan(judged)
        if without.any():
            raise InputProblem(
                f"{verdicts.first_name(without)} has no {what}; whole strategies are compared on a list that has all of them."
            )
    return ReadList(machine == 1, person == 1, verdicts.relevant == 1)


def _check_all_judged(verdicts: Verdicts) -> None:
    without = np.isnan(verdicts.included[:, 0])
    if without.any():
        raise InputProblem(
            f"{verdicts.first_name(without)} has no verdict of the machine; let it judge every record first."
        )


def check_worth(worth: float, sensitivity: float) -> None:
    """Raise InputProblem unless the value of a relevant record is positive and the sensitivity is in (0, 1]."""
    if not 0 < sensitivity <= 1:
        raise InputProblem(f"The person's sensitivity is {sensitivity:g}; give a number above 0, at most 1.")
    if not 0 < worth < np.inf:
        raise InputProblem(f"A relevant record is worth {worth:g}; give an amount above 0.")
