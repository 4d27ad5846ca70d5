"""Ideas: the value of certainty at a belief, and the value of one document, also along a list by three rules."""

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.evaluation.findings.figures import style
from tarstop_core.explore.figures import beliefs_drawn
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Greedy, LookAhead, Optimal, Policy
from tarstop_core.presentation.figures import MARKS, Chart, Figure, rows_of
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, COST, MINUS, PLUS, THRESHOLD, VALUE, VALUE_AREA
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas import Idea, Picture, message
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Floats, Payoffs

CERTAINTY = Idea("Certainty", message("peak_title"), message("peak_lead"))
ONE_DOCUMENT = Idea("One document", message("one_document_title"), message("one_document_lead"))
BELIEFS: Floats = np.linspace(0.005, 0.995, 100)
"""Beliefs at which one document is valued, shape (100,)."""
AHEAD = 50
"""Length of the list in the picture of one document, all of whose documents have the same chance."""
HOVER = "%{x:.2f}: %{y:.3~g}<extra></extra>"


# --- certainty ---------------------------------------------------------------------------------------------


def peak_picture(payoffs: Payoffs, b: float, *, dark: bool = False) -> Picture:
    """Show the expected loss of each action by belief; EVPI is the smaller of the two.

    Parameters
    ----------
    payoffs
        Payoffs of the two actions.
    b
        Belief to mark.
    dark
        Whether the page is dark.

    Returns
    -------
    Picture
        EVPI against belief.
    """
    beliefs = beliefs_drawn(payoffs)
    plus = payoffs.chooses_plus(b)
    losses = {"a⁻": b * payoffs.wrong_minus, "a⁺": (1 - b) * payoffs.wrong_plus}
    better, other = ("a⁺", "a⁻") if plus else ("a⁻", "a⁺")
    named = {"better": better, "loses": losses[better], "other": other, "rival": losses[other]}
    return Picture(
        "idea-peak",
        f"EVPI is the smaller of two losses; they are equal at a chance of {percent(payoffs.q_star)}",
        _peak_figure(payoffs, b, dark),
        message("peak", b=b, payoffs=payoffs, **named),
        rows_of(
            belief=beliefs,
            loss_of_minus=beliefs * payoffs.wrong_minus,
            loss_of_plus=(1 - beliefs) * payoffs.wrong_plus,
            evpi=payoffs.evpi(beliefs),
        ),
    )


def _peak_figure(payoffs: Payoffs, b: float, dark: bool) -> Figure:
    x, q_star, evpi = beliefs_drawn(payoffs, b), payoffs.q_star, float(payoffs.evpi(b))
    minus, plus = x * payoffs.wrong_minus, (1 - x) * payoffs.wrong_plus
    top = 1.12 * max(payoffs.wrong_minus, payoffs.wrong_plus)
    chart = Chart(330, dark=dark)
    chart.line(x, minus, MINUS, hovertemplate=HOVER)
    chart.line(x, plus, PLUS, hovertemplate=HOVER)
    chart.line(x, np.minimum(minus, plus), VALUE, width=5, hovertemplate=HOVER)
    chart.rise(q_star, [0, top], THRESHOLD, dash="dash")
    chart.rise(b, [0, evpi], BELIEF, width=1.5, dash="dot")
    chart.dot(b, evpi, BELIEF)
    chart.label(1, payoffs.wrong_minus, "lost by a wrong a⁻", MINUS)
    chart.label(0, payoffs.wrong_plus, "lost by a wrong a⁺", PLUS, xanchor="left")
    chart.label(q_star, top, f"q* = {percent(q_star)}", xanchor="center")
    chart.label((1 + q_star) / 2, float(payoffs.evpi(q_star)) / 2, " EVPI", VALUE, xanchor="left")
    chart.labels[-1]["font"]["size"] = 14
    chart.label(b, 0, " you ", BELIEF, xanchor="right" if b > 0.5 else "left")
    chart.axis("xaxis", "chance that a⁺ is right", range=[0, 1], tickformat=".0%")
    chart.axis("yaxis", "expected loss (both mistakes: 1)", range=[0, top], nticks=6)
    return chart.figure()


