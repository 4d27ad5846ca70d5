"""Idea: the effect of chances that are too high or too low, over the sample searches and along one list."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

import numpy as np

from tarstop_core.evaluation.findings.figures import style
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Greedy, Optimal, Policy
from tarstop_core.presentation.figures import MARKS, Chart, Figure, rows_of
from tarstop_core.presentation.palette import BELIEF, STUDY, THRESHOLD
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas import HALVES, Idea, Picture, factor_name, message, searches
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Floats

IDEA = Idea("Wrong chances", message("mistaken_title"), message("mistaken_lead"))
RULES: tuple[Policy, ...] = (Optimal(), Greedy())
"""Rules whose results with wrong chances are shown."""
FACTORS: tuple[float, ...] = tuple(2 ** (step / 2) for step in range(-4, 5))
"""Factors on all chances, from ¼ to 4."""
SIGNS = {"circle": "●", "square": "■", "diamond": "◆"}
"""Characters for the markers of rules."""


@dataclass(frozen=True, eq=False)
class Mistaken:
    """Results of a rule with scaled chances, as means over the sample searches; F is the number of :data:`FACTORS`."""

    policy: Policy
    depth: Floats  # Stopping depth if nothing turns up, shape (F,)
    net_utility: Floats  # Expected net utility if the unscaled chances are right, shape (F,)
    best: float  # Expected net utility of the best plan, which is Optimal's with the right chances

    @property
    def lost(self) -> Floats:
        """Mean net utility lost per search, shape (F,)."""
        return np.asarray(self.best - self.net_utility)


def mistaken(settings: Settings) -> tuple[Mistaken, ...]:
    """Return what each of :data:`RULES` gains and loses at each factor on the chances; `settings` has payoffs, cost and b_0."""
    lists = searches()
    shape = (len(RULES), len(FACTORS), len(lists))
    depth, net, best = np.zeros(shape), np.zeros(shape), np.zeros(len(lists))
    for at, listing in enumerate(lists):
        right = scaled(listing, settings, 1.0)
        best[at] = right.plan_value(settings.cost).max()
        for column, factor in enumerate(FACTORS):
            believed = right if factor == 1 else scaled(listing, settings, factor)
            for row, policy in enumerate(RULES):
                stop = int(policy.depths(believed, [settings.cost])[0])
                depth[row, column, at] = stop
                net[row, column, at] = expected(right, stop, believed.chooses_plus(stop), settings.cost)
    return tuple(
        Mistaken(policy, depth[row].mean(axis=1), net[row].mean(axis=1), float(best.mean()))
        for row, policy in enumerate(RULES)
    )


def expected(path: DecisivePath, depth: int, plus: bool, cost: float) -> float:
    """Return the expected net utility of reading until a hit or to `depth`, and then acting.

    Parameters
    ----------
    path
        Path of the search with the right chances.
    depth, plus
        Depth at which a reader with wrong chances stops, and whether the action without a hit is a⁺.
    cost
        Cost of a document.

    Returns
    -------
    float
        J(depth) if `plus` is the better action there, else less.
    """
    M, payoffs = float(np.exp(path.curve.log_M[depth])), path.payoffs
    wrong = (1 - path.b_0) * payoffs.wrong_plus if plus else path.b_0 * M * payoffs.wrong_minus
    best = path.b_0 * payoffs.B + (1 - path.b_0) * payoffs.G
    return float(best - (wrong + cost * path.effort[depth]))


def mistaken_picture(rules: Sequence[Mistaken], factor: float, *, dark: bool = False) -> Picture:
    """Show stopping depth and net utility lost by factor, one line per rule.

    Parameters
    ----------
    rules
        Results of the rules, Optimal's first.
    factor
        The one of :data:`FACTORS` that is marked.
    dark
        Whether the page is dark.

    Returns
    -------
    Picture
        Over all sample searches.
    """
    at, unscaled = FACTORS.index(factor), FACTORS.index(1.0)
    return Picture(
        "idea-mistaken",
        f"Depth and loss over {len(searches())} searches",
        _mistaken_figure(rules, factor, dark),
        message("mistaken", rules=rules, at=at, unscaled=unscaled, factors=FACTORS, searches=len(searches())),
        [
            {"policy": rule.policy.spec, **row}
            for rule in rules
            for row in rows_of(
                factor=FACTORS, depth=rule.depth, expected_net_utility=rule.net_utility, lost=rule.lost
            )
        ],
    )


def _mistaken_figure(rules: Sequence[Mistaken], factor: float, dark: bool) -> Figure:
    chart = Chart(430, dark=dark, simulated=True)
    x = [math.log2(times) for times in FACTORS]
    most_lost = max(float(rule.lost.max()) for rule in rules)
    deepest = max(float(rule.depth.max()) for rule in rules)
    for row, rule in enumerate(rules):
        look = style(rule.policy.name, family=rule.policy.family)
        colour, symbol = look["color"], look["symbol"]
        line = {
            "width": 2.5,
            "mode": "lines+markers",
            "marker": {"symbol": symbol, "size": 8, "color": colour},
            "hovertemplate": f"{rule.policy}: %{{y:.3~g}}<extra></extra>",
        }
        chart.line(x, rule.depth, colour, **line)
        chart.line(x, rule.lost, colour, **line, yaxis="y2")
        chart.name(f"{SIGNS.get(symbol, '◆')} {rule.policy}", colour, 1 - 0.07 * row)
    here = math.log2(factor)
    chart.rise(here, [0, 1.15 * deepest], THRESHOLD, dash="dot")
    chart.rise(here, [0, 1.15 * most_lost], THRESHOLD, dash="dot", yaxis="y2")
    names = [factor_name(times).removeprefix("× ") for times in FACTORS[::2]]
    ticks = {"anchor": "y2", "tickvals": x[::2], "ticktext": names}
    chart.axis("xaxis", "all chances times", **ticks, range=[x[0] - 0.1, x[-1] + 0.1])
    chart.axis("yaxis", "documents read", domain=HALVES[0], range=[0, 1.15 * deepest], nticks=5)
    chart.axis("yaxis2", "net utility lost", domain=HALVES[1], range=[0, 1.15 * most_lost], nticks=5)
    return chart.figure()


def scaled(listing: LabelledList, settings: Settings, factor: float) -> DecisivePath:
    """Return the path of a search with every chance times a factor, at most 1.

    Parameters
    ----------
    listing, settings
        The search, and its payoffs and b_0.
    factor
        Factor on all chances.

    Returns
    -------
    DecisivePath
        The path as it is if nothing turns up.
    """
    return _scaled(listing, settings.b_0, factor).with_payoffs(settings.payoffs)


@lru_cache(maxsize=1024)
def _scaled(listing: LabelledList, b_0: float, factor: float) -> DecisivePath:
    """The path at the list's own payoffs, which is cached for all others."""
    return cast(DecisivePath, listing.planned(replace(listing.settings, b_0=b_0), factor))


