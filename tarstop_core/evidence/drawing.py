"""What the figures of a review's evidence share.

Studies are grey, what is pooled from them reddish purple, belief blue, the value of more studies green; the
threshold q* is grey and dashed as everywhere, the sensitivity θ to exceed grey and dotted.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

from tarstop_core.presentation.figures import Figure, axis, clear_layout, note, text_colour

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
    return escape(name, quote=False)


def evidence_figure(
    data: list[Figure], height: float, simulated: bool, dark: bool, notes: Sequence[Figure], **more: Any
) -> Figure:
    """Traces in a clear layout, with "simulated" above everything else where the data are.

    Parameters
    ----------
    data
        Plotly traces.
    height
        Height of plot and margins, pixels.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.
    notes
        Annotations.
    **more
        Axes and what else the layout has; ``margin`` changes single margins.

    Returns
    -------
    Figure
        A plotly figure.
    """
    notes, top = list(notes), 42 if simulated else 26
    if simulated:
        notes.append(note(1, 1, "simulated", text_colour(dark), yshift=19))
    margin = {"l": 56, "r": 12, "b": 46, **more.pop("margin", {}), "t": top}
    layout = clear_layout(round(height) + top - 26, margin, annotations=notes, **more)
    return {"data": data, "layout": layout}


def share_axis(title: str, dark: bool, edges: Sequence[float] = (0, 1), **more: Any) -> Figure:
    """An axis of chances or of shares.

    Parameters
    ----------
    title
        What the axis shows.
    dark
        Whether the page is dark.
    edges
        Its ends.
    **more
        Other settings of plotly's axis.

    Returns
    -------
    Figure
        Settings of a plotly axis.
    """
    return axis(title, dark, range=list(edges), tickformat=".1f", dtick=0.2, **more)
