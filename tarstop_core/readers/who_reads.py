"""Who should read the next stretch of a list that a person and a machine have read so far."""

from dataclasses import dataclass, replace

import numpy as np

from tarstop_core.documents.tables import Flags
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.messages import Messages
from tarstop_core.readers.played import ReadList
from tarstop_core.readers.strategies import SENSITIVITY, Learned, Option, Prices, Strategy, Stretch, compare
from tarstop_core.readers.verdicts import Verdicts

message = Messages("readers/who_reads.jinja")
MACHINE, PERSON = 0, 1
"""The columns of the machine's and of the person's verdicts."""


@dataclass(frozen=True)
class WhoReads:
    """Ways of reading the next stretch, and what they are compared by."""

    read: int
    """Records up to the last one that a person read or that was resolved."""
    stretch: Stretch
    rest: Stretch
    learned: Learned
    options: tuple[Option[Strategy], ...]
    """The best first."""


def who_reads(
    verdicts: Verdicts, records: int, prices: Prices, worth: float, sensitivity: float = SENSITIVITY
) -> WhoReads:
    """Compare ways of reading the next stretch by what reading so far has taught.

    The list has been read up to the last record with a verdict of the person or an answer. What is before it and was not read by
    the person was left to the machine.

    Parameters
    ----------
    verdicts : Verdicts
        Of the machine on every record, and of the person on those that were read; in the order of the list.
    records : int
        Records of the next stretch.
    prices : Prices
        What a record costs.
    worth : float
        What a relevant record found is worth, in the same unit.
    sensitivity : float
        Chance that the person recognises a relevant record, in (0, 1].

    Returns
    -------
    WhoReads
        The ways, and what was learned.

    Raises
    ------
    InputProblem
        When the machine has no verdict on a record, nothing is left to read, or an amount cannot be.
    """
    _check(verdicts, records, worth, sensitivity)
    machine, person = verdicts.included.T
    answered, by_person = ~np.isnan(verdicts.relevant), ~np.isnan(person)
    begun = np.flatnonzero(answered | by_person)
    read = int(begun[-1]) + 1 if len(begun) else 0
    if read == len(machine):
        raise InputProblem("Every record has been read; there is no next stretch to compare ways for.")
    includes = machine == 1
    relevant = np.where(answered, verdicts.relevant, person) == 1
    learned = replace(Learned(), sensitivity=sensitivity)
    # Where the machine includes, or in a random draw, an answer is the truth. Elsewhere a person who looked found what he recognised.
    is_true = answered & (includes | (verdicts.drawn > 0))
    exposure = np.where(by_person & ~is_true, sensitivity, (by_person | answered).astype(float))
    for side, name in ((includes, "included"), (~includes, "excluded")):
        rate = getattr(learned, name).after(int((relevant & side).sum()), float(exposure[side].sum()))
        learned = replace(learned, **{name: rate})
    stretch, rest = _part(includes[read : read + records]), _part(includes[read + records :])
    return WhoReads(read, stretch, rest, learned, compare(stretch, rest, learned, prices, worth))


def labelled_throughout(verdicts: Verdicts) -> ReadList:
    """A list on which whole strategies can be played; InputProblem where a record lacks a verdict.

    Parameters
    ----------
    verdicts : Verdicts
        Of the machine and of the person, and the final ones, on every record.

    Returns
    -------
    ReadList
    """
    machine, person = verdicts.included.T
    _check_all_judged(verdicts)
    for judged, what in ((person, "verdict of the person"), (verdicts.relevant, "final verdict")):
        without = np.isnan(judged)
        if without.any():
            raise InputProblem(
                f"{_place(verdicts, without)} has no {what}; whole strategies are compared on a list that has all of them."
            )
    return ReadList(machine == 1, person == 1, verdicts.relevant == 1)


def _place(verdicts: Verdicts, without: Flags) -> str:
    """What the first of these records is called."""
    at = int(without.argmax())
    return verdicts.names[at] if verdicts.names else f"Record {at + 1}"


def _check_all_judged(verdicts: Verdicts) -> None:
    without = np.isnan(verdicts.included[:, MACHINE])
    if without.any():
        raise InputProblem(
            f"{_place(verdicts, without)} has no verdict of the machine; let it judge every record first."
        )


def check_worth(worth: float, sensitivity: float) -> None:
    """InputProblem for what a relevant record cannot be worth, or for a person's sensitivity that cannot be."""
    if not 0 < sensitivity <= 1:
        raise InputProblem(f"The person's sensitivity is {sensitivity:g}; give a number above 0, at most 1.")
    if not 0 < worth < np.inf:
        raise InputProblem(f"A relevant record is worth {worth:g}; give an amount above 0.")


def _check(verdicts: Verdicts, records: int, worth: float, sensitivity: float) -> None:
    """InputProblem for what cannot be."""
    _check_all_judged(verdicts)
    check_worth(worth, sensitivity)
    if records < 1:
        raise InputProblem(f"The next stretch has {records} records; give a number of 1 or more.")


def _part(includes: Flags) -> Stretch:
    """How many records of a part the machine includes and excludes."""
    included = int(includes.sum())
    return Stretch(included, len(includes) - included)
