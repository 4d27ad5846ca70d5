"""Curves: belief by study, prior and posterior, the value of more studies, and a prior by itself.

Figures of evidence share their colours. Studies are grey, pooled estimates reddish purple, belief blue, the value of more
studies green. The threshold q* is grey and dashed, the sensitivity θ to exceed grey and dotted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit, ndtri

from tarstop_core.belief.both import threshold
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Floats
from tarstop_core.evidence.everyone import NOBODY, Everyone
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.synthesis import Synthesis
from tarstop_core.evidence.words import message
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.presentation.palette import BELIEF, BELIEF_AREA, COST, STUDY, THRESHOLD, VALUE
from tarstop_core.value.payoffs import Payoffs

NAME = 26
"""Characters of a study's name that fit beside a plot."""


def short(name: str) -> str:
    """Shorten a study's name to fit beside a plot, and escape markup.

    Examples
    --------
    >>> short("Smith <b>2004"), short("The very long name of a study 2004")
    ('Smith &lt;b&gt;2004', 'The very long name of a s…')
    """
    return plain(name if len(name) <= NAME else name[: NAME - 1].rstrip() + "…")


def plain(name: str) -> str:
    """Escape markup in a name."""
    return escape(name, quote=False)


class EvidenceChart(fig.Chart):
    """A figure of a review's evidence; if the data are simulated, the word stands at its top."""

    above: ClassVar[Figure] = {"yshift": 19}

    def share_axis(self, name: str, title: str, edges: Sequence[float] = (0, 1), **look: Any) -> None:
        """Set up an axis of chances or of shares.

        Parameters
        ----------
        name : {"xaxis", "yaxis"}
            Which axis.
        title : str
            What it shows.
        edges : sequence of two floats
            Its ends.
        **look
            Further settings of plotly's axis.
        """
        self.axis(name, title, range=list(edges), **{"tickformat": ".1f", "dtick": 0.2} | look)

    def figure(self, **layout: Any) -> Figure:
        """Return the finished figure; ``margin`` in `layout` overrides single margins."""
        top = 42 if self.simulated else 26
        margin = {"l": 56, "r": 12, "b": 46, **layout.pop("margin", {}), "t": top}
        return super().figure(margin=margin, height=round(self.height) + top - 26, **layout)


Box = tuple[float, float, float, float]
"""A rectangle in the plot: left and right ends (numbers of studies), low and high ends (chances)."""
LETTER = 5.3 / 290  # width of a letter, as a share of the plot on a phone
HIGH = 0.06  # height of a line of text, in units of the chance axis
GAP = 0.015  # distance between a name and its step, in units of the chance axis


