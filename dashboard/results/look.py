"""What the controls of the Results page say: which results, at which stakes."""

import html
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import FAMILY_ORDER, dark, note
from dashboard.frame.markup import badges
from dashboard.frame.widgets import bound, one_of, press, some_of, switch
from dashboard.results import data
from tarstop_core.evaluation.findings import tables
from tarstop_core.evaluation.results import Listed, MethodInfo, Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.presentation.numbers import percent

AS_THEY_ARE = "as they are"
SHARES = (AS_THEY_ARE, 0.01, 0.02, 0.05, *(round(0.1 * step, 1) for step in range(1, 10)))
TRUTHS_SAID = {
    "pooled": "truth: pooled sensitivity above θ by all studies of an outcome, as the paper’s text says",
    "full_evidence": "truth: the action that all studies of an outcome would choose, which the paper’s Table 2 implies",
}
PROFILES = {0.2: "aggressive", 0.5: "balanced", 0.8: "conservative"}


FULL = "full"
KEPT = ("truth", "methods", "share", "target", "method", "topic")
"""Parameters of the address that only researchers have."""
STAYS: dict[str, Any] = {"persist_state": "page"}
"""What is chosen there stays while the switch is off."""


@dataclass(frozen=True)
class Look:
    """What the controls say."""

    choice: data.Choice
    asked: data.Asked
    results: Results  # Of the methods that are shown
    everything: Results  # Of all that were run
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
    def truth(self) -> str:
        """What decisions are held against."""
        truth = self.results.settings["truth"]
        return TRUTHS_SAID.get(truth, f"truth: {truth}")

    @property
    def said(self) -> str:
        """What tables say of themselves."""
        known = self.results.settings
        simulated = "simulated; " if self.results.simulated else ""
        given = self.asked.share
        share = "" if given is None else f"; reweighted to {percent(given)} of topics in ω⁺"
        return (
            f"{known['title']} ({simulated}{len(self.results.cases):,} topics), q* = {self.q_star:g}, cost of a document "
            f"{self.cost:g}; {self.truth}; belief engine: {known['engine']}{share}."
        )


def controls() -> Look | None:
    """Ask; None where there is nothing to look at."""
    known = data.choices()
    if not known:
        st.info(
            "There are no results here. Run an experiment on files of your own below, or make the shipped ones with "
            "scripts/make_results.py.",
            icon=":material/arrow_downward:",
        )
        return None
    keep_valid("benchmark", known)
    first, second, third = st.columns([2.2, 1.6, 1.2], vertical_alignment="bottom")
    choice = known[first.selectbox("Benchmark", list(known), **bound("benchmark"))]
    full = researching()
    with second:
        file = _truth(choice) if full else next(iter(choice.files.values()))
    everything = data.everything(file)
    with third:
        usual = _first(everything, choice.own)
        methods = _methods(everything, usual) if full else usual
    q_star, cost, share = _stakes(everything, full)
    if not methods:
        st.info("Choose at least one method.", icon=":material/arrow_upward:")
        return None
    asked = data.asked_of(file, methods, share)
    return Look(choice, asked, data.some(asked), everything, q_star, cost, dark())


def researching() -> bool:
    """Whether everything is shown: asked for by the switch, or by an address that names what only then is there."""
    return bool(st.session_state.get(FULL))


def for_researchers(views: Iterable[str]) -> None:
    """The switch; `views` are the tabs that it brings."""
    asked = st.query_params
    if FULL not in st.session_state and (asked.get("view") in {*views} or {*KEPT} & {*asked}):
        st.session_state[FULL] = True
    said = "Methods, what counts as the truth, every table, single topics."
    st.toggle("For researchers", **bound(FULL), help=said)


def keep_valid(key: str, options: Iterable[Any]) -> None:
    """Forget a choice that another benchmark does not offer."""
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]


