"""The tab with the topics behind a point of a figure, and with the path of a topic."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import figure, files, note
from dashboard.frame.people import person
from dashboard.frame.widgets import bound, one_of
from dashboard.results.look import Look, keep_valid, loaded
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import named
from tarstop_core.evaluation.findings import topics
from tarstop_core.evaluation.findings.aggregate import case_rows
from tarstop_core.evaluation.running import runs
from tarstop_core.evaluation.tasks import TASKS

KINDS = ("All", "Wrong decisions", "With regret")
ROWS_HEIGHT = 330


def draw(look: Look) -> None:
    """Draw the tab, in which regret is against the best of the methods shown."""
    everything, q_star, cost = look.everything, look.q_star, look.cost
    titles = {method.name: method.title for method in look.results.methods}
    keep_valid("method", titles)
    left, right = st.columns([1, 1.4], vertical_alignment="bottom")
    name = one_of("Method", titles, at=left, **bound("method"))
    kind = right.segmented_control("Topics", KINDS, default=KINDS[0], required=True, key="results/kind")
    frame = topics.topic_rows(look.results, name, q_star, cost)
    wrong, costly = frame["right"] < 1, frame["regret"] > 1e-12
    rows = frame[wrong] if kind == KINDS[1] else frame[costly] if kind == KINDS[2] else frame
    note(
        f"{titles[name]} at q* = {q_star:g} and c = {cost:g} (setting: {everything.setting(everything.method(name), everything.q(q_star), everything.c(cost))}): "
        f"{int(wrong.sum()):,} of {len(frame):,} topics are decided wrongly, {int(costly.sum()):,} better by another "
        "method that is shown. Choose a row to see its path."
    )
    if rows.empty:
        st.info("There is no such topic.")
    else:
        _rows(rows)
    files("Topics", f"{look.stem}-{name}", frame, "topics")
    names = frame["topic"].tolist()
    keep_valid("topic", names)
    hint = "Choose a topic, here or in the table, to see its path"
    topic = st.selectbox("Topic", names, index=None, placeholder=hint, **bound("topic"))
    if topic is not None:
        _path(look, name, topic)


def _rows(frame: pd.DataFrame) -> None:
    table = pd.DataFrame(
        {
            "Topic": frame["topic"],
            "Truth": np.where(frame["omega"], "ω⁺", "ω⁻"),
            "Action": [_often(value, "a⁺", "a⁻", "a⁺ in") for value in frame["plus"]],
            "Right": [_often(value, "yes", "no", "in") for value in frame["right"]],
            "Screened": frame["screened"],
            "Documents": frame["documents"],
            "Recall": frame["recall"],
            "Net utility": frame["net_utility"],
            "Regret": frame["regret"],
        }
    )

    def opened() -> None:
        if chosen := st.session_state["results/rows"]["selection"]["rows"]:
            st.session_state["topic"] = table["Topic"].iloc[chosen[0]]

    formats = {"Screened": "%.1f", "Recall": "%.2f", "Net utility": "%.4f", "Regret": "%.4f"}
    columns = {name: st.column_config.NumberColumn(format=digits) for name, digits in formats.items()}
    st.dataframe(
        table,
        hide_index=True,
        height=min(ROWS_HEIGHT, 36 * (len(table) + 1) + 3),
        key="results/rows",
        on_select=opened,
        selection_mode="single-row",
        column_config=columns,
    )


def _often(share: float, always: str, never: str, otherwise: str) -> str:
    """Word a chance: `always` for 1, `never` for 0, and `otherwise` with the percentage."""
    return always if share == 1 else never if share == 0 else f"{otherwise} {100 * share:.0f} %"


def _path(look: Look, name: str, topic: str) -> None:
    subject, results, everything = look.subject, look.results, look.everything
    q_star, cost = look.q_star, look.cost
    variant = everything.methods[everything.method(name)].variant
    run = next((run for run in runs(person()) if str(run.folder) == look.choice.folder), None)
    source = run.order.folder if run else str(everything.settings["benchmark"])
    try:
        with st.spinner("Rebuilding the topics as they were measured …", show_time=True):
            material = _material(subject.path, subject.stamp, variant, source)
    except InputProblem as problem:
        st.info(f"{topic} cannot be drawn. {shell.escape_markdown(str(problem))}", icon=":material/lock:")
        return
    if topic not in material.cases:
        st.info(f"{topic} is no longer in the benchmark; run the experiment again.")
        return
    at = results.cases.index(topic)
    q, c, m = results.q(q_star), results.c(cost), results.method(name)
    path, worth = topics.path_of(material, everything, topic, name, q_star, cost)
    stops = topics.stops_of(results, at, q, c)
    omega = bool(results.omega[at, q])
    drawing = topics.topic_figure(
        np.asarray(path.b),
        worth,
        stops,
        cost=cost,
        q_star=q_star,
        depth=min(len(path), round(float(results.screened[at, m, q, c]))),
        hit=path.hit,
        steps=TASKS[results.scenario].in_steps,
        belief_title="chance of ω⁺",
        simulated=results.simulated,
        dark=look.dark,
    )
    figure(
        "topic",
        f"{topic}: belief, worth, and where each method stops",
        drawing,
        topics.topic_sentence(topic, len(path), omega, stops, stops[m]),
        case_rows(results, q_star, cost).query("topic == @topic"),
        f"{look.stem}-{topic.replace('/', '_').replace(' ', '_')}",
    )
    if not material.same:
        note(
            "The chances learned from the training topics have changed since these results were measured, so the "
            "curve may differ from what the methods saw."
        )
    note(
        "This is the topic as the Screen page would draw it. It has no text, so you cannot "
        "screen it; the address of this page leads back here."
    )


@st.cache_resource(show_spinner=False, max_entries=4)
def _material(path: str, stamp: int, variant: str, name: str) -> topics.Material:
    return topics.material(loaded(path, stamp), variant, named(name))
