"""What figures of an experiment share: how a method looks, and the ground they are drawn on."""

from collections.abc import Mapping, Sequence
from typing import Any

from tarstop_core.policies import POLICIES
from tarstop_core.presentation import figures
from tarstop_core.presentation.figures import Figure, interval, note, text_colour
from tarstop_core.presentation.palette import SERIES

ROW = 24
"""Pixels of one method."""
BAR = {"type": "bar", "orientation": "h"}
_MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "pentagon")
_OWN_VARIANT = {"marginal", "default"}
DASHES = {"paper's policy": "solid", "paper's baseline": "dash", "reference": "dot"}


def style(policy: str, variant: str = "marginal", family: str = "beyond the paper") -> dict[str, Any]:
    """Colour, marker and dash of a method; the paper's policies solid, baselines dashed, references dotted.

    Rules beyond the paper are solid where they act on belief's value and dash-dotted otherwise; a variant
    (hazard, learned …) has an open marker.
    """
    rule = POLICIES.get(policy)
    round_, at = divmod(len(POLICIES) + sum(map(ord, policy)), len(SERIES))
    by_name = SERIES[at], _MARKERS[(at + round_) % len(_MARKERS)]
    colour, marker = (rule.colour, rule.marker) if rule else by_name
    plain = "solid" if rule and rule.acts_on_belief else "dashdot"
    symbol = marker if variant in _OWN_VARIANT else f"{marker}-open"
    return {"color": colour, "symbol": symbol, "dash": DASHES.get(family, plain)}


def look_of(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The :func:`style` of a row's method."""
    return style(row["policy"], row["variant"], row["family"])


def mark(x: float, name: str, look: Mapping[str, Any], **more: Any) -> Figure:
    """One point of a method, on the line that bears its name."""
    return figures.points([x], [name], look["color"], marker={"symbol": look["symbol"]}, **more)


def drawn(
    data: list[Figure], height: int, simulated: bool, dark: bool, notes: Sequence[Figure] = (), **more: Any
) -> Figure:
    """As other figures are (:func:`tarstop_core.presentation.figures.drawn`), with the margins of an experiment's."""
    mark_simulated = [note(1, 1, "simulated", text_colour(dark))] if simulated else []
    margin = {"l": 64, "r": 16, "t": 24, "b": 48, **more.pop("margin", {})}
    return figures.drawn(data, height, False, dark, [*notes, *mark_simulated], margin=margin, **more)


def reach(row: Mapping[Any, Any], name: str, colour: str) -> Figure:
    """The interval of a row's number, as error bars."""
    low, high = (row[name] - row[f"{name}_low"], row[f"{name}_high"] - row[name])
    return interval([high], [low], colour, 2)
