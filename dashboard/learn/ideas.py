"""Learn, part "Ideas in pictures": seven ideas with figures that follow sliders, each with a sentence."""

import html
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.drawing import figure
from dashboard.frame.widgets import bound, one_of, share, switch, tabs
from tarstop_core.explore.lists import sample
from tarstop_core.presentation.numbers import number
from tarstop_core.samples.collections import sample_reviews
from tarstop_core.teaching.ideas import (
    Idea,
    Picture,
    at_stake,
    engines,
    factor_name,
    mistaken,
    recall,
    sample_search,
    scores,
    search_names,
    trials,
    value,
)
from tarstop_core.teaching.reference import terms
from tarstop_core.value.payoffs import Payoffs

COSTS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)
HIGH = 350
"""Height in pixels of a figure on a projector, where it is alone."""
TAUS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)


def show() -> None:
    """Draw the idea in the address."""
    names = {name: name for name in IDEAS}
    name = switch("Idea", names, **bound("idea"), label_visibility="collapsed")
    _idea(IDEAS[name])
    if not shell.presenting():
        shell.glossary(*(term.key for term in terms().values() if term.idea == name))


@st.fragment
def _idea(idea: Idea) -> None:
    lead = f'<p class="tar-lead">{html.escape(idea.lead)}</p>'
    with st.container(key="idea-shown"), shell.problems_shown():
        st.html(f'<h2 class="tar-idea">{html.escape(idea.title)}</h2>{lead}')
        if not shell.presenting():
            for picture in PICTURES[idea]():
                _show(picture)
            return
        key = f"idea-figure/{idea.name}"
        # On a projector the window shows one figure at a time, beside the controls.
        pictures = {f"Figure {at}": picture for at, picture in enumerate(PICTURES[idea](), start=1)}
        with st.container(key="idea-figures"):
            tabs({name: partial(_show, picture) for name, picture in pictures.items()}, key=key)


def _show(picture: Picture) -> None:
    heading, drawing, sentence = picture.heading, picture.drawing, picture.sentence
    if shell.presenting():
        layout = drawing["layout"]
        drawing = drawing | {"layout": layout | {"height": HIGH}}
    figure(picture.name, heading, drawing, sentence, picture.rows, file_stem="tarstop-idea", presented=HIGH)


def _sure(first: float, key: str, at: DeltaGenerator) -> float:
    what = shell.term("q-star", "What is q\\*?")
    return share("How sure before you act", first, **bound(key), at=at, help=what)


def _cost(first: float, key: str, at: DeltaGenerator) -> float:
    what = f"Both mistakes together: {shell.term('payoffs', 'consequences')}."
    return _select_number(
        "Cost of a document, where both mistakes cost 1", COSTS, first, key, at, format_func=number, help=what
    )


def _select_number(
    label: str, numbers: Sequence[float], first: float, key: str, at: Any, **look: Any
) -> float:
    return float(at.select_slider(label, numbers, value=first, **bound(key), **look))


def _certainty() -> Iterator[Picture]:
    left, right = st.columns(2, gap="medium")
    payoffs = Payoffs.from_q_star(_sure(0.5, "idea-q", at=left))
    what = f"The {shell.term('belief', 'belief')} b."
    b = share("Chance that “Reject” or “Adopt” is right", 0.3, **bound("idea-b"), help=what, at=right)
    yield value.peak_picture(payoffs, b, dark=shell.dark())


def _recall() -> Iterator[Picture]:
    titles = {name: case.title for name, case in recall.CASES.items()}
    name = switch("List", titles, default="settled", **bound("idea-list"))
    case = recall.CASES[name]
    left, middle, right = st.columns(3, gap="medium")
    target = share("Recall to reach", 0.95, **bound("idea-recall"), low=0.5, at=left)
    q_star = _sure(case.q_star, f"idea-q-{name}", at=middle)
    cost = _cost(case.cost, f"idea-c-{name}", at=right)
    listing = sample(case.key)
    stops = recall.stops(listing, at_stake(listing, q_star, cost, case.theta), target)
    yield recall.recall_picture(stops, dark=shell.dark())
    yield recall.real_rules_picture(recall.real_rules(q_star, cost), dark=shell.dark())


