"""What the figures of a review's evidence share.

Studies are grey, what is pooled from them reddish purple, belief blue, the value of more studies green; the
threshold q* is grey and dashed as everywhere, the sensitivity θ to exceed grey and dotted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tarstop_core.evidence.summary import Shares
from tarstop_core.presentation.figures import Figure, clear_layout, note, points, text_colour

ROW = 21
"""Pixels of one study."""
NAME = 26
"""Characters of a study's name that fit beside a plot."""


def short(name: str) -> str:
    """A study's name as it fits beside a plot, safe from being read as markup.

    Examples
    --------
    >>> short("Smith <b>2004"), short("The very long name of a study 2004")
    ('Smith &lt;b&gt;2004', 'The very long name of a s…')
    """
    return plain(name if len(name) <= NAME else name[: NAME - 1].rstrip() + "…")


def plain(name: str) -> str:
    """A name, safe from being read as markup."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        name = name.replace(sign, entity)
    return name


def evidence_layout(
    height: float, *, dark: bool, simulated: bool, notes: Sequence[Figure], **more: Any
) -> Figure:
    """A clear layout; "simulated" stands above whatever stands on top of the plot."""
    notes, top = list(notes), 42 if simulated else 26
    if simulated:
        notes.append(note(1, 1, "simulated", text_colour(dark), yshift=19))
    margin = {"l": 56, "r": 12, "b": 46, **more.pop("margin", {}), "t": top}
    more = {"hoverlabel": {"align": "left"}, "annotations": notes, **more}
    return clear_layout(round(height) + top - 26, margin, **more)


def told_points(
    x: Sequence[float], y: Sequence[float], hover: Sequence[str], colour: str, size: Any, **more: Any
) -> Figure:
    """Points that say on hover what they are."""
    marker = {"opacity": 1, **more.pop("marker", {})}
    return points(x, y, colour, size, marker=marker, hovertext=list(hover), hoverinfo="text", **more)


def numbers(shares: Shares, at: int | np.intp) -> str:
    """A share and its interval."""
    if np.isnan(shares.value[at]):
        return "–"
    return f"{shares.value[at]:.2f} [{shares.low[at]:.2f}, {shares.high[at]:.2f}]"


def rows_for(n: int, room: int) -> int:
    """Rows that are laid out for n studies: at least three, and a multiple of `room`."""
    return max(3, room * math.ceil(n / room))


def margin_for(names: Sequence[str]) -> int:
    """Pixels that names need on the left."""
    return 18 + round(6.3 * min(NAME, max(map(len, names), default=0)))