# --- one document --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OneDocument:
    """The value of the next document by belief, in arrays of shape (100,)."""

    payoffs: Payoffs
    p: float  # Chance that the document is a hit, given ω⁺
    score: Floats  # The paper's ρ·EVPI(b)
    evsi: Floats  # Exact value of reading it and then acting
    bound: Floats  # p·EVPI(b), an upper bound on the value of one document
    value_rate: Floats  # Value per document of the best plan, if the next :data:`AHEAD` have the same chance


def one_document(payoffs: Payoffs, p: float) -> OneDocument:
    """Compute the value of one document at :data:`BELIEFS` in four ways."""
    curve = hit_curve(np.full(AHEAD, p))
    paths = [DecisivePath(curve, float(b), payoffs) for b in BELIEFS]
    score, evsi, value_rate = (
        np.array([float(ask(path)[0]) for path in paths])
        for ask in (DecisivePath.score, DecisivePath.evsi, DecisivePath.value_rate)
    )
    return OneDocument(payoffs, p, score, evsi, p * payoffs.evpi(BELIEFS), value_rate)


def one_document_picture(document: OneDocument, *, dark: bool = False) -> Picture:
    """Show the paper's score, the exact value, its bound and the best plan's value per document, by belief."""
    last = BELIEFS[document.evsi > document.score + 1e-12][-1]
    half = int(np.argmin(np.abs(BELIEFS - document.payoffs.q_star / 2)))
    b, evsi, score = (float(values[half]) for values in (BELIEFS, document.evsi, document.score))
    trap = BELIEFS[(document.evsi <= 1e-12) & (document.value_rate > document.bound.max() / 1000)].tolist()
    return Picture(
        "idea-one-document",
        "One document is worth up to p·EVPI, not ρ·EVPI",
        _one_document_figure(document, dark),
        message("one_document", last=float(last), b=b, evsi=evsi, score=score, trap=trap, ahead=AHEAD),
        rows_of(
            belief=BELIEFS,
            score=document.score,
            evsi=document.evsi,
            bound=document.bound,
            worth_of_best_plan=document.value_rate,
        ),
    )


def _one_document_figure(document: OneDocument, dark: bool) -> Figure:
    q_star = document.payoffs.q_star
    top = 1.3 * float(max(document.bound.max(), document.value_rate.max()))
    chart = Chart(370, dark=dark)
    # The area where the score is below the exact value.
    chart.line(BELIEFS, document.score, PLUS, width=0, hoverinfo="skip")
    shaded = {"fill": "tonexty", "fillcolor": VALUE_AREA}
    chart.line(BELIEFS, np.maximum(document.score, document.evsi), VALUE, width=0, hoverinfo="skip", **shaded)
    # Names stand on the side where the lines are low.
    side, other, end = ("right", "left", 0.0) if q_star > 0.5 else ("left", "right", 1.0)
    chart.label(q_star, top, f" q* = {percent(q_star)} ", yanchor="top", xanchor=side)
    lines = (
        (document.bound, THRESHOLD, "dash", 2, "p·EVPI"),
        (document.value_rate, BELIEF, "solid", 3, f"in the best plan of {AHEAD}"),
        (document.evsi, VALUE, "solid", 3, "exact, one document"),
        (document.score, PLUS, "solid", 3, "the paper’s ρ·EVPI"),
    )
    for row, (values, colour, dash, width, name) in enumerate(lines):
        chart.line(BELIEFS, values, colour, width=width, dash=dash, hovertemplate=HOVER)
        chart.name(f"{MARKS[dash]} {name}", colour, 0.98 - 0.085 * row - 0.1, x=end, xanchor=other)
    chart.rise(q_star, [0, top], THRESHOLD, dash="dot")
    chart.axis("xaxis", "chance of prior art", range=[0, 1], tickformat=".0%")
    title = "worth of the next document (both mistakes: 1)"
    chart.axis("yaxis", title, range=[0, top], nticks=6, exponentformat="none")
    return chart.figure()


