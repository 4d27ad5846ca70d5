"""Advice in words: one wording for the page, the command line and the export."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import shorten

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.words import say
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening.advised import Advice, Assumption, Headline, Variation
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import exceeds
from tarstop_core.value.stakes import REVIEW_EXAMPLE, SEARCH_EXAMPLE

WORDS: dict[Headline, str] = {
    "continue": "GO ON",
    "stop": "STOP",
    "found": "FOUND",
    "confirm": "CONFIRM IT",
    "prior alone": "NOTHING READ YET",
    "all read": "ALL READ",
    "reports": "READ THE REPORTS",
}
"""What each headline is called, wherever a person reads it."""
LONGEST_TITLE = 120
SETTLED = ("found", "confirm", "all read")
"""Headlines under which nothing is said of what the rest of the list would change."""
_said = partial(say, __name__)


def word_of(headline: str) -> str:
    """What a headline of a log is called, those of earlier versions included.

    >>> word_of("continue"), word_of("depends")
    ('GO ON', 'DEPENDS ON ASSUMPTIONS')
    """
    known = dict[str, str](WORDS.items()) | {"depends": "DEPENDS ON ASSUMPTIONS"}
    return known.get(headline, headline.upper())


@dataclass(frozen=True)
class Explanation:
    """What a person reads."""

    word: str  # the headline
    sentence: str  # why, with every number
    stopping: str  # What stopping now would mean
    doubts: tuple[str, ...] = ()  # Assumptions under which the advice would be another one, a sentence each


def explain(advice: Advice, settings: Settings, documents: Sequence[str] = ()) -> Explanation:
    """The advice in words, with the settings that it was computed with; `documents` as for a verdict."""
    scenario, comparison = scenario_of(settings), _comparison(advice, settings)
    plain = (_continue if advice.go_on else _stop)(advice, settings, comparison)
    match advice.headline:
        case "continue" | "stop":
            sentence = plain
        case "reports":
            sentence = scenario.first_in_words(advice, settings, comparison)
        case headline:
            fails = advice.if_fails
            instead = "" if fails is None else _instead(fails, settings)
            told = {"plain": plain, "instead": instead, "settled": settled(documents)}
            sentence = _said(headline, advice=advice, settings=settings, **told)
    if advice.headline not in SETTLED:
        sentence = f"{scenario.still_changes(advice, settings, why=True)} {sentence}".lstrip()
    doubts = tuple(_doubt(variation, advice, settings) for variation in advice.contrary)
    return Explanation(WORDS[advice.headline], sentence, stopping(advice, settings), doubts)


def document_name(at: int, number: str, title: str) -> str:
    """A document that was read, by its place, its number where it has one, and its title.

    >>> document_name(11, "EP1234567A1", "A hinge"), document_name(11, "", "")
    ('#12 EP1234567A1 “A hinge”', '#12')
    """
    named = f"“{shorten(title, LONGEST_TITLE, placeholder=' …')}”" if title else ""
    return " ".join(filter(None, (f"#{at + 1}", number, named)))


def settled(documents: Sequence[str]) -> str:
    """That these documents settle the question, as a clause.

    >>> settled(["#12 EP1234567A1"]), settled(["#3", "#12"])
    ('#12 EP1234567A1 settles the question', '#3 and #12 together settle the question')
    """
    return _said("settled", documents=documents)


def stopping(advice: Advice, settings: Settings) -> str:
    """What stopping now would mean."""
    chosen, uncited = action(advice.plus, settings), lacks_citation(advice, settings)
    said = _said("stopping", advice=advice, settings=settings, action=chosen, uncited=uncited)
    held_back = "" if advice.headline == "confirm" else scenario_of(settings).held_back(advice, settings)
    return f"{said} {held_back}".rstrip()


def lacks_citation(advice: Advice, settings: Settings) -> bool:
    """Whether only the lack of a document to cite keeps from a⁺."""
    return settings.citation_needed and not advice.plus and bool(settings.payoffs.chooses_plus(advice.b))


def action(plus: bool, settings: Settings) -> str:
    """The action by the name the person gave it."""
    return settings.plus if plus else settings.minus


def consequences(settings: Settings) -> list[str]:
    """What follows from payoffs and cost at their limits, a sentence each."""
    payoffs, cost = settings.payoffs, settings.cost
    most = payoffs.wrong_minus if settings.citation_needed else float(payoffs.evpi(payoffs.q_star))
    if cost == 0:
        return [_said("free")]
    return [] if exceeds(most, cost) else [_said("too_dear", cost=cost, most=most, unit=payoffs.unit)]


def about_documents(simulated: bool, settings: Settings) -> list[str]:
    """What a badge says of documents that nobody published, and of the money that a demo puts on them."""
    if not simulated:
        return []
    example = settings.stakes in (SEARCH_EXAMPLE, REVIEW_EXAMPLE)
    return ["simulated documents, example amounts" if example else "simulated documents"]


def question(settings: Settings) -> str:
    """What the belief is about, as a clause: "sensitivity exceeds 75 %"."""
    return scenario_of(settings).question(settings)


def chances_badge(calibrator: Calibrator, settings: Settings) -> str:
    """Where the chances of the documents come from: the calibrator's badge, and the session's own scale."""
    if settings.foretold:
        return f"of lists that learn: {reranked_chances().fitted_on.badge}"
    times = f", multiplied by {number(settings.scale)}" if settings.scale != 1 else ""
    return f"{calibrator.fitted_on.badge}{times}"


def against_the_odds(advice: Advice, settings: Settings) -> str:
    """Why an action is advised that the belief by itself speaks against; empty where it does not."""
    q = settings.payoffs.q_star
    # Above q* only the lack of a document to cite keeps from acting.
    if advice.plus == (advice.b > 0.5) or advice.b == 0.5 or advice.plus != (advice.b > q):
        return ""
    chosen, other = action(advice.plus, settings), action(not advice.plus, settings)
    return _said(
        "against_the_odds", question=question(settings), chosen=chosen, other=other, advice=advice, q_star=q
    )


def _comparison(advice: Advice, settings: Settings) -> str:
    if advice.worth is None:
        return settings.rule.rule
    instead = scenario_of(settings).worth_nothing(settings)
    if advice.worth <= 0 and instead:
        return instead
    return _said(
        "comparison", advice=advice, criterion=settings.rule.criterion.name, unit=settings.payoffs.unit
    )


def _continue(advice: Advice, settings: Settings, comparison: str) -> str:
    scenario = scenario_of(settings)
    plan = _said("plan", advice=advice, nothing=scenario.nothing, learns=settings.learns)
    told = (comparison, scenario.going_on(advice, settings), plan, scenario.plan_stops(advice, settings))
    return " ".join(filter(None, told))


def _stop(advice: Advice, settings: Settings, comparison: str) -> str:
    scenario = scenario_of(settings)
    because = f"{comparison} Going on is no longer worth it."
    if advice.worth is None:
        because = f"{settings.rule.rule} {settings.rule.stopped}"
    elif advice.worth <= 0:
        because = scenario.not_worth_it(settings)
    return f"{because} {scenario.so_few(advice, settings)}".rstrip()


def _doubt(variation: Variation, advice: Advice, settings: Settings) -> str:
    because, decisive = "", settings.kind.one_decides
    if (
        decisive
        and not variation.go_on
        and advice.go_on
        and advice.depth
        and variation.assumption.chance_factor > 1
    ):
        because = ", because hits should have shown by now"
    return f"If {assumption_in_words(variation.assumption, settings)}, you would {_instead(variation, settings)}{because}."


def assumption_in_words(assumption: Assumption, settings: Settings) -> str:
    """What is assumed, as a clause: "documents are half as likely to be relevant"."""
    likely = scenario_of(settings).likely
    return _said("assumption", assumption=assumption, likely=likely, b_0=settings.b_0)


def _instead(said: Advice | Variation, settings: Settings) -> str:
    if said.go_on:
        return f"go on, for about {said.more:,} more"
    return f"stop now and choose “{action(said.plus, settings)}”"


def remarks(settings: Settings, calibrator: Calibrator) -> list[str]:
    """What a person should know of settings and calibrator together, a sentence each."""
    overlooked = calibrator.kind == "hazard" and settings.s < 1
    return consequences(settings) + ([_said("overlooked")] if overlooked else [])
