"""Figures of the lesson and of the game as plotly dictionaries, with text large enough for a lecture hall."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarstop_core.policies import Optimal
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.curves import live_curves
from tarstop_core.presentation.palette import BELIEF, PLUS, THRESHOLD
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.game import YOU, Game, ScoreRow, finds_of
from tarstop_core.teaching.lesson import Lesson, Step
from tarstop_core.value.path import ListPath

HEIGHT = 430
"""Height of a lesson's curves in pixels."""
ROW = 30
"""Height of one rule in pixels."""
LETTERS = 1.3
"""Factor on the text size of other pages, because a lesson is projected."""
ENDS = (15, 25, 40, 60, 80, 100, 150, 200, 300, 400, 600, 1000, 2000, 5000, 10_000)
"""Depths at which an axis may end."""
SYMBOLS = {"paper's policy": "circle", "beyond the paper": "square", "reference": "x"}
"""Markers of the families of rules, which do not rely on colour; baselines have open circles."""
FAMILIES = (
    "Circles: the paper’s policies; open circles: its baselines; squares: beyond the paper; ×: references."
)


def lesson_curves(lesson: Lesson, step: Step, *, dark: bool = False) -> fig.Figure:
    """Draw the belief with q*, and the value that the rule (else the best plan) compares with the cost, at a step.

    Curves are solid up to this step, and dotted down to where the rule would stop if nothing (more) turned up.

    Parameters
    ----------
    lesson, step
        The rule on its list, and the step.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        For plotly.
    """
    path = lesson.path.without_later_finds(step.depth)
    value_rate = lesson.policy.value_rate(path)
    by_score = value_rate is not None and bool(lesson.policy.criterion)
    plan = step.depth + step.more
    figure = live_curves(
        np.asarray(path.b),
        path.value_rate() if value_rate is None else value_rate,
        cost=lesson.settings.cost,
        q_star=step.now.q_star,
        depth=step.depth,
        plan=plan,
        hit=path.hit if step.settled else None,
        span=(0, end_of_axis(plan, step.documents)),
        unit=lesson.settings.payoffs.unit,
        belief_title=scenario_of(lesson.settings).belief_title,
        worth_title="paper’s score" if by_score else "worth each",
        steps=path.in_steps,
        dark=dark,
    )
    return for_a_hall(figure, dark=dark)


def end_of_axis(plan: int, documents: int) -> int:
    """Return the depth at which the axis ends: one of a few, so that the axis seldom changes during a lesson."""
    wanted = plan * 1.1
    return min(documents, next((end for end in ENDS if end >= wanted), documents))


def for_a_hall(figure: fig.Figure, height: int = HEIGHT, *, dark: bool = False) -> fig.Figure:
    """Give a figure larger text, and mark it as simulated.

    Parameters
    ----------
    figure
        The figure, which is changed.
    height
        Height in pixels.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        The figure.
    """
    layout = figure["layout"]
    layout["annotations"].append(fig.note(1, 1, "simulated", fig.text_colour(dark), yshift=2))
    for annotation in layout["annotations"]:
        annotation["bgcolor"] = fig.paper(dark)  # Hides lines behind the text
    layout["height"] = height
    margin = layout["margin"]
    margin |= {"l": round(LETTERS * margin["l"]), "r": 16, "t": 26, "b": round(LETTERS * margin["b"])}
    _enlarge(layout)
    return figure


