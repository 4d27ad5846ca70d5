"""The Results page: every method at every cost, from the headline figures down to a single topic."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import FRAME, SAVE_SCRIPT
from dashboard.parts.panels import (
    FAMILY_ORDER,
    chart_key,
    figure,
    files,
    grouped_legend,
    heading_of,
    note,
    table,
    with_room,
)
from dashboard.results import data
from dashboard.results import paper as results_paper
from dashboard.results import run as results_run
from dashboard.results import topics as results_topics
from tarstop_core.calibration.figures import reliability_figure, reliability_sentence
from tarstop_core.evaluation.findings import figures, tables
from tarstop_core.evaluation.findings import topic_figures as view
from tarstop_core.evaluation.findings.aggregate import REFERENCE, case_rows
from tarstop_core.evaluation.findings.report import ICER_DIGITS, STATISTICS, folds_said
from tarstop_core.evaluation.findings.shipped import Listed
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.evaluation.tasks.named import TASKS
from tarstop_core.presentation.numbers import percent

AS_THEY_ARE = "as they are"
SHARES: tuple[str | float, ...] = (
    AS_THEY_ARE,
    0.01,
    0.02,
    0.05,
    *(round(0.1 * step, 1) for step in range(1, 10)),
)
TRUTHS_SAID = {
    "pooled": "truth: pooled sensitivity above θ by all studies of an outcome, as the paper’s text says",
    "full_evidence": "truth: the action that all studies of an outcome would choose, which the paper’s Table 2 implies",
}
PROFILES = {0.2: "aggressive", 0.5: "balanced", 0.8: "conservative"}
LEAD = (
    "Every stopping rule, tuned as the paper tunes it and tried on topics it has not seen: what it costs, "
    "which decisions go wrong, and the topics behind every number."
)


@dataclass(frozen=True)
class Look:
    """What the controls say.

    Parameters
    ----------
    choice : Choice
    asked : Asked
    results : Results
        Of the methods that are shown.
    everything : Results
        Of all that were run.
    q_star, cost : float
    dark : bool
    """

    choice: data.Choice
    asked: data.Asked
    results: Results
    everything: Results
    q_star: float
    cost: float
    dark: bool

    @property
    def stem(self) -> str:
        """Begins the names of files."""
        known = self.results.settings
        truth = f"-{known['truth']}" if TASKS[self.results.scenario].truths else ""
        return f"tarstop-{known['benchmark']}{truth}-q{self.q_star:g}-c{self.cost:g}"

    @property
    def said(self) -> str:
        """What tables say of themselves."""
        known = self.results.settings
        simulated = "simulated; " if self.results.simulated else ""
        truth = TRUTHS_SAID.get(known["truth"], f"truth: {known['truth']}")
        share = (
            "" if self.asked.share is None else f"; reweighted to {percent(self.asked.share)} of topics in ω⁺"
        )
        return (
            f"{known['title']} ({simulated}{len(self.results.cases):,} topics), q* = {self.q_star:g}, cost of a document "
            f"{self.cost:g}; {truth}; belief engine: {known['engine']}{share}."
        )


def results_page() -> None:
    """Draw the page."""
    for name in ("evidence.css", "results.css"):
        st.html(FRAME / name)
    st.title("Results")
    st.html(f'<p class="tar-lead">{html.escape(LEAD)}</p>')
    _explorer()
    results_run.section()
    st.html(SAVE_SCRIPT, unsafe_allow_javascript=True)


@st.fragment
def _explorer() -> None:
    with shell.problems_shown():
        look = _controls()
        if look is None:
            return
        _badges(look)
        left, right = st.columns(2, gap="large")
        with left:
            _regret(look)
        with right:
            _errors(look)
        tabs = st.tabs(list(VIEWS), key="view", on_change="rerun", bind="query-params")
        for tab, draw in zip(tabs, VIEWS.values(), strict=True):
            if tab.open:
                with tab, shell.problems_shown():
                    draw(look)
        shell.glossary("regret", "net-utility", "icer", "agreement", "false-adopt", "tuning", "interval")


# --- what is looked at --------------------------------------------------------------------------


def _controls() -> Look | None:
    known = data.choices()
    if not known:
        st.info(
            "There are no results here. Run an experiment on files of your own below, or make the shipped ones with "
            "scripts/make_results.py.",
            icon=":material/arrow_downward:",
        )
        return None
    _keep_valid("benchmark", list(known))
    first, second, third = st.columns([2.2, 1.6, 1.2], vertical_alignment="bottom")
    with first:
        name = st.selectbox("Benchmark", list(known), key="benchmark", bind="query-params")
    choice = known[name]
    with second:
        file = _truth(choice)
    everything = data.everything(file)
    with third:
        methods = _methods(everything)
    q_star, cost, share = _stakes(everything)
    if not methods:
        st.info("Choose at least one method.", icon=":material/arrow_upward:")
        return None
    asked = data.asked_of(file, methods, share)
    return Look(choice, asked, data.some(asked), everything, q_star, cost, st.context.theme.type == "dark")


def _keep_valid(key: str, options: Sequence[Any]) -> None:
    """Forget a choice that another benchmark does not offer."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]


