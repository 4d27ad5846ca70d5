"""Every place where a sentence about an advice says a number, with the number that belongs there."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from tarstop_core.presentation.numbers import alike, amount, count_of, multiple, number, percent
from tarstop_core.screening.advised import Advice, EffectFacts, ReviewFacts
from tarstop_core.screening.settings import Settings, StudySettings
from tarstop_core.screening.wording import Verdict, question

DIGIT = re.compile(r"\d")


def plain(text: str) -> str:
    """A page as it is read."""
    apart = re.sub(r"</(span|b)>(?=<(span|b)\b)", " ", text)  # names and values
    return (
        html.unescape(re.sub(r"</?(span|strong|b)\b[^>]*>", "", apart))
        .replace("\xa0", " ")
        .replace("\u2060", "")
    )


def too_long(glance: Verdict) -> list[str]:
    """Return what a verdict says in more words than a glance takes: of two sentences of 18 words each, and a line of 25."""
    sentences = re.split(r"(?<=[.!?])\s+", plain(glance.says))
    line = plain(f"{glance.now} {glance.rests}")
    long = [sentence for sentence in sentences if _words(sentence) > 18]
    return [*sentences[2:], *long, *([line] if _words(line) > 25 else [])]


def _words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


def unexplained(text: str, phrases: Sequence[str]) -> str:
    """What is left of a text without these phrases: no digit, if every number stands where it belongs.

    Parameters
    ----------
    text
        As it is read.
    phrases
        Words around a number, with that number.

    Returns
    -------
    str
        The rest; empty where no number is left in it.
    """
    left = text.replace("\xa0", " ").replace("\u2060", "")
    for phrase in phrases:
        left = left.replace(phrase, " ")
    return left if DIGIT.search(left) else ""


def _in_order(phrases: Iterable[str]) -> list[str]:
    """Phrases that hold a number, the longest first: a shorter one may be a part of it."""
    once = {phrase.replace("\xa0", " ") for phrase in phrases if DIGIT.search(phrase)}
    return sorted(once, key=len, reverse=True)


def about(advice: Advice, settings: Settings) -> list[str]:
    """Phrases with the numbers of an advice, whichever page says them."""
    phrases = [*_settings(settings), *_belief(advice, settings), *_reading(advice, settings)]
    if isinstance(advice.facts, ReviewFacts) and isinstance(settings, StudySettings):
        phrases += _review(advice.facts, advice, settings)
    return _in_order(phrases)


def cost_of(value: float, cost: float) -> str:
    """An amount in documents, as Screen says it."""
    return f"the cost of {count_of(max(1, round(value / cost)))}"


def _settings(settings: Settings) -> Iterator[str]:
    yield from (str(settings.rule), settings.rule.rule, settings.rule.title, question(settings))
    yield f"the {percent(settings.payoffs.q_star)} from which"
    yield f"where both mistakes together cost {number(settings.payoffs.K)}"
    if isinstance(settings, StudySettings):
        studies = count_of(settings.least_studies, "study", "studies")
        patients = f"{settings.least_patients:,} patients who have the condition are in"
        yield from (f"before {studies} with {patients}", f"before {studies} are in", f"before {patients}")
        needed = f"{settings.least_patients:,} patients first"
        yield from (f"needs {studies} with {needed}", f"needs {studies} first", f"needs {needed}")
        yield f"a chance of the right decision of at least {percent(settings.floor)}"
        yield f"you asked for at least {count_of(settings.floor_studies, 'study', 'studies')} first"


def _belief(advice: Advice, settings: Settings) -> Iterator[str]:
    unit, b = settings.payoffs.unit, percent(advice.b)
    yield f"The chance that {question(settings)} is {b}"
    yield f"This is so many because the chance of {b}"
    right = percent(advice.right, getattr(settings, "floor", None))
    yield f"{right} likely right under this model"
    yield f"{right} likely to be right under this model"
    yield f"you would choose “{settings.plus if advice.plus else settings.minus}”"
    if advice.evpi > 0:
        loss = (
            amount(advice.evpi, unit, exact=False)
            if unit or not advice.cost
            else cost_of(advice.evpi, advice.cost)
        )
        yield f"It is wrong with a chance of {percent(1 - advice.right)}, which loses {loss} on average"
    if advice.if_fails is not None:
        yield f"If it does not, the chance is {percent(advice.if_fails.b)}"
        yield f"the advice is to go on, for about {advice.if_fails.more:,} more"


def _reading(advice: Advice, settings: Settings) -> Iterator[str]:
    unit, more, left = settings.payoffs.unit, f"{advice.more:,}", advice.documents - advice.depth
    yield f"{count_of(advice.depth)} read."
    documents = unit or not advice.cost
    gain = (
        amount(abs(advice.gain), unit, exact=False) if documents else cost_of(abs(advice.gain), advice.cost)
    )
    if advice.gain > 0:
        yield f"Expected gain, after all costs: {gain}."
    elif advice.gain < 0:
        yield f"expected loss: {gain}."
    if advice.more == left:
        yield from (f"all {more} that are left", f"read all {more} documents that are left")
    elif advice.more:
        yield f"about {more} more"
    yield f"would still read {count_of(advice.more)} more"
    if advice.next_find is not None:
        yield f"probably within about {advice.next_find[0]:,}"
    if advice.worth is not None:
        worth, cost = amount(advice.worth, unit, exact=False), amount(advice.cost, unit)
        yield from (f"worth {worth} each and cost {cost} each", f"worth {worth} each and cost nothing")
        yield f"is {worth}, and a document costs {cost}"
        if advice.cost:
            ratio = multiple(advice.worth / advice.cost)
            yield from (f"({worth} against {cost} each)", f"worth {ratio} times their cost")
            yield from (
                f"is {ratio} times its cost",
                f"score {ratio} × its cost",
                f"worth {ratio} × their cost",
            )


def _review(facts: ReviewFacts, advice: Advice, settings: StudySettings) -> Iterator[str]:
    unit, share = settings.payoffs.unit, 100 * facts.otherwise
    turns = "fewer than 1" if share < 1 else "over 99" if share > 99 else f"about {share:.0f}"
    yield f"would change the decision in {turns} of 100 such reviews"
    yield f"reading everything would change {turns} of 100 such decisions"
    yield f"stopping now is wrong in about {100 * facts.disagreement:.0f} of 100"
    reports = "the waiting report" if facts.waiting == 1 else f"the {facts.waiting:,} waiting reports"
    yield from (reports, f"{facts.reports_to_read:,} of {reports}")
    worth, cost = amount(facts.reports_worth, unit, exact=False), amount(facts.reports_cost, unit)
    yield from (f"they are worth {worth} and cost {cost}", f"that is worth {worth} and costs {cost}")
    yield from (f"they are worth {worth} and cost nothing", f"that is worth {worth} and costs nothing")
    if facts.reports_cost:
        yield f"pays: worth {multiple(facts.reports_worth / facts.reports_cost)} times the cost"
        yield f"({worth} against {cost})"
    studies = count_of(facts.studies, "study", "studies")
    yield f"Your minimum of {count_of(settings.floor_studies, 'study', 'studies')} does not hold you here"
    if facts.past is not None:
        yield f"Of {facts.past.questions} past questions ({facts.past.reviews} reviews), {facts.past.wrong} w"
        yield f"decided wrongly after {studies}"
    if facts.pooled_range is not None:
        low, high = (percent(end, getattr(settings, "theta", None)) for end in facts.pooled_range)
        yield f"ensitivity may become {low} to {high}"
        yield f"pooled sensitivity would end between {low} and {high}"
        yield f"held in {facts.range_held[0]} of {facts.range_held[1]} past stops"
    if isinstance(facts, EffectFacts):
        if facts.may_end is not None:
            low, high = alike(facts.may_end, beside=getattr(settings, "delta", None))
            yield from (
                f"average effect may end between {low} and {high}",
                f"average effect would end between {low} and {high}",
            )
        yield f"In a new setting the chance that it does enough is {percent(facts.new_setting)}"
        low, high = map(percent, facts.settings_beyond[1:])
        yield f"does enough in {low} to {high} of settings (90 % interval)"
    mean, low, high = (f"{round(end):,}" for end in facts.left)
    yield from (
        f"{studies if facts.studies else 'No study'}, about {mean} ({low} to {high}) relevant unread",
        f"About {mean} relevant unread",
    )
    yield f"{count_of(facts.waiting, 'report', 'reports')} unread;"
    yield from (f"{studies} so far", f"{studies}, probably nothing")
    remain = (facts.left[0] + facts.waiting) * (facts.share[0] if settings.two_stages else 1)
    yield f"About {count_of(remain, 'study', 'studies')} with data probably remain"


def under_other_assumptions(advice: Advice, settings: Settings) -> list[str]:
    """Phrases with the numbers of what would be advised under other assumptions, and at other stakes."""
    phrases, brings = [], "bring data" if isinstance(settings, StudySettings) else "be relevant"
    for other in advice.variations:
        assumed, more = other.assumption, f"go on, for about {other.more:,} more"
        if assumed.b_0 is not None:
            so = f"from a chance of {percent(assumed.b_0)} instead of {percent(settings.b_0)}, you would"
        elif assumed.chance_factor != 1:
            so = f"{'half' if assumed.chance_factor < 1 else 'twice'} as likely to {brings}, you would"
        else:
            so = f"At {'ten times' if assumed.cost_factor < 1 else 'a tenth of'} these stakes:"
            more = f"go on, about {other.more:,} more"
        phrases += [f"{so} {more}", so]
    return _in_order(phrases)


def in_explore(advice: Advice, settings: Settings) -> list[str]:
    """Phrases with the numbers that Explore says of a session as it is."""
    unit, payoffs, left = settings.payoffs.unit, settings.payoffs, advice.documents - advice.depth
    depth = count_of(advice.depth + advice.more)
    phrases = [
        str(settings.rule),
        f"stops after {depth} ({advice.more:,} more)"
        if advice.depth
        else f"stops after {depth} of {advice.documents:,} if",
        f"At {percent(advice.b)} “{settings.plus}” is {brings(float(payoffs.utility_plus(advice.b)), advice, settings)}"
        f" and “{settings.minus}” is {brings(float(payoffs.utility_minus(advice.b)), advice, settings)}",
        f"The next document has a chance of {percent(advice.rho)} to",
        f"is {number((advice.score or 0.0) / (advice.cost or 1))} times its cost",
        f"is {amount(advice.score or 0.0, unit, exact=False)}",
        f"a document costs {amount(advice.cost, unit)}",
        f"are worth {number((advice.worth or 0.0) / (advice.cost or 1))} times its cost each",
        f"are worth {amount(advice.worth or 0.0, unit, exact=False)} each",
        f"deciding now is {brings(advice.utility, advice, settings)}",
        f"{'Following it' if settings.one_decides else 'Reading that far'} is {brings(advice.utility + advice.gain, advice, settings)}",
    ]
    if advice.more == left:
        phrases.append(f"reads all {count_of(left)} left")
    return _in_order(phrases)


def brings(utility: float, advice: Advice, settings: Settings) -> str:
    """What a plan is expected to bring, in its unit or in documents."""
    unit, cost = settings.payoffs.unit, advice.cost
    if unit or not cost or not utility:
        return f"expected to bring {amount(utility, unit, exact=False)}"
    return f"{'worth' if utility > 0 else 'expected to lose'} the cost of {count_of(abs(utility) / cost)}"
