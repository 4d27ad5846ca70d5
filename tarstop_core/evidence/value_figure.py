"""What more studies would be worth."""

from __future__ import annotations

from tarstop_core.evidence.drawing import evidence_layout, told_points
from tarstop_core.evidence.summary import AHEAD, Evidence
from tarstop_core.presentation.figures import Figure, axis, ink, label, line
from tarstop_core.presentation.palette import VALUE


def value_of_more(
    evidence: Evidence, q_star: float, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """EVSI of 1 to 100 more studies like these against what certainty would be worth (K = 1)."""
    more = evidence.more_studies(q_star)
    data: list[Figure] = []
    notes = []
    top = 0.01
    if more is not None:
        top = 1.25 * max(more.evpi, 1e-6)
        green = ink(VALUE, dark)
        data.append(line([1, AHEAD[-1]], [more.evpi] * 2, VALUE, dash="dash", hoverinfo="skip"))
        data.append(line(more.k.tolist(), more.evsi.tolist(), VALUE, width=3, hoverinfo="skip"))
        one = [float(more.evsi[0])]
        data.append(told_points([1], one, ["the next study"], VALUE, 10, cliponaxis=False))
        notes = [
            label(0, more.evpi, "certainty", green, xanchor="left"),
            label(2, float(more.evsi[-1]), "more studies", green, yshift=4),
        ]
    layout = evidence_layout(
        330,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis(
            "more studies like these",
            dark,
            type="log",
            range=[-0.06, 2.02],
            tickvals=[1, 2, 5, 10, 20, 50, 100],
        ),
        yaxis=axis("worth (both mistakes together cost 1)", dark, range=[0, top], nticks=5),
        margin={"l": 66},
    )
    return {"data": data, "layout": layout}
