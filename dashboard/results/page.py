"""The Results page: every method at every cost, from the headline figures down to a single topic."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import all_figures, beside_title, chart_key, figure, grouped_legend, with_room
from dashboard.frame.widgets import bound, tabs
from dashboard.frame.work import flash
from dashboard.results import run as results_run
from dashboard.results.look import (
    Look,
    about,
    controls,
    errors,
    for_researchers,
    in_words,
    regret,
    researching,
)
from dashboard.results.views import FIRST, TOPICS, VIEWS
from tarstop_core.evaluation.findings import figures
from tarstop_core.evaluation.tasks import errors_of
from tarstop_core.presentation.numbers import percent

LEAD = "See what every stopping rule gives up on topics it has not seen, and which decisions go wrong."


def results_page() -> None:
    shell.opening("Results", LEAD)
    beside_title()
    flash()
    _explorer()
    results_run.section()
    all_figures("tarstop-results")


@st.fragment
def _explorer() -> None:
    with shell.problems_shown():
        for_researchers(VIEWS.keys() - FIRST.keys())
        look = controls()
        if look is None:
            return
        if researching():
            about(look)
        left, right = st.columns(2, gap="large")
        with left:
            _regret(look)
        with right:
            _errors(look)
        tabs(VIEWS if researching() else FIRST, look, **bound("view"))
        shell.glossary("regret", "net-utility", "icer", "agreement", "false-adopt", "tuning", "interval")


def _regret(look: Look) -> None:
    frame = regret(look.subject, look.q_star)
    if frame.empty:
        st.info("Regret needs a rule that people can follow; choose one besides the Oracle.")
        return
    here = frame[frame["cost"] == look.cost].set_index("approach")["regret"]
    sure = f"{percent(look.q_star)} sure"
    heading = f"Regret if you act when more than {sure}"
    if len(here) > 1:
        heading = f"{here.idxmin()} gives up least, {here.idxmax()} most ({sure}, {look.cost:g} a document)"
    drawing = figures.regret_figure(frame, look.results.simulated, look.dark)
    bounds = [method.title for method in look.results.methods if method.is_oracle]
    more = " Click a point for its topics." if researching() else ""
    families = frame.groupby("method", sort=False)["family"].first().tolist()
    figure(
        "regret",
        heading,
        grouped_legend(drawing, families),
        f"{figures.regret_sentence(frame, look.q_star, look.cost, bounds)} Bars are 95 % intervals.{more}",
        frame,
        look.stem,
        on_select=_picker(frame) if researching() else None,
    )


def _picker(frame: pd.DataFrame) -> Callable[[], None]:
    """The callback of a click on a point of the regret figure, which shows the topics of its method and cost."""
    methods = list(dict.fromkeys(frame["method"]))

    def pick() -> None:
        if points := st.session_state[chart_key("regret")]["selection"]["points"]:
            method, cost = methods[points[0]["curve_number"] % len(methods)], float(points[0]["x"])
            st.session_state.update({"method": method, "cost": cost, "view": TOPICS})

    return pick


def _errors(look: Look) -> None:
    frame, called = errors(look.subject, look.cost), errors_of(look.results.settings)
    here = frame[frame["q_star"] == look.q_star]
    figure(
        "errors",
        figures.error_heading(here, look.q_star, look.cost),
        with_room(figures.error_figure(frame, called, look.results.simulated, look.dark)),
        figures.error_sentence(here, called),
        in_words(frame, look.results),
        look.stem,
    )