def _truth(choice: data.Choice) -> Listed:
    truths = [truth for truth in data.TRUTHS if truth in choice.files]
    if len(truths) < 2:
        return next(iter(choice.files.values()))
    _keep_valid("truth", truths)
    truth = st.segmented_control(
        "What counts as the truth",
        truths,
        default=truths[0],
        required=True,
        format_func=data.TRUTHS.__getitem__,
        key="truth",
        bind="query-params",
        help=data.TRUTH_HELP,
    )
    return choice.files[truth]


def _methods(results: Results) -> tuple[str, ...]:
    """Names of the methods to show, by family and then as they were run."""
    titles = {method.name: method.title for method in _by_family(results.methods)}
    first = [name for name in titles if name in data.SHOWN_FIRST]
    chosen = st.session_state.get("methods")
    if chosen is not None and not set(chosen) <= set(titles):
        st.session_state["methods"] = [name for name in chosen if name in titles]
    count = len(st.session_state.get("methods", first))
    with st.popover(f"Methods: {count} of {len(titles)}", width="stretch", key="results-methods"):
        picked = st.multiselect(
            "Methods",
            list(titles),
            default=first,
            format_func=titles.__getitem__,
            key="methods",
            bind="query-params",
            help=f"{shell.term('regret', 'Regret')} is against the best of the methods that are shown.",
        )
        some, every = st.columns(2)
        some.button("The paper’s and ours", on_click=_choose, args=(first,), width="stretch")
        every.button("All", on_click=_choose, args=(list(titles),), width="stretch")
    return tuple(name for name in titles if name in picked)


def _choose(methods: list[str]) -> None:
    st.session_state["methods"] = methods


def _by_family(methods: Sequence[MethodInfo]) -> list[MethodInfo]:
    place = {family: at for at, family in enumerate(FAMILY_ORDER)}
    return sorted(methods, key=lambda method: place.get(method.family, len(place)))


