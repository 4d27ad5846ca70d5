"""EVPI against belief, with what is at stake now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tarstop_core.explore.plans import Now
from tarstop_core.explore.sensitivity import FactorName
from tarstop_core.presentation.figures import Figure, axis, label, line
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.palette import (
    BELIEF,
    BELIEF_TEXT_ON_DARK,
    COST,
    COST_TEXT,
    COST_TEXT_ON_DARK,
    MINUS,
    MINUS_TEXT,
    MINUS_TEXT_ON_DARK,
    PLUS,
    PLUS_TEXT,
    PLUS_TEXT_ON_DARK,
    TEXT,
    TEXT_ON_DARK,
    THRESHOLD,
    VALUE,
)
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs

LIGHT_OUTLINE = "#FEFEFE"
PAPER, PAPER_ON_DARK = "#FFFFFF", "#14181D"
FOR_PAPER = {
    LIGHT_OUTLINE: "#000000",
    PLUS_TEXT_ON_DARK: PLUS_TEXT,
    MINUS_TEXT_ON_DARK: MINUS_TEXT,
    COST_TEXT_ON_DARK: COST_TEXT,
    PAPER_ON_DARK: PAPER,
}
"""Texts of a dark page and what lies behind them, and the colours that they take in a saved picture."""


def text_colour(dark: bool) -> str:
    """Of ordinary texts in a figure."""
    return TEXT_ON_DARK if dark else TEXT


def drawn_layout(height: int, simulated: bool, dark: bool, notes: Sequence[Any] = (), **more: Any) -> Any:
    """A layout without frame or legend, on the page's own background; "simulated" stands in its corner."""
    notes = list(notes)
    if simulated:
        notes.append(
            label(
                1, 1, "simulated", text_colour(dark), xref="paper", yref="paper", yanchor="bottom", yshift=2
            )
        )
    return {
        "height": height,
        "margin": {"l": 60, "r": 12, "t": 24, "b": 46, **more.pop("margin", {})},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": text_colour(dark)},
        "annotations": notes,
        **more,
    }


