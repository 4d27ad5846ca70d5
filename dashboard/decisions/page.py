"""The Decisions page: several actions, what is worth knowing, and whether to read on, commission a study or decide."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from dashboard.decisions import entered
from dashboard.decisions.entered import PREFIX, Entered
from dashboard.frame import address, shell
from dashboard.frame.drawing import (
    ALL,
    all_figures,
    among_all,
    beside_title,
    heading_of,
    note,
    offered,
    picture,
    picture_buttons,
    table,
)
from dashboard.frame.markup import badges, told
from dashboard.frame.widgets import lasting, one_of, save_button
from dashboard.frame.work import flash, reviewer
from dashboard.parts.everyone import concerned, number_asked, own_number
from dashboard.parts.sessions import file_stem
from tarstop_core.errors import InputProblem
from tarstop_core.explore import decision_figures as drawn
from tarstop_core.explore import decision_report as reports
from tarstop_core.explore.decision_curves import Decision
from tarstop_core.explore.decisions import (
    DecisionResults,
    ReadingOn,
    Studyable,
    answer,
    studied,
    with_studies,
)
from tarstop_core.files import trace_to_csv
from tarstop_core.presentation.figures import Figure, Rows
from tarstop_core.presentation.pictures import still
from tarstop_core.sessions.export import when
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.actions.sampling import Study

LEAD = "Compare options: which is best now, what is worth knowing, and whether a study is worth its price."
STEM = "tarstop-decision"
KEPT = 32  # Answers
SPREAD = address.only(address.finite, lambda spread: spread > 0)


@dataclass(frozen=True)
class DecisionView:
    """A figure of the page with its numbers and the macro of its sentence."""

    name: str
    title: str
    figure: Callable[..., Figure]
    macro: str
    rows: Callable[[DecisionResults], Rows]


STEPS = DecisionView("steps", "What next", drawn.steps_figure, "steps", reports.rows_of_sizes)
KNOWING = DecisionView("knowing", "Worth knowing", drawn.knowing_figure, "knowing", reports.rows_of_knowing)
ACTIONS = DecisionView("actions", "The options now", drawn.actions_figure, "now", reports.rows_of_actions)
CURVES = DecisionView("curves", "", drawn.curves_figure, "curves", reports.rows_of_curves)


def decisions_page() -> None:
    shell.opening("Decisions", LEAD)
    menu = beside_title(present=True)
    flash()
    kind = entered.kind()
    headline = st.container(key="decisions-headline")
    figures_at, asked = shell.beside(1.75, 1)
    for place in (headline, figures_at):
        place.empty()  # without anything in it a container would take its place late
    with asked:
        try:
            answered = _answered(kind)
        except InputProblem as problem:  # in view, not below what is asked
            with headline:
                shell.problem_box(problem)
            return
    if answered is not None:
        given, result = answered
        with headline:
            _headline(given, result, given.unit)
        with menu:
            _report(given, result, given.unit)
        with figures_at:
            _figures(result, given.unit, given.simulated)
        all_figures(STEM)


def _answered(kind: str) -> tuple[Entered, DecisionResults] | None:
    """Ask for the decision, everyone concerned and a study, and what follows; None while something is missing."""
    given = entered.ENTERED[kind]()
    if given is None:
        return None
    heading_of("Everyone concerned")
    everyone = concerned(PREFIX, 2000.0 if given.example else 0.0)
    result = _computed(given.key, given.decision, everyone)
    parameters = studied(result)
    if not given.priced:
        note(
            "Amounts are in units of effect until you enter what one unit is worth and what the options cost."
        )
    elif not result.people:
        note("Enter how many people this concerns to see what a study is worth for them.")
    elif parameters:
        studies, reading = _study(parameters, given.example)
        result = _with_studies(given.key, everyone, result, studies, reading)
    return given, result


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _computed(key: Hashable, _decision: Decision, concerned: Concerned | None) -> DecisionResults:
    """Compute the answer to a decision, identified by its `key`, once per server: everybody starts with the same example."""
    return answer(_decision, concerned)


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _with_studies(
    key: Hashable,
    concerned: Concerned | None,
    _result: DecisionResults,
    studies: Mapping[Study, bool],
    reading: ReadingOn | None,
) -> DecisionResults:
    return with_studies(_result, studies, reading)


def _headline(given: Entered, result: DecisionResults, unit: str) -> None:
    verdict = told(*drawn.headline(result, unit))
    marks = badges(
        *filter(None, ("simulated" if given.simulated else "example" if given.example else "", *given.about))
    )
    st.html(f"{verdict}<p>{marks}</p>")
    for remark in given.notes:
        note(remark)


def _report(given: Entered, result: DecisionResults, unit: str) -> None:
    name = st.text_input("Title of the report", "Decision", key=f"{PREFIX}/title").strip() or "Decision"
    report = partial(
        reports.decision_report,
        result,
        unit,
        name=name,
        at=when(datetime.now(UTC).isoformat()),
        by=reviewer(),
        about=given.about,
        notes=given.notes,
        simulated=given.simulated,
    )
    save_button(
        "Report (HTML)", report, f"{file_stem(name)}-report.html", key=f"{PREFIX}/report", width="stretch"
    )


def _figures(result: DecisionResults, unit: str, simulated: bool) -> None:
    """Draw what next, what is worth knowing, the options, and their curve, a tab each."""
    views = [STEPS] if result.sizes is not None else []
    views += [KNOWING, ACTIONS]
    curve = result.curves
    titles = {view.name: view.title for view in views}
    if curve is not None:
        views.append(CURVES)
        titles["curves"] = "Decision curve" if curve.of_thresholds else "Willingness to pay"
    tabs = st.tabs(list(titles.values()), key=f"{PREFIX}/tab", on_change="rerun")
    for tab, view in zip(tabs, views, strict=True):
        sentence = drawn.message(view.macro, result=result, unit=unit)
        if not tab.open:
            if ALL in st.session_state:  # all figures are those of tabs that are closed, too
                svg = still(view.figure(result, unit, simulated=simulated), sentence)
                among_all(f"{STEM}-{view.name}", partial(trace_to_csv, view.rows(result)), svg=svg)
            continue
        with tab, st.container(key=f"{PREFIX}-tar-figure-{view.name}"), shell.problems_shown():
            figure = view.figure(result, unit, simulated=simulated, dark=shell.dark())
            shell.caption(sentence)
            with st.container(key=f"{PREFIX}-tar-wide-{view.name}"):
                picture(figure, sentence)
            if view is ACTIONS:
                table(reports.options_in_words(result, unit))
            csv = partial(trace_to_csv, view.rows(result))
            with offered(titles[view.name], view.name):
                picture_buttons(f"{STEM}-{view.name}", csv, svg=still(figure, sentence))
                save_button("CSV", csv, f"{STEM}-{view.name}.csv", key=f"{PREFIX}/csv/{view.name}")


def _study(parameters: Mapping[str, Studyable], example: bool) -> tuple[dict[Study, bool], ReadingOn | None]:
    """Ask for a study that could be commissioned, and for what reading on would find.

    The studies are that one and one of each other parameter, as the address has them, and whether their SD is a guess.
    """
    heading_of("A new study")
    named = {parameter: parameter for parameter in parameters}
    usual = next(iter(named))
    how = lasting(f"{PREFIX}/measures/{'/'.join(sorted(parameters))}")
    measures = one_of("It measures", named, first=address.named("measures", named, usual), **how)
    address.write({"measures": "" if measures == usual else measures})
    left, right = st.columns(2)
    costs = {"cost_fixed": number_asked("Fixed cost", 200_000.0, "fixed", at=left)}
    costs["cost_per_person"] = number_asked("Cost a person", 500.0, "each", at=right)
    of = parameters[measures]
    if of.counted and of.sd:
        _switched("It is a share of people, who are counted", f"counted_{measures}")
    arms = 1
    if not _is_counted(measures, of):
        arms += _switched("It compares two groups", f"arms_{measures}")
        help_text = (
            "How much single people vary in this parameter. The first value assumes that what is known now comes from 100 people per arm. For a log "
            "odds or risk ratio: about 3 if one person in ten has the event."
        )
        name, begun = f"sd_{measures}", of.usual_spread(arms)
        if not own_number("SD between people", begun, name, f"{PREFIX}/{name}", help=help_text):
            raise InputProblem("SD between people is 0; give a number above 0.")
    with st.expander("Or read on", expanded=True):
        left, right = st.columns(2)
        begun = 2.0 if example else 0.0
        studies = own_number("Studies it will find", begun, "studies", f"{PREFIX}/studies", at=left, step=1.0)
        in_each = "People per arm in each" if arms > 1 else "People in each"
        people = int(number_asked(in_each, 100.0, "size", low=1.0, at=right, step=1.0))
        cost = number_asked("What reading on costs", 5000.0, "reading", at=left)
        costs["tau2"] = number_asked("SD between studies (τ)", 0.0, "tau", at=right) ** 2
    if not example:
        of_reading = (
            {"size": "people in each study", "reading": "what reading on costs"} if studies >= 1 else {}
        )
        entered.call_example(fixed="the fixed cost", each="the cost a person", **of_reading)
    planned = {}
    for name in (measures, *(other for other in parameters if other != measures)):
        spread, arms, guessed = _in_address(name, parameters[name])
        planned[Study(measures=name, sd=spread, arms=arms, **costs)] = guessed
    return planned, ReadingOn(studies=int(studies), people=people, cost=cost) if studies >= 1 else None


def _switched(label: str, name: str) -> bool:
    """Ask for what is so unless the address says that it is not."""
    on = st.toggle(label, value=name not in st.query_params, **lasting(f"{PREFIX}/{name}"))
    address.write({name: "" if on else "no"})
    return on


def _is_counted(name: str, of: Studyable) -> bool:
    return of.counted and f"counted_{name}" not in st.query_params


def _in_address(name: str, of: Studyable) -> tuple[float | None, int, bool]:
    """The SD between people of a study of one parameter, its arms, and whether nobody entered that SD."""
    if _is_counted(name, of):
        return None, 1, False
    arms = 1 if f"arms_{name}" in st.query_params else 2
    try:
        return SPREAD(st.query_params[f"sd_{name}"]), arms, False
    except (KeyError, ValueError):
        return of.usual_spread(arms), arms, True
