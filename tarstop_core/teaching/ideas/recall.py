"""Idea: why recall is not utility, by the net utility of every depth of a list, and of every rule on real rankings."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.figures import style
from tarstop_core.evaluation.results import Results, load, shipped
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Optimal
from tarstop_core.presentation.figures import Chart, Figure, ink, rows_of
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.palette import BELIEF, POOLED, STUDY, THRESHOLD, VALUE
from tarstop_core.samples.collections import sample_full_texts
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action
from tarstop_core.teaching.ideas import HALVES, Idea, Picture, message
from tarstop_core.value.payoffs import Flags, Floats

IDEA = Idea("Recall", message("recall_title"), message("recall_lead"))


@dataclass(frozen=True)
class RecallExample:
    """A sample that shows something about recall, with the settings at which it does."""

    title: str  # What it shows, in a few words
    key: str  # Key of the sample (:func:`~tarstop_core.explore.lists.samples`)
    q_star: float = 0.5
    cost: float = 0.001
    theta: float = 0.75


CASES: dict[str, RecallExample] = {
    "settled": RecallExample("Settled long before", "search:stair-trolley"),
    "missed": RecallExample("Short of what decides", "review:marl-lung", 0.82, 0.0002, 0.6),
    "nothing": RecallExample("Nothing to find", "search:battery-pack"),
}


@dataclass(frozen=True, eq=False)
class Stops:
    """A labelled list, the results of stopping at each depth from 0 to N, and the stops of two rules."""

    listing: LabelledList
    settings: Settings
    target: float  # Recall that the first rule waits for
    relevant: int  # R; in a review the number of reports included by title and abstract
    recall: Floats  # Recall by depth, 0 if R = 0. Shape (N + 1,)
    b: Floats  # Belief by depth, shape (N + 1,)
    net_utility: Floats  # Net utility of the action chosen there, shape (N + 1,)
    plus: Flags  # Whether that action is a⁺, shape (N + 1,)
    omega: bool  # Whether ω⁺ holds
    at_target: int  # First depth with the target recall, which takes knowing R; N if R = 0
    at_optimal: int  # Depth at which Optimal stops
    settled: int  # First depth from which the action does not change again

    @property
    def documents(self) -> int:
        return len(self.b) - 1

    @property
    def q_star(self) -> float:
        return self.settings.payoffs.q_star

    @property
    def is_review(self) -> bool:
        """Whether studies accumulate on this list."""
        return isinstance(self.listing.truth, Outcome)


def stops(listing: LabelledList, settings: Settings, target: float) -> Stops:
    """Return the results of stopping at any depth of a list, and the depths at which two rules stop.

    Parameters
    ----------
    listing, settings
        A list whose truth is known, and the stakes.
    target
        Recall, in (0, 1], that the first rule waits for; the second is Optimal.

    Returns
    -------
    Stops
    """
    path, omega = listing.played(settings), listing.omega(settings)
    N, depths = len(path), np.arange(len(path) + 1)
    found_by = np.append(0, np.cumsum(_relevant(listing)))
    R = int(found_by[-1])
    hit = N + 1 if path.hit is None else path.hit
    plus = np.where(depths >= hit, True, path.payoffs.chooses_plus(path.b))
    changes = np.flatnonzero(plus[1:] != plus[:-1])
    return Stops(
        listing,
        settings,
        target,
        relevant=R,
        recall=metrics.recall(found_by, R),
        b=np.where(depths >= hit, 1.0, path.b),
        net_utility=metrics.net_utility(path.payoffs, plus, omega, depths, settings.cost),
        plus=plus,
        omega=omega,
        at_target=int(np.argmax(found_by >= target * R - 1e-9)) if R else N,
        at_optimal=int(Optimal().depths(path, [settings.cost])[0]),
        settled=int(changes[-1]) + 1 if len(changes) else 0,
    )


def _relevant(listing: LabelledList) -> Flags:
    """Documents that count for recall, shape (N,): relevant ones, in a review those included by title and abstract."""
    topic = listing.topic
    if isinstance(listing.truth, Outcome):
        included = sample_full_texts(listing.truth.review)
        return np.array([str(document) in included for document in topic.ids])
    assert topic.labels is not None  # All samples are labelled
    return topic.labels


def recall_picture(stops: Stops, *, dark: bool = False) -> Picture:
    """Show recall and belief by depth, and below them the net utility of stopping at each depth."""
    at_target, at_optimal, at_end = stops.plus[[stops.at_target, stops.at_optimal, -1]].tolist()
    chosen = action(at_target, stops.settings)
    optimal = {
        "optimal_action": action(at_optimal, stops.settings),
        "optimal_right": at_optimal == stops.omega,
    }
    if stops.relevant:
        right, after = at_target == stops.omega, action(at_end, stops.settings)
        sentence = message("recall", stops=stops, action=chosen, right=right, after=after, **optimal)
    else:
        sentence = message("recall_of_none", stops=stops, action=chosen, **optimal)
    name, threshold = stops.listing.name, stops.settings.threshold
    return Picture(
        "idea-recall",
        name if threshold is None else f"{name} ({threshold.asked.lower()}: {threshold.value:.0%})",
        _recall_figure(stops, dark),
        sentence,
        rows_of(
            depth=np.arange(len(stops.b)),
            recall=stops.recall,
            belief=stops.b,
            action=np.where(stops.plus, "a+", "a-"),
            net_utility=stops.net_utility,
        ),
    )


def _recall_figure(stops: Stops, dark: bool) -> Figure:
    chart = Chart(430, dark=dark, simulated=stops.listing.simulated)
    N, depth = stops.documents, range(stops.documents + 1)
    low, high = float(stops.net_utility.min()), float(stops.net_utility.max())
    room = 0.14 * (high - low or 1.0)
    ends = [low - room, high + room]
    hover = "%{x}: %{y:.3~g}<extra></extra>"
    chart.line(depth, stops.recall, POOLED, width=2.5, hovertemplate=hover)
    chart.line(depth, stops.b, BELIEF, hovertemplate=hover)
    chart.line(depth, stops.net_utility, VALUE, width=3, hovertemplate=hover, yaxis="y2")
    for trace in chart.traces:
        trace["line"]["shape"] = "hv"
    chart.line([0, N], [stops.q_star, stops.q_star], THRESHOLD, dash="dash", hoverinfo="skip")
    chart.label(N, stops.q_star, f"act above {percent(stops.q_star)}")
    # The two lines are too close to be named at their ends.
    named = ((ink(colour, dark), name) for name, colour in (("recall", POOLED), ("chance", BELIEF)))
    names = "   ".join(f'<span style="color:{colour}">━━ {name}</span>' for colour, name in named)
    chart.note(0, 1, names, xanchor="left", yshift=2)
    target = f"{percent(stops.target)} recall" if stops.relevant else "recall never says stop"
    for at, name, colour in (
        (stops.at_target, target, POOLED),
        (stops.at_optimal, "Optimal", style("optimal")["color"]),
    ):
        chart.rise(at, [0, 1.02], colour, width=1.5, dash="dot")
        chart.rise(at, ends, colour, width=1.5, dash="dot", yaxis="y2")
        chart.dot(at, float(stops.net_utility[at]), colour, yaxis="y2")
        side = "right" if at > N / 2 else "left"
        chart.label(at, low - room, f" {name} ", colour, yref="y2", xanchor=side)
    chart.axis("xaxis", "documents read", range=[-0.01 * N, 1.01 * N], anchor="y2")
    chart.axis("yaxis", "share, chance", domain=HALVES[0], range=[-0.03, 1.06], tickformat=".1f")
    chart.axis("yaxis2", "net utility of stopping", domain=HALVES[1], range=ends, nticks=5)
    return chart.figure()


# --- every rule on real rankings ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RealRules:
    """Recall and net utility of every rule on a benchmark, tuned and tested as in the paper."""

    title: str  # Title of the benchmark
    cases: int  # Number of lists
    with_something: int  # Number of lists with relevant documents
    q_star: float
    cost: float
    """`q_star` and `cost`: those of the experiment that are nearest to the wanted ones."""
    rows: pd.DataFrame
    """``approach, policy, variant, family, recall, net_utility, screened`` of each rule except the Oracle."""

    @property
    def together(self) -> float:
        """Spearman's rank correlation between the rules' recall and net utility."""
        return float(self.rows["recall"].corr(self.rows["net_utility"], method="spearman"))


def real_rules(q_star: float, cost: float) -> RealRules:
    """Return recall and net utility of every rule on real rankings, from the shipped results; `cost` is a share of K."""
    results = _results()
    near_q = min(results.q_stars, key=lambda value: abs(value - q_star))
    near_c = min(results.costs, key=lambda value: abs(np.log(value / cost)))
    frame = rows(results, q_stars=[near_q], costs=[near_c], draws=0)
    columns = ["approach", "policy", "variant", "family", "recall", "net_utility", "screened"]
    omega = results.omega[:, results.q(near_q)]
    followable = frame[frame["policy"] != "oracle"][columns]
    return RealRules(results.settings["title"], len(omega), int(omega.sum()), near_q, near_c, followable)


@lru_cache(maxsize=1)
def _results() -> Results:
    (listed,) = [results for results in shipped() if results.settings["benchmark"] == "clef"]
    return load(listed.path)


NAMED = ("optimal", "greedy", "budget", "qbcb", "screen-everything", "decide-now")
"""Rules whose points have their names; other points show them on hover."""


def real_rules_picture(rules: RealRules, *, dark: bool = False) -> Picture:
    """Show net utility by recall, with a point for each rule."""
    best, most = (rules.rows.sort_values(by).iloc[-1] for by in ("net_utility", "recall"))
    points = [{str(name): value for name, value in row.items()} for row in rules.rows.to_dict("records")]
    return Picture(
        "idea-recall-by-rule",
        message("rules_heading", rules=rules),
        _real_rules_figure(points, dark),
        message("rules", rules=rules, best=best, most=most),
        points,
    )


def _real_rules_figure(points: list[dict[str, Any]], dark: bool) -> Figure:
    chart = Chart(330, dark=dark)
    utilities = [float(point["net_utility"]) for point in points]
    low, high = min(utilities), max(utilities)
    most = max(float(point["recall"]) for point in points)
    # Later points cover earlier ones: named rules come last, Optimal at the very end.
    for point in sorted(points, key=lambda row: (_is_named(row), row["policy"] == "optimal")):
        look = style(point["policy"], point["variant"], point["family"])
        x, y, name = point["recall"], point["net_utility"], point["approach"]
        colour, symbol = (look["color"], look["symbol"]) if _is_named(point) else (STUDY, "circle-open")
        hover = f"{name}: {x:.2f}, {amount(y, '')}"
        chart.dot(x, y, colour, symbol, hoverinfo="text", hovertext=hover)
        if _is_named(point):
            side, xshift = ("left", 8) if x < 0.75 * most else ("right", -8)
            # The two points are close: one name stands above its point, the other below.
            yanchor = {"optimal": "bottom", "greedy": "top"}.get(point["policy"], "middle")
            yshift = {"bottom": 4, "top": -2}.get(yanchor, 0)
            place = {"xanchor": side, "xshift": xshift, "yanchor": yanchor, "yshift": yshift}
            chart.label(x, y, name, colour, **place)
    room = 0.1 * (high - low or 1.0)
    chart.note(0, 1, "○ the other rules (point at one for its name)", xanchor="left", yshift=2)
    title = "mean recall (0 where nothing is relevant)"
    chart.axis("xaxis", title, range=[-0.03, 1.12 * most], tickformat=".1f")
    chart.axis("yaxis", "mean net utility", range=[low - room, high + 1.5 * room], nticks=6)
    return chart.figure()


def _is_named(point: dict[str, Any]) -> bool:
    return point["policy"] in NAMED and "," not in point["approach"]
