"""The stakes as one value, shown in forms that are kept in step.

The value itself lives beside the widgets; every widget is a view of it, rounded as a person reads it.
Moving one changes only what that widget is about, so nothing drifts by being shown.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame.shell import caption, escape_label, escape_markdown, problem_box, term
from dashboard.frame.widgets import View, following, radio, share
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import ReviewThreshold, S, Settings
from tarstop_core.screening.wording import best_between, cost_warnings
from tarstop_core.value.payoffs import Option, Payoffs
from tarstop_core.value.stakes import EXAMPLES, FRACTIONS, OPTIONS, PAYOFF_NAMES, Stakes

FORMS = ("Two questions", "Two sliders", "Four consequences")
UNIT_HELP = (
    "When you first name a unit, the amounts above are rescaled so that a document costs 1; "
    "this changes no advice. Then enter your own amounts."
)

SYMBOLS = {
    "L_r": "$L_r$ in formulas, a positive amount.",
    "L_g": "$L_g$ in formulas, a positive amount.",
    "B": "$B$ in formulas.",
    "G": "$G$ in formulas.",
}
"""Names of the amounts next to formulas."""
QUESTIONS = {
    "worse": "Say which mistake is worse, or that both are equally bad.",
    "documents": "Say how much you would read to rule a wrong decision out.",
}
"""The questions by their widgets, with the sentence shown while the answer is missing."""
ANSWERS = {
    **dict.fromkeys(("worse", "times", "q", *PAYOFF_NAMES), "worse"),
    **dict.fromkeys(("documents", "example", "fraction", "cost"), "documents"),
}
"""The question that moving a widget answers."""

BETWEEN = 0.7
"""A new option begins with this share of the gain of a right decision over a wrong one, under either truth."""


def panel(
    key: str, settings: S, reports: bool = False, asks: bool = False, start_note: str = ""
) -> tuple[S, Iterable[str]]:
    """Ask for the stakes in three forms that show the same value.

    Parameters
    ----------
    key : str
        Prefix of all state.
    settings : Settings
        Settings with the first payoffs and costs.
    reports : bool
        Whether to ask for the cost of a report in full too.
    asks : bool
        Whether the questions have no answer until the person gives one.
    start_note : str
        Note that is shown while the first stakes are unchanged.

    Returns
    -------
    settings : Settings
        Settings with the last valid values.
    problems : iterable of str
        Sentences on missing or invalid values.
    """
    state, missing = st.session_state, unanswered(key, asks)
    stakes: Stakes = state.setdefault(f"{key}/truth", settings.stakes)
    problems: dict[str, str] = state.setdefault(f"{key}/problems", {})
    now = stakes.views(state[f"{key}/unanswered"])
    for name, value in now.items():
        # After a visit to another page, the widgets are gone but the value is kept.
        if f"{key}/{name}" not in state and name not in problems:
            state[f"{key}/{name}"] = value

    def view(name: str) -> dict[str, Any]:
        """Return arguments that make a widget a view of the value."""
        return {"key": f"{key}/{name}", "on_change": _moved, "args": (key, name)}

    fields, ours = _Fields(now, view, problems), settings.with_stakes(stakes)
    questions, sliders, four = st.tabs(FORMS, key=f"{key}/form")
    with questions:
        _questions(ours, fields, start_note if stakes == settings.stakes else "")
    with sliders:
        _sliders(ours, fields, gap="large")
    with four:
        _consequences(ours, fields, reports, place=f"stakes-plain-{key}")
        if not settings.one_decides:
            _others(key, ours, fields)
    if missing:
        caption("Nothing is preset here: only you know what is at stake.")
    elif not problems:
        for sentence in cost_warnings(ours):
            st.info(escape_markdown(sentence), icon=":material/info:")
    return ours, [*problems.values(), *missing]


def unanswered(key: str, asks: bool) -> list[str]:
    """Sentences on the questions under a prefix that have no answer; with `asks` none has one at first."""
    state = st.session_state
    # Drafts of earlier versions have answers, but no list of unanswered questions.
    first = list(QUESTIONS) if asks and f"{key}/truth" not in state else []
    return [QUESTIONS[name] for name in state.setdefault(f"{key}/unanswered", first)]


def beyond(threshold: ReviewThreshold, *, at: Any = st, **how: Any) -> float:
    """Ask for the threshold, as a share on a slider or as a number."""
    how |= {"help": f"{threshold.symbol}: {term(threshold.entry, 'what is that?')}"}
    if threshold.is_share:
        return share(threshold.asked, threshold.value, at=at, **how)
    how |= {"step": 0.05, "format": "%.4g"}  # A smallest effect that follows from events has many digits
    return float(at.number_input(threshold.asked, threshold.least, None, threshold.value, **how))


def compact(settings: Settings, key: str, on_change: Callable[[Settings], Any]) -> None:
    """Draw only the two sliders of threshold and cost, which follow settings that are changed elsewhere.

    Moving the threshold keeps K, unit and cost; moving the cost keeps the payoffs. `on_change` takes the new settings
    before the page (or fragment) is drawn again; if it does not adopt them, the sliders go back.
    """
    stakes = settings.stakes
    now = {name: value for name, value in stakes.views().items() if name in ("q", "fraction")}

    def moved(name: str, value: Any) -> None:
        on_change(settings.with_stakes(stakes.changed(name, value)))

    _sliders(settings, _Fields(now, following(key, now, moved)), gap="medium")


def q_star_in_words(q_star: float, plus: str, what: str) -> str:
    """Explain a threshold in words.

    >>> q_star_in_words(0.8, "Reject", "prior art exists")
    '“Reject” only when more than 80 % sure that prior art exists'
    """
    return f"“{plus}” only when more than {percent(q_star)} sure that {what}"


def cost_in_words(stakes: Stakes, abstracts: bool) -> str:
    """Explain the cost of a document in words, or with `abstracts` that of a title and abstract.

    >>> from tarstop_core.value.stakes import START
    >>> cost_in_words(START, abstracts=False)
    '0.001: reading 500 documents would cost as much as the worse mistake'
    >>> cost_in_words(START, abstracts=True)
    '0.001: reading 500 titles and abstracts would cost as much as the worse mistake'
    >>> cost_in_words(START.with_cost(0), abstracts=False)
    '0: reading costs nothing'
    """
    price = amount(stakes.cost, stakes.payoffs.unit)
    if stakes.cost == 0:
        return f"{price}: reading costs nothing"
    one, many = ("title and abstract", "titles and abstracts") if abstracts else ("document", "documents")
    if stakes.documents < 1:
        return f"{price}: one {one} costs more than the worse mistake"
    return f"{price}: reading {count_of(stakes.documents, one, many)} would cost as much as the worse mistake"


@dataclass(frozen=True)
class _Fields:
    """The fields of a form: the values that they show, and the problems with what was typed, each by name."""

    now: Mapping[str, Any]
    view: View
    problems: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str, label: str, at: DeltaGenerator, **how: Any) -> None:
        """Draw the field for a number, and below it why its entry cannot be used."""
        at.number_input(label, value=self.now[name], format="%g", **how, **self.view(name))
        self.problem(name, at)

    def problem(self, name: str, at: DeltaGenerator) -> None:
        """Say below a field why its entry cannot be used, if it cannot."""
        if name in self.problems:
            with at:
                problem_box(self.problems[name])


def _questions(settings: Settings, fields: _Fields, note: str) -> None:
    now, view = fields.now, fields.view
    plus, minus = escape_markdown(settings.plus), escape_markdown(settings.minus)
    message = scenario_of(settings).message
    names = {
        "plus": f"“{plus}” {message('mistake_plus', settings=settings)}",
        "minus": f"“{minus}” {message('mistake_minus', settings=settings)}",
        "equal": "Both are equally bad",
    }
    radio("Which mistake is worse?", names, first=now["worse"], **view("worse"))
    times, documents = st.columns(2, gap="medium", vertical_alignment="bottom")
    one_is_worse = now["worse"] in ("plus", "minus")
    fields.number("times", "How many times worse?", times, step=1.0, disabled=not one_is_worse)
    mistake = "the worse mistake" if one_is_worse else "a wrong decision"
    # The label is short, because one of two lines would push the rest below the bar.
    avoided = "it" if one_is_worse else "one"
    asked = f"{'Abstracts' if settings.two_stages else 'Documents'} you would read to avoid {avoided}"
    empty = "as many as there are" if settings.cost == 0 else "a number"
    fields.number("documents", asked, documents, step=50.0, placeholder=empty)
    one = "title and abstract" if settings.two_stages else "document"
    costs = _costs_of_documents(*settings.stakes.price)
    how: dict[str, Any] = {"default": now["example"], "format_func": costs.__getitem__}
    st.pills(f"Or, at {costs[1]} a {one}, what {mistake} costs", EXAMPLES, **how, **view("example"))
    if note:
        caption(note)


@lru_cache(64)
def _costs_of_documents(price: float, unit: str) -> dict[float, str]:
    """What one document and those of :data:`EXAMPLES` cost, by their number."""
    return {documents: escape_label(amount(documents * price, unit)) for documents in (1.0, *EXAMPLES)}


def _sliders(settings: Settings, fields: _Fields, gap: Literal["medium", "large"]) -> None:
    now, view = fields.now, fields.view
    left, right = st.columns(2, gap=gap)
    with left:
        hint = f"The worse a wrong first action is, the surer you must be: {term('q-star', 'threshold')}."
        # The value is also given as default, because a slider whose code arrives late shows its default and would
        # report that as if the person had moved it.
        share("How sure before you act", now["q"], **view("q"), help=hint)
        question = scenario_of(settings).message("question", settings=settings)
        sure = q_star_in_words(settings.payoffs.q_star, settings.plus, question)
        caption(f"{best_between(settings) if settings.payoffs.others else sure}.")
    with right:
        payoffs, one = settings.payoffs, "title and abstract" if settings.two_stages else "document"
        # The cost is shown as it is, even if it lies between two stops or outside them.
        words = stops(payoffs) | {now["fraction"]: escape_label(amount(settings.cost, payoffs.unit))}
        unit = (
            f" ({escape_markdown(payoffs.unit)})" if payoffs.unit else ", where both mistakes together cost 1"
        )
        what = f"{term('cost', 'costs')}, in the unit of the {term('payoffs', 'consequences')}{unit}"
        how: dict[str, Any] = {
            "format_func": words.__getitem__,
            "help": f"What reading one more {one} {what}.",
        }
        st.select_slider(f"Cost per {one}", FRACTIONS, value=now["fraction"], **how, **view("fraction"))
        caption(cost_in_words(settings.stakes, abstracts=settings.two_stages) + ".")


def stops(payoffs: Payoffs) -> dict[float, str]:
    """The stops of a cost slider, written as amounts."""
    K = payoffs.K
    amounts = [amount(stop * K, payoffs.unit) for stop in FRACTIONS]
    return dict(zip(FRACTIONS, map(escape_label, amounts), strict=True))


def _consequences(settings: Settings, fields: _Fields, reports: bool, place: str) -> None:
    plus, minus = escape_markdown(settings.plus), escape_markdown(settings.minus)
    message = scenario_of(settings).message
    yes, no = message("question", settings=settings), message("otherwise", settings=settings)
    labels = {
        "L_r": f"“{plus}” is wrong ({no}): what it costs",
        "L_g": f"“{minus}” is wrong ({yes}): what it costs",
        "B": f"“{plus}” is right ({yes}): what it brings",
        "G": f"“{minus}” is right ({no}): what it brings",
        "cost": f"Cost of reading one {'title and abstract' if settings.two_stages else 'document'}",
        "full_cost": "Cost of reading one report in full",
    }
    costs = (("cost", "full_cost"), ("unit",)) if reports else (("cost", "unit"),)
    with st.container(key=place):
        for row in (("L_r", "L_g"), ("B", "G"), *costs):
            for column, name in zip(st.columns(2, gap="medium"), row, strict=False):
                if name == "unit":
                    asked = "Counted in (£, hours, …)"
                    how = {"max_chars": 20, "help": UNIT_HELP, **fields.view(name)}
                    column.text_input(asked, fields.now[name], **how)
                else:
                    fields.number(name, labels[name], column, step=0.01, help=SYMBOLS.get(name))
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    if payoffs.others:
        return
    caption(
        f"Compared with the right action, a wrong “{settings.plus}” costs {amount(payoffs.wrong_plus, unit)}, a wrong "
        f"“{settings.minus}” {amount(payoffs.wrong_minus, unit)}: so “{settings.plus}” when more than "
        f"{percent(payoffs.q_star)} sure that {yes}."
    )


def _others(key: str, settings: Settings, fields: _Fields) -> None:
    """Draw the further options, a row each with a name and its amounts."""
    yes, options = scenario_of(settings).message("question", settings=settings), settings.payoffs.others
    for at in range(len(options)):
        columns = st.columns([1.4, 1, 1, 0.5], gap="medium", vertical_alignment="bottom")
        option, hint = f"{OPTIONS}{at}/", f"So: {yes}. Negative where it costs."
        named = fields.now[f"{option}name"]
        columns[0].text_input("Another option", named, max_chars=40, **fields.view(f"{option}name"))
        fields.problem(f"{option}name", columns[0])
        fields.number(f"{option}right", "Brings if so", columns[1], step=0.01, help=hint)
        fields.number(f"{option}wrong", "Brings if not", columns[2], step=0.01, help=hint)
        gone: dict[str, Any] = {"key": f"{key}/remove/{at}", "on_click": _without, "args": (key, at)}
        columns[3].button(":material/close:", help="Remove this option", **gone)
    if options:
        caption(f"By the chance that {yes}: {best_between(settings)}.")
    hint = "Such as a trial only, or adopting with monitoring: what it brings in either case, in the unit of the amounts."
    how: dict[str, Any] = {"icon": ":material/add:", "type": "tertiary", "help": hint}
    st.button("Another option", key=f"{key}/another", on_click=_with_another, args=(key,), **how)


def _with_another(key: str) -> None:
    """Add an option that is best between the two, until a person changes its amounts."""
    payoffs: Payoffs = st.session_state[f"{key}/truth"].payoffs
    right = BETWEEN * payoffs.B - (1 - BETWEEN) * payoffs.L_g
    wrong = BETWEEN * payoffs.G - (1 - BETWEEN) * payoffs.L_r
    another = Option(f"Option {len(payoffs.others) + 3}", right, wrong)
    _have_others(key, (*payoffs.others, another))


def _without(key: str, at: int) -> None:
    others = st.session_state[f"{key}/truth"].payoffs.others
    _have_others(key, others[:at] + others[at + 1 :])


def _have_others(key: str, others: tuple[Option, ...]) -> None:
    """Set the further options in the value and in their fields."""
    state = st.session_state
    state[f"{key}/truth"] = stakes = state[f"{key}/truth"].with_others(others)
    problems: dict[str, str] = state[f"{key}/problems"]
    for name, value in stakes.views().items():
        if name.startswith(OPTIONS):
            problems.pop(name, None)
            state[f"{key}/{name}"] = value


def _moved(key: str, name: str) -> None:
    state = st.session_state
    problems: dict[str, str] = state[f"{key}/problems"]
    problems.pop(name, None)
    try:
        stakes = state[f"{key}/truth"].changed(name, state[f"{key}/{name}"])
    except InputProblem as problem:
        problems[name] = str(problem)
        return
    state[f"{key}/truth"] = stakes
    unanswered: list[str] = state[f"{key}/unanswered"]
    if ANSWERS.get(name) in unanswered:
        unanswered.remove(ANSWERS[name])
    for other, value in stakes.views(unanswered).items():
        # The field that was just changed keeps its text.
        if other != name and other not in problems:
            state[f"{key}/{other}"] = value
