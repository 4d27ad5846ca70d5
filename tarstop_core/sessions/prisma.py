"""The PRISMA 2020 flow diagram of a session: its numbers, and the drawing as SVG.

Page and others (2021), doi 10.1136/bmj.n71. PRISMA assumes that all records are screened. Here an additional box shows
the records left unscreened, and why screening stopped before them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from textwrap import shorten
from typing import Any

from tarstop_core.documents.reports import Report
from tarstop_core.presentation import palette
from tarstop_core.presentation.pictures import drawing, text, wrapped
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSURE
from tarstop_core.screening.state import State
from tarstop_core.sessions import message

LEFT_OUT = "Records set aside before screening: too late, or the application's family"
NO_REASON = "no reason recorded"
LONGEST_REASON = 120
FAMILIES = "Records represented by another member of their patent family"


@dataclass(frozen=True)
class Prisma:
    """Counts of a flow diagram, from top to bottom."""

    identified: tuple[tuple[str, int], ...]  # Records by source
    duplicates: int  # Records removed before screening
    screened: int  # Records read by title and abstract
    excluded: int
    unsure: int
    unscreened: int  # Records left because screening stopped
    sought: int  # Reports wanted in full
    not_retrieved: int = 0
    waiting: int = 0  # Reports not read yet
    assessed: int = 0  # Reports read in full
    excluded_full: tuple[tuple[str, int], ...] = ()  # Reports by reason, the most frequent first
    studies: int = 0  # Studies included: eligible, with extractable data or without
    with_data: int = 0  # Studies among them that bring data
    reports: int = 0  # Reports of included studies
    left_out: int = 0
    """Records that were set aside unread, because they cannot be prior art against the application of a patent session."""
    excluded_for: tuple[tuple[str, int], ...] = ()
    """Excluded records by reason, the most frequent first, then those without a reason; empty if no reason was given."""
    graded: tuple[tuple[str, int], ...] = ()
    """For patents: the screened records graded Y and A, if any."""
    families: int = 0  # Records left out of the list because another member of their patent family is on it
    full_text: bool = True  # Whether reports are read in full
    by_abstract: bool = False  # If not: whether the finds are to be read in full elsewhere
    unscreened_because: str = "Records not screened"  # Label of the box of records left, with the reason
    apart: tuple[tuple[str, int], ...] = ()
    """With several readers: rows on records that they judged independently, disagreed on and resolved."""

    @property
    def open(self) -> tuple[str, int]:
        """The box of screened records whose verdict is not settled yet."""
        return "Records to be resolved" if self.apart else "Records still unsure", self.unsure

    @property
    def removed(self) -> list[tuple[str, int]]:
        """Boxes of records removed before screening."""
        others = ((LEFT_OUT, self.left_out), (FAMILIES, self.families))
        duplicates = ("Duplicate records removed before screening", self.duplicates)
        return [duplicates, *(row for row in others if row[1])]

    @property
    def unread(self) -> tuple[str, int]:
        """The box of unread records, with the reason."""
        return self.unscreened_because, self.unscreened

    @property
    def finds(self) -> list[tuple[str, int]]:
        """Boxes of the finds if no report is read in full; in patents by grade, if grades other than X were given."""
        name = "Relevant documents (X)" if self.graded else "Relevant documents"
        name = "Reports sought for retrieval" if self.by_abstract else name
        return [(name, self.sought), *((f"Documents graded {grade}", count) for grade, count in self.graded)]

    def rows(self) -> list[tuple[str, int]]:
        """All boxes with their numbers, in order, for a table."""
        of_abstracts = [
            *((f"Records identified: {source}", count) for source, count in self.identified),
            *self.removed,
            ("Records screened", self.screened),
            ("Records excluded", self.excluded),
            *((f"Records excluded: {reason}", count) for reason, count in self.excluded_for),
            self.open,
            *self.apart,
            self.unread,
        ]
        if not self.full_text:
            return [*of_abstracts, *self.finds]
        return [
            *of_abstracts,
            ("Reports sought for retrieval", self.sought),
            ("Reports not retrieved", self.not_retrieved),
            ("Reports not assessed yet", self.waiting),
            ("Reports assessed for eligibility", self.assessed),
            *((f"Reports excluded: {reason}", count) for reason, count in self.excluded_full),
            ("Studies included", self.studies),
            ("Included studies with extractable data", self.with_data),
            ("Included studies without extractable data", self.studies - self.with_data),
            ("Reports of included studies", self.reports),
        ]


def origin(file: Mapping[str, Any]) -> str:
    """The source of a file's records: the database that a person named, otherwise the file."""
    return str(file.get("database") or file["source"])


def _unscreened_because(state: State) -> str:
    """Name of the box of unread records: what the advice was when screening stopped, and any reason for not following it."""
    decision = state.decision
    reason = "" if decision is None else shorten(decision.basis.reason, LONGEST_REASON, placeholder=" …")
    return message(
        "unscreened",
        stopped=state.stopped,
        advice=state.advice_at_stop,
        decided=decision is not None,
        reason=reason,
    )


