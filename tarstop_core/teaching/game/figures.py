"""Figures of the game as plain plotly dictionaries, each with the sentence that says what it shows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarstop_core.explore.lists import sample
from tarstop_core.policies import Optimal
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.curves import live_curves
from tarstop_core.presentation.palette import BELIEF, PLUS, THRESHOLD
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.game.rounds import YOU, Game, Row, finds_of
from tarstop_core.teaching.lesson.figures import end_of_axis, for_a_hall
from tarstop_core.value.path import Path

ROW = 30
"""Pixels of one rule."""


def belief(game: Game, *, dark: bool = False) -> fig.Figure:
    """The belief of the round being played, as far as it was read: nothing of what is worth reading."""
    at = len(game.calls) - 1
    settings, explored, depth = game.settings(at), sample(game.keys[at]), game.calls[at].depth
    path = explored.played(settings)
    hit = path.hit if path.hit is not None and path.hit <= depth else None
    last = end_of_axis(depth + 5, len(path))
    figure = _curve(game, settings, path.ahead(depth), depth, hit, last, dark)
    return for_a_hall(figure, 300, dark=dark)


def _curve(
    game: Game, settings: Settings, path: Path, depth: int, hit: int | None, last: int, dark: bool
) -> fig.Figure:
    """The belief alone: solid up to a depth, on an axis that ends at `last`."""
    return live_curves(
        np.asarray(path.b),
        None,
        cost=settings.cost,
        q_star=game.q_star,
        depth=depth,
        plan=depth,
        hit=hit,
        span=(0, last),
        belief_title=scenario_of(settings).belief_title,
        steps=path.in_steps,
        dark=dark,
    )


def round_figure(game: Game, at: int, *, dark: bool = False) -> fig.Figure:
    """A decided round to its end: belief, where the person and Optimal stopped, and where the finds were."""
    settings, explored, own = game.settings(at), sample(game.keys[at]), game.calls[at].depth
    path = explored.played(settings)
    best = int(Optimal().depths(path, [settings.cost])[0])
    finds = [each + 1 for each in finds_of(explored)]
    furthest = max(own, best, (finds[0] if settings.kind.one_decides else finds[-1]) if finds else 0)
    last = end_of_axis(furthest, len(path))
    figure = _curve(game, settings, path, last, path.hit, last, dark)
    stops: dict[int, list[str]] = {}
    for name, depth in ((YOU, own), ("Optimal", best)):
        stops.setdefault(depth, []).append(name)
    shown = [each for each in finds if each <= last]
    layout = figure["layout"]
    layout["shapes"] = [
        fig.upright(depth, BELIEF if YOU in names else THRESHOLD, 2, "dot") for depth, names in stops.items()
    ]
    for row, (depth, names) in enumerate(sorted(stops.items())):
        said, y = f" {' and '.join(names)}: {depth} ", 0.97 - 0.12 * row
        where = {"xanchor": "right" if depth > last / 2 else "left", "yanchor": "top"}
        layout["annotations"].append(fig.label(depth, y, said, fig.text_colour(dark), **where))
    marker, hover = {"symbol": "triangle-up"}, "#%{x}<extra></extra>"
    figure["data"].append(
        fig.points(shown, [-0.02] * len(shown), PLUS, 13, marker=marker, hovertemplate=hover)
    )
    if shown:
        what = f"▲ {scenario_of(settings).finds}"
        layout["annotations"].append(fig.label(1, 0.06, what, fig.ink(PLUS, dark), xref="paper"))
    return for_a_hall(figure, 330, dark=dark)


def round_columns(game: Game, at: int) -> dict[str, Any]:
    """One entry a depth of a decided round: the belief, the finds, and who stopped there."""
    settings, explored = game.settings(at), sample(game.keys[at])
    path = explored.played(settings)
    depth = np.arange(len(path) + 1)
    best = int(Optimal().depths(path, [settings.cost])[0])
    return {
        "depth": depth,
        "belief": [path.belief_at(int(each)) for each in depth],
        "find": np.isin(depth - 1, finds_of(explored)),
        "you_stopped": depth == game.calls[at].depth,
        "optimal_stopped": depth == best,
    }


def standings(rows: Sequence[Row], *, dark: bool = False) -> fig.Figure:
    """Net utility of the person and of every rule, the highest on top; the person is a filled diamond."""
    names = [f"<b>{row.title}</b>" if row.you else row.title for row in rows]
    totals = [row.total for row in rows]
    low, high = min(0.0, *totals), max(0.0, *totals)
    room = 0.16 * (high - low)
    lines = []
    for at, row in enumerate(rows):
        where = {"x0": 0, "x1": row.total, "y0": at, "y1": at}
        stroke = {"color": PLUS if row.you else THRESHOLD, "width": 4 if row.you else 2}
        lines.append({"type": "line", **where, "layer": "below", "line": stroke})
    texts = {
        "text": [f"  {total:,.0f}  ".replace("-", "−") for total in totals],
        "textposition": ["middle right" if total >= 0 else "middle left" for total in totals],
        "textfont": {"size": 14, "color": fig.text_colour(dark)},
    }
    data = fig.points(
        totals,
        range(len(rows)),
        [PLUS if row.you else BELIEF for row in rows],
        [15 if row.you else 11 for row in rows],
        marker={"symbol": ["diamond" if row.you else _symbol(row) for row in rows]},
        mode="markers+text",
        **texts,
        cliponaxis=False,
        hoverinfo="skip",
    )
    height = 90 + ROW * len(rows)
    ends = [low - (2.2 * room if low < 0 else 0), high + 2.6 * room]  # the numbers stand there
    xaxis = fig.axis("net utility of all rounds (points)", dark, range=ends, nticks=4, tickangle=0)
    ticks = {"tickvals": list(range(len(rows))), "ticktext": names, "range": [len(rows) - 0.4, -0.6]}
    yaxis = fig.axis("", dark, **ticks, automargin=True, showgrid=False)
    margin = {"l": 8, "r": 12, "t": 26, "b": 40}
    layout = fig.clear_layout(height, margin, shapes=lines, annotations=[], xaxis=xaxis, yaxis=yaxis)
    return for_a_hall({"data": [data], "layout": layout}, height, dark=dark)


def _symbol(row: Row) -> str:
    """Families apart without colour: the paper's policies filled, baselines open, references as crosses."""
    return {"paper's policy": "circle", "beyond the paper": "square", "reference": "x"}.get(
        row.family, "circle-open"
    )


FAMILIES = (
    "Circles: the paper’s policies; open circles: its baselines; squares: beyond the paper; ×: references."
)
