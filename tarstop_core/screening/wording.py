"""Advice and decisions in words: one wording for the pages, the command line and the exports.

:func:`explain` words the advice with every number, :func:`verdict` words what a person reads first, :func:`in_brief` does
so in one line, and :func:`ending` words a decision. The sentences are in ``messages/``: a template for each scenario, and one for what all share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Literal

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.figures import plain
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening import advice_message
from tarstop_core.screening.advised import Advice, Headline
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import RecordedDecision
from tarstop_core.value.payoffs import exceeds
from tarstop_core.value.stakes import REVIEW_EXAMPLE, SEARCH_EXAMPLE

Mood = Literal["go", "stop", "found", "ask", "read", "wait"]
"""What a headline asks of a person; it decides its colour and icon."""
HEADLINES: dict[Headline, tuple[str, Mood]] = {
    "continue": ("GO ON", "go"),
    "stop": ("STOP", "stop"),
    "found": ("FOUND", "found"),
    "confirm": ("CONFIRM IT", "ask"),
    "prior alone": ("NOTHING READ YET", "wait"),
    "all read": ("ALL READ", "stop"),
    "reports": ("READ THE REPORTS", "read"),
}
"""Words that a person reads for each headline, and what it asks of them."""
WORDS = {headline: word for headline, (word, _) in HEADLINES.items()}
MOODS = {headline: mood for headline, (_, mood) in HEADLINES.items()}
OLD_WORDS = {"depends": "DEPENDS ON ASSUMPTIONS"}
"""Words for headlines that only logs of earlier versions have."""
SIGNS: dict[Mood, str] = {"go": "→", "stop": "■", "found": "✓", "ask": "?", "read": "☰", "wait": "…"}
"""Icons that say the same as the colours."""
NOT_STOPPING: tuple[Headline, ...] = ("continue", "reports", "confirm")
"""Headlines under which the advice is not to stop."""
LONGEST_TITLE = 120
"""Most characters of a title in the name of a document."""


@dataclass(frozen=True)
class Explanation:
    """The advice with its reasons, in words."""

    word: str  # the headline
    sentence: str  # the reasons, with every number
    stopping: str  # what stopping now would mean
    robustness: tuple[str, ...] = ()  # sentences on the advice under other assumptions and stakes


@dataclass(frozen=True)
class Verdict:
    """What a person reads first of the advice."""

    word: str  # the headline
    mood: Mood
    sign: str  # icon that says the same as the colour
    says: str  # whether reading on pays and for about how long, or what to do instead
    now: str  # what stopping now would mean, and how likely it is right
    rests: str  # what the advice rests on, and which assumptions would change it


@dataclass(frozen=True)
class Ending:
    """A decision and the advice at that time, in words."""

    action: str  # the option chosen
    on: str  # what had been read, at what cost, and what was believed
    advice: str  # the advice at that time
    overridden: str  # how the decision departs from the advice; empty if it does not
    reason: str  # reason that the person gave
    settled: str  # the documents that settle the question; empty if none does
    stopped: bool  # whether screening stopped against the advice
    otherwise: bool  # whether another option was chosen than the one advised


def explain(advice: Advice, settings: Settings, documents: Sequence[str] = ()) -> Explanation:
    """The advice with its reasons and every number, in words.

    Parameters
    ----------
    advice : Advice
        The advice.
    settings : Settings
        Settings with which it was computed.
    documents : sequence of str
        Names of the documents that settle the question.

    Returns
    -------
    Explanation
        The headline and its reasons.
    """
    message = scenario_of(settings).message
    if advice.settled:
        why = advice_message("why_settled", advice=advice, settings=settings, documents=documents)
    else:
        why = message("why", advice=advice, settings=settings)
    robustness = [
        *(message("doubt", variation=other, advice=advice, settings=settings) for other in advice.contrary),
        advice_message("robust", advice=advice),
        advice_message("at_other_stakes", advice=advice),
    ]
    return Explanation(
        WORDS[advice.headline], why, stopping(advice, settings), tuple(filter(None, robustness))
    )


def verdict(advice: Advice, settings: Settings, documents: Sequence[str] = ()) -> Verdict:
    """The advice in a few words, for a person to read first.

    Parameters
    ----------
    advice : Advice
        The advice.
    settings : Settings
        Settings with which it was computed.
    documents : sequence of str
        Names of the documents that settle the question, or wait to be confirmed.

    Returns
    -------
    Verdict
        What a person reads first.
    """
    message, mood = scenario_of(settings).message, MOODS[advice.headline]
    if advice.settled:
        says = advice_message("says_settled", advice=advice, documents=documents)
    else:
        says = message("says", advice=advice, settings=settings)
    return Verdict(
        WORDS[advice.headline],
        mood,
        SIGNS[mood],
        says,
        now=message("now", advice=advice, settings=settings),
        rests=message("rests", advice=advice, settings=settings),
    )


def in_brief(advice: Advice, settings: Settings) -> tuple[str, Mood, str, str]:
    """The advice for one line: the headline, its mood and sign, and what a verdict says in a few words."""
    mood = MOODS[advice.headline]
    return (
        WORDS[advice.headline],
        mood,
        SIGNS[mood],
        advice_message("brief", advice=advice, settings=settings),
    )


def ending(decision: RecordedDecision, settings: Settings, documents: Sequence[str] = ()) -> Ending:
    """A decision in words; logs of earlier versions may have less information about it.

    Parameters
    ----------
    decision : RecordedDecision
        The decision.
    settings : Settings
        Settings in force.
    documents : sequence of str
        Names of the documents that settle the question.

    Returns
    -------
    Ending
        What was decided, on what, and what was advised.
    """
    basis, chosen = decision.basis, chosen_action(decision, settings)
    stopped = basis.advice in NOT_STOPPING
    otherwise = basis.advised is not None and basis.advised != decision.option
    advised = "" if basis.advised is None else action(basis.advised, settings)
    return Ending(
        chosen,
        on=advice_message("ended", basis=basis, settings=settings, question=question(settings)),
        advice=advice_message("advised", word=word_of(basis.advice), action=advised, stopped=stopped),
        overridden=advice_message("overridden", chosen=chosen, stopped=stopped, otherwise=otherwise),
        reason=basis.reason,
        settled=f"{advice_message('settled', documents=documents)}." if documents else "",
        stopped=stopped,
        otherwise=otherwise,
    )


def word_of(headline: str) -> str:
    """Words for a headline in a log, also in one of an earlier version.

    >>> word_of("continue"), word_of("depends")
    ('GO ON', 'DEPENDS ON ASSUMPTIONS')
    """
    words = dict[str, str](WORDS.items()) | OLD_WORDS
    return words.get(headline, headline.upper())


def document_name(at: int, number: str, title: str) -> str:
    """Name of a document that was read.

    Parameters
    ----------
    at : int
        Its position in the order of reading, from 0 on.
    number : str
        Its publication number; may be empty.
    title : str
        Its title; may be empty.

    Returns
    -------
    str
        Its position, counted from 1, with number and title.

    Examples
    --------
    >>> document_name(11, "EP1234567A1", "A hinge"), document_name(11, "", "")
    ('#12 EP1234567A1 “A hinge”', '#12')
    """
    quoted = f"“{shorten(title, LONGEST_TITLE, placeholder=' …')}”" if title else ""
    return " ".join(filter(None, (f"#{at + 1}", number, quoted)))


def stopping(advice: Advice, settings: Settings) -> str:
    """Sentence on what stopping now would mean."""
    return scenario_of(settings).message("stopping", advice=advice, settings=settings)


def action(option: int, settings: Settings) -> str:
    """The name the person gave an option; "another option" if the settings no longer have it."""
    return settings.actions[option] if option < len(settings.actions) else "another option"


def chosen_action(decision: RecordedDecision, settings: Settings) -> str:
    """Name that the option of a decision had at that time or, if the log does not say it, has now."""
    return decision.basis.action or action(decision.option, settings)


def question(settings: Settings) -> str:
    """Clause on what the belief is about: "sensitivity exceeds 75 %"."""
    return scenario_of(settings).message("question", settings=settings)


def best_between(settings: Settings) -> str:
    """Clause on the chances between which each of several options is the best one."""
    return advice_message("best_between", settings=settings)


def pays(settings: Settings) -> str:
    """Above which chance a⁺ pays or, with several options, between which chances each is best; a clause."""
    if settings.payoffs.others:
        return best_between(settings)
    return f"“{settings.plus}” pays above {percent(settings.payoffs.q_star)}"


def how_sure(settings: Settings) -> str:
    """The chance above which one acts or, with several options, between which chances each is best."""
    return best_between(settings) if settings.payoffs.others else percent(settings.payoffs.q_star)


def limits_of(settings: Settings) -> list[tuple[float, str]]:
    """Chances from which each option is the best one, with labels for figures."""
    ranges, names = settings.payoffs.ranges(), settings.actions
    return [
        (end, f"{plain(names[option], 24)} above {percent(end)}")
        for end, option in zip(ranges.ends, ranges.options[1:], strict=True)
    ]


def chance_in_words(advice: Advice, settings: Settings) -> str:
    """Sentence on the belief, and on the chance that it is compared with."""
    return advice_message("chance", advice=advice, settings=settings, question=question(settings))


def cost_warnings(settings: Settings) -> list[str]:
    """Warn, in a sentence, if reading costs nothing or so much that no document can be worth it."""
    if not settings.weighs:
        return []
    payoffs, cost = settings.payoffs, settings.cost
    most = payoffs.wrong_minus if settings.needs_citation else payoffs.highest_evpi
    if cost == 0:
        return [advice_message("free")]
    if exceeds(most, cost):
        return []
    return [advice_message("too_dear", cost=cost, most=most, unit=payoffs.unit)]


def about_documents(simulated: bool, settings: Settings) -> list[str]:
    """Badges for simulated documents and for the example amounts of a demo; none for others."""
    if not simulated:
        return []
    return ["simulated documents, example amounts" if example_amounts(settings) else "simulated documents"]


def example_amounts(settings: Settings) -> bool:
    """Whether payoffs and costs are the example amounts of a demo."""
    return settings.stakes in (SEARCH_EXAMPLE, REVIEW_EXAMPLE)


def chances_badge(calibrator: Calibrator, settings: Settings) -> str:
    """Where the chances come from: the calibrator's badge, the factor on them, and whether they follow the finds."""
    if settings.adapts_chances:
        return f"of lists that learn: {reranked_chances().fitted_on.badge}"
    times = f", multiplied by {number(settings.scale)}" if settings.scale != 1 else ""
    follow = "; they follow the finds" if settings.chances_follow else ""
    return f"{calibrator.fitted_on.badge}{times}{follow}"


def against_the_odds(advice: Advice, settings: Settings) -> str:
    """Word why the stakes favour the action that is less likely to be right; empty if they do not."""
    if not settings.weighs or settings.payoffs.others:
        return ""
    likelier = advice.b == 0.5 or advice.plus == (advice.b > 0.5)
    # Without a document to cite, a⁻ is advised even above q*; the stakes are not the reason then.
    by_stakes = advice.plus == (advice.b > settings.payoffs.q_star)
    if likelier or not by_stakes:
        return ""
    return advice_message("against_the_odds", advice=advice, settings=settings, question=question(settings))


def remarks(settings: Settings, calibrator: Calibrator) -> list[str]:
    """Sentences on settings, and on settings and calibrator together, that a person should know."""
    overlooked = calibrator.kind == "hazard" and settings.s < 1
    return cost_warnings(settings) + ([advice_message("overlooked")] if overlooked else [])