def _truth(choice: data.Choice) -> Listed:
    truths = {truth: words for truth, words in data.TRUTHS.items() if truth in choice.files}
    if len(truths) < 2:
        return next(iter(choice.files.values()))
    keep_valid("truth", truths)
    asked = "What counts as the truth"
    return choice.files[switch(asked, truths, **bound("truth"), **STAYS, help=data.TRUTH_HELP)]


def _by_family(results: Results) -> list[MethodInfo]:
    place = {family: at for at, family in enumerate(FAMILY_ORDER)}
    return sorted(results.methods, key=lambda method: place.get(method.family, len(place)))


def _first(results: Results, own: bool) -> tuple[str, ...]:
    """What is shown to begin with: all that a person chose to run, and all of a few; of many the best known."""
    names = tuple(method.name for method in _by_family(results))
    every = own or len(names) <= len(data.SHOWN_FIRST)
    return tuple(name for name in names if every or name in data.SHOWN_FIRST)


def _methods(results: Results, first: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the methods to show, by family and then as they were run; `first` to begin with."""
    titles, state = {method.name: method.title for method in _by_family(results)}, st.session_state
    # What another benchmark does not begin with, a rule of the person's own above all, comes along.
    before, state["results/first"] = state.get("results/first", first), first
    if "methods" in state and (before != first or not {*state["methods"]} <= {*titles}):
        wanted = {*state["methods"], *first} - ({*before} - {*state["methods"]})
        state["methods"] = [name for name in titles if name in wanted]
    count = len(state.get("methods", first))
    with st.popover(f"Methods: {count} of {len(titles)}", width="stretch", key="results-methods"):
        said = f"{shell.term('regret', 'Regret')} is against the best of the methods that are shown."
        picked = some_of("Methods", titles, first, **bound("methods"), **STAYS, help=said)
        some, every = st.columns(2)
        choose = partial(press, width="stretch")
        choose("The paper’s and ours", state.update, {"methods": first}, key="results/ours", at=some)
        choose("All", state.update, {"methods": list(titles)}, key="results/every", at=every)
    return tuple(name for name in titles if name in picked)


def _stakes(results: Results, full: bool) -> tuple[float, float, float | None]:
    q_stars = {value: f"{value:g}" for value in results.q_stars}
    costs = {value: f"{value:g}" for value in sorted(results.costs)}
    keep_valid("q", q_stars)
    keep_valid("cost", costs)
    left, right, more = st.columns([1.1, 2.3, 1.2], gap="medium")
    usual = 0.5 if 0.5 in q_stars else results.q_stars[len(q_stars) // 2]
    said = f"a⁺ only when surer of ω⁺ than that; {', '.join(f'{at:g}: {name}' for at, name in PROFILES.items())}."
    q_star = switch("How sure before you act, q\\*", q_stars, at=left, default=usual, **bound("q"), help=said)
    usual = tables.headline_cost(results.scenario, results.costs)
    said = "Where the whole decision is at stake for 1 (K = 1)."
    cost = one_of("Cost of one document, c", costs, at=right, first=usual, **bound("cost"), help=said)
    if not full:
        return q_star, cost, None
    with more:
        share = st.select_slider(
            "Share of topics in ω⁺",
            SHARES,
            format_func=lambda value: value if isinstance(value, str) else percent(value),
            **bound("share"),
            **STAYS,
        )
        if isinstance(share, float):
            note(f"Reweighted as if {percent(share)} of topics were in ω⁺.")
            return q_star, cost, share
        at = float(results.omega[:, results.q(q_star)] @ results.weights / results.weights.sum())
        note(f"As they are: {percent(at)} of topics are in ω⁺.")
    return q_star, cost, None


def about(look: Look) -> None:
    """What the results shown are."""
    known = look.results.settings
    marks = ["simulated"] * look.results.simulated
    marks += [f"{len(look.results.cases):,} test topics", f"belief engine: {known['engine']}"]
    marks += [f"θ = {known['theta']:g}"] if "theta" in known else []
    truth = html.escape(f"{look.truth[0].upper()}{look.truth[1:]}.")
    st.html(f'<p class="tar-about">{badges(*marks)} <span class="tar-meta">{truth}</span></p>')
