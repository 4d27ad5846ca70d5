"""Learn, part "Ideas in pictures": six ideas whose figures follow their sliders, each with what to see in it."""

import html
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.drawing import dark, figure
from dashboard.frame.widgets import bound, one_of, share, switch, tabs
from tarstop_core.explore.lists import sample
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.numbers import number
from tarstop_core.samples.collections import sample_reviews
from tarstop_core.teaching.glossary import terms
from tarstop_core.teaching.ideas import engines, mistaken, one_document, peak, recall, scores
from tarstop_core.teaching.ideas.mistaken import FACTORS
from tarstop_core.teaching.ideas.recall import CASES
from tarstop_core.teaching.ideas.shared import Idea, at_stake, search, search_names
from tarstop_core.value.payoffs import Payoffs

COSTS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)
TAUS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
Shown = tuple[str, str, Figure, str, Any]
"""A figure: name, heading, drawing, sentence and rows, as :func:`figure` takes them."""
_figure = partial(figure, file_stem="tarstop-idea")


def show() -> None:
    names = {name: name for name in IDEAS}
    name = switch("Idea", names, **bound("idea"), label_visibility="collapsed")
    st.html(Path(__file__).with_name("words.css"))
    _drawn(IDEAS[name])
    if not shell.presenting():
        shell.glossary(*(term.key for term in terms().values() if term.idea == name))


@st.fragment
def _drawn(idea: Idea) -> None:
    lead = f'<p class="tar-lead">{html.escape(idea.words)}</p>'
    with st.container(key="idea-shown"), shell.problems_shown():
        st.html(f'<h2 class="tar-idea">{html.escape(idea.title)}</h2>{lead}')
        if not shell.presenting():
            for each in DRAWN[idea]():
                _figure(*each)
            return
        # On a projector one figure at a time has the window, beside all that is asked.
        figures = {f"Figure {at}": partial(_figure, *each) for at, each in enumerate(DRAWN[idea](), start=1)}
        with st.container(key="idea-figures"):
            tabs(figures, key=f"idea-figure/{idea.name}")


def _sure(value: float, key: str, at: DeltaGenerator) -> float:
    what = shell.term("q-star", "What is q\\*?")
    return share("How sure before you act (q\\*)", value, **bound(key), at=at, help=what)


def _cost(value: float, key: str, at: DeltaGenerator) -> float:
    said = f"K is what both mistakes cost together: {shell.term('payoffs', 'consequences')}."
    return _stop("Cost of a document, as a share of K", COSTS, value, key, at, format_func=number, help=said)


def _stop(label: str, stops: Sequence[float], value: float, key: str, at: Any, **more: Any) -> float:
    return float(at.select_slider(label, stops, value=value, **bound(key), **more))


def _peak() -> Iterator[Shown]:
    left, right = st.columns(2, gap="medium")
    payoffs = Payoffs.from_q_star(_sure(0.5, "idea-q", at=left))
    said = f"The {shell.term('belief', 'belief')} b."
    b = share("Chance that a⁺ is right", 0.3, **bound("idea-b"), help=said, at=right)
    yield (
        "idea-peak",
        f"EVPI is the lesser of two losses, and they are equal at q* = {payoffs.q_star:.2f}",
        peak.peak_figure(payoffs, b, dark=dark()),
        peak.peak_sentence(payoffs, b),
        peak.peak_rows(payoffs),
    )


def _recall() -> Iterator[Shown]:
    titles = {name: case.title for name, case in CASES.items()}
    name = switch("List", titles, default="settled", **bound("idea-list"))
    case = CASES[name]
    left, middle, right = st.columns(3, gap="medium")
    target = share("Recall to reach", 0.95, **bound("idea-recall"), low=0.5, at=left)
    q_star = _sure(case.q_star, f"idea-q-{name}", at=middle)
    cost = _cost(case.cost, f"idea-c-{name}", at=right)
    explored = sample(case.key)
    found = recall.recalled(explored, at_stake(explored, q_star, cost, case.theta), target)
    of = f" (sensitivity to exceed: {case.theta:.0%})" if recall.is_review(explored) else ""
    yield (
        "idea-recall",
        f"{explored.name}{of}",
        recall.recall_figure(found, dark=dark()),
        recall.recall_sentence(found),
        recall.recall_rows(found),
    )
    rules = recall.by_method(q_star, cost)
    yield (
        "idea-recall-by-rule",
        f"On real rankings: q* = {rules.q_star:g}, cost {number(rules.cost)}, as near as the experiment came",
        recall.by_method_figure(rules, dark=dark()),
        recall.by_method_sentence(rules),
        recall.by_method_rows(rules),
    )


