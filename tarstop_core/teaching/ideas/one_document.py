"""What one document is worth, and one list as three rules see it if nothing turns up."""

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Greedy, LookAhead, Optimal, Policy
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.palette import BELIEF, COST, PLUS, THRESHOLD, VALUE, VALUE_AREA
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas.shared import MARKS, dot, idea, named, said
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Floats, Payoffs

IDEA = idea("One document", "one_document")
BELIEFS: Floats = np.linspace(0.005, 0.995, 100)
AHEAD = 50
"""Documents that are as likely as the next one, where a single chance stands for a list."""


@dataclass(frozen=True, eq=False)
class OneDocument:
    """What the next document is worth at every belief, each array of shape (100,)."""

    payoffs: Payoffs
    p: float  # Chance that it is a hit, given ω⁺
    score: Floats  # The paper's ρ·EVPI(b)
    evsi: Floats  # Exact worth of reading it and then acting
    bound: Floats  # p·EVPI(b), which the worth of one document never exceeds
    worth: Floats  # A document's worth in the best plan, where the next :data:`AHEAD` are as likely


def one_document(payoffs: Payoffs, p: float) -> OneDocument:
    """What one document is worth at the beliefs :data:`BELIEFS`, four ways."""
    curve = hit_curve(np.full(AHEAD, p))
    paths = [DecisivePath(curve, float(b), payoffs) for b in BELIEFS]
    score, evsi, worth = (
        np.array([float(ask(path)[0]) for path in paths])
        for ask in (DecisivePath.score, DecisivePath.evsi, DecisivePath.value_rate)
    )
    return OneDocument(payoffs, p, score, evsi, p * payoffs.evpi(BELIEFS), worth)


def one_document_figure(found: OneDocument, *, dark: bool = False) -> fig.Figure:
    """The paper's score, the exact worth, its bound and the best plan's, against belief; shaded where the score is less."""
    x, q_star = BELIEFS.tolist(), found.payoffs.q_star
    lines = (
        (found.bound, THRESHOLD, "dash", "p·EVPI"),
        (found.worth, BELIEF, "solid", f"in the best plan of {AHEAD}"),
        (found.evsi, VALUE, "solid", "exact, one document"),
        (found.score, PLUS, "solid", "the paper’s ρ·EVPI"),
    )
    top = 1.3 * float(max(found.bound.max(), found.worth.max()))
    hover = "%{x:.2f}: %{y:.3~g}<extra></extra>"
    more = np.maximum(found.score, found.evsi)
    data = [
        fig.line(x, found.score.tolist(), PLUS, width=0, hoverinfo="skip"),
        fig.line(x, more.tolist(), VALUE, width=0, hoverinfo="skip", fill="tonexty", fillcolor=VALUE_AREA),
    ]
    # Names stand where the lines are low.
    side, other, end = ("right", "left", 0.0) if q_star > 0.5 else ("left", "right", 1.0)
    notes = [
        fig.label(q_star, top, f" q* = {q_star:.2f} ", fig.text_colour(dark), yanchor="top", xanchor=side)
    ]
    for row, (values, colour, dash, name) in enumerate(lines):
        width, y = 2 if dash == "dash" else 3, 0.98 - 0.085 * row - 0.1
        data.append(fig.line(x, values.tolist(), colour, width=width, dash=dash, hovertemplate=hover))
        notes.append(named(end, y, f"{MARKS[dash]} {name}", colour, dark, xanchor=other))
    data.append(fig.rise(q_star, [0, top], THRESHOLD, dash="dot"))
    xaxis = fig.axis("chance that it exists", dark, range=[0, 1], tickformat=".1f")
    title = "worth of the next document (shares of K)"
    yaxis = fig.axis(title, dark, range=[0, top], nticks=6, exponentformat="none")
    return fig.drawn(data, 370, False, dark, notes, xaxis=xaxis, yaxis=yaxis)


def one_document_sentence(found: OneDocument) -> str:
    """Where the paper's score is no bound."""
    last = BELIEFS[found.evsi > found.score + 1e-12][-1]
    half = int(np.argmin(np.abs(BELIEFS - found.payoffs.q_star / 2)))
    b, evsi, score = (float(each[half]) for each in (BELIEFS, found.evsi, found.score))
    trap = BELIEFS[(found.evsi <= 1e-12) & (found.worth > found.bound.max() / 1000)].tolist()
    return said("one_document", last=float(last), b=b, evsi=evsi, score=score, trap=trap, ahead=AHEAD)