# --- along a list ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ThreeRules:
    """Three rules along one list if nothing turns up."""

    listing: LabelledList
    settings: Settings
    path: DecisivePath
    value_rates: tuple[Floats, ...]  # Value that each rule compares with the cost, shape (N,) each
    depth: tuple[int, ...]  # Depth at which each rule stops

    @property
    def last_drawn(self) -> int:
        """Depth at which the figure ends."""
        return min(len(self.path), max(20, int(1.5 * max(self.depth))))


COMPARED: tuple[Policy, ...] = (Greedy(), LookAhead(1), Optimal())
"""Rules by the paper's score, by the exact value of one document, and by the best plan."""


def three_rules(listing: LabelledList, settings: Settings) -> ThreeRules:
    """Return the value that each rule compares with the cost along a search, and where it stops."""
    path = cast(DecisivePath, listing.planned(settings))
    value_rates = tuple(rate for rule in COMPARED if (rate := rule.value_rate(path)) is not None)
    depth = tuple(int(rule.depths(path, [settings.cost])[0]) for rule in COMPARED)
    return ThreeRules(listing, settings, path, value_rates, depth)


def three_rules_picture(rules: ThreeRules, *, dark: bool = False) -> Picture:
    """Show the values that three rules compare with the cost along a list, and where they stop."""
    greedy, single, optimal = rules.depth
    plan_value = rules.path.plan_value(rules.settings.cost)
    # The line of one document is invisible where its value is 0 (on a log axis) or equals the best plan's.
    _, alone, best = (rate[: rules.last_drawn] for rate in rules.value_rates)
    zero, same = alone <= 0, (alone > 0) & np.isclose(alone, best, rtol=0.02)
    return Picture(
        "idea-rules",
        f"{rules.listing.name}: the same three along a list",
        _three_rules_figure(rules, dark),
        message(
            "along_a_list",
            greedy=greedy,
            single=single,
            optimal=optimal,
            zero_all=zero.all(),
            zero_until=int(np.argmin(zero)) if zero[0] else 0,
            same=same.sum() > len(same) / 4,
            gain=float(plan_value[optimal] - plan_value[greedy]),
        ),
        rows_of(
            depth=np.arange(len(rules.path)),
            belief=rules.path.b[:-1],
            rho=rules.path.rho,
            **dict(zip(("score", "evsi", "worth_of_best_plan"), rules.value_rates, strict=True)),
        ),
    )


def _three_rules_figure(rules: ThreeRules, dark: bool) -> Figure:
    cost, last = rules.settings.cost, rules.last_drawn
    chart = Chart(350, dark=dark, simulated=rules.listing.simulated)
    # A log axis has no 0.
    curves = [np.where(rate[:last] > 0, rate[:last], np.nan) for rate in rules.value_rates]
    high = max(float(np.nanmax(curve)) for curve in curves if np.isfinite(curve).any())
    chart.line([0, last], [cost, cost], COST, dash="dash", hoverinfo="skip")
    chart.label(last, math.log10(cost), "cost of one document", COST)
    looks = (
        ("■ the paper’s score (Greedy)", style("greedy")["color"], "square", 3, "solid"),
        ("◆ one document, exact (dashed)", VALUE, "diamond", 2, "dash"),
        ("● best plan (Optimal)", style("optimal")["color"], "circle", 5, "solid"),
    )
    # Drawn from the last to the first, so that the dashed line lies above the best plan's.
    for row in (2, 1, 0):
        name, colour, symbol, width, dash = looks[row]
        y = [None if math.isnan(value) else value for value in curves[row].tolist()]
        hover = "%{x}: %{y:.3~g}<extra></extra>"
        chart.line(range(last), y, colour, width=width, dash=dash, hovertemplate=hover)
        chart.dot(rules.depth[row], cost, colour, symbol)
        chart.name(f"{name}: stops at {rules.depth[row]}", colour, 1 - 0.085 * row)
    chart.axis("xaxis", "documents read without a hit", range=[-0.5, last])
    ends = [math.log10(cost) - 1.2, math.log10(high) + 0.75]
    decades = {"type": "log", "dtick": 1, "exponentformat": "power", "range": ends}
    chart.axis("yaxis", "worth of the next document, log scale", **decades)
    return chart.figure()
