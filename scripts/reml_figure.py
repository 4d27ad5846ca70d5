"""The figure of :mod:`scripts.report_reml`."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scripts.reml_measured import (
    FIRST,
    OUTCOMES,
    Q_STARS,
    STEPS,
    THETA,
    rate,
    settings_of,
)
from tarstop_core.presentation.palette import BELIEF, COST, GRID, MINUS, PLUS, TEXT, TEXTS, THRESHOLD

Floats = NDArray[np.float64]
SHOWN = "CD007394"
COLOURS = {FIRST: BELIEF, OUTCOMES: MINUS}


def steps_of(rows: pd.DataFrame) -> Floats:
    """Mean move of the belief and share of actions changed on each step of the staircase, shape (7, 2)."""
    names = [name for name, _ in STEPS]
    return np.array(
        [
            (float((rows[after] - rows[before]).mean()), rate(rows, before, after))
            for before, after in pairwise(names)
        ]
    )


# --- the figure ---------------------------------------------------------------------------------

SIDE, TOP, LEFT, GAP = 320, 34, 56, 60
HIGH = 336
FULL = 0.05  # share of actions at the end of the right panel's axis, widened where more change


def figure(found: pd.DataFrame) -> str:
    """Beliefs of one review by study, and the staircase, as SVG."""
    width, height = LEFT + 2 * SIDE + GAP + 20, TOP + HIGH + 52
    sets = settings_of(found)
    shown = sets[FIRST][sets[FIRST]["review"] == SHOWN]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="12">',
        "<title>Beliefs by study in one review, and what each change between REML and exact does</title>",
        *_paths(shown),
        *_bars(LEFT + SIDE + GAP, sets),
    ]
    return "\n".join([*parts, "</svg>", ""])


def _paths(rows: pd.DataFrame) -> list[str]:
    bottom, studies = TOP + HIGH, rows["studies"].to_numpy()

    def x(study: float) -> float:
        return LEFT + SIDE * study / float(studies.max())

    def y(b: float) -> float:
        return bottom - HIGH * float(b)

    parts = [
        f'<text x="{LEFT}" y="{TOP - 12}" fill="{TEXT}" font-weight="bold">{SHOWN}, θ = {THETA:g}</text>'
    ]
    for b in (0.0, 0.2, 0.5, 0.8, 1.0):
        style = f'stroke="{THRESHOLD}" stroke-dasharray="5 4"' if b in Q_STARS else f'stroke="{GRID}"'
        parts += [
            f'<path d="M{LEFT} {y(b):.1f}H{LEFT + SIDE}" {style}/>',
            f'<text x="{LEFT - 6}" y="{y(b) + 4:.1f}" fill="{TEXT}" text-anchor="end">{b:g}</text>',
        ]
    parts += [
        f'<text x="{x(study):.1f}" y="{bottom + 16}" fill="{TEXT}" text-anchor="middle">{study}</text>'
        for study in range(0, int(studies.max()) + 1, 10)
    ]
    parts += [
        f'<text x="{LEFT + SIDE // 2}" y="{bottom + 38}" fill="{TEXT}" text-anchor="middle">studies so far</text>',
        f'<text transform="translate({LEFT - 38} {TOP + HIGH // 2}) rotate(-90)" fill="{TEXT}" '
        'text-anchor="middle">belief that pooled sensitivity exceeds θ</text>',
    ]
    series = (
        ("exact", "exact", BELIEF, BELIEF, ""),
        ("reml_single", "REML, “single”", PLUS, PLUS, ""),
        ("reml_all", "REML, “all”", COST, TEXTS[COST][0], ' stroke-dasharray="3 2"'),
    )
    for place, (column, name, colour, text, dashes) in enumerate(series):
        line = "L".join(f"{x(n):.1f} {y(b):.1f}" for n, b in zip(studies, rows[column], strict=True))
        legend = TOP + 18 + 18 * place
        parts += [
            f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
            f'<path d="M{LEFT + 150} {legend - 4}h20" stroke="{colour}" stroke-width="2"{dashes}/>',
            f'<text x="{LEFT + 176}" y="{legend}" fill="{text}">{name}</text>',
        ]
    return parts


def _bars(at: int, sets: Mapping[str, pd.DataFrame]) -> list[str]:
    bottom, room = TOP + HIGH, HIGH / (len(STEPS) - 1)
    shares = {origin: steps_of(rows)[:, 1] for origin, rows in sets.items()}
    full = max(FULL, *(float(each.max()) for each in shares.values()))
    parts = [
        f'<text x="{at}" y="{TOP - 12}" fill="{TEXT}" font-weight="bold">actions turned over by each change</text>'
    ]
    for tick in np.arange(0, full + 1e-9, 0.01):
        x = at + SIDE * tick / full
        parts += [
            f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{GRID}"/>',
            f'<text x="{x:.1f}" y="{bottom + 16}" fill="{TEXT}" text-anchor="middle">{100 * tick:.0f} %</text>',
        ]
    for step, (_, label) in enumerate(STEPS[1:]):
        top = TOP + room * step
        parts.append(f'<text x="{at + 4}" y="{top + 17:.1f}" fill="{TEXT}">{label}</text>')
        for place, (origin, colour) in enumerate(COLOURS.items()):
            y, long = top + 22 + 9 * place, SIDE * shares[origin][step] / full
            parts.append(f'<rect x="{at}" y="{y:.1f}" width="{long:.1f}" height="8" fill="{colour}"/>')
    for place, (origin, colour) in enumerate(COLOURS.items()):
        x = at + 110 * place
        parts += [
            f'<rect x="{x}" y="{bottom + 29}" width="10" height="10" fill="{colour}"/>',
            f'<text x="{x + 16}" y="{bottom + 38}" fill="{TEXT}">{origin}</text>',
        ]
    return parts
