"""The advice as it is read at a glance: a word, what reading on pays back, and what stopping now would mean.

Every number and its reasons are in :mod:`tarstop_core.screening.explain`; this is what stands before them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tarstop_core.presentation.numbers import listed, number
from tarstop_core.presentation.words import say
from tarstop_core.screening.advised import Advice, Headline
from tarstop_core.screening.explain import (
    SETTLED,
    WORDS,
    action,
    assumption_in_words,
    lacks_citation,
    question,
    settled,
)
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings

Mood = Literal["go", "stop", "found", "ask", "read", "wait"]
MOODS: dict[Headline, Mood] = {
    "continue": "go",
    "stop": "stop",
    "found": "found",
    "confirm": "ask",
    "prior alone": "wait",
    "all read": "stop",
    "reports": "read",
}
"""What is asked of a person, for colour and icon."""
SIGNS: dict[Mood, str] = {"go": "→", "stop": "■", "found": "✓", "ask": "?", "read": "☰", "wait": "…"}
_said = partial(say, __name__)


@dataclass(frozen=True)
class Verdict:
    """What a person reads first."""

    word: str
    mood: Mood
    sign: str  # An icon that says the same as the colour
    says: str  # What reading on pays back, and about how far it would go; or what is to be done instead
    now: str  # What stopping now would mean, and how likely that is right
    rests: str  # What that rests on, and under which assumptions it would be otherwise
    brief: str  # The first in a few words, for a line


def verdict(advice: Advice, settings: Settings, documents: Sequence[str] = ()) -> Verdict:
    """The advice in few words; `documents` names those that settle the question, or wait to be confirmed."""
    scenario, mood = scenario_of(settings), MOODS[advice.headline]
    brief, pays = _worth(advice, settings)
    match advice.headline:
        case "found":
            brief, says = "a confirmed document settles it", f"{settled(documents)}."
        case "confirm":
            brief, says = "does it hold?", _said("confirm", documents=documents)
        case "all read":
            brief, says = "nothing is left", "Every document of the list has been read."
        case "reports":
            brief, says = "before you read on", scenario.first_in_brief(advice, settings)
        case "prior alone":
            brief = "the starting chance alone would stop"
            says = f"Your starting chance alone would stop here. {pays}"
        case _:
            says = pays
    first = "" if advice.headline in SETTLED else scenario.still_changes(advice, settings)
    said = " ".join(filter(None, (first, says)))
    now, rests = _now(advice, settings), _rests(advice, settings)
    return Verdict(WORDS[advice.headline], mood, SIGNS[mood], said, now, rests, brief)


def _worth(advice: Advice, settings: Settings) -> tuple[str, str]:
    """What the next documents pay back and about how many there would be, in short and as sentences."""
    scenario = scenario_of(settings)
    brief, pays = _comparison(advice, settings)
    said = scenario.held_up(advice, settings) or pays
    if not advice.go_on:
        return brief, said
    plan = _said("plan", advice=advice)
    order = " in the present order" if settings.learns else ""
    more = f"Read {plan}{order}, if {scenario.nothing} turns up."
    return ", ".join(filter(None, (brief, plan))), " ".join(filter(None, (said, more)))


def _comparison(advice: Advice, settings: Settings) -> tuple[str, str]:
    """The worth of the next documents as a multiple of what they cost, in short and as a sentence."""
    rule, scenario = settings.rule, scenario_of(settings)
    if advice.worth is None:
        return "", rule.rule if advice.go_on else f"{rule.rule} It has done so."
    if advice.worth <= 0:
        why = "" if advice.go_on else scenario.not_worth_it(settings)
        return "nothing more to gain", scenario.worth_nothing(settings) or why
    if advice.cost == 0:
        return "reading is free", "Reading costs nothing, and could still show something."
    times = multiple(advice.worth / advice.cost)
    brief = f"{times} × its cost" if rule.criterion.is_score else f"pays back {times} ×"
    unit = settings.payoffs.unit
    return brief, _said("pays_back", advice=advice, criterion=rule.criterion.name, times=times, unit=unit)


def multiple(ratio: float) -> str:
    """How many times, as one says it.

    >>> multiple(77.2), multiple(4.31), multiple(0.996), multiple(0.0312), multiple(1234.0)
    ('77', '4.3', '0.99', '0.031', '1,200')
    """
    rounded = float(f"{ratio:.2g}")
    if rounded == 1 and ratio != 1:
        # What is just not worth its cost does not read as if it were.
        return "0.99" if ratio < 1 else "1.01"
    return number(rounded)


def _now(advice: Advice, settings: Settings) -> str:
    fails = advice.if_fails
    if advice.headline == "confirm":
        assert fails is not None
        then = "go on" if fails.go_on else f"“{action(fails.plus, settings)}”"
        return f"If it holds: “{settings.plus}”. If not: {then}."
    scenario = scenario_of(settings)
    told = {"chosen": action(advice.plus, settings), "uncited": lacks_citation(advice, settings)}
    if advice.headline == "found":
        return _said("now_found", **told, settings=settings)
    said = _said("now", **told, settings=settings, right=scenario.right(advice))
    return f"{said} {scenario.held_back(advice, settings)}".rstrip()


def _rests(advice: Advice, settings: Settings) -> str:
    scenario = scenario_of(settings)
    little = "little: " if scenario.little(advice) and not advice.go_on else ""
    rests = f"Rests on {little}{scenario.rests_on(advice)}."
    if advice.headline in SETTLED:
        return rests
    past = "" if advice.go_on else scenario.so_few(advice, settings)
    plan = scenario.plan_stops(advice, settings) if advice.go_on else ""
    unless = [assumption_in_words(other.assumption, settings) for other in advice.contrary]
    holds = f"Holds unless {listed(unless, 'or')}." if unless else ""
    if not unless and advice.variations:
        holds = "Holds under every assumption tried."
    return " ".join(filter(None, (rests, past, holds, plan)))


def chance_in_words(advice: Advice, settings: Settings) -> str:
    """The belief in a sentence, and what it is held against."""
    gap = advice.b - settings.payoffs.q_star
    side = "at" if abs(gap) < 1e-12 else "above" if gap > 0 else "below"
    return _said("chance", question=question(settings), advice=advice, side=side, settings=settings)
