"""The stakes as one value, shown in forms that are kept in step.

The value itself lives beside the widgets; every widget is a view of it, rounded as a person reads it.
Moving one changes only what that widget is about, so nothing drifts by being shown.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame.shell import caption, escape_label, escape_markdown, problem_box, term
from dashboard.frame.widgets import radio, share
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import ReviewThreshold, S, Settings
from tarstop_core.screening.wording import best_between, cost_warnings, question
from tarstop_core.value.payoffs import Option, Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, Stakes

FRACTIONS: tuple[float, ...] = (
    0.0,
    *(float(f"{step}e{decade}") for decade in range(-8, 0) for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)),
    1.0,
)
"""Stops of the cost slider, as shares of K, the loss of both mistakes together."""
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
EXAMPLES = (10_000.0, 100_000.0, 10_000_000.0)
"""Answers to the second question, in documents, that are offered as amounts of money."""
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

OPTIONS, OPTION_FIELDS = "option/", ("name", "right", "wrong")
"""Prefix of the widgets of further options, and the fields of each option."""
BETWEEN = 0.7
"""A new option begins with this share of the gain of a right decision over a wrong one, under either truth."""

View = Callable[[str], dict[str, Any]]
"""Takes a name, and returns the arguments with which a widget shows the value of that name and reports a new one."""


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
    state = st.session_state
    # Drafts of earlier versions have answers, but no list of unanswered questions.
    started = f"{key}/truth" in state
    stakes: Stakes = state.setdefault(f"{key}/truth", settings.stakes)
    unanswered: list[str] = state.setdefault(
        f"{key}/unanswered", list(QUESTIONS) if asks and not started else []
    )
    problems: dict[str, str] = state.setdefault(f"{key}/problems", {})
    now = views(stakes, unanswered)
    for name, value in now.items():
        # After a visit to another page, the widgets are gone but the value is kept.
        if f"{key}/{name}" not in state and name not in problems:
            state[f"{key}/{name}"] = value

    def view(name: str) -> dict[str, Any]:
        """Return arguments that make a widget a view of the value."""
        return {"key": f"{key}/{name}", "on_change": _moved, "args": (key, name)}

    ours = settings.with_stakes(stakes)
    questions, sliders, four = st.tabs(FORMS, key=f"{key}/form")
    with questions:
        _questions(ours, now, view, problems, start_note if stakes == settings.stakes else "")
    with sliders:
        _sliders(ours, now, view, gap="large")
    with four:
        _consequences(ours, now, view, problems, reports, place=f"stakes-plain-{key}")
        if not settings.one_decides:
            _others(key, ours, now, view, problems)
    missing = [QUESTIONS[name] for name in unanswered]
    if missing:
        caption("Nothing is preset here: only you know what is at stake.")
    elif not problems:
        for sentence in cost_warnings(ours):
            st.info(escape_markdown(sentence), icon=":material/info:")
    return ours, [*problems.values(), *missing]


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
    now = {name: value for name, value in views(stakes).items() if name in ("q", "fraction")}

    def moved(name: str, value: Any) -> None:
        on_change(settings.with_stakes(changed(stakes, name, value)))

    _sliders(settings, now, following(key, now, moved), gap="medium")


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
    if stakes.documents < 1:
        one = "one title and abstract" if abstracts else "one document"
        return f"{price}: {one} costs more than the worse mistake"
    noun = ("title and abstract", "titles and abstracts") if abstracts else ("document", "documents")
    many = count_of(stakes.documents, *noun)
    return f"{price}: reading {many} would cost as much as the worse mistake"


def _problem_below(field: DeltaGenerator, problem: str | None) -> None:
    """Say below a field why its entry cannot be used."""
    if problem is not None:
        with field:
            problem_box(problem)


def _questions(
    settings: Settings, now: Mapping[str, Any], view: View, problems: Mapping[str, str], note: str
) -> None:
    plus, minus = escape_markdown(settings.plus), escape_markdown(settings.minus)
    message = scenario_of(settings).message
    names = {
        "plus": f"“{plus}” {message('mistake_plus', settings=settings)}",
        "minus": f"“{minus}” {message('mistake_minus', settings=settings)}",
        "equal": "Both are equally bad",
    }
    radio("Which mistake is worse?", names, first=now["worse"], **view("worse"))
    times, documents = st.columns(2, gap="medium", vertical_alignment="bottom")
    how: dict[str, Any] = {"format": "%g", "disabled": now["worse"] in (None, "equal")}
    times.number_input("How many times worse?", value=now["times"], step=1.0, **how, **view("times"))
    _problem_below(times, problems.get("times"))
    unequal = now["worse"] in ("plus", "minus")
    mistake = "the worse mistake" if unequal else "a wrong decision"
    # The label is short, because one of two lines would push the rest below the bar.
    avoided = "it" if unequal else "one"
    asked = f"{'Abstracts' if settings.two_stages else 'Documents'} you would read to avoid {avoided}"
    how = {"format": "%g", "placeholder": "as many as there are" if settings.cost == 0 else "a number"}
    documents.number_input(asked, value=now["documents"], step=50.0, **how, **view("documents"))
    _problem_below(documents, problems.get("documents"))
    one = "title and abstract" if settings.two_stages else "document"
    costs = _costs_of_documents(*settings.stakes.price)
    how = {"default": now["example"], "format_func": costs.__getitem__}
    st.pills(f"Or, at {costs[1]} a {one}, what {mistake} costs", EXAMPLES, **how, **view("example"))
    if note:
        caption(note)


@lru_cache(64)
def _costs_of_documents(price: float, unit: str) -> dict[float, str]:
    """What one document and those of :data:`EXAMPLES` cost, by their number."""
    return {documents: escape_label(amount(documents * price, unit)) for documents in (1.0, *EXAMPLES)}


def _sliders(settings: Settings, now: Mapping[str, Any], view: View, gap: Literal["medium", "large"]) -> None:
    left, right = st.columns(2, gap=gap)
    with left:
        hint = f"The worse a wrong first action is, the surer you must be: {term('q-star', 'threshold')}."
        # The value is also given as default, because a slider whose code arrives late shows its default and would
        # report that as if the person had moved it.
        share("How sure before you act", now["q"], **view("q"), help=hint)
        sure = q_star_in_words(settings.payoffs.q_star, settings.plus, question(settings))
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


def _consequences(
    settings: Settings,
    now: Mapping[str, Any],
    view: View,
    problems: Mapping[str, str],
    reports: bool,
    place: str,
) -> None:
    plus, minus = escape_markdown(settings.plus), escape_markdown(settings.minus)
    yes, no = question(settings), scenario_of(settings).message("otherwise", settings=settings)
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
                    column.text_input(asked, now[name], max_chars=20, help=UNIT_HELP, **view(name))
                else:
                    how: dict[str, Any] = {"format": "%g", "step": 0.01, "help": SYMBOLS.get(name)}
                    column.number_input(labels[name], value=now[name], **how, **view(name))
                    _problem_below(column, problems.get(name))
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    if payoffs.others:
        return
    caption(
        f"Compared with the right action, a wrong “{settings.plus}” costs {amount(payoffs.wrong_plus, unit)}, a wrong "
        f"“{settings.minus}” {amount(payoffs.wrong_minus, unit)}: so “{settings.plus}” when more than "
        f"{percent(payoffs.q_star)} sure that {yes}."
    )


def _others(
    key: str, settings: Settings, now: Mapping[str, Any], view: View, problems: Mapping[str, str]
) -> None:
    """Draw the further options, a row each with a name and its amounts."""
    yes, options = question(settings), settings.payoffs.others
    for at in range(len(options)):
        columns = st.columns([1.4, 1, 1, 0.5], gap="medium", vertical_alignment="bottom")
        named, right, wrong = (f"option/{at}/{field}" for field in OPTION_FIELDS)
        columns[0].text_input("Another option", now[named], max_chars=40, **view(named))
        hint = f"So: {yes}. Negative where it costs."
        how: dict[str, Any] = {"format": "%g", "step": 0.01, "help": hint}
        columns[1].number_input("Brings if so", value=now[right], **how, **view(right))
        columns[2].number_input("Brings if not", value=now[wrong], **how, **view(wrong))
        for name, column in zip((named, right, wrong), columns, strict=False):
            _problem_below(column, problems.get(name))
        columns[3].button(
            ":material/close:",
            help="Remove this option",
            key=f"{key}/remove/{at}",
            on_click=_without,
            args=(key, at),
        )
    if options:
        caption(f"By the chance that {yes}: {best_between(settings)}.")
    hint = "Such as a trial only, or adopting with monitoring: what it brings in either case, in the unit of the amounts."
    how = {"icon": ":material/add:", "type": "tertiary", "help": hint}
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
    for name, value in views(stakes).items():
        if name.startswith(OPTIONS):
            problems.pop(name, None)
            state[f"{key}/{name}"] = value


def views(stakes: Stakes, unanswered: Iterable[str] = ()) -> dict[str, Any]:
    """Return the value that each widget shows, by name, rounded for reading; None for an unanswered question."""
    payoffs = stakes.payoffs
    documents = float(f"{stakes.documents:.3g}") if math.isfinite(stakes.documents) else None
    return {
        "documents": documents,
        "example": documents if documents in EXAMPLES else None,
        "worse": stakes.worse,
        "times": float(f"{stakes.times:.3g}"),
        "q": min(0.99, max(0.01, round(payoffs.q_star, 2))),
        "fraction": nearest_fraction(stakes.fraction),
        **{name: float(f"{getattr(payoffs, name):.6g}") for name in PAYOFF_NAMES},
        "cost": float(f"{stakes.cost:.6g}"),
        "full_cost": float(f"{stakes.full_cost:.6g}"),
        "unit": payoffs.unit,
        **{
            f"{OPTIONS}{at}/{field}": value if field == "name" else float(f"{value:.6g}")
            for at, option in enumerate(payoffs.others)
            for field, value in asdict(option).items()
        },
        **dict.fromkeys(unanswered),
        **({"example": None} if "documents" in unanswered else {}),
    }


def nearest_fraction(fraction: float) -> float:
    """Return the nearest stop of the cost slider, on its log scale.

    >>> nearest_fraction(0.00101), nearest_fraction(0), nearest_fraction(7.0), nearest_fraction(1e-9)
    (0.001, 0.0, 1.0, 1e-08)
    """
    if fraction == 0:
        return 0.0
    stops = np.array(FRACTIONS[1:])
    return float(stops[np.argmin(np.abs(np.log(stops) - math.log(fraction)))])


def changed(stakes: Stakes, name: str, value: Any) -> Stakes:
    """Return the stakes after a widget of :func:`views` was moved to `value`; InputProblem when that is not valid."""
    if name == "unit":
        return stakes.with_unit(str(value))
    if name.startswith(OPTIONS):
        at, field = name.removeprefix(OPTIONS).split("/")
        return stakes.with_option(int(at), field, value)
    if name == "worse":
        # A mistake that becomes the worse one is twice as bad, until a person gives another factor.
        times = 1.0 if value == "equal" else 2.0 if stakes.worse == "equal" else stakes.times
        return stakes.with_ratio(1 / times if value == "minus" else times)
    if name == "example":
        return stakes if value is None else stakes.with_example(value)
    if name == "documents" and value is None:
        return stakes.with_documents(math.inf)
    if value is None:
        whats = {"times": "number of times", "cost": "cost", "full_cost": "cost of a report in full"}
        raise InputProblem(f"The {whats.get(name, 'amount')} is empty; give a number.")
    given = float(value)
    if name in PAYOFF_NAMES:
        if given < 0:
            raise InputProblem(f"The amount is {given:g}; give 0 or more, also for losses.")
        return stakes.with_payoff(name, given)
    if name == "times":
        if not given >= 1:
            raise InputProblem(f"One mistake is {given:g} times worse than the other; give at least 1.")
        return stakes.with_ratio(1 / given if stakes.worse == "minus" else given)
    change: dict[str, Callable[[float], Stakes]] = {
        "q": stakes.with_q_star,
        "fraction": stakes.with_fraction,
        "documents": stakes.with_documents,
        "cost": stakes.with_cost,
        "full_cost": stakes.with_full_cost,
    }
    return change[name](given)


def _moved(key: str, name: str) -> None:
    state = st.session_state
    problems: dict[str, str] = state[f"{key}/problems"]
    problems.pop(name, None)
    try:
        stakes = changed(state[f"{key}/truth"], name, state[f"{key}/{name}"])
    except InputProblem as problem:
        problems[name] = str(problem)
        return
    state[f"{key}/truth"] = stakes
    unanswered: list[str] = state[f"{key}/unanswered"]
    if ANSWERS.get(name) in unanswered:
        unanswered.remove(ANSWERS[name])
    for other, value in views(stakes, unanswered).items():
        # The field that was just changed keeps its text.
        if other != name and other not in problems:
            state[f"{key}/{other}"] = value


def following(key: str, now: Mapping[str, Any], moved: Callable[[str, Any], None]) -> View:
    """Make widgets follow the values in `now`, which may change elsewhere; `moved` takes the name and value of a change."""
    state, drawn = st.session_state, f"{key}/shown/{'/'.join(now)}"
    if state.get(drawn) != now:
        state.update({f"{key}/{name}": value for name, value in now.items()})
        state[drawn] = now

    def on_change(name: str) -> None:
        # Afterwards the widgets show the values in force, whether or not the change was adopted.
        state.pop(drawn, None)
        moved(name, state[f"{key}/{name}"])

    return lambda name: {"key": f"{key}/{name}", "on_change": on_change, "args": (name,)}