def _enlarge(part: Any) -> None:
    """Enlarge every font in a part of a layout."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("font", "tickfont") and "size" in value:
                part[name] = value | {"size": round(LETTERS * value["size"])}
            else:
                _enlarge(value)
    elif isinstance(part, list):
        for element in part:
            _enlarge(element)


# --- the game -----------------------------------------------------------------------------------------------


def round_so_far(game: Game, *, dark: bool = False) -> fig.Figure:
    """Draw the belief in the round being played, up to the last document read."""
    at = len(game.calls) - 1
    (listing, settings), depth = game.round(at), game.calls[at].depth
    path = listing.played(settings)
    hit = path.hit if path.hit is not None and path.hit <= depth else None
    last = end_of_axis(depth + 5, len(path))
    figure = _belief_curve(path.without_later_finds(depth), settings, depth, hit, last, dark)
    return for_a_hall(figure, 300, dark=dark)


def _belief_curve(
    path: ListPath, settings: Settings, depth: int, hit: int | None, last: int, dark: bool
) -> fig.Figure:
    """Draw the belief alone, solid down to `depth`, on an axis that ends at `last`."""
    return live_curves(
        np.asarray(path.b),
        None,
        cost=settings.cost,
        q_star=settings.payoffs.q_star,
        depth=depth,
        plan=depth,
        hit=hit,
        span=(0, last),
        belief_title=scenario_of(settings).belief_title,
        steps=path.in_steps,
        dark=dark,
    )


def round_to_its_end(game: Game, at: int, *, dark: bool = False) -> fig.Figure:
    """Draw a decided round: the belief, the stops of the person and of Optimal, and the finds.

    Parameters
    ----------
    game, at
        The game, and the index of the round.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        For plotly.
    """
    (listing, settings), own = game.round(at), game.calls[at].depth
    path = listing.played(settings)
    best = int(Optimal().depths(path, [settings.cost])[0])
    finds = [rank + 1 for rank in finds_of(listing)]
    furthest = max(own, best, (finds[0] if settings.one_decides else finds[-1]) if finds else 0)
    last = end_of_axis(furthest, len(path))
    figure = _belief_curve(path, settings, last, path.hit, last, dark)
    for trace in figure["data"]:
        trace["cliponaxis"] = trace["mode"] != "markers"  # The point at the right end is whole
    stops: dict[int, list[str]] = {}
    for name, depth in ((YOU, own), ("Optimal", best)):
        stops.setdefault(depth, []).append(name)
    layout = figure["layout"]
    layout["shapes"] = [
        fig.upright(depth, fig.stroke(BELIEF, dark) if YOU in names else THRESHOLD, 2, "dot")
        for depth, names in stops.items()
    ]
    for row, (depth, names) in enumerate(sorted(stops.items())):
        side = {"xanchor": "right" if depth > last / 2 else "left", "yanchor": "top"}
        text, height = f" {' and '.join(names)}: {depth} ", 0.97 - 0.12 * row
        layout["annotations"].append(fig.label(depth, height, text, fig.text_colour(dark), **side))
    drawn = [rank for rank in finds if rank <= last]
    marker, hover = {"symbol": "triangle-up"}, "#%{x}<extra></extra>"
    y = [-0.02] * len(drawn)
    figure["data"].append(fig.points(drawn, y, PLUS, 13, marker=marker, hovertemplate=hover))
    if drawn:
        name = f"▲ {scenario_of(settings).message('finds')}"
        layout["annotations"].append(fig.label(1, 0.06, name, fig.ink(PLUS, dark), xref="paper"))
    return for_a_hall(figure, 330, dark=dark)


def round_columns(game: Game, at: int) -> dict[str, Any]:
    """Return the columns of a decided round by depth, 0 … N: the belief, the finds, and who stopped there."""
    listing, settings = game.round(at)
    path = listing.played(settings)
    depths = np.arange(len(path) + 1)
    best = int(Optimal().depths(path, [settings.cost])[0])
    return {
        "depth": depths,
        "belief": [path.belief_at(int(depth)) for depth in depths],
        "find": np.isin(depths - 1, finds_of(listing)),
        "you_stopped": depths == game.calls[at].depth,
        "optimal_stopped": depths == best,
    }


def standings(rows: Sequence[ScoreRow], *, of_class: Sequence[float] = (), dark: bool = False) -> fig.Figure:
    """Draw the net utility of the person and of every rule in the given order; the person is a filled diamond.

    Parameters
    ----------
    rows
        The person and the rules, or the rules alone, the highest net utility first.
    of_class
        Net utilities of the students of a class, which are drawn in one row on top.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        The figure.
    """
    totals = [row.total for row in rows]
    low, high = min(0.0, *totals, *of_class), max(0.0, *totals, *of_class)
    room = 0.16 * (high - low)
    first = 1 if of_class else 0  # Row of the first rule
    lines = first + len(rows)
    height = 90 + ROW * lines
    chart = fig.Chart(height, dark=dark)
    stems = []
    for at, row in enumerate(rows, start=first):
        stroke = {"color": PLUS if row.you else THRESHOLD, "width": 4 if row.you else 2}
        ends = {"x0": 0, "x1": row.total, "y0": at, "y1": at}
        stems.append({"type": "line", **ends, "layer": "below", "line": stroke})
    if of_class:
        look = {"symbol": "diamond-open"}
        chart.points(of_class, [0] * len(of_class), PLUS, 12, marker=look, cliponaxis=False, hoverinfo="skip")
    chart.points(
        totals,
        range(first, lines),
        [PLUS if row.you else fig.stroke(BELIEF, dark) for row in rows],
        [15 if row.you else 11 for row in rows],
        marker={"symbol": ["diamond" if row.you else SYMBOLS.get(row.family, "circle-open") for row in rows]},
        mode="markers+text",
        text=[f"  {total:,.0f}  ".replace("-", "−") for total in totals],
        textposition=["middle right" if total >= 0 else "middle left" for total in totals],
        textfont={"size": 14, "color": fig.text_colour(dark)},
        cliponaxis=False,
        hoverinfo="skip",
    )
    with_numbers = [low - (2.2 * room if low < 0 else 0), high + 2.6 * room]
    chart.axis(
        "xaxis",
        "net utility of all rounds (points)",
        range=with_numbers,
        nticks=4,
        tickformat=",",
        tickangle=0,
    )
    names = [f"<b>{row.title}</b>" if row.you else row.title for row in rows]
    names = [*(["<b>The class</b>"] if of_class else []), *names]
    ticks = {"tickvals": list(range(lines)), "ticktext": names, "range": [lines - 0.4, -0.6]}
    chart.axis("yaxis", "", **ticks, automargin=True, showgrid=False)
    margin = {"l": 8, "r": 12, "t": 26, "b": 40}
    return for_a_hall(chart.figure(margin=margin, shapes=stems), height, dark=dark)