def _stakes(results: Results) -> tuple[float, float, float | None]:
    q_stars, costs = list(results.q_stars), sorted(results.costs)
    _keep_valid("q", q_stars)
    _keep_valid("cost", costs)
    middle = q_stars[len(q_stars) // 2]
    left, right, more = st.columns([1.1, 2.3, 1.2], gap="medium")
    with left:
        q_star = st.segmented_control(
            "How sure before you act, q\\*",
            q_stars,
            default=0.5 if 0.5 in q_stars else middle,
            required=True,
            format_func=lambda value: f"{value:g}",
            key="q",
            bind="query-params",
        )
        profile = f" ({PROFILES[q_star]})" if q_star in PROFILES else ""
        note(f"q* = {q_star:g}{profile}: a⁺ only when more than {percent(q_star)} sure of ω⁺.")
    with right:
        cost = st.segmented_control(
            "Cost of one document, c",
            costs,
            default=tables.headline_cost(results.scenario, results.costs),
            required=True,
            format_func=lambda value: f"{value:g}",
            key="cost",
            bind="query-params",
        )
        note(f"One document costs {cost:g} where the whole decision is at stake for 1 (K = 1).")
    with more:
        share = st.select_slider(
            "Share of topics in ω⁺",
            SHARES,
            format_func=lambda value: value if isinstance(value, str) else percent(value),
            key="share",
            bind="query-params",
        )
        if isinstance(share, float):
            note(f"Reweighted as if {percent(share)} of topics were in ω⁺.")
            return q_star, cost, share
        at = float(results.omega[:, results.q(q_star)] @ results.weights / results.weights.sum())
        note(f"As they are: {percent(at)} of topics are in ω⁺.")
    return q_star, cost, None


def _badges(look: Look) -> None:
    known = look.results.settings
    marks = [f"{len(look.results.cases):,} test topics", f"belief engine: {known['engine']}"]
    if "theta" in known:
        marks.append(f"θ = {known['theta']:g}")
    if look.results.simulated:
        marks.insert(0, "simulated")
    shown = " ".join(f'<span class="tar-badge">{html.escape(mark)}</span>' for mark in marks)
    truth = TRUTHS_SAID.get(known["truth"], f"truth: {known['truth']}")
    st.html(
        f'<p class="tar-about">{shown} <span class="tar-meta">{html.escape(known["provenance"])}; '
        f"{html.escape(truth)}.</span></p>"
    )


# --- the headline figures -----------------------------------------------------------------------


def _regret(look: Look) -> None:
    frame = data.regret(look.asked, look.q_star)
    if frame.empty:
        st.info("Regret is for rules that can be followed; choose one beside the Oracle.")
        return
    here = frame[frame["cost"] == look.cost].set_index("approach")["regret"]
    drawing = figures.regret_figure(frame, look.results.simulated, look.dark)
    families = frame.groupby("method", sort=False)["family"].first().tolist()
    figure(
        "regret",
        f"{here.idxmin()} gives up least, {here.idxmax()} most (q* = {look.q_star:g}, c = {look.cost:g})"
        if len(here) > 1
        else f"Regret at q* = {look.q_star:g}",
        grouped_legend(drawing, families),
        f"{figures.regret_sentence(frame, look.q_star, look.cost)} Bars are intervals of 95 %. Click a point for its topics.",
        frame,
        look.stem,
        on_select=_picker(frame),
    )


def _picker(frame: pd.DataFrame) -> Callable[[], None]:
    """What a click on a point of the regret figure does: its method, its cost, the topics behind them."""
    methods = list(dict.fromkeys(frame["method"]))

    def pick() -> None:
        points = st.session_state[chart_key("regret")]["selection"]["points"]
        if points:
            st.session_state["method"] = methods[points[0]["curve_number"] % len(methods)]
            st.session_state["cost"] = float(points[0]["x"])
            st.session_state["view"] = TOPICS

    return pick


def _errors(look: Look) -> None:
    frame = data.errors(look.asked, look.cost)
    figure(
        "errors",
        figures.error_heading(frame[frame["q_star"] == look.q_star], look.q_star, look.cost),
        with_room(figures.error_figure(frame, look.results.scenario, look.results.simulated, look.dark)),
        figures.error_sentence(frame),
        frame,
        look.stem,
    )


# --- the tabs -----------------------------------------------------------------------------------


def _table(look: Look) -> None:
    rows = data.rows(look.asked, look.q_star, look.cost)
    digits = ICER_DIGITS[look.results.scenario]
    shown = tables.panel(rows, look.q_star, look.cost, digits).rename(columns=tables.HEADINGS)
    ordered = rows.sort_values("net_utility", ascending=False, kind="stable")
    for column, name in figures.ERRORS[look.results.scenario].items():
        shown[name.capitalize()] = [f"{value:,.1f}".removesuffix(".0") for value in ordered[column]]
    counted = (
        "Errors are numbers of topics, reviews weighing equally"
        if look.results.settings["weighed"] == "by group"
        else "Errors are numbers of topics, expected ones for rules that draw a sample"
    )
    table(
        shown,
        f"{look.said} In brackets: bootstrap intervals of 95 %. {counted}. ICER: documents for each right decision "
        "gained over Greedy, or saved for each one lost.",
    )
    if REFERENCE not in look.asked.methods:
        note("ICER is against Greedy, which is not among the methods shown.")
    asked = rows.dropna(subset="engine_changes") if "engine_changes" in rows else rows.iloc[:0]
    if len(asked):
        worst = asked.iloc[int(asked["engine_changes"].to_numpy().argmax())]
        note(
            f"At the same depths the bivariate engine would have acted otherwise in "
            f"{percent(float(asked['engine_changes'].mean()))} of topics on average, at most in "
            f"{percent(float(worst['engine_changes']))} ({worst['approach']})."
        )
    files(
        look.stem,
        rows.drop(columns="knows_truth"),
        "table",
        more={
            "LaTeX": (
                ".tex",
                lambda: tables.latex(data.all_rows(look.asked), look.cost, look.said, digits),
            ),
            "CSV, every q* and c": ("-all.csv", lambda: data.all_rows(look.asked).to_csv(index=False)),
            "CSV, topic by topic": (
                "-topics.csv",
                lambda: case_rows(look.results, look.q_star, look.cost).to_csv(index=False),
            ),
        },
    )
    with st.expander("What tuning chose"):
        settings = rows[["approach", "setting"]].rename(
            columns={"approach": "Approach", "setting": "Setting"}
        )
        table(
            settings,
            "The best mean net utility on training topics; one a fold where folds differ.",
            prose=True,
        )


def _effort(look: Look) -> None:
    rows = data.rows(look.asked, look.q_star, look.cost)
    simulated = look.results.simulated
    left, right = st.columns(2, gap="large")
    with left:
        figure(
            "saved",
            "Effort saved, and what becomes of decisions",
            view.saved_figure(rows, simulated, look.dark),
            view.saved_sentence(rows),
            rows[["approach", "effort_saved", "decision_agreement", "decide_now", "screened"]],
            look.stem,
        )
    with right:
        figure(
            "depths",
            "Where rules stop",
            figures.effort_figure(rows, simulated, look.dark),
            figures.effort_sentence(rows),
            rows[["approach", "screened", "depth_25", "depth_50", "depth_75"]],
            look.stem,
        )


def _chances(look: Look) -> None:
    known = look.everything.calibration
    if not known:
        st.info("No document was judged, so there is nothing to compare chances with.")
        return
    paper = TASKS[look.results.scenario].paper
    left, right = st.columns([1.2, 1], gap="large")
    with right:
        variant = st.segmented_control(
            "Chances",
            list(known),
            default=next(iter(known)),
            required=True,
            key="results/variant",
            label_visibility="collapsed",
        )
        rows = [
            {
                "Chances": name,
                "Brier": f"{each.brier:.4f}",
                "ECE": f"{each.ece:.4f}",
                "Documents": f"{each.documents:,}",
            }
            for name, each in known.items()
        ]
        if paper is not None:
            said = {"Brier": f"{paper.brier:g}", "ECE": f"{paper.ece:g}"}
            rows.append({"Chances": "the paper’s", **said, "Documents": ""})
        table(pd.DataFrame(rows), "Brier score and expected calibration error on topics not fitted on.")
        note(TASKS[look.results.scenario].about_chances)
    quality = known[variant]
    bins = pd.DataFrame(quality.reliability, columns=["chance", "found", "documents"])
    with left:
        figure(
            "reliability",
            f"Chances and what was found ({variant}, {quality.how})",
            reliability_figure(quality.reliability, look.results.simulated, look.dark),
            f"{reliability_sentence(quality.reliability)} Brier score {quality.brier:.4f}, expected calibration error "
            f"{quality.ece:.4f}.",
            bins,
            look.stem,
        )


def _paired(look: Look) -> None:
    if REFERENCE not in look.asked.methods or len(look.asked.methods) < 2:
        st.info("Show Greedy and at least one other method to compare them topic by topic.")
        return
    with st.spinner("Resampling topics …"):
        frame = data.compared(look.asked)
    own = frame[(frame["q_star"] == look.q_star) & (frame["cost"] == look.cost)]
    figure(
        "differences",
        "Net utility against Greedy on the same topics",
        figures.difference_figure(own, look.results.simulated, look.dark),
        figures.difference_sentence(own),
        own,
        look.stem,
    )


def _claims(look: Look) -> None:
    with st.spinner("Comparing methods topic by topic …"):
        found = data.verdicts(
            data.Asked(
                look.asked.path,
                look.asked.stamp,
                tuple(method.name for method in look.everything.methods),
                look.asked.share,
            )
        )
    heading_of("Claims, whichever way they come out here")
    rows = pd.DataFrame([{"Claim": each.claim, "Found": each.found} for each in found])
    if rows.empty:
        st.info("The methods that were run do not allow any of the claims to be looked at.")
    else:
        table(
            rows,
            "Over all q* and costs, and all methods that were run. In doubt: the interval holds 0.",
            prose=True,
        )


def _about(look: Look) -> None:
    known = look.everything.settings
    left, right = st.columns(2, gap="large")
    with left:
        heading_of("Rankings: achieved and published")
        rows = [
            {
                "Figure": STATISTICS.get(name, name),
                "Achieved": f"{achieved:.3f}",
                "Paper": "" if aimed is None else f"{aimed:.3f}",
            }
            for name, (achieved, aimed) in known["statistics"].items()
            if achieved is not None
        ]
        table(
            pd.DataFrame(rows, columns=["Figure", "Achieved", "Paper"]),
            "Over topics with relevant documents."
            + (" Simulated to match these figures and nothing else." if look.results.simulated else ""),
        )
        for remark in known["notes"]:
            note(remark)
    with right:
        heading_of("Settings")
        note(f"{known['provenance']}.")
        rows = [{"Setting": SETTINGS[name], "Value": str(known[name])} for name in SETTINGS if name in known]
        rows.append({"Setting": "Topics to tune and to test on", "Value": folds_said(known["folds"])})
        table(pd.DataFrame(rows), prose=True)
        st.download_button(
            "All settings as JSON",
            data=lambda: json.dumps(dict(known), ensure_ascii=False, indent=1),
            file_name=f"{look.stem}-settings.json",
            mime="application/json",
            key="results/settings",
            on_click="ignore",
        )


SETTINGS = {
    "scenario": "Scenario",
    "truth": "Truth",
    "engine": "Belief engine",
    "theta": "Threshold on sensitivity, θ",
    "b_0": "Belief before any document, b₀",
    "replications": "Random samples of QBCB and Target",
    "seed": "Seed of random samples",
    "weighed": "Means are weighed",
    "version": "TARstop",
}
TOPICS = "Topics"
VIEWS: dict[str, Callable[[Look], None]] = {
    "Table": _table,
    "Effort": _effort,
    "Chances": _chances,
    "Same topics": _paired,
    TOPICS: lambda look: results_topics.draw(
        look.choice, look.asked, look.everything, look.q_star, look.cost, look.stem, look.dark
    ),
    "Paper and this run": lambda look: results_paper.draw(look.asked, look.everything, look.dark),
    "Claims": _claims,
    "About": _about,
}
