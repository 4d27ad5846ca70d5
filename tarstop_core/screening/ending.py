"""A session's end in words: what was decided, by whom, on what, and what the advice was then."""

from dataclasses import dataclass

from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.screening.explain import action, question, word_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import Decision

GO_ON = ("continue", "reports", "confirm")
"""Headlines under which stopping is not what was advised."""


@dataclass(frozen=True)
class Ending:
    """What is said of a decision."""

    action: str
    on: str
    """What had been read, at what cost, and what was believed."""
    advice: str
    """The advice at the time."""
    overridden: str
    """Where it was not followed: how; else empty."""
    reason: str


def ending(decision: Decision, settings: Settings) -> Ending:
    """The decision in words; logs of earlier versions may hold less of it."""
    kept = decision.payload
    chosen = str(kept.get("action") or action(decision.plus, settings))
    read = f"After {count_of(int(kept['depth']))}" if "depth" in kept else ""
    studies = int(kept.get("studies", 0))
    read += f" and {studies:,} {'study' if studies == 1 else 'studies'} with data" if read and studies else ""
    unit = settings.payoffs.unit
    spent = f"at a cost of {amount(float(kept['spent']), unit)}" if unit and "spent" in kept else ""
    read = ", ".join(filter(None, (read, spent)))
    believed = (
        f"The chance that {question(settings)} was {percent(float(kept['belief']))}."
        if "belief" in kept
        else ""
    )
    headline = str(kept.get("advice", ""))
    word = word_of(headline)
    advised = action(bool(kept["advised"]), settings) if "advised" in kept else ""
    to_act = f"“{advised}”{' if you stopped' if headline in GO_ON else ''}" if advised else ""
    said = ", ".join(filter(None, (word, to_act)))
    against = []
    if headline in GO_ON:
        against.append("you stopped all the same")
    if advised and bool(kept["advised"]) != decision.plus:
        against.append(f"you chose “{chosen}”")
    return Ending(
        chosen,
        " ".join(filter(None, (f"{read}." if read else "", believed))),
        f"The advice then: {said}." if said else "",
        f"Overridden: {' and '.join(against)}." if against else "",
        str(kept.get("reason", "")),
    )
