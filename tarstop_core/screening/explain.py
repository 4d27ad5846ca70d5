"""Advice in words: one wording for the page, the command line and the export."""

from dataclasses import dataclass

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening.advised import Advice, Headline, Variation
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


def word_of(headline: str) -> str:
    """What a headline of a log is called, those of earlier versions included.

    >>> word_of("continue"), word_of("depends")
    ('GO ON', 'DEPENDS ON ASSUMPTIONS')
    """
    known: dict[str, str] = {**dict(WORDS.items()), "depends": "DEPENDS ON ASSUMPTIONS"}
    return known.get(headline, headline.upper())


SETTLED = ("found", "confirm", "all read")
"""Headlines under which nothing is said of what the rest of the list would change."""


@dataclass(frozen=True)
class Explanation:
    """What a person reads."""

    word: str
    """The headline."""
    sentence: str
    """Why, with every number."""
    stopping: str
    """What stopping now would mean."""
    doubts: tuple[str, ...] = ()
    """Assumptions under which the advice would be another one, a sentence each."""


def explain(advice: Advice, settings: Settings) -> Explanation:
    """The advice in words, with the settings that it was computed with."""
    doubts = tuple(_doubt(variation, advice, settings) for variation in advice.contrary)
    plain = _continue(advice, settings) if advice.go_on else _stop(advice, settings)
    match advice.headline:
        case "found":
            sentence = "A confirmed document settles the question; nothing further can change it."
            if advice.go_on:
                more = count_of(advice.more)
                sentence += f" The rule you chose, {settings.rule}, would read {more} more all the same."
        case "confirm":
            sentence = _two_worlds(advice, settings)
        case "all read":
            sentence = "Every document in the list has been read; the unsure ones can still be settled."
        case "reports":
            comparison = _comparison(advice, settings)
            sentence = scenario_of(settings).first_in_words(advice, settings, comparison)
        case "prior alone":
            sentence = f"Your starting assumption alone decides this; nothing has been read. {plain}"
        case _:
            sentence = plain
    if advice.headline not in SETTLED:
        sentence = f"{scenario_of(settings).still_changes(advice, settings)} {sentence}".lstrip()
    return Explanation(WORDS[advice.headline], sentence, stopping(advice, settings), doubts)


def stopping(advice: Advice, settings: Settings) -> str:
    """What stopping now would mean."""
    if advice.headline == "confirm":
        return "Settle the hit before you decide."
    payoffs = settings.payoffs
    worth = amount(advice.utility, payoffs.unit)
    if not payoffs.unit:
        worth += f", where both mistakes together cost {amount(payoffs.K, payoffs.unit)}"
    text = f"Stopping now you would choose “{action(advice.plus, settings)}”, expected to bring {worth}."
    if settings.citation_needed and not advice.plus and bool(payoffs.chooses_plus(advice.b)):
        text += f" “{settings.plus}” is not open until a document to cite is confirmed."
    return f"{text} {scenario_of(settings).held_back(advice, settings)}".rstrip()


def action(plus: bool, settings: Settings) -> str:
    """The action by the name the person gave it."""
    return settings.plus if plus else settings.minus


def consequences(settings: Settings) -> list[str]:
    """What follows from payoffs and cost at their limits, a sentence each."""
    payoffs, cost = settings.payoffs, settings.cost
    most = payoffs.wrong_minus if settings.citation_needed else float(payoffs.evpi(payoffs.q_star))
    if cost == 0:
        return [
            "Reading costs nothing here, so the advice is to go on as long as anything could still turn up."
        ]
    if not bool(exceeds(most, cost)):
        return [
            f"One document costs {amount(cost, payoffs.unit)} and certainty is never worth more than "
            f"{amount(most, payoffs.unit)}, so reading cannot pay: every rule that weighs the two stops at once."
        ]
    return []


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
    b, q_star = percent(advice.b), percent(q)
    if advice.plus:
        return (
            f"It is less likely than not that {question(settings)}, but a wrong “{other}” is so much worse that {b} is "
            f"enough: “{chosen}” pays above {q_star}."
        )
    return (
        f"It is likelier than not that {question(settings)}, but a wrong “{other}” is so much worse that {b} is not "
        f"enough: it pays above {q_star}."
    )


def _comparison(advice: Advice, settings: Settings) -> str:
    unit = settings.payoffs.unit
    if advice.worth is None:
        return settings.rule.rule
    cost = "nothing" if advice.cost == 0 else amount(advice.cost, unit)
    worth, phrase = amount(advice.worth, unit), settings.rule.worth_phrase
    instead = scenario_of(settings).worth_nothing(settings)
    if advice.worth <= 0 and instead:
        return instead
    if phrase.endswith("worth"):
        return f"{phrase} {worth} each and cost {cost}{' each' if advice.cost else ''}."
    return f"{phrase} {worth}, and a document costs {cost}."


def _continue(advice: Advice, settings: Settings) -> str:
    scenario = scenario_of(settings)
    if_nothing = f"If {scenario.nothing} turns up"
    if advice.depth + advice.more >= advice.documents:
        rest = "the one document that is" if advice.more == 1 else f"all {count_of(advice.more)} that are"
        plan = f"{if_nothing} you would read {rest} left."
    else:
        # Only what the ranker knows now can be foreseen.
        order = ", in the order that the labels so far make" if settings.learns else ""
        plan = f"{if_nothing} you would stop after about {advice.more:,} more{order}."
    return " ".join(filter(None, (_comparison(advice, settings), scenario.going_on(advice, settings), plan)))


def _stop(advice: Advice, settings: Settings) -> str:
    scenario = scenario_of(settings)
    if advice.worth is None:
        return f"{settings.rule.rule} {settings.rule.stopped} {scenario.so_few(advice, settings)}".rstrip()
    because = f"{_comparison(advice, settings)} Going on is no longer worth it."
    if advice.worth <= 0:
        because = scenario.not_worth_it(settings)
    return f"{because} {scenario.so_few(advice, settings)}".rstrip()


def _doubt(variation: Variation, advice: Advice, settings: Settings) -> str:
    because, decisive = "", settings.kind.one_decides
    if decisive and not variation.go_on and advice.go_on and advice.depth and "twice" in variation.assumption:
        because = ", because hits should have shown by now"
    return f"If {variation.assumption}, you would {_instead(variation, settings)}{because}."


def _instead(said: Advice | Variation, settings: Settings) -> str:
    if said.go_on:
        return f"go on, for about {said.more:,} more"
    return f"stop now and choose “{action(said.plus, settings)}”"


def _two_worlds(advice: Advice, settings: Settings) -> str:
    fails = advice.if_fails
    assert fails is not None
    doubt = ", though that depends on assumptions" if fails.contrary else ""
    return (
        f"You marked a document that may settle the question. If it holds, choose “{settings.plus}”. "
        f"If it does not, the chance is {percent(fails.b)} and the advice is to {_instead(fails, settings)}{doubt}."
    )


def remarks(settings: Settings, calibrator: Calibrator) -> list[str]:
    """What a person should know of settings and calibrator together, a sentence each."""
    found = consequences(settings)
    if calibrator.kind == "hazard" and settings.s < 1:
        found.append(
            "The chances “until the first hit” assume that every relevant document is recognised; with a reading "
            "sensitivity below 100 % they make the rest of the list look too promising."
        )
    return found
