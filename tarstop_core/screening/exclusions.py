"""Reasons to exclude something, as the person of a session defines them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event
from tarstop_core.screening.state import State

LONGEST = 80
KEYED = 9
"""So many reasons have a number key."""


def reasons_event(state: State, kept: Mapping[str, str], added: Sequence[str]) -> Event:
    """The event that changes the reasons to choose from; empty ones among those `added` do not count.

    `kept` has for each reason there was its name from now on. It also holds for what was excluded under the old one; ""
    takes the reason off the list, and documents that were excluded for it stay so. InputProblem when two reasons have
    one name, one is too long, or nothing was changed.
    """
    names = [" ".join(kept.get(reason, reason).split()) for reason in state.reasons]
    renamed = {old: new for old, new in zip(state.reasons, names, strict=True) if new and new != old}
    reasons = list(filter(None, (*names, *(" ".join(each.split()) for each in added))))
    for name, times in Counter(reason.casefold() for reason in reasons).items():
        if times > 1:
            raise InputProblem(f"The reason “{name}” stands there twice; give each its own name.")
    long = next((reason for reason in reasons if len(reason) > LONGEST), None)
    if long is not None:
        raise InputProblem(
            f"The reason “{long[:30]}…” has {len(long)} characters; shorten it to {LONGEST}, and put the rest in a note."
        )
    if reasons == list(state.reasons):
        raise InputProblem("No reason was changed, so nothing was recorded.")
    return Event("reasons", {"reasons": reasons, "renamed": renamed})


def reasons_given(state: State) -> Counter[str]:
    """How often each reason was given, for a verdict or for a report, where that stands."""
    return Counter(state.excluded_for.values()) + Counter(
        report.reason for report in state.read_in_full.values() if report.outcome == "excluded"
    )


def reasons_offered(state: State) -> list[str]:
    """The reasons that were defined, then others that were given, in the order of the list."""
    given = (report.reason for report in state.read_in_full.values() if report.reason)
    return list(dict.fromkeys((*state.reasons, *given)))
