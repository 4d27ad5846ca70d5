"""What was found, document by document, and how much there probably is in all."""

import numpy as np
from numpy.typing import NDArray

from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.palette import BLUE, GRID, PAPER, PAPER_ON_DARK, THRESHOLD, VALUE, VALUE_AREA

HEIGHT = 300
LEAST_WIDE, LEAST_HIGH = 10, 5  # Documents read, and relevant ones, on the axes at least


def found_curve(
    relevant: NDArray[np.bool_],
    left: tuple[float, float, float] | None,
    *,
    plan: int,
    dark: bool = False,
) -> fig.Figure:
    """Draw the relevant documents found among those read, and the number that the list probably holds.

    Parameters
    ----------
    relevant : ndarray of bool, shape (d,)
        Which of the documents read are relevant, in the order of reading.
    left : (float, float, float) or None
        Relevant documents probably still unread, expected and the ends of an interval; None where it is too early to say.
    plan : int
        The depth at which the rule would stop if nothing more turned up.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    depth = len(relevant)
    total_found = np.append(0, np.cumsum(relevant))
    at, end = fig.thinned(depth + 1, depth), float(max(plan, depth, LEAST_WIDE))
    data, notes, most = [], [], float(max(total_found[-1], LEAST_HIGH))
    if left is not None:
        mean, low, high = (float(total_found[-1] + unread) for unread in left)
        most = max(most, high)
        band = fig.line([0, 0, end, end], [low, high, high, low], GRID, width=0)
        data += [band | {"fill": "toself", "fillcolor": VALUE_AREA}]
        data += [fig.line([0.0, end], [mean, mean], VALUE, dash="dash")]
        paper = PAPER_ON_DARK if dark else PAPER
        words = f"probably {mean:,.0f} in all"
        ink = fig.ink(VALUE, dark)
        notes.append(
            fig.label(0.0, mean, words, ink, xanchor="left", yanchor="bottom", bgcolor=paper, yshift=3)
        )
    curve = fig.line(at.astype(float).tolist(), total_found[at].astype(float).tolist(), BLUE, width=3)
    curve["line"]["shape"] = "hv"
    data += [curve, fig.points([depth], [int(total_found[-1])], BLUE)]
    layout = fig.clear_layout(
        HEIGHT,
        {"l": 56, "r": 8, "t": 8, "b": 36},
        xaxis=fig.axis("documents read", dark, range=[0.0, end]),
        yaxis=fig.axis("relevant found", dark, range=[0.0, 1.12 * most], nticks=5),
        annotations=notes,
    )
    if plan > depth:
        layout["shapes"] = [fig.upright(float(plan), THRESHOLD, width=1, dash="dot")]
    return {"data": [trace | {"hoverinfo": "skip"} for trace in data], "layout": layout}