def belief_by_study(
    evidence: Synthesis, payoffs: Payoffs, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Belief after each study, the threshold beliefs, and the names of the studies that moved the belief most.

    Parameters
    ----------
    evidence
        The 2×2 tables and everything computed from them.
    payoffs
        Benefits and costs of the options, which give the threshold beliefs.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    path = evidence.drawn_path.beliefs
    names = ["before any study", *(plain(name) for name in evidence.names)]
    seen = [(n, b) for n, b in enumerate(path) if b is not None]
    x, y = [n for n, _ in seen], [b for _, b in seen]
    blue = fig.ink(BELIEF, dark)
    steps = {"shape": "hv", "color": blue, "width": 2.5}
    hover = [f"{n}: {names[n]}, {percent(b)}" for n, b in seen]
    mode = "lines" if len(path) > 80 else "lines+markers"
    last = max(1, len(path) - 1)
    chart = EvidenceChart(330, dark=dark, simulated=simulated)
    chart.points(x, y, BELIEF, 7, mode=mode, line=steps, hovertext=hover)
    ends = payoffs.ranges().ends
    for end in ends:
        chart.line([0, last], [end, end], THRESHOLD, dash="dash", width=1.5)
        # The label goes to the side of the line where the belief does not end.
        side = "top" if seen and seen[-1][1] >= end else "bottom"
        words = "another option above" if payoffs.others else "act above"
        chart.label(last, end, f"{words} {percent(end)}", yanchor=side)
    moves = [(n, before, b) for (_, before), (n, b) in pairwise(seen)]
    # A name may not cover the path, a threshold or another name; it is left out if no place is free.
    taken = [(0.0, float(last), end, end) for end in ends]
    for (n, b), (after, then) in pairwise(seen):
        taken += [(n, after, b, b), (after, after, min(b, then), max(b, then))]
    moves.sort(key=lambda move: -abs(move[2] - move[1]))
    for n, before, b in moves[: max(1, 4 - len(moves) // 10)]:
        if abs(b - before) <= 0.04:
            break
        name = evidence.names[n - 1]
        for box, place in _places(n, before, b, last, name):
            if _fits(box, last, taken):
                chart.label(n, text=short(name), colour=BELIEF, font={"color": blue, "size": 11}, **place)
                taken.append(box)
                break
    ticks = {"dtick": 1} if last <= 15 else {"nticks": 9}
    chart.axis("xaxis", "studies", range=[-0.02 * last - 0.1, last * 1.02 + 0.1], **ticks)
    chart.share_axis("yaxis", f"chance that {evidence.claim}", (-0.03, 1.03), tickformat=".0%")
    return chart.figure()


def _places(n: int, before: float, b: float, last: int, name: str) -> Iterator[tuple[Box, Figure]]:
    """Yield places for a name beside a step, the best first: above a rise, below a fall, beside the middle, the reverse."""
    rising, wide, aside = b > before, min(len(name), NAME) * LETTER * last, LETTER * last
    middle = (before + b) / 2
    lows = {
        "bottom": (b, b + GAP, 4),
        "middle": (middle, middle - HIGH / 2, 0),
        "top": (b, b - GAP - HIGH, -4),
    }
    for anchor in ("bottom", "middle", "top") if rising else ("top", "middle", "bottom"):
        at, low, up = lows[anchor]
        for left in (rising, not rising):
            start = n - aside - wide if left else n + aside
            place = {"xanchor": "right", "xshift": -5} if left else {"xanchor": "left", "xshift": 5}
            yield (start, start + wide, low, low + HIGH), {"y": at, "yanchor": anchor, "yshift": up, **place}


def _fits(box: Box, last: int, taken: Sequence[Box]) -> bool:
    """Whether a box lies within the plot and overlaps none that is taken."""
    left, right, low, high = box
    inside = left >= 0 and right <= last and low >= -0.02 and high <= 1.02
    return inside and not any(
        left <= x1 and x0 <= right and low <= y1 and y0 <= high for x0, x1, y0, y1 in taken
    )


def prior_and_posterior(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Density of pooled sensitivity before and after the studies; the area above θ is shaded.

    Parameters
    ----------
    evidence
        The 2×2 tables and everything computed from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    density, theta = evidence.density, evidence.theta
    chart, top = EvidenceChart(330, dark=dark, simulated=simulated), 1.0
    if density is not None:
        x, before, after = density.sensitivity, density.prior, density.posterior
        # The posterior sets the scale, because a prior may be very high near 0 and 1.
        top = 1.15 * float(max(after.max(), np.median(before)))
        above = x >= theta
        if above.any():
            edge = float(np.interp(theta, x, after))
            across = [theta, theta, *x[above], x[-1]]
            area = {"fill": "tozeroy", "fillcolor": BELIEF_AREA}
            chart.line(across, [0.0, edge, *after[above], 0.0], BELIEF_AREA, width=0, **area)
        if before.any():
            chart.line(x, before, STUDY, dash="dash")
            place = int(np.searchsorted(np.cumsum(before) / before.sum(), 0.12))
            chart.label(float(x[place]), float(before[place]), "before", xanchor="center")
        chart.line(x, after, BELIEF, width=3)
        # The label stands at the falling flank, or at the rising one if there is no room.
        high = np.flatnonzero(after >= 0.6 * after.max())
        right = x[high[-1]] < 0.85
        flank = int(high[-1 if right else 0])
        side = {"xanchor": "left", "xshift": 8} if right else {"xanchor": "right", "xshift": -8}
        chart.label(float(x[flank]), float(after[flank]), "after", BELIEF, yanchor="middle", **side)
        if evidence.of_sensitivity is not None:
            words = f"{percent(evidence.of_sensitivity)} above {threshold(theta)}"
            side = {"xanchor": "right", "xshift": -6} if theta > 0.4 else {"xanchor": "left", "xshift": 6}
            chart.label(theta, top, words, BELIEF, yanchor="top", **side)
    chart.axis("xaxis", "pooled sensitivity", range=[0.0, 1.0], tickformat=".0%", dtick=0.2)
    chart.axis("yaxis", "density", range=[0, top], showticklabels=False)
    return chart.figure(shapes=[fig.upright(theta, dash="dot")], margin={"l": 36, "r": 16})


def value_of_more(
    evidence: Synthesis,
    payoffs: Payoffs,
    everyone: Everyone = NOBODY,
    *,
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """EVSI of 1 to 100 more studies like these, beside the value of certainty (EVPI).

    Parameters
    ----------
    evidence
        The 2×2 tables and everything computed from them.
    payoffs
        Benefits and costs of right and wrong decisions.
    everyone
        Number of people concerned, and the price of a study, which is drawn too.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    more, everyone = evidence.more_studies(payoffs), everyone.priced(payoffs)
    chart, top = EvidenceChart(330, dark=dark, simulated=simulated), 0.01 * payoffs.K
    scale = f" (both mistakes together cost {number(payoffs.K)})"
    worth = "worth to everyone" if everyone.people else "worth"
    title = fig.with_unit(worth, payoffs.unit) + ("" if payoffs.unit else scale)
    if more is not None:
        least, more = 1e-6 * payoffs.K * (everyone.people or 1.0), everyone.worth(more)
        top = 1.25 * max(more.evpi, least)
        chart.line([1, 100], [more.evpi] * 2, VALUE, dash="dash")
        chart.line(more.k, more.evsi, VALUE, width=3)
        chart.points([1], more.evsi[:1], VALUE, hovertext=["the next study"])
        chart.label(0, more.evpi, "certainty", VALUE, xanchor="left")
        chart.label(2, float(more.evsi[-1]), "more studies", VALUE, yshift=4)
        if everyone.price:
            drawn = more.k[everyone.price * more.k <= top]
            chart.line(drawn, everyone.price * drawn, COST)
            if len(drawn):
                x, y = np.log10(drawn[-1]), everyone.price * drawn[-1]
                chart.label(float(x), float(y), "price ", COST, xanchor="right")
    ticks = {"type": "log", "range": [-0.06, 2.02], "tickvals": [1, 2, 5, 10, 20, 50, 100]}
    chart.axis("xaxis", "more studies like these", **ticks)
    chart.axis("yaxis", title, range=[0, top], nticks=5)
    return chart.figure(margin={"l": 66})


# --- a prior by itself ------------------------------------------------------------------------------

POINTS = 200  # Points of a drawn density
TAUS = 64  # Equally likely values of τ over which the density of a single study is averaged
EDGE = 1e-3  # Distance of the grid from 0 and 1, where densities may be unbounded


@dataclass(frozen=True, eq=False)
class PriorDensity:
    """Densities of sensitivity under a prior."""

    sensitivity: Floats  # grid from just above 0 to just below 1, shape (n,)
    pooled: Floats  # density of pooled sensitivity, shape (n,)
    single: Floats  # density of the true sensitivity in one study, shape (n,); wider because studies differ


def prior_density(prior: Prior, theta: float) -> PriorDensity:
    """Densities of pooled sensitivity and of that in a single study under a prior."""
    at = np.linspace(EDGE, 1 - EDGE, POINTS)
    mean = float(logit(check_theta(theta))) + prior.shift
    tau = prior.tau * ndtri(0.5 + (np.arange(TAUS) + 0.5) / (2 * TAUS))
    spreads = np.sqrt(prior.s**2 + tau**2)
    single = _logit_normal(at, mean, spreads[:, None]).mean(axis=0)
    return PriorDensity(at, _logit_normal(at, mean, prior.s), single)


def _logit_normal(at: Floats, mean: float, spread: Floats | float) -> Floats:
    z = (logit(at) - mean) / spread
    return np.asarray(np.exp(-(z**2) / 2) / (np.sqrt(2 * np.pi) * spread * at * (1 - at)))


def prior_figure(prior: Prior, theta: float, dark: bool = False) -> Figure:
    """Density of pooled sensitivity and of sensitivity in a single study, with θ marked.

    Parameters
    ----------
    prior
        The prior of pooled sensitivity and of the differences between studies.
    theta
        The sensitivity to exceed, in (0, 1).
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    density = prior_density(prior, theta)
    x, chart = density.sensitivity, fig.Chart(220, dark=dark)
    inside = (x > 0.02) & (x < 0.98)
    top = 1.15 * float(max(density.pooled[inside].max(), density.single[inside].max()))
    chart.axis("xaxis", "sensitivity, before any study", range=[0, 1], tickformat=".0%")
    chart.axis("yaxis", "density", range=[0, top], showticklabels=False)
    chart.label(theta, top, f"θ = {theta:.4g}", yanchor="top", xshift=-4)
    chart.label(0.02, 0.97 * top, "solid: pooled", xanchor="left", yanchor="top")
    chart.label(0.02, 0.83 * top, "dotted: a single study", xanchor="left", yanchor="top")
    chart.line([theta, theta], [0, top], THRESHOLD, dash="dash", width=1.5)
    chart.line(x, density.single, THRESHOLD, dash="dot")
    chart.line(x, density.pooled, BELIEF, width=3)
    return chart.figure(margin={"l": 36, "r": 20, "t": 6, "b": 44})


def prior_sentence(prior: Prior, theta: float) -> str:
    """Word in one sentence what a prior says of pooled sensitivity.

    Examples
    --------
    >>> prior_sentence(Prior(), 0.75)
    'Before any study, pooled sensitivity lies between 14 % and 98 % with 95 % probability; between studies its logit varies with a standard deviation below 1.96 (95 %).'
    """
    low, high = expit(logit(theta) + prior.shift + prior.s * ndtri([0.025, 0.975]))
    return message("prior", low=low, high=high, tau=prior.tau * ndtri(0.975))
