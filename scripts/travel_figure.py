"""The figure of :mod:`scripts.report_travel`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scripts.travel_measured import (
    AWAY,
    COLLECTIONS,
    HOME,
    home_calibrators,
    read_collection,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.figures import wilson
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.topic import Topic
from tarstop_core.presentation.palette import BELIEF, GRID, PLUS, TEXT

Floats = NDArray[np.float64]


# --- the figure ---------------------------------------------------------------------------------

DECADES = 4
FEWEST = 10
SIDE = 300
TOP = 34


def binned(topics: Sequence[Topic], calibrators: Sequence[Calibrator]) -> Floats:
    """Mean chance, share relevant and documents in bins of half a decade, shape (bins, 3)."""
    p = np.concatenate(
        [one.probabilities(topic.scores, len(topic)) for one, topic in zip(calibrators, topics, strict=True)]
    )
    relevant = np.concatenate([topic.labels for topic in topics if topic.labels is not None])
    edges = np.logspace(-DECADES, 0, 2 * DECADES + 1)
    at = np.digitize(p, edges[1:-1])
    inside = [(at == each) & (p >= edges[0]) for each in range(2 * DECADES)]
    return np.array(
        [(p[here].mean(), relevant[here].mean(), here.sum()) for here in inside if here.sum() >= FEWEST]
    )


def reliability_bins(data: Path) -> dict[str, dict[str, Floats]]:
    """Bins of the marginal calibrator by tested collection, at home and away."""
    topics = [read_collection(data, collection) for collection in COLLECTIONS]
    return {
        COLLECTIONS[number].name: {
            HOME: binned(tested, home_calibrators(tested, "marginal")),
            AWAY: binned(tested, [fit(topics[1 - number], kind="marginal")] * len(tested)),
        }
        for number, tested in enumerate(topics)
    }


def reliability_svg(bins: Mapping[str, Mapping[str, Floats]]) -> str:
    """Reliability of the marginal calibrator at home and away, a panel for each collection, as SVG."""
    left, gap = 66, 96
    width, height = left + 2 * SIDE + gap + 26, TOP + SIDE + 52
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="12">',
        "<title>Share found relevant against the chance that was given, marginal calibrator</title>",
    ]
    for number, (tested, series) in enumerate(bins.items()):
        at = left + number * (SIDE + gap)
        parts += _panel(at, f"tested on {tested}")
        parts += _points(at, HOME, 0, BELIEF, series[HOME])
        parts += _points(at, AWAY, 1, PLUS, series[AWAY])
    return "\n".join([*parts, "</svg>", ""])


def _along(value: float) -> float:
    """Where a share lies on the log axis, in pixels from its start; what is too small lies at the start."""
    return SIDE * max(0.0, 1 + float(np.log10(max(value, 1e-9))) / DECADES)


def _panel(at: int, heading: str) -> list[str]:
    bottom, middle = TOP + SIDE, TOP + SIDE // 2
    parts = [f'<text x="{at}" y="{TOP - 12}" fill="{TEXT}" font-weight="bold">{heading}</text>']
    for decade in range(-DECADES, 1):
        along, text = _along(10.0**decade), f"{100 * 10.0**decade:g} %"
        x, y = f"{at + along:.0f}", bottom - along
        parts += [
            f'<path d="M{x} {TOP}V{bottom}M{at} {y:.0f}H{at + SIDE}" stroke="{GRID}"/>',
            f'<text x="{x}" y="{bottom + 16}" fill="{TEXT}" text-anchor="middle">{text}</text>',
            f'<text x="{at - 6}" y="{y + 4:.0f}" fill="{TEXT}" text-anchor="end">{text}</text>',
        ]
    return [
        *parts,
        f'<path d="M{at} {bottom}L{at + SIDE} {TOP}" stroke="{TEXT}" stroke-dasharray="5 4"/>',
        f'<text x="{at + SIDE // 2}" y="{bottom + 38}" fill="{TEXT}" text-anchor="middle">'
        "chance that was given</text>",
        f'<text transform="translate({at - 52} {middle}) rotate(-90)" fill="{TEXT}" text-anchor="middle">'
        "share found relevant</text>",
    ]


def _points(at: int, name: str, place: int, colour: str, bins: Floats) -> list[str]:
    def mark(x: float, y: float) -> str:
        if place == 0:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>'

    legend = TOP + 18 + 18 * place
    parts = [mark(at + 14, legend - 4), f'<text x="{at + 24}" y="{legend}" fill="{colour}">{name}</text>']
    low, high = wilson(bins[:, 1], bins[:, 2])
    for (p, found, _), below, above in zip(bins, low, high, strict=True):
        # The two series stand side by side where their bins coincide.
        x = at + _along(p) + 4 * place - 2
        y, y_low, y_high = (TOP + SIDE - _along(value) for value in (found, below, above))
        parts.append(f'<path d="M{x:.1f} {y_low:.1f}V{y_high:.1f}" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(mark(x, y))
    return parts
