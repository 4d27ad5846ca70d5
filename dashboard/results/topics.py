"""From a point of a figure to the topics behind it, and from a topic to its path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.parts.panels import figure, files, note
from dashboard.results import data
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.benchmarks.named import named
from tarstop_core.evaluation.cases import Case, Fold
from tarstop_core.evaluation.findings import topic_figures as view
from tarstop_core.evaluation.findings.aggregate import case_rows, regrets
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.running import runs
from tarstop_core.evaluation.tally import says_what_was_measured
from tarstop_core.evaluation.tasks import DecisiveTask, ReviewTask, Task
from tarstop_core.policies import Randomised, parse_policy
from tarstop_core.value.payoffs import Payoffs

KINDS = ("All", "Wrong decisions", "With regret")
ROWS_HEIGHT = 330


def draw(
    choice: data.Choice,
    asked: data.Asked,
    everything: Results,
    q_star: float,
    cost: float,
    stem: str,
    dark: bool,
) -> None:
    """Draw the tab.

    Parameters
    ----------
    choice : Choice
    asked : Asked
        The methods shown: regret is against the best of these.
    everything : Results
    q_star, cost : float
    stem : str
        Begins the names of files.
    dark : bool
    """
    results = data.some(asked)
    names = [method.name for method in results.methods]
    if st.session_state.get("method") not in (None, *names):
        del st.session_state["method"]
    left, right = st.columns([1, 1.4], vertical_alignment="bottom")
    with left:
        name = st.selectbox(
            "Method",
            names,
            format_func=lambda each: results.methods[results.method(each)].title,
            key="method",
            bind="query-params",
        )
    with right:
        kind = st.segmented_control("Topics", KINDS, default=KINDS[0], required=True, key="results/kind")
    title = results.methods[results.method(name)].title
    frame = topic_rows(results, name, q_star, cost)
    counted = len(frame)
    wrong, costly = frame["right"] < 1, frame["regret"] > 1e-12
    shown = frame[wrong] if kind == KINDS[1] else frame[costly] if kind == KINDS[2] else frame
    note(
        f"{title} at q* = {q_star:g} and c = {cost:g} (setting: {everything.setting(everything.method(name), everything.q(q_star), everything.c(cost))}): "
        f"{int(wrong.sum()):,} of {counted:,} topics are decided wrongly, {int(costly.sum()):,} better by another "
        "method that is shown. Choose a row to see its path."
    )
    if shown.empty:
        st.info("There is no such topic.")
    else:
        _rows(shown)
    files(f"{stem}-{name}", frame, "topics")
    known = frame["topic"].tolist()
    if st.session_state.get("topic") not in (None, *known):
        del st.session_state["topic"]
    topic = st.selectbox(
        "Topic",
        known,
        index=None,
        placeholder="Choose a topic, here or in the table, to see its path",
        key="topic",
        bind="query-params",
    )
    if topic is not None:
        _path(choice, asked, everything, name, topic, q_star, cost, stem, dark)


def topic_rows(results: Results, method: str, q_star: float, cost: float) -> pd.DataFrame:
    """What became of each topic by one method, the costliest first.

    Returns
    -------
    DataFrame
        ``topic, omega, documents, screened, plus`` (chance of a⁺), ``right`` (chance that this was right), ``recall,
        net_utility, regret``.
    """
    q, c, m = results.q(q_star), results.c(cost), results.method(method)
    plus, omega = results.plus[:, m, q, c], results.omega[:, q]
    frame = pd.DataFrame(
        {
            "topic": results.cases,
            "omega": omega,
            "documents": results.documents,
            "screened": results.screened[:, m, q, c],
            "plus": plus,
            "right": metrics.agreement(plus, omega),
            "recall": results.recall[:, m, q, c],
            "net_utility": results.net_utility[:, m, q, c],
            "regret": regrets(results, q)[:, m, c],
        }
    )
    return frame.sort_values("regret", ascending=False, kind="stable", ignore_index=True)


def _rows(frame: pd.DataFrame) -> None:
    shown = pd.DataFrame(
        {
            "Topic": frame["topic"],
            "Truth": np.where(frame["omega"], "ω⁺", "ω⁻"),
            "Action": [_action(value) for value in frame["plus"]],
            "Right": [_right(value) for value in frame["right"]],
            "Screened": frame["screened"],
            "Documents": frame["documents"],
            "Recall": frame["recall"],
            "Net utility": frame["net_utility"],
            "Regret": frame["regret"],
        }
    )
    number = st.column_config.NumberColumn
    st.dataframe(
        shown,
        hide_index=True,
        height=min(ROWS_HEIGHT, 36 * (len(shown) + 1) + 3),
        key="results/rows",
        on_select=lambda: _open(shown["Topic"].tolist()),
        selection_mode="single-row",
        column_config={
            "Screened": number(format="%.1f"),
            "Recall": number(format="%.2f"),
            "Net utility": number(format="%.4f"),
            "Regret": number(format="%.4f"),
        },
    )


def _open(topics: list[str]) -> None:
    chosen = st.session_state["results/rows"]["selection"]["rows"]
    if chosen:
        st.session_state["topic"] = topics[chosen[0]]


def _action(plus: float) -> str:
    return "a⁺" if plus == 1 else "a⁻" if plus == 0 else f"a⁺ in {100 * plus:.0f} %"


def _right(right: float) -> str:
    return "yes" if right == 1 else "no" if right == 0 else f"in {100 * right:.0f} %"


# --- one topic ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Material:
    """What paths are made of: cases by name, and what was learned for each fold.

    Parameters
    ----------
    cases : mapping of str to Case
    knowledge : list
        By fold: by variant what the task has learned.
    task : Task
    same : bool
        Whether what was learned now is what the results were measured with.
    """

    cases: dict[str, Case]
    knowledge: list[dict[str, Any]]
    task: Task
    same: bool


def _path(
    choice: data.Choice,
    asked: data.Asked,
    everything: Results,
    name: str,
    topic: str,
    q_star: float,
    cost: float,
    stem: str,
    dark: bool,
) -> None:
    variant = everything.methods[everything.method(name)].variant
    try:
        with st.spinner("Making the topics again, as they were measured …", show_time=True):
            material = _material(asked.path, asked.stamp, variant, _source(everything, choice))
    except InputProblem as problem:
        st.info(f"{topic} cannot be drawn. {shell.escape_markdown(str(problem))}", icon=":material/lock:")
        return
    case = material.cases.get(topic)
    if case is None:
        st.info(f"{topic} is not in the benchmark any more; run the experiment again.")
        return
    results = data.some(asked)
    at = results.cases.index(topic)
    q, c, m = results.q(q_star), results.c(cost), results.method(name)
    payoffs = Payoffs.from_q_star(q_star)
    known = material.knowledge[int(results.fold[at])][variant]
    (path,) = material.task.paths(case, known, [payoffs])
    policy = parse_policy(_of_fold(everything, name, q, c, int(results.fold[at])))
    worth = None if isinstance(policy, Randomised) else policy.worth(path)
    stops = stops_of(results, at, q, c)
    review = results.scenario == "review"
    omega = bool(results.omega[at, q])
    drawing = view.topic_figure(
        np.asarray(path.b),  # type: ignore[attr-defined]
        worth,
        stops,
        cost=cost,
        q_star=q_star,
        depth=min(len(path), round(float(results.screened[at, m, q, c]))),
        hit=path.hit,
        steps=review,
        belief_title="chance of ω⁺",
        simulated=results.simulated,
        dark=dark,
    )
    figure(
        "topic",
        f"{topic}: belief, worth, and where each method stops",
        drawing,
        view.topic_sentence(topic, len(path), omega, stops, stops[m]),
        case_rows(results, q_star, cost).query("topic == @topic"),
        f"{stem}-{topic.replace('/', '_').replace(' ', '_')}",
    )
    if not material.same:
        note(
            "What is learned from the training topics is no longer what these results were measured with, so the curve may "
            "differ from what the methods saw."
        )
    note(
        "This is the topic as the Screen page would draw it. It has no text, so it cannot be screened; the address of this "
        "page leads back to it."
    )


def stops_of(results: Results, at: int, q: int, c: int) -> list[view.Stop]:
    """Where every method stopped on a topic."""
    omega = results.omega[at, q]
    return [
        view.Stop(
            method.title,
            method.policy,
            method.variant,
            method.family,
            float(results.screened[at, m, q, c]),
            float(results.plus[at, m, q, c]),
            float(metrics.agreement(results.plus[at, m, q, c], omega)),
        )
        for m, method in enumerate(results.methods)
    ]


def _of_fold(results: Results, name: str, q: int, c: int, fold: int) -> str:
    """What tuning chose in one fold."""
    shape = (-1, len(results.methods), len(results.q_stars), len(results.costs))
    return str(np.array(results.chosen).reshape(shape)[fold, results.method(name), q, c])


def _source(results: Results, choice: data.Choice) -> str:
    """Name or folder of the benchmark."""
    run = next((each for each in runs() if str(each.folder) == choice.folder), None)
    return run.order.folder if run else str(results.settings["benchmark"])


@st.cache_resource(show_spinner=False, max_entries=4)
def _material(path: str, stamp: int, variant: str, name: str) -> Material:
    results = data.loaded(path, stamp)
    task = _task(results)
    benchmark = named(name)
    knowledge = [dict(task.learn(benchmark, fold, (variant,))) for fold in benchmark.folds]
    cases = {case.name: _slim(case) for fold in benchmark.folds for case in fold.test}
    return Material(cases, knowledge, task, _as_measured(results, variant, knowledge, benchmark.folds))


def _as_measured(
    results: Results, variant: str, knowledge: Sequence[Mapping[str, Any]], folds: Sequence[Fold]
) -> bool:
    """Whether what was learned now is what the results were measured with."""
    learned = [_parts(each[variant]) for each in knowledge]
    now = [[part.digest for part in parts] for parts in learned]
    then = [str(each.get(variant)).split(":") for each in results.settings["learned"]]
    if now == then:
        return True
    measured = results.calibration.get(variant)
    return (
        measured is not None
        and [digests[1:] for digests in now] == [digests[1:] for digests in then]  # priors
        and says_what_was_measured(
            ((parts[0], fold.test) for parts, fold in zip(learned, folds, strict=True)), measured
        )
    )


def _task(results: Results) -> Task:
    known = results.settings
    if results.scenario == "patent":
        return DecisiveTask(b_0=known["b_0"], pseudo=known["pseudo"])
    return ReviewTask(
        theta=known["theta"],
        truth_is=known["truth"],
        engine=known["engine"],
        b_0=known["b_0"],
        pseudo=known["pseudo"],
    )


def _slim(case: Case) -> Case:
    """Without the documents' identifiers, which take most of the memory and which no path needs."""
    topic = replace(case.topic, ids=np.zeros(len(case.topic), dtype="U1"))
    outcome = None if case.outcome is None else replace(case.outcome, topic=topic)
    return replace(case, topic=topic, outcome=outcome)


def _parts(known: Any) -> tuple[Any, ...]:
    """What was learned: a calibrator, in reviews with a prior."""
    return known if isinstance(known, tuple) else (known,)