def prisma(
    files: Sequence[Mapping[str, Any]], duplicates: int, state: State, left_out: int = 0, families: int = 0
) -> Prisma:
    """Count the records and reports of a session.

    In a patent session no full text is read: documents graded X are the included ones, and those graded Y and A are
    counted separately.

    Parameters
    ----------
    files
        Descriptions of the files that were imported, with `source`, `records` and perhaps `database`.
    duplicates
        Records that were merged into others.
    state
        State of the session.
    left_out
        Records that were set aside unread.
    families
        Records left out of the list because another member of their patent family is on it.

    Returns
    -------
    Prisma
        Counts of the diagram.
    """
    labels, n = state.labels, len(state.labels)
    included = int((labels == RELEVANT).sum())
    excluded = int((labels == IRRELEVANT).sum())
    graded = (("in combination (Y)", len(state.combination)), ("background (A)", len(state.background)))
    by_origin: Counter[str] = Counter()
    for file in files:
        by_origin[origin(file)] += int(file["records"])
    identified = tuple(by_origin.items()) or (("the collection", n + duplicates + left_out + families),)
    reasons = Counter(reason for at, reason in state.excluded_for.items() if labels[at] == IRRELEVANT)
    rest = excluded - reasons.total()
    of_abstracts = Prisma(
        identified=identified,
        duplicates=duplicates,
        screened=state.depth,
        excluded=excluded,
        unsure=int((labels == UNSURE).sum()),
        unscreened=n - state.depth,
        sought=included,
        assessed=included,
        reports=included,
        studies=included,
        left_out=left_out,
        families=families,
        excluded_for=(*_by_frequency(reasons), *([(NO_REASON, rest)] if reasons and rest else [])),
        graded=tuple((name, count) for name, count in graded if count),
        full_text=state.settings.reads_full_texts,
        by_abstract=state.settings.judges_abstracts,
        unscreened_because=_unscreened_because(state),
    )
    if not of_abstracts.full_text:
        return of_abstracts
    reports = list(state.read_in_full.values())
    outcomes = Counter(report.outcome for report in reports)
    of_full_texts = Counter(report.reason.strip() for report in reports if report.outcome == "excluded")
    with_data = [report for report in reports if report.outcome == "data"]
    eligible = [*with_data, *(report for report in reports if report.outcome == "no data")]
    return replace(
        of_abstracts,
        not_retrieved=outcomes["not retrieved"],
        waiting=len(state.waiting),
        assessed=sum(report.was_read for report in reports),
        excluded_full=_by_frequency(of_full_texts),
        studies=_studies(eligible),
        with_data=_studies(with_data),
        reports=len(eligible),
    )


def _studies(reports: Sequence[Report]) -> int:
    """Number of studies: reports that name the same study share it, and a report that names none is a study of its own."""
    names = [(report.study or "".join(row.study for row in report.rows[:1])).strip() for report in reports]
    return len({name.casefold() for name in names if name}) + names.count("")


