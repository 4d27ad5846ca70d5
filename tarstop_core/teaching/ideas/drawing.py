"""What the figures of ideas share."""

from __future__ import annotations

from typing import Any

from tarstop_core.presentation.figures import Figure, points

HALVES = ((0.56, 1.0), (0.0, 0.44))
"""Of the height: what stands above, and below."""
MARKS = {"solid": "━━", "dash": "╌╌", "dot": "┈┈"}
"""Lines in the names beside them."""


def dot(x: float, y: float, colour: str, symbol: str = "circle", **more: Any) -> Figure:
    """One point."""
    return points([x], [y], colour, marker={"symbol": symbol}, **{"hoverinfo": "skip", **more})