def one_document_rows(found: OneDocument) -> fig.Rows:
    """The figure's numbers, a row a belief."""
    return fig.rows_of(
        belief=BELIEFS, score=found.score, evsi=found.evsi, bound=found.bound, worth_of_best_plan=found.worth
    )


@dataclass(frozen=True, eq=False)
class Compared:
    """One list as three rules see it if nothing turns up."""

    explored: LabelledList
    settings: Settings
    path: DecisivePath
    worth: tuple[Floats, ...]  # What each rule compares with the cost. Shape (N,) each.
    depth: tuple[int, ...]


COMPARED: tuple[Policy, ...] = (Greedy(), LookAhead(1), Optimal())
"""The paper's score, the exact worth of one document, and of the best plan."""


def compared(explored: LabelledList, settings: Settings) -> Compared:
    """What each rule compares with the cost along a list of a search, and where it stops."""
    path = cast(DecisivePath, explored.planned(settings))
    worth = tuple(each for rule in COMPARED if (each := rule.value_rate(path)) is not None)
    depth = tuple(int(rule.depths(path, [settings.cost])[0]) for rule in COMPARED)
    return Compared(explored, settings, path, worth, depth)


def compared_figure(found: Compared, *, dark: bool = False) -> fig.Figure:
    """What three rules compare with the cost along a list, and where each stops."""
    cost = found.settings.cost
    last = _drawn_to(found)
    # A log axis has no place for zero.
    shown = [np.where(worth[:last] > 0, worth[:last], np.nan) for worth in found.worth]
    high = max(float(np.nanmax(each)) for each in shown if np.isfinite(each).any())
    names = ("the paper’s score (Greedy)", "one document, exact (dashed)", "best plan (Optimal)")
    colours = (style("greedy")["color"], VALUE, style("optimal")["color"])
    data = [fig.line([0, last], [cost, cost], COST, dash="dash", hoverinfo="skip")]
    floor = math.log10(cost) - 1.2
    notes = [fig.label(last, math.log10(cost), "cost of one document", fig.ink(COST, dark))]
    hover = "%{x}: %{y:.3~g}<extra></extra>"
    each = list(enumerate(zip(shown, colours, names, found.depth, strict=True)))
    # Where two lines lie on each other, the dashed one has to be above.
    for row, (values, colour, name, depth) in (each[2], each[1], each[0]):
        y = [None if math.isnan(each) else each for each in values.tolist()]
        how = {"width": (3, 2, 5)[row], "dash": "dash" if row == 1 else "solid", "hovertemplate": hover}
        data.append(fig.line(range(last), y, colour, **how))
        data.append(dot(depth, cost, colour, ("square", "diamond", "circle")[row]))
        stops = f"{'■◆●'[row]} {name}: stops at {depth}"
        notes.append(named(1, 1 - 0.085 * row, stops, colour, dark))
    xaxis = fig.axis("documents read without a hit", dark, range=[-0.5, last])
    decades = {
        "type": "log",
        "dtick": 1,
        "exponentformat": "power",
        "range": [floor, math.log10(high) + 0.75],
    }
    yaxis = fig.axis("worth of the next document, log scale", dark, **decades)
    return fig.drawn(data, 350, found.explored.simulated, dark, notes, xaxis=xaxis, yaxis=yaxis)


def _drawn_to(found: Compared) -> int:
    """Depth to which :func:`compared_figure` draws."""
    return min(len(found.path), max(20, int(1.5 * max(found.depth))))


def compared_sentence(found: Compared) -> str:
    """Where each stops, and what lies between."""
    greedy, single, optimal = found.depth
    path, cost = found.path, found.settings.cost
    gain = float(path.plan_value(cost)[optimal] - path.plan_value(cost)[greedy])
    # One document's exact worth cannot be seen where it is 0, on a log axis, and where lines lie on each other.
    _, alone, best = (worth[: _drawn_to(found)] for worth in found.worth)
    zero, same = alone <= 0, (alone > 0) & np.isclose(alone, best, rtol=0.02)
    seen = {"zero_all": zero.all(), "zero_until": int(np.argmin(zero)) if zero[0] else 0}
    seen |= {"same": same.sum() > len(same) / 4}
    return said("compared", greedy=greedy, single=single, optimal=optimal, **seen, gain=gain)


def compared_rows(found: Compared) -> fig.Rows:
    """The figure's numbers, a row a depth."""
    names = ("score", "evsi", "worth_of_best_plan")
    return fig.rows_of(
        depth=np.arange(len(found.path)),
        belief=found.path.b[:-1],
        rho=found.path.rho,
        **dict(zip(names, found.worth, strict=True)),
    )
