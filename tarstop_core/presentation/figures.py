"""Figures as plain plotly dictionaries, all in one style; plotly is not imported."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.presentation import palette

Figure = dict[str, Any]
Rows = list[dict[str, Any]]
POINTS = 400  # Points of a line at most
NEAR = 60  # Steps to either side of the cursor that are all kept


def thinned(n: int, cursor: int) -> NDArray[np.intp]:
    """At most :data:`POINTS` indices of 0 … n−1: every one within :data:`NEAR` of the cursor, ever fewer away from it."""
    if n <= POINTS:
        return np.arange(n)
    side = POINTS // 2 - 2
    steps = np.unique(np.concatenate((np.arange(NEAR), np.geomspace(NEAR, n, side - NEAR))).astype(int))
    kept = np.concatenate(([0, n - 1], cursor - steps, cursor + steps))
    return np.unique(kept[(kept >= 0) & (kept < n)])


def text_colour(dark: bool) -> str:
    """Colour of ordinary texts in a figure."""
    return palette.TEXT_ON_DARK if dark else palette.TEXT


def paper(dark: bool) -> str:
    """Colour of the page, behind a label that lines may cross."""
    return palette.PAPER_ON_DARK if dark else palette.PAPER


def ink(colour: str, dark: bool) -> str:
    """Colour in which the name of a line can be read on the page; for an unknown colour that of ordinary texts."""
    return palette.TEXTS.get(colour, (palette.TEXT, palette.TEXT_ON_DARK))[dark]


def stroke(colour: str, dark: bool) -> str:
    """Colour of a line or point on the page: its own, but the blue of belief is lighter on a dark page."""
    return ink(colour, dark) if colour == palette.BELIEF else colour


def line(x: Sequence[float], y: Sequence[float | None], colour: str, **more: Any) -> Figure:
    """A line trace.

    Parameters
    ----------
    x, y : sequence of float
        Coordinates; None in y breaks the line.
    colour : str
        Of the line.
    **more
        `width`, `dash`, and further attributes of the trace.

    Returns
    -------
    dict
        A plotly trace.
    """
    style = {"color": colour, "width": more.pop("width", 2), "dash": more.pop("dash", "solid")}
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "line": style, **more}


def points(
    x: Sequence[Any],
    y: Sequence[Any],
    colour: Any,
    size: Any = 10,
    *,
    marker: Figure | None = None,
    **more: Any,
) -> Figure:
    """A trace of points.

    Parameters
    ----------
    x, y : sequence
        Coordinates.
    colour, size : one value or a sequence
        For all points or for each; sizes in pixels.
    marker : dict, optional
        Further attributes of the markers.
    **more
        Further attributes of the trace.

    Returns
    -------
    dict
        A plotly trace.
    """
    style = {"color": colour, "size": size, **(marker or {})}
    return {"type": "scatter", "mode": "markers", "x": list(x), "y": list(y), "marker": style, **more}


def interval(
    above: Sequence[float], below: Sequence[float], colour: str, thickness: float, **more: Any
) -> Figure:
    """Error bars.

    Parameters
    ----------
    above, below : sequence of float
        How far they reach above and below each point.
    colour, thickness : str, float
        Colour of the bars, and their thickness in pixels.
    **more
        Further attributes.

    Returns
    -------
    dict
        A plotly error_x or error_y.
    """
    reach = {"array": list(above), "arrayminus": list(below)}
    return {"type": "data", "symmetric": False, **reach, "color": colour, "thickness": thickness, **more}


def upright(
    x: float, colour: str = palette.THRESHOLD, width: float = 1.5, dash: str = "dash", **more: Any
) -> Figure:
    """A line over the whole height of the plot.

    Parameters
    ----------
    x : float
        Where it stands.
    colour, dash : str
        Colour, and plotly's name of the stroke.
    width : float
        Pixels.
    **more
        Further attributes.

    Returns
    -------
    dict
        A plotly shape.
    """
    style = {"color": colour, "width": width, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": style, **more}


def label(x: float, y: float, text: str, colour: str, **more: Any) -> dict[str, Any]:
    """A label beside a line.

    Parameters
    ----------
    x, y : float
        Where it stands, in the units of the axes.
    text, colour : str
        The words and their colour.
    **more
        Further attributes.

    Returns
    -------
    dict
        A plotly annotation.
    """
    letters = {"font": {"color": colour, "size": 12}, "xanchor": "right", "yanchor": "bottom"}
    return {"x": x, "y": y, "text": text, "showarrow": False, **letters, **more}


def note(x: float, y: float, text: str, colour: str, **more: Any) -> dict[str, Any]:
    """A label that is placed by shares of the plot's width and height.

    Parameters
    ----------
    x, y : float
        Shares from the left and from the bottom.
    text, colour : str
        The words and their colour.
    **more
        Further attributes.

    Returns
    -------
    dict
        A plotly annotation.
    """
    return label(x, y, text, colour, xref="paper", yref="paper", **more)


class Chart:
    """A figure in the making: traces, labels and axes in the colours of a light or a dark page.

    A label has the colour of the line that it names, where a colour is given.

    Parameters
    ----------
    height
        Pixels.
    dark
        Whether the page is dark.
    simulated
        Whether "simulated" stands above the right end.
    """

    above: ClassVar[Figure] = {"yshift": 2}
    """How far "simulated" stands above the plot."""

    def __init__(self, height: float, *, dark: bool = False, simulated: bool = False) -> None:
        self.height, self.dark, self.simulated = height, dark, simulated
        self.traces: list[Figure] = []
        self.labels: list[Figure] = []
        self.axes: Figure = {}

    def line(self, x: ArrayLike, y: ArrayLike | Sequence[float | None], colour: str, **look: Any) -> None:
        """Draw a line.

        Parameters
        ----------
        x, y, colour, **look
            As for :func:`line`; coordinates may be arrays.
        """
        self.traces.append(
            line(np.asarray(x).tolist(), np.asarray(y).tolist(), stroke(colour, self.dark), **look)
        )

    def points(self, x: ArrayLike, y: ArrayLike, colour: Any, size: Any = 10, **look: Any) -> None:
        """Draw points.

        Parameters
        ----------
        x, y, colour, size, **look
            As for :func:`points`; coordinates may be arrays.
        """
        colour = stroke(colour, self.dark) if isinstance(colour, str) else colour
        self.traces.append(points(np.asarray(x).tolist(), np.asarray(y).tolist(), colour, size, **look))

    def dot(self, x: float, y: float, colour: str, symbol: str = "circle", **look: Any) -> None:
        """Draw one point, which shows no text when somebody points at it.

        Parameters
        ----------
        x, y, colour, **look
            As for :func:`points`, but single values.
        symbol : str
            Plotly's name of the mark.
        """
        self.points([x], [y], colour, marker={"symbol": symbol}, **{"hoverinfo": "skip", **look})

    def rise(self, x: float, edges: Sequence[float], colour: str, **look: Any) -> None:
        """Draw a line straight up from one height to another.

        Parameters
        ----------
        x, edges : float, sequence of two floats
            Where it stands, and the heights.
        colour, **look
            As for :func:`line`.
        """
        self.traces.append(line([x, x], edges, stroke(colour, self.dark), **look, hoverinfo="skip"))

    def label(self, x: float, y: float, text: str, colour: str = "", **place: Any) -> None:
        """Write beside a line, at x and y of the axes.

        Parameters
        ----------
        x, y, text, **place
            As for :func:`label`.
        colour : str
            Colour of the line that the words name; that of ordinary texts without one.
        """
        self.labels.append(label(x, y, text, ink(colour, self.dark), **place))

    def note(self, x: float, y: float, text: str, colour: str = "", **place: Any) -> None:
        """Write at shares of the plot's width and height.

        Parameters
        ----------
        x, y, text, **place
            As for :func:`note`.
        colour
            As for :meth:`label`.
        """
        self.labels.append(note(x, y, text, ink(colour, self.dark), **place))

    def name(self, name: str, colour: str, y: float, **place: Any) -> None:
        """Write the name of a line or point in its colour, below a height, at the right end.

        Parameters
        ----------
        name, colour : str
            The name, and the colour of what it names.
        y : float
            Share of the plot's height.
        **place
            Further attributes of the annotation.
        """
        self.note(place.pop("x", 1), y, name, colour, yanchor="top", **place)

    def axis(self, name: str, title: str, **look: Any) -> None:
        """Describe an axis ("xaxis", "yaxis", "yaxis2") with a light grid, no frame and a title in words."""
        colour = text_colour(self.dark)
        # Without automargin the figure's margins must fit the labels; with it plotly draws every figure twice.
        self.axes[name] = {
            "title": {"text": title, "font": {"size": 12, "color": colour}},
            "tickfont": {"color": colour, "size": 11},
            "gridcolor": palette.GRID,
            "zeroline": False,
            "showline": False,
            "fixedrange": True,
            "automargin": False,
            "ticklabeloverflow": "allow",
            **look,
        }

    def figure(self, **layout: Any) -> Figure:
        """Return the figure, without frame or legend, on the page's own background; `layout` is what else its layout has."""
        labels = list(self.labels)
        if self.simulated:
            labels.append(note(1, 1, "simulated", text_colour(self.dark), **self.above))
        margin = {"l": 60, "r": 18, "t": 24, "b": 46, **layout.pop("margin", {})}
        clear = {"showlegend": False, "paper_bgcolor": palette.CLEAR, "plot_bgcolor": palette.CLEAR}
        texts = {"font": {"color": text_colour(self.dark)}, "annotations": labels}
        look = {"height": self.height, "margin": margin, **clear, **texts, **self.axes, **layout}
        return {"data": self.traces, "layout": look}


