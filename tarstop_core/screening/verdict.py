"""The advice as it is read at a glance: a word, what reading on pays back, and what stopping now would mean.

Every number and its reasons are in :mod:`tarstop_core.screening.explain`; this is what stands before them.
"""

from dataclasses import dataclass
from typing import Literal

from tarstop_core.presentation.numbers import amount, count_of, listed, number, percent
from tarstop_core.screening.advised import Advice, Headline
from tarstop_core.screening.explain import SETTLED, WORDS, action, question
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


@dataclass(frozen=True)
class Verdict:
    """What a person reads first."""

    word: str
    mood: Mood
    sign: str
    """An icon that says the same as the colour."""
    says: str
    """What reading on pays back, and about how far it would go; or what is to be done instead."""
    now: str
    """What stopping now would mean, and how likely that is right."""
    rests: str
    """What that rests on, and under which assumptions it would be otherwise."""
    brief: str
    """The first in a few words, for a line."""


def verdict(advice: Advice, settings: Settings) -> Verdict:
    """The advice in few words."""
    scenario, mood = scenario_of(settings), MOODS[advice.headline]
    brief, pays = _worth(advice, settings)
    match advice.headline:
        case "found":
            brief, says = "a confirmed document settles it", "A confirmed document settles the question."
        case "confirm":
            brief = "does it hold?"
            says = "A document may settle the question: say whether it holds."
        case "all read":
            brief, says = "nothing is left", "Every document of the list has been read."
        case "reports":
            brief = "before you read on"
            says = scenario.first_in_brief(advice, settings)
        case "prior alone":
            brief = "the starting chance alone would stop"
            says = f"Your starting chance alone would stop here. {pays}"
        case _:
            says = pays
    first = "" if advice.headline in SETTLED else scenario.still_changes(advice, settings)
    return Verdict(
        WORDS[advice.headline],
        mood,
        SIGNS[mood],
        " ".join(filter(None, (first, says))),
        _now(advice, settings),
        _rests(advice, settings),
        brief,
    )


def _worth(advice: Advice, settings: Settings) -> tuple[str, str]:
    """What the next documents pay back and about how many there would be, in short and as sentences."""
    plan = _plan(advice)
    held = scenario_of(settings).held_up(advice, settings)
    order = " in the present order" if settings.learns else ""
    if_nothing = f"{order}, if {scenario_of(settings).nothing} turns up"
    more = f"{plan[0].upper()}{plan[1:]}{if_nothing}." if advice.go_on else ""
    brief, pays = _comparison(advice, settings)
    said = " ".join(filter(None, (held or pays, more)))
    return ", ".join(filter(None, (brief, plan if advice.go_on else ""))), said


def _plan(advice: Advice) -> str:
    if advice.depth + advice.more >= advice.documents:
        return "the one document that is left" if advice.more == 1 else f"all {advice.more:,} that are left"
    return f"about {advice.more:,} more"


def _comparison(advice: Advice, settings: Settings) -> tuple[str, str]:
    """The worth of the next documents as a multiple of what they cost, in short and as a sentence."""
    rule, unit, scenario = settings.rule, settings.payoffs.unit, scenario_of(settings)
    if advice.worth is None:
        return "", rule.rule if advice.go_on else f"{rule.rule} It has done so."
    if advice.worth <= 0:
        why = "" if advice.go_on else scenario.not_worth_it(settings)
        return "nothing more to gain", scenario.worth_nothing(settings) or why
    if advice.cost == 0:
        return "reading is free", "Reading costs nothing, and could still show something."
    ratio = advice.worth / advice.cost
    times = multiple(ratio)
    if not rule.worth_phrase.endswith("worth"):
        return f"{times} × its cost", f"{rule.worth_phrase} {times} times what a document costs."
    would = "" if advice.go_on else "would "
    against = f" ({amount(advice.worth, unit)} against {amount(advice.cost, unit)} each)" if unit else ""
    said = f"The next documents {would}pay back {times} times what they cost{against}"
    if not unit:
        # Without a unit, what somebody would read to be certain: that can be compared with one's day.
        said += f"; certainty is worth reading {count_of(advice.evpi / advice.cost)} for"
    return f"pays back {times} ×", f"{said}."


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
    if advice.headline == "confirm":
        fails = advice.if_fails
        assert fails is not None
        then = "go on" if fails.go_on else f"“{action(fails.plus, settings)}”"
        return f"If it holds: “{settings.plus}”. If not: {then}."
    chosen = action(advice.plus, settings)
    if advice.headline == "found":
        return (
            f"Stop now: “{chosen}”, with a document to cite."
            if settings.citation_needed
            else f"Stop now: “{chosen}”."
        )
    right = percent(scenario_of(settings).right(advice))
    said = f"Stop now: “{chosen}”, right with {right}"
    if settings.citation_needed and not advice.plus and bool(settings.payoffs.chooses_plus(advice.b)):
        said += f"; “{settings.plus}” needs a document to cite"
    return " ".join(filter(None, (f"{said}.", scenario_of(settings).held_back(advice, settings))))


def _rests(advice: Advice, settings: Settings) -> str:
    scenario = scenario_of(settings)
    little = "little: " if scenario.little(advice) and not advice.go_on else ""
    rests = f"Rests on {little}{scenario.rests_on(advice)}."
    if advice.headline in SETTLED:
        return rests
    past = "" if advice.go_on else scenario.so_few(advice, settings)
    unless = [each.assumption for each in advice.contrary]
    holds = f"Holds unless {listed(unless, 'or')}." if unless else ""
    if not unless and advice.variations:
        holds = "Holds under every assumption tried."
    return " ".join(filter(None, (rests, past, holds)))


def chance_in_words(advice: Advice, settings: Settings) -> str:
    """The belief in a sentence, and what it is held against."""
    q_star = settings.payoffs.q_star
    gap = advice.b - q_star
    side = "at" if abs(gap) < 1e-12 else "above" if gap > 0 else "below"
    return (
        f"The chance that {question(settings)} is {percent(advice.b)}, {side} the {percent(q_star)} from which "
        f"“{settings.plus}” pays."
    )
