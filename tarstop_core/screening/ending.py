"""A session's end in words: what was decided, by whom, on what, and what the advice was then."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tarstop_core.presentation.words import say
from tarstop_core.screening.explain import action, question, settled, word_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import Decision

GO_ON = ("continue", "reports", "confirm")
"""Headlines under which stopping is not what was advised."""
_said = partial(say, __name__)


@dataclass(frozen=True)
class Ending:
    """What is said of a decision."""

    action: str
    on: str  # What had been read, at what cost, and what was believed
    advice: str  # The advice at the time
    overridden: str  # Where it was not followed: how; else empty
    reason: str
    settled: str  # Which documents settle the question; else empty
    stopped: bool  # Whether screening stopped although the advice was not to
    otherwise: bool  # Whether another action was chosen than the one advised


def ending(decision: Decision, settings: Settings, documents: Sequence[str] = ()) -> Ending:
    """The decision in words; logs of earlier versions may hold less of it.

    `documents` names those that settle the question.
    """
    kept = decision.payload
    chosen = str(kept.get("action") or action(decision.plus, settings))
    headline = str(kept.get("advice", ""))
    advised = action(bool(kept["advised"]), settings) if "advised" in kept else ""
    stopped, otherwise = headline in GO_ON, bool(advised) and bool(kept["advised"]) != decision.plus
    told = {
        "kept": kept,
        "unit": settings.payoffs.unit,
        "question": question(settings),
        "word": word_of(headline),
        "advised": advised,
        "chosen": chosen,
        "stopped": stopped,
        "otherwise": otherwise,
    }
    on, advice, overridden = (_said(key, **told).strip() for key in ("on", "advice", "overridden"))
    settles = f"{settled(documents)}." if documents else ""
    reason = str(kept.get("reason", ""))
    return Ending(chosen, on, advice, overridden, reason, settles, stopped, otherwise)
