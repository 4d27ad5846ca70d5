"""The PRISMA 2020 flow diagram of a session, as SVG and as the rows of a table.

Page and others (2021), doi 10.1136/bmj.n71: three phases from top to bottom, what goes on at the left, what leaves
at the right. A session has one box that the template has not: records left unread, and why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from tarstop_core.presentation import palette
from tarstop_core.presentation.svg import drawing, text, wrapped
from tarstop_core.sessions.prisma import Prisma

LINE, PAD, GAP = 18, 12, 28
PHASE, BOX, BETWEEN = 34, 330, 46
LEAST = 104.0  # of a step that has a phase to itself: its name stands upright beside it
COLUMNS = 42
WIDTH = PHASE + 16 + 2 * BOX + BETWEEN + 2


@dataclass(frozen=True)
class Colours:
    """Of a diagram: lines and texts, inside of the boxes, the bars that name a phase."""

    ink: str
    box: str
    phase: str


LIGHT = Colours(palette.INK, palette.BOX_FILL, palette.PHASE_BAR)
DARK = Colours(palette.INK_ON_DARK, palette.BOX_FILL_ON_DARK, palette.PHASE_BAR_ON_DARK)
# Of a page that sets the colour of its texts itself.
INHERITED = Colours(ink="currentColor", box="none", phase=palette.PHASE_BAR_ON_ANY)


@dataclass(frozen=True)
class _Step:
    phase: str
    left: Sequence[tuple[str, int]]
    right: Sequence[Sequence[tuple[str, int]]] = field(default=())
    heading: str = ""


def flow_diagram(counts: Prisma, colours: Colours = LIGHT) -> str:
    """The diagram as SVG."""
    parts: list[str] = []
    phases: dict[str, list[float]] = {}
    y, left_x = 2.0, PHASE + 16
    right_x = left_x + BOX + BETWEEN
    arrow_from: float | None = None
    for step in _steps(counts):
        rights = [_lines(each) for each in step.right]
        left = _lines(step.left, step.heading)
        tall = sum(_height(lines) for lines in rights) + 10 * max(0, len(rights) - 1)
        height = max(_height(left), tall, LEAST if step.phase != "Screening" else 0.0)
        own = height if len(rights) < 2 else _height(left)
        if arrow_from is not None:
            parts.append(_arrow(left_x + BOX / 2, arrow_from, left_x + BOX / 2, y, colours.ink))
        parts.append(_box(left_x, y, own, left, colours))
        right_y = y
        for lines in rights:
            parts.append(_box(right_x, right_y, _height(lines), lines, colours))
            middle = min(right_y + _height(lines) / 2, y + own - 8) if len(rights) < 2 else right_y + LINE
            # Below the box, beside the line that goes down: what leaves there leaves the same step.
            start = left_x + (BOX if middle <= y + own else BOX / 2)
            parts.append(_arrow(start, middle, right_x, middle, colours.ink))
            right_y += _height(lines) + 10
        arrow_from = y + own
        phases.setdefault(step.phase, [y, 0.0])[1] = y + height
        y += height + GAP
    for name, (top, bottom) in phases.items():
        middle = (top + bottom) / 2
        parts.append(
            f'<rect x="1" y="{top:.1f}" width="{PHASE}" height="{bottom - top:.1f}" rx="6" fill="{colours.phase}"/>'
            f'<g transform="rotate(-90 {PHASE / 2 + 5:.1f} {middle:.1f})">'
            + text(PHASE / 2 + 5, middle, name, anchor="middle", colour=colours.ink)
            + "</g>"
        )
    says = "; ".join(f"{name} {count:,}" for name, count in counts.rows())
    return drawing(WIDTH, y - GAP + 2, parts, f"PRISMA 2020 flow diagram: {says}")


def _steps(counts: Prisma) -> list[_Step]:
    excluded = [
        ("Records excluded", counts.excluded),
        *((f"· {reason}", count) for reason, count in counts.excluded_for),
        *_any(("Records still unsure", counts.unsure)),
    ]
    steps = [
        _Step("Identification", counts.identified, (counts.removed,), "Records identified from"),
        _Step("Screening", [("Records screened", counts.screened)], ([counts.unread], excluded)),
    ]
    if not counts.full_text:
        return [*steps, _Step("Included", counts.found)]
    waiting = _any(("Reports not assessed yet", counts.waiting))
    retrieval = [("Reports not retrieved", counts.not_retrieved), *waiting]
    reasons = [(f"Excluded: {reason}", count) for reason, count in counts.excluded_full]
    included = [
        ("Studies included", counts.studies),
        ("· with extractable data", counts.with_data),
        ("· without extractable data", counts.studies - counts.with_data),
        ("Reports of included studies", counts.reports),
    ]
    return [
        *steps,
        _Step("Screening", [("Reports sought for retrieval", counts.sought)], (retrieval,)),
        _Step(
            "Screening",
            [("Reports assessed for eligibility", counts.assessed)],
            (reasons or [("Reports excluded", 0)],),
        ),
        _Step("Included", included),
    ]


def _any(*rows: tuple[str, int]) -> list[tuple[str, int]]:
    """Those that hold something."""
    return [row for row in rows if row[1]]


def _lines(entries: Sequence[tuple[str, int]], heading: str = "") -> list[str]:
    lines = [heading] if heading else []
    for name, count in entries:
        lines += wrapped(f"{name} (n = {count:,})".replace("(n = ", "(n\xa0=\xa0"), COLUMNS)
    return lines


def _height(lines: Sequence[str]) -> float:
    return LINE * len(lines) + 2 * PAD - 4


def _box(x: float, y: float, height: float, lines: Sequence[str], colours: Colours) -> str:
    frame = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{height:.1f}" rx="4" '
        f'fill="{escape(colours.box)}" stroke="{colours.ink}"/>'
    )
    first = y + (height - LINE * len(lines)) / 2 + 14
    return frame + "".join(
        text(x + PAD, first + LINE * i, line, colour=colours.ink) for i, line in enumerate(lines)
    )


def _arrow(x1: float, y1: float, x2: float, y2: float, ink: str) -> str:
    corners = [(0, 0), (-4, -7), (4, -7)] if x1 == x2 else [(0, 0), (-7, -4), (-7, 4)]
    head = " ".join(f"{x2 + right:.1f},{y2 + down:.1f}" for right, down in corners)
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ink}"/>'
        f'<polygon points="{head}" fill="{ink}"/>'
    )