MARKS = {"solid": "━━", "dash": "╌╌", "dot": "┈┈"}
"""How a line looks, before its name."""


def moved_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights of labels, each moved up to at least `gap` above the one below it.

    >>> moved_apart([0.5, 0.0, 0.125], 0.25)
    [0.5, 0.0, 0.25]
    """
    placed = list(heights)
    for below, above in pairwise(sorted(range(len(placed)), key=heights.__getitem__)):
        placed[above] = max(placed[above], placed[below] + gap)
    return placed


def rows_of(**columns: ArrayLike) -> Rows:
    """Turn columns of one length into rows: the numbers of a figure."""
    values = [np.asarray(column).tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def or_none(values: ArrayLike) -> NDArray[np.object_]:
    """Numbers as objects, with None in place of NaN and infinity, which JSON does not have."""
    return np.array([x if np.isfinite(x) else None for x in np.asarray(values).tolist()], dtype=object)


def with_unit(title: str, unit: str) -> str:
    """The title of an axis with the unit that a person named, where there is one."""
    return f"{title} ({plain(unit, 24)})" if unit else title


def plain(name: str, longest: int) -> str:
    """A name, shortened, with the characters escaped that plotly would read as HTML or TeX."""
    short = name if len(name) <= longest else f"{name[: longest - 1]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace("$", "&#36;")
