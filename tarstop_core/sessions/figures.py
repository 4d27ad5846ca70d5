"""Sessions side by side, drawn."""

from collections.abc import Sequence
from typing import Any

from tarstop_core.presentation.figures import Figure, axis, clear_layout, label, line, plain, text_colour
from tarstop_core.presentation.palette import BLUE, GREEN, PURPLE, SKY, THRESHOLD, VERMILION
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.compare import beliefs_read
from tarstop_core.sessions.whole import WholeSession

# Okabe–Ito, in an order whose neighbours differ; amber and yellow are left out, too pale on white.
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, THRESHOLD)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST = len(COLOURS)
NAME = 28


def belief_figure(sessions: Sequence[WholeSession], dark: bool = False) -> Figure:
    """Belief after each document read of several sessions, under their settings now (at most :data:`MOST`)."""
    return belief_curves([(session.row.name, session, session.state.settings) for session in sessions], dark)


def belief_curves(curves: Sequence[tuple[str, WholeSession, Settings]], dark: bool = False) -> Figure:
    """Belief after each document read: one curve for each name, session and settings, at most :data:`MOST`.

    The settings' calibrator is one that the session holds.
    """
    data: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    longest = max(1, *(session.state.depth for _, session, _ in curves))
    for at, (name, session, settings) in enumerate(curves):
        x, b = beliefs_read(session, settings)
        shape = "hv" if scenario_of(settings).in_steps else "linear"
        drawn = line(x, b, COLOURS[at], width=3, dash=DASHES[at], hoverinfo="skip")
        drawn["line"]["shape"] = shape
        marker = {"color": COLOURS[at], "size": 9}
        data += [drawn, drawn | {"mode": "markers", "x": x[-1:], "y": b[-1:], "marker": marker}]
        place = {"yshift": 6 + 14 * at, "xanchor": "right" if x[-1] > longest / 2 else "left"}
        notes.append(label(x[-1], b[-1], plain(name, NAME), text_colour(dark), **place))
    if any(session.collection.simulated for _, session, _ in curves):
        notes.append(label(0.0, 1.25, "simulated", text_colour(dark), xanchor="left", yanchor="top"))
    layout = clear_layout(
        320,
        {"l": 56, "r": 12, "t": 8, "b": 40},
        xaxis=axis("documents read", dark, range=[0, 1.03 * longest]),
        yaxis=axis("chance", dark, range=[-0.02, 1.25], tickvals=[0, 0.25, 0.5, 0.75, 1]),
        annotations=notes,
    )
    return {"data": data, "layout": layout}