def _one_document() -> Iterator[Picture]:
    left, middle, right = st.columns(3, gap="medium")
    q_star = _sure(0.3, "idea-q-bound", at=left)
    what = f"If there is something to find, a document’s {shell.term('chance', 'chance')}."
    p = share("Chance of the next document", 0.05, **bound("idea-p"), at=middle, help=what)
    document = value.one_document(Payoffs.from_q_star(q_star), p)
    yield value.one_document_picture(document, dark=shell.dark())
    cost = _cost(0.001, "idea-c-bound", at=right)
    listing = sample_search("prosthetic-foot")
    yield value.three_rules_picture(
        value.three_rules(listing, at_stake(listing, q_star, cost)), dark=shell.dark()
    )


def _studies() -> Iterator[Picture]:
    names = {
        name: f"{tables.title}{' (simulated)' if tables.simulated else ''}, {len(tables.tables)} studies"
        for name, tables in engines.table_sets().items()
    }
    left, middle, right = st.columns([1.4, 1, 1], gap="medium")
    name = one_of("Studies", names, at=left, first="iqcode", **bound("idea-studies"))
    theta = share("Sensitivity to exceed", 0.75, **bound("idea-theta"), low=0.5, at=middle)
    spread = shell.term("heterogeneity", "between-study standard deviation")
    what = f"Scale of the half-normal prior of τ, the {spread}, in logits."
    label = "How much studies may differ"
    tau = _select_number(label, TAUS, 1.0, "idea-tau", right, format_func=number, help=what)
    yield engines.engines_picture(name, theta, tau, dark=shell.dark())
    yield engines.widths_picture(name, theta, tau, dark=shell.dark())


def _trials() -> Iterator[Picture]:
    what = f"{shell.term('heterogeneity', 'Between-study standard deviation')} of log odds ratios."
    tau = _select_number(
        "How much trials differ", TAUS[:6], 0.5, "idea-trials-tau", st, format_func=number, help=what
    )
    yield trials.wrong_picture(tau, dark=shell.dark())
    yield trials.alike_picture(tau, dark=shell.dark())


def _mistaken() -> Iterator[Picture]:
    left, middle, right = st.columns(3, gap="medium")
    factors = mistaken.FACTORS
    factor = _select_number(
        "All chances times", factors, factors[-3], "idea-factor", left, format_func=factor_name
    )
    q_star = _sure(0.5, "idea-q-factor", at=middle)
    cost = _cost(0.001, "idea-c-factor", at=right)
    listing = sample_search(one_of("List", search_names(), **bound("idea-search")))
    settings = at_stake(listing, q_star, cost)
    yield mistaken.mistaken_path_picture(listing, settings, factor, dark=shell.dark())
    yield mistaken.mistaken_picture(mistaken.mistaken(settings), factor, dark=shell.dark())


def _scores() -> Iterator[Picture]:
    left, right = st.columns(2, gap="medium")
    score = switch("Scores", scores.SCORES, at=left, **bound("idea-scores"))
    rules = {name: title for name, (title, _) in scores.RULES.items()}
    taken = scores.taken(score, switch("Read as chances", rules, at=right, **bound("idea-taken")))
    yield scores.reliability_picture(taken, dark=shell.dark())
    at = one_of("List", dict(enumerate(sample_reviews()["title"])), **bound("idea-review"))
    yield scores.unread_picture(taken, at, dark=shell.dark())


PICTURES: dict[Idea, Callable[[], Iterator[Picture]]] = {
    value.CERTAINTY: _certainty,
    recall.IDEA: _recall,
    value.ONE_DOCUMENT: _one_document,
    engines.IDEA: _studies,
    trials.IDEA: _trials,
    mistaken.IDEA: _mistaken,
    scores.IDEA: _scores,
}
IDEAS = {idea.name: idea for idea in PICTURES}
"""Ideas by their names in the switch and in the address."""