# --- EVPI and the two actions against belief ------------------------------------------------------


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

    Parameters
    ----------
    payoffs : Payoffs
    now : Now
        Where the person stands. The line at c/ρ is what EVPI has to exceed for the paper's rule to go on.
    plus, minus : str
        The actions by name.
    belief_title : str
    simulated, dark : bool
    """
    b = np.unique(np.append(np.linspace(0, 1, 101), (payoffs.q_star, now.b)))
    up, down, evpi = payoffs.utility_plus(b), payoffs.utility_minus(b), payoffs.evpi(b)
    colours = (PLUS_TEXT_ON_DARK, MINUS_TEXT_ON_DARK) if dark else (PLUS_TEXT, MINUS_TEXT)
    hover = "%{x:.2f}: %{y:.3~g}<extra></extra>"
    x, peak = b.tolist(), float(payoffs.evpi(payoffs.q_star))
    low, high = float(min(up.min(), down.min())), float(max(up.max(), down.max()))
    room = 0.08 * (high - low)
    bottom = {"yaxis": "y2"}
    data = [
        line(x, up.tolist(), PLUS, width=3, hovertemplate=hover),
        line(x, down.tolist(), MINUS, width=3, hovertemplate=hover),
        line(x, evpi.tolist(), VALUE, width=3, hovertemplate=hover, **bottom),
    ]
    for edges, more in (((low - room, high + room), {}), ((0.0, 1.25 * peak), bottom)):
        data.append(line([payoffs.q_star] * 2, edges, THRESHOLD, dash="dash", hoverinfo="skip", **more))
        data.append(line([now.b] * 2, edges, BELIEF, width=1.5, dash="dot", hoverinfo="skip", **more))
    for value, more in ((float(payoffs.utility(now.b)), {}), (now.evpi, bottom)):
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [now.b],
                "y": [value],
                "marker": {"color": BELIEF, "size": 10},
                "hovertemplate": hover,
                **more,
            }
        )
    right = payoffs.q_star > 0.5
    notes = [
        label(1, float(up[-1]), f"“{plus}”", colours[0], yanchor="bottom", xanchor="right"),
        label(0, float(down[0]), f"“{minus}”", colours[1], yanchor="bottom", xanchor="left"),
        label(
            payoffs.q_star,
            1.25 * peak,
            f" q* = {payoffs.q_star:.2f} ",
            text_colour(dark),
            yref="y2",
            yanchor="top",
            xanchor="right" if right else "left",
        ),
    ]
    left = now.b > 0.5
    ends = [float(payoffs.utility_plus(now.b)), float(payoffs.utility_minus(now.b))]
    free = min(ends) - low > 2 * room  # else one of the two lines runs where the label would stand
    notes.append(
        label(
            now.b,
            low - room if free else sum(ends) / 2,
            " now ",
            BELIEF_TEXT_ON_DARK if dark else BELIEF,
            xanchor="right" if left else "left",
        )
    )
    needed = now.cost / now.rho if now.rho > 0 else math.inf
    if 0 < needed < 1.2 * peak:
        data.append(line([0, 1], [needed, needed], COST, dash="dash", hoverinfo="skip", **bottom))
        amber = COST_TEXT_ON_DARK if dark else COST_TEXT
        at, anchor = (0.0, "left") if right else (1.0, "right")
        notes.append(label(at, needed, "c / ρ", amber, yref="y2", xanchor=anchor))
    unit = f" ({payoffs.unit})" if payoffs.unit else ""
    layout = drawn_layout(
        390,
        simulated,
        dark,
        notes,
        xaxis=axis(belief_title, dark, range=[0, 1], tickformat=".1f", anchor="y2"),
        yaxis=axis(
            f"expected utility{unit}",
            dark,
            domain=[0.5, 1.0],
            range=[low - room, high + 2 * room],
            nticks=6,
            exponentformat="none",
        ),
        yaxis2=axis(
            f"EVPI{unit}",
            dark,
            domain=[0.0, 0.42],
            range=[0, 1.25 * peak],
            nticks=5,
            exponentformat="none",
        ),
    )
    return {"data": data, "layout": layout}


def stakes_sentence(
    payoffs: Payoffs, now: Now, cost: float, plus: str, minus: str, finds: str = "settle it"
) -> str:
    """What the figure shows at the present belief.

    Examples
    --------
    >>> stakes_sentence(Payoffs.from_q_star(0.5), Now(0.5, 0.02, 0.5, 0.25, 0.005, False, True, 0.001), 0.001, "Reject", "Grant")
    'At a chance of 50 % “Reject” is expected to bring 0 and “Grant” 0, so you would choose “Grant”; certainty would be worth 0.25 (at most 0.25, at q* = 0.50). The next document has a chance of 2.0 % to settle it: the paper’s score is 0.005 against a cost of 0.001, so its rule goes on (EVPI has to exceed c / ρ, the dashed line).'
    """
    unit = payoffs.unit
    up, down = (amount(float(f(now.b)), unit) for f in (payoffs.utility_plus, payoffs.utility_minus))
    peak = amount(float(payoffs.evpi(payoffs.q_star)), unit)
    said = (
        f"At a chance of {percent(now.b)} “{plus}” is expected to bring {up} and “{minus}” {down}, so you would "
        f"choose “{plus if now.plus else minus}”; certainty would be worth {amount(now.evpi, unit)} (at most {peak}, "
        f"at q* = {payoffs.q_star:.2f})."
    )
    if now.rho == 0:
        return f"{said} No further document can change that."
    verb = "goes on" if now.go_on else "stops"
    in_full = " (with what reading it in full is expected to cost)" if now.cost > cost else ""
    return (
        f"{said} The next document has a chance of {percent(now.rho)} to {finds}: the paper’s score is "
        f"{amount(now.value, unit)} against a cost of {amount(now.cost, unit)}{in_full}, so its rule {verb} (EVPI has to exceed c / ρ, the dashed line)."
    )


def stakes_rows(payoffs: Payoffs) -> list[dict[str, Any]]:
    """The figure's numbers, one row a belief."""
    b = np.unique(np.append(np.linspace(0, 1, 101), payoffs.q_star))
    columns = (b, payoffs.utility_plus(b), payoffs.utility_minus(b), payoffs.evpi(b))
    names = ("belief", "utility_plus", "utility_minus", "evpi")
    return [dict(zip(names, map(float, row), strict=True)) for row in zip(*columns, strict=True)]


def _factor_verb(name: FactorName, settings: Settings) -> str:
    """What is supposed of an assumption, up to "more than" a value."""
    missed = "a wrong" if settings.review else "a missed prior-art document, that is a wrong"
    return {
        "B": f"a right “{settings.plus}” (B) brought",
        "L_r": f"a wrong “{settings.plus}” (L_r) cost",
        "L_g": f"{missed} “{settings.minus}” (L_g) cost",
        "G": f"a right “{settings.minus}” (G) brought",
        "cost": "reading one document cost",
        "b_0": "you started from a chance of",
    }[name]


def _factor_value(name: FactorName, value: float, settings: Settings) -> str:
    return percent(value) if name == "b_0" else amount(value, settings.payoffs.unit)
