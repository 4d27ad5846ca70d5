"""What chances that are too high or too low do: over the sample searches, and along one list."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import cast

import numpy as np

from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Greedy, Optimal, Policy
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.palette import BELIEF, STUDY, THRESHOLD
from tarstop_core.presentation.words import TEXTS
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas.shared import HALVES, MARKS, dot, idea, named, said, searches
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Floats

IDEA = idea("Wrong chances", "mistaken")
MISTAKEN: tuple[Policy, ...] = (Optimal(), Greedy())
"""Rules that are asked with chances that are too high or too low."""
FACTORS: tuple[float, ...] = tuple(2 ** (step / 2) for step in range(-4, 5))
"""What all chances are multiplied by: a quarter to four times."""


@dataclass(frozen=True, eq=False)
class Mistaken:
    """What a rule does with scaled chances, and what that costs, over the sample searches."""

    policy: Policy
    depth: Floats  # Mean stopping depth if nothing turns up, at each of :data:`FACTORS`. Shape (F,).
    net_utility: Floats  # Mean net utility expected if the unscaled chances are the right ones. Shape (F,).
    best: float  # The most that any plan is expected to bring: Optimal's with the right chances

    @property
    def lost(self) -> Floats:
        """Net utility lost a search, shape (F,)."""
        return np.asarray(self.best - self.net_utility)


def mistaken(settings: Settings) -> tuple[Mistaken, ...]:
    """What each of :data:`MISTAKEN` comes to at each factor, on average over the sample searches.

    The settings are those of a search: payoffs, cost and b_0.
    """
    lists = searches()
    shape = (len(MISTAKEN), len(FACTORS), len(lists))
    depth, net, best = np.zeros(shape), np.zeros(shape), np.zeros(len(lists))
    for at, explored in enumerate(lists):
        right = scaled(explored, settings, 1.0)
        best[at] = right.plan_value(settings.cost).max()
        for column, factor in enumerate(FACTORS):
            believed = right if factor == 1 else scaled(explored, settings, factor)
            for row, policy in enumerate(MISTAKEN):
                stop = int(policy.depths(believed, [settings.cost])[0])
                depth[row, column, at] = stop
                net[row, column, at] = expected(right, stop, believed.chooses_plus(stop), settings.cost)
    return tuple(
        Mistaken(policy, depth[row].mean(axis=1), net[row].mean(axis=1), float(best.mean()))
        for row, policy in enumerate(MISTAKEN)
    )


def expected(path: DecisivePath, depth: int, plus: bool, cost: float) -> float:
    """Expected net utility of "until a hit, at most `depth`, then this action", from the start.

    J(D) where the action is the better one; less where somebody who believes otherwise takes the other.
    """
    M, payoffs = float(np.exp(path.curve.log_M[depth])), path.payoffs
    wrong = (1 - path.b_0) * payoffs.wrong_plus if plus else path.b_0 * M * payoffs.wrong_minus
    best = path.b_0 * payoffs.B + (1 - path.b_0) * payoffs.G
    return float(best - (wrong + cost * path.effort[depth]))


def mistaken_figure(found: Sequence[Mistaken], factor: float, *, dark: bool = False) -> fig.Figure:
    """Stopping depth and net utility lost against the factor, a line a rule."""
    x = [math.log2(each) for each in FACTORS]
    data, notes = [], []
    lost_most = max(float(each.lost.max()) for each in found)
    deepest = max(float(each.depth.max()) for each in found)
    for row, each in enumerate(found):
        look = style(each.policy.name, family=each.policy.family)
        how = {
            "mode": "lines+markers",
            "marker": {"symbol": look["symbol"], "size": 8, "color": look["color"]},
            "hovertemplate": f"{each.policy}: %{{y:.3~g}}<extra></extra>",
        }
        data.append(fig.line(x, each.depth.tolist(), look["color"], width=2.5, **how))
        data.append(fig.line(x, each.lost.tolist(), look["color"], width=2.5, yaxis="y2", **how))
        mark = {"circle": "●", "square": "■"}.get(look["symbol"], "◆")
        notes.append(named(1, 1 - 0.07 * row, f"{mark} {each.policy}", look["color"], dark))
    here = math.log2(factor)
    data.append(fig.rise(here, [0, 1.15 * deepest], THRESHOLD, dash="dot"))
    data.append(fig.rise(here, [0, 1.15 * lost_most], THRESHOLD, dash="dot", yaxis="y2"))
    names = [factor_name(each).removeprefix("× ") for each in FACTORS[::2]]
    ticks = {"anchor": "y2", "tickvals": x[::2], "ticktext": names}
    xaxis = fig.axis("all chances times", dark, **ticks, range=[x[0] - 0.1, x[-1] + 0.1])
    yaxis = fig.axis("documents read", dark, domain=HALVES[0], range=[0, 1.15 * deepest], nticks=5)
    yaxis2 = fig.axis("net utility lost", dark, domain=HALVES[1], range=[0, 1.15 * lost_most], nticks=5)
    return fig.drawn(data, 430, True, dark, notes, xaxis=xaxis, yaxis=yaxis, yaxis2=yaxis2)


def mistaken_sentence(found: Sequence[Mistaken], factor: float, searches: int) -> str:
    """What the factor does to each rule."""
    at, even = FACTORS.index(factor), FACTORS.index(1.0)
    parts = [said("mistaken_rule", of=each, at=at, even=even) for each in found]
    ends = [(float(found[0].lost[end]), FACTORS[end]) for end in (-1, 0)]
    least, worst = sorted(ends, key=itemgetter(0))
    return said("mistaken", factor=factor, searches=searches, parts=parts, least=least, worst=worst)


def mistaken_rows(found: Sequence[Mistaken]) -> fig.Rows:
    """The figure's numbers, a row a rule and factor."""
    return [
        {"policy": each.policy.spec, **row}
        for each in found
        for row in fig.rows_of(
            factor=FACTORS, depth=each.depth, expected_net_utility=each.net_utility, lost=each.lost
        )
    ]