def _bound() -> Iterator[Shown]:
    left, middle, right = st.columns(3, gap="medium")
    q_star = _sure(0.3, "idea-q-bound", at=left)
    said = f"If there is something to find: a document’s {shell.term('chance', 'chance')}."
    p = share("Chance of the next document (p)", 0.05, **bound("idea-p"), at=middle, help=said)
    one = one_document.one_document(Payoffs.from_q_star(q_star), p)
    yield (
        "idea-one-document",
        "One document is worth up to p·EVPI, not ρ·EVPI",
        one_document.one_document_figure(one, dark=dark()),
        one_document.one_document_sentence(one),
        one_document.one_document_rows(one),
    )
    cost = _cost(0.001, "idea-c-bound", at=right)
    explored = search("prosthetic-foot")
    found = one_document.compared(explored, at_stake(explored, q_star, cost))
    yield (
        "idea-rules",
        f"{explored.name}: the same three along a list",
        one_document.compared_figure(found, dark=dark()),
        one_document.compared_sentence(found),
        one_document.compared_rows(found),
    )


def _studies() -> Iterator[Shown]:
    sets = engines.evidence()
    titles = {name: f"{each.title}{' (simulated)' if each.simulated else ''}" for name, each in sets.items()}
    names = {name: f"{title}, {len(sets[name].tables)} studies" for name, title in titles.items()}
    left, middle, right = st.columns([1.4, 1, 1], gap="medium")
    name = one_of("Studies", names, at=left, first="iqcode", **bound("idea-studies"))
    theta = share("Sensitivity to exceed (θ)", 0.75, **bound("idea-theta"), low=0.5, at=middle)
    what = shell.term("heterogeneity", "between-study standard deviation")
    said = f"Scale of the half-normal prior of τ, the {what}, in logits."
    tau = _stop(
        "How much studies may differ (τ)", TAUS, 1.0, "idea-tau", right, format_func=number, help=said
    )
    paths = engines.belief_paths(name, theta, tau)
    yield (
        "idea-engines",
        engines.engines_heading(paths),
        engines.engines_figure(name, paths, theta, dark=dark()),
        engines.engines_sentence(name, paths),
        engines.engines_rows(name, paths),
    )
    found = engines.widths(name, theta, tau)
    yield (
        "idea-widths",
        engines.widths_heading(found),
        engines.widths_figure(found, sets[name].simulated, dark=dark()),
        engines.widths_sentence(found),
        engines.widths_rows(found),
    )


def _mistaken() -> Iterator[Shown]:
    titles = dict(search_names())
    left, middle, right = st.columns(3, gap="medium")
    times = mistaken.factor_name
    factor = _stop("All chances times", FACTORS, FACTORS[-3], "idea-factor", left, format_func=times)
    q_star = _sure(0.5, "idea-q-factor", at=middle)
    cost = _cost(0.001, "idea-c-factor", at=right)
    topic = one_of("List", titles, **bound("idea-search"))
    explored = search(topic)
    settings = at_stake(explored, q_star, cost)
    right_path, believed = (mistaken.scaled(explored, settings, each) for each in (1.0, factor))
    optimal = mistaken.MISTAKEN[0]
    yield (
        "idea-mistaken-path",
        f"{titles[topic]}: what {optimal} believes",
        mistaken.mistaken_path_figure(right_path, believed, optimal, cost, factor, dark=dark()),
        mistaken.mistaken_path_sentence(right_path, believed, optimal, cost, factor),
        mistaken.mistaken_path_rows(right_path, believed),
    )
    found = mistaken.mistaken(settings)
    yield (
        "idea-mistaken",
        f"Depth and loss over {len(titles)} searches",
        mistaken.mistaken_figure(found, factor, dark=dark()),
        mistaken.mistaken_sentence(found, factor, len(titles)),
        mistaken.mistaken_rows(found),
    )


def _scores() -> Iterator[Shown]:
    left, right = st.columns(2, gap="medium")
    score = switch("Scores", scores.SCORES, at=left, **bound("idea-scores"))
    rules = {name: called for name, (called, _) in scores.RULES.items()}
    found = scores.taken(score, switch("Taken for chances", rules, at=right, **bound("idea-taken")))
    yield (
        "idea-scores-reliability",
        scores.reliability_heading(found),
        scores.reliability_figure(found, dark=dark()),
        scores.reliability_sentence(found),
        scores.reliability_rows(found),
    )
    titles = dict(enumerate(sample_reviews()["title"]))
    at = one_of("List", titles, **bound("idea-review"))
    yield (
        "idea-scores-unread",
        f"{titles[at]}: how many are left",
        scores.unread_figure(found, at, dark=dark()),
        scores.unread_sentence(found, at),
        scores.unread_rows(found, at),
    )


DRAWN: dict[Idea, Callable[[], Iterator[Shown]]] = {
    peak.IDEA: _peak,
    recall.IDEA: _recall,
    one_document.IDEA: _bound,
    engines.IDEA: _studies,
    mistaken.IDEA: _mistaken,
    scores.IDEA: _scores,
}
IDEAS = {idea.name: idea for idea in DRAWN}
"""By what the switch and the address call them."""
