"""EVPI against belief, with what is at stake now."""

import math
from typing import Any

import numpy as np

from tarstop_core.explore import message
from tarstop_core.explore.plans import Now
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure, Rows, axis, ink, label, with_unit
from tarstop_core.presentation.palette import BELIEF, COST, MINUS, PLUS, THRESHOLD, VALUE
from tarstop_core.value.payoffs import Floats, Payoffs


def beliefs_drawn(payoffs: Payoffs, *others: float) -> Floats:
    """A hundred steps from 0 to 1 with the threshold, where the lines have their corners, and others between."""
    return np.unique(np.append(np.linspace(0, 1, 101), (payoffs.q_star, *others)))


def stakes_figure(
    payoffs: Payoffs,
    now: Now,
    plus: str,
    minus: str,
    *,
    belief_title: str = "chance that prior art exists",
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """What each action is expected to bring above, what certainty would be worth below, against the belief.

    The line at c/ρ is what EVPI has to exceed for the paper's rule to go on. `plus` and `minus` name the actions.
    """
    b = beliefs_drawn(payoffs, now.b)
    up, down, evpi = payoffs.utility_plus(b), payoffs.utility_minus(b), payoffs.evpi(b)
    hover = "%{x:.2f}: %{y:.3~g}<extra></extra>"
    x, peak = b.tolist(), float(payoffs.evpi(payoffs.q_star))
    low, high = float(min(up.min(), down.min())), float(max(up.max(), down.max()))
    room = 0.08 * (high - low)
    bottom: dict[str, Any] = {"yaxis": "y2"}
    data = [
        fig.line(x, up.tolist(), PLUS, width=3, hovertemplate=hover),
        fig.line(x, down.tolist(), MINUS, width=3, hovertemplate=hover),
        fig.line(x, evpi.tolist(), VALUE, width=3, hovertemplate=hover, **bottom),
    ]
    for edges, more in (((low - room, high + room), {}), ((0.0, 1.25 * peak), bottom)):
        data.append(fig.rise(payoffs.q_star, edges, THRESHOLD, dash="dash", **more))
        data.append(fig.rise(now.b, edges, BELIEF, width=1.5, dash="dot", **more))
    for value, more in ((float(payoffs.utility(now.b)), {}), (now.evpi, bottom)):
        data.append(fig.points([now.b], [value], BELIEF, hovertemplate=hover, **more))
    right = payoffs.q_star > 0.5
    place = {"yref": "y2", "yanchor": "top", "xanchor": "right" if right else "left"}
    ends = [float(payoffs.utility_plus(now.b)), float(payoffs.utility_minus(now.b))]
    free = min(ends) - low > 2 * room  # else one of the two lines runs where the label would stand
    at, side = low - room if free else sum(ends) / 2, "right" if now.b > 0.5 else "left"
    threshold, grey = f" q* = {payoffs.q_star:.2f} ", fig.text_colour(dark)
    notes = [
        label(1, float(up[-1]), f"“{fig.plain(plus, 44)}”", ink(PLUS, dark)),
        label(0, float(down[0]), f"“{fig.plain(minus, 44)}”", ink(MINUS, dark), xanchor="left"),
        label(payoffs.q_star, 1.25 * peak, threshold, grey, **place),
        label(now.b, at, " now ", ink(BELIEF, dark), xanchor=side),
    ]
    needed = now.cost / now.rho if now.rho > 0 else math.inf
    if 0 < needed < 1.2 * peak:
        data.append(fig.line([0, 1], [needed, needed], COST, dash="dash", hoverinfo="skip", **bottom))
        at, anchor = (0.0, "left") if right else (1.0, "right")
        if needed < peak / 4:  # at the end EVPI would run through the label
            at = (at + payoffs.q_star) / 2
            anchor = "right" if now.b >= at else "left"
        notes.append(label(at, needed, "c / ρ", ink(COST, dark), yref="y2", xanchor=anchor))

    def panel(title: str, ends: tuple[float, float], domain: list[float], ticks: int) -> Figure:
        words, more = with_unit(title, payoffs.unit), {"domain": domain, "range": list(ends), "nticks": ticks}
        return axis(words, dark, **more, exponentformat="none")

    xaxis = axis(belief_title, dark, range=[0, 1], tickformat=".1f", anchor="y2")
    yaxis = panel("expected utility", (low - room, high + 2 * room), [0.5, 1.0], 6)
    yaxis2 = panel("EVPI", (0, 1.25 * peak), [0.0, 0.42], 5)
    return fig.drawn(data, 390, simulated, dark, notes, xaxis=xaxis, yaxis=yaxis, yaxis2=yaxis2)


def stakes_sentence(
    payoffs: Payoffs, now: Now, cost: float, plus: str, minus: str, finds: str = "settle it"
) -> str:
    """What the figure shows at the present belief."""
    return message("stakes", now=now, cost=cost, payoffs=payoffs, plus=plus, minus=minus, settles=finds)


def stakes_rows(payoffs: Payoffs) -> Rows:
    """The figure's numbers, one row a belief."""
    b = beliefs_drawn(payoffs)
    plus, minus = payoffs.utility_plus(b), payoffs.utility_minus(b)
    return fig.rows_of(belief=b, utility_plus=plus, utility_minus=minus, evpi=payoffs.evpi(b))