def scaled(explored: LabelledList, settings: Settings, factor: float) -> DecisivePath:
    """The path of a search with every chance times a factor, at most 1."""
    return _scaled(explored, settings.b_0, factor).with_payoffs(settings.payoffs)


@lru_cache(maxsize=1024)
def _scaled(explored: LabelledList, b_0: float, factor: float) -> DecisivePath:
    """What does not depend on payoffs, computed once."""
    return cast(DecisivePath, explored.planned(replace(explored.settings, b_0=b_0), factor))


def factor_name(factor: float) -> str:
    """A factor in figures."""
    inverse = round(1 / factor)
    if factor < 1 and abs(1 / factor - inverse) < 1e-9:
        return f"× 1/{inverse}"
    return f"× {factor:.3g}" if factor >= 1 else f"× {factor:.2f}"


TEXTS.filters["factor"] = factor_name


def mistaken_path_figure(
    right: DecisivePath,
    believed: DecisivePath,
    policy: Policy,
    cost: float,
    factor: float,
    *,
    dark: bool = False,
) -> fig.Figure:
    """Belief along one list with the chances as they are and scaled, and where the rule then stops."""
    stops = [int(policy.depths(path, [cost])[0]) for path in (right, believed)]
    last = min(len(right), max(30, int(1.4 * max(stops))))
    x = list(range(last + 1))
    hover = "%{x}: %{y:.2f}<extra></extra>"
    data, notes = [], []
    both = (
        (right, stops[0], STUDY, "dash", "chances as they are"),
        (believed, stops[1], BELIEF, "solid", f"chances {factor_name(factor)}"),
    )
    for row, (path, stop, colour, dash, words) in enumerate(both if factor != 1 else both[1:]):
        data.append(fig.line(x, path.b[: last + 1].tolist(), colour, width=3, dash=dash, hovertemplate=hover))
        data.append(dot(stop, float(path.b[stop]), colour))
        name = f"{MARKS[dash]} {words}: stops at {stop}"
        notes.append(named(1, 0.98 - 0.1 * row, name, colour, dark))
    q_star = right.payoffs.q_star
    data.append(fig.line([0, last], [q_star, q_star], THRESHOLD, dash="dot", width=1.5, hoverinfo="skip"))
    notes.append(fig.label(last, q_star, "q*", fig.text_colour(dark)))
    xaxis = fig.axis("documents read without a hit", dark, range=[-0.5, last])
    yaxis = fig.axis("chance that it exists", dark, range=[-0.03, 1.05], tickformat=".1f")
    return fig.drawn(data, 300, True, dark, notes, xaxis=xaxis, yaxis=yaxis)


def mistaken_path_sentence(
    right: DecisivePath, believed: DecisivePath, policy: Policy, cost: float, factor: float
) -> str:
    """What the rule believes on one list, and what that makes it do."""
    stop, stops = (int(policy.depths(path, [cost])[0]) for path in (right, believed))
    if factor == 1:
        return said("as_they_are", rule=policy, stop=stop, b=right.belief_at(stop))
    beliefs = {"believed": believed.belief_at(stops), "right": right.belief_at(stops)}
    return said("mistaken_path", factor=factor, rule=policy, stop=stop, stops=stops, **beliefs)


def mistaken_path_rows(right: DecisivePath, believed: DecisivePath) -> fig.Rows:
    """The figure's numbers, a row a depth."""
    return fig.rows_of(depth=np.arange(len(right.b)), belief=right.b, belief_with_scaled_chances=believed.b)