def _by_frequency(reasons: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Reasons with their counts, the most frequent first."""
    return tuple(sorted(reasons.items(), key=lambda row: (-row[1], row[0])))


# Lengths in the drawing, in pixels.
LINE, PAD, GAP = 18, 12, 28  # height of a line, space around the text of a box, space between two steps
PHASE, BOX, BETWEEN = 34, 330, 46  # widths of a phase's bar and of a box, space between two boxes
LEAST = 104.0  # least height of a step with a phase of its own, whose name is written vertically next to it
COLUMNS = 42  # most characters in a line of a box
WIDTH = PHASE + 16 + 2 * BOX + BETWEEN + 2


@dataclass(frozen=True)
class Colours:
    """Colours of a diagram: lines and texts, inside of the boxes, the bars that name a phase."""

    ink: str
    box: str
    phase: str


LIGHT = Colours(palette.INK, palette.BOX_FILL, palette.PHASE_BAR)
DARK = Colours(palette.INK_ON_DARK, palette.BOX_FILL_ON_DARK, palette.PHASE_BAR_ON_DARK)
# For a page that sets the colour of its texts itself.
INHERITED = Colours(ink="currentColor", box="none", phase=palette.PHASE_BAR_ON_ANY)


@dataclass(frozen=True)
class Line:
    """A line of text in the diagram: it begins at `x` on the base line `y`, or runs upwards with its middle there."""

    x: float
    y: float
    words: str
    upwards: bool = False

    def svg(self, ink: str) -> str:
        """The line as an element of SVG."""
        if not self.upwards:
            return text(self.x, self.y, self.words, colour=ink)
        across = self.x + 4
        turned = text(across, self.y, self.words, anchor="middle", colour=ink)
        return f'<g transform="rotate(-90 {across:.1f} {self.y:.1f})">{turned}</g>'


@dataclass(frozen=True)
class _Step:
    """A row of the diagram: a box on the left, and boxes on the right for what leaves there."""

    phase: str
    left: Sequence[tuple[str, int]]
    right: Sequence[Sequence[tuple[str, int]]] = field(default=())
    heading: str = ""  # First line of the left box


def flow_diagram(counts: Prisma, colours: Colours = LIGHT) -> str:
    """The flow diagram as SVG."""
    shapes, lines, height = _drawn(counts, colours)
    says = "; ".join(f"{name} {count:,}" for name, count in counts.rows())
    drawn = [*shapes, *(line.svg(colours.ink) for line in lines)]
    return drawing(WIDTH, height, drawn, f"PRISMA 2020 flow diagram: {says}")


def flow_picture(counts: Prisma, colours: Colours = LIGHT) -> tuple[str, list[Line], float]:
    """The flow diagram as SVG without its texts, the texts for a page to write in its own typeface, and the height."""
    shapes, lines, height = _drawn(counts, colours)
    return drawing(WIDTH, height, shapes, "PRISMA 2020 flow diagram"), lines, height


def _drawn(counts: Prisma, colours: Colours) -> tuple[list[str], list[Line], float]:
    """Shapes and texts of the diagram, and its height."""
    parts: list[str] = []
    texts: list[Line] = []
    phases: dict[str, list[float]] = {}
    y, left_x = 2.0, PHASE + 16
    right_x = left_x + BOX + BETWEEN
    arrow_from: float | None = None
    for step in _steps(counts):
        rights = [_lines(box) for box in step.right]
        left = _lines(step.left, step.heading)
        tall = sum(_height(lines) for lines in rights) + 10 * max(0, len(rights) - 1)
        height = max(_height(left), tall, LEAST if step.phase != "Screening" else 0.0)
        own = height if len(rights) < 2 else _height(left)
        if arrow_from is not None:
            parts.append(_arrow(left_x + BOX / 2, arrow_from, left_x + BOX / 2, y, colours.ink))
        parts.append(_box(left_x, y, own, colours))
        texts += _written(left_x, y, own, left)
        right_y = y
        for lines in rights:
            parts.append(_box(right_x, right_y, _height(lines), colours))
            texts += _written(right_x, right_y, _height(lines), lines)
            middle = min(right_y + _height(lines) / 2, y + own - 8) if len(rights) < 2 else right_y + LINE
            # Below the box, next to the line that goes down, because these records leave at the same step.
            start = left_x + (BOX if middle <= y + own else BOX / 2)
            parts.append(_arrow(start, middle, right_x, middle, colours.ink))
            right_y += _height(lines) + 10
        arrow_from = y + own
        phases.setdefault(step.phase, [y, 0.0])[1] = y + height
        y += height + GAP
    for name, (top, bottom) in phases.items():
        parts.append(
            f'<rect x="1" y="{top:.1f}" width="{PHASE}" height="{bottom - top:.1f}" rx="6" fill="{colours.phase}"/>'
        )
        texts.append(Line(PHASE / 2 + 1, (top + bottom) / 2, name, upwards=True))
    return parts, texts, y - GAP + 2


def _steps(counts: Prisma) -> list[_Step]:
    excluded = [
        ("Records excluded", counts.excluded),
        *((f"· {reason}", count) for reason, count in counts.excluded_for),
        *_any(counts.open),
    ]
    steps = [
        _Step("Identification", counts.identified, (counts.removed,), "Records identified from"),
        _Step(
            "Screening", [("Records screened", counts.screened), *counts.apart], ([counts.unread], excluded)
        ),
    ]
    if not counts.full_text:
        return [*steps, _Step("Screening" if counts.by_abstract else "Included", counts.finds)]
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
    """Rows whose number is not 0."""
    return [row for row in rows if row[1]]


def _lines(entries: Sequence[tuple[str, int]], heading: str = "") -> list[str]:
    """Text of a box, wrapped into lines."""
    lines = [heading] if heading else []
    for name, count in entries:
        lines += wrapped(f"{name} (n = {count:,})".replace("(n = ", "(n\xa0=\xa0"), COLUMNS)
    return lines


def _height(lines: Sequence[str]) -> float:
    return LINE * len(lines) + 2 * PAD - 4


def _box(x: float, y: float, height: float, colours: Colours) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{height:.1f}" rx="4" '
        f'fill="{escape(colours.box)}" stroke="{colours.ink}"/>'
    )


def _written(x: float, y: float, height: float, lines: Sequence[str]) -> list[Line]:
    """The lines of a box, in its middle."""
    first = y + (height - LINE * len(lines)) / 2 + 14
    return [Line(x + PAD, first + LINE * i, line) for i, line in enumerate(lines)]


def _arrow(x1: float, y1: float, x2: float, y2: float, ink: str) -> str:
    corners = [(0, 0), (-4, -7), (4, -7)] if x1 == x2 else [(0, 0), (-7, -4), (-7, 4)]
    head = " ".join(f"{x2 + right:.1f},{y2 + down:.1f}" for right, down in corners)
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ink}"/>'
        f'<polygon points="{head}" fill="{ink}"/>'
    )