def mistaken_path_picture(
    listing: LabelledList, settings: Settings, factor: float, *, dark: bool = False
) -> Picture:
    """Show the belief along one list with the right and with scaled chances, and where Optimal then stops.

    Parameters
    ----------
    listing, settings, factor
        As for :func:`scaled`.
    dark
        Whether the page is dark.

    Returns
    -------
    Picture
        Two lines, or one if the factor is 1.
    """
    rule, right, believed = RULES[0], scaled(listing, settings, 1.0), scaled(listing, settings, factor)
    stop, believed_stop = (int(rule.depths(path, [settings.cost])[0]) for path in (right, believed))
    if factor == 1:
        sentence = message("right_chances", rule=rule, stop=stop, b=right.belief_at(stop))
    else:
        sentence = message(
            "wrong_chances",
            factor=factor,
            rule=rule,
            stop=stop,
            believed_stop=believed_stop,
            believed=believed.belief_at(believed_stop),
            right=right.belief_at(believed_stop),
        )
    return Picture(
        "idea-mistaken-path",
        f"{listing.name}: what {rule} believes",
        _path_figure(right, believed, (stop, believed_stop), factor, dark),
        sentence,
        rows_of(depth=np.arange(len(right.b)), belief=right.b, belief_with_scaled_chances=believed.b),
    )


def _path_figure(
    right: DecisivePath, believed: DecisivePath, stops: tuple[int, int], factor: float, dark: bool
) -> Figure:
    chart = Chart(300, dark=dark, simulated=True)
    last = min(len(right), max(30, int(1.4 * max(stops))))
    lines = [
        (right, stops[0], STUDY, "dash", "chances as they are"),
        (believed, stops[1], BELIEF, "solid", f"chances {factor_name(factor)}"),
    ]
    for row, (path, stop, colour, dash, name) in enumerate(lines if factor != 1 else lines[1:]):
        look = {"width": 3, "dash": dash, "hovertemplate": "%{x}: %{y:.2f}<extra></extra>"}
        chart.line(range(last + 1), path.b[: last + 1], colour, **look)
        chart.dot(stop, float(path.b[stop]), colour)
        chart.name(f"{MARKS[dash]} {name}: stops at {stop}", colour, 0.98 - 0.1 * row)
    q_star = right.payoffs.q_star
    chart.line([0, last], [q_star, q_star], THRESHOLD, dash="dot", width=1.5, hoverinfo="skip")
    chart.label(last, q_star, "sure enough")
    chart.axis("xaxis", "documents read without a hit", range=[-0.5, last])
    chart.axis("yaxis", "chance of prior art", range=[-0.03, 1.05], tickformat=".0%")
    return chart.figure()
