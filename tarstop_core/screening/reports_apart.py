"""Reports that several readers read in full on their own: their differences, number by number, and what counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from tarstop_core.documents.reports import EffectRow, Report, Row
from tarstop_core.screening.log import Event

RESOLVED_REPORT = "resolved_report"
Value = str | float | None


class EntryPlace(NamedTuple):
    """The place of an entry in a report."""

    table: int
    """From 1 on; 0 for the whole report."""
    name: str
    """Name of a field of the report or of a column of its table."""


@dataclass(frozen=True)
class ComparedEntry:
    """The entry of each reader at one place of a report; None without one."""

    place: EntryPlace
    values: tuple[Value, ...]

    @property
    def differ(self) -> bool:
        """Whether readers disagree there; capitals and spaces make no difference."""
        return len({_plain(value) for value in self.values}) > 1


@dataclass(frozen=True)
class ReadApart:
    """A report that all its readers have read, with what each of them entered."""

    doc: str
    reports: Mapping[str, Report]
    """By reader."""
    resolution: Event | None = None

    @cached_property
    def compared(self) -> list[ComparedEntry]:
        """Everything that was entered, place by place, with the entry of every reader."""
        return compare([*self.reports.values()])

    @property
    def differ(self) -> bool:
        """Whether readers differ, resolved or not."""
        return any(each.differ for each in self.compared)

    @property
    def counted(self) -> Report | None:
        """The report that counts; None while readers differ."""
        if self.resolution is not None:
            return Report.from_dict(self.resolution.payload)
        return None if self.differ else next(iter(self.reports.values()))


class ReportsApart:
    """What several readers entered about reports in full text, updated event by event."""

    def __init__(self) -> None:
        self.read: dict[str, ReadApart] = {}
        """Reports that all have read, by document, in the order in which that happened."""
        self.first: dict[str, dict[str, Report]] = {}
        """By document: each reader's report at the moment when all had read it for the first time."""
        self._said: dict[str, dict[str, Report]] = {}
        self._resolved: dict[str, Event] = {}

    def take(self, event: Event) -> None:
        """Apply a reader's report, or the resolution of a difference."""
        doc = str(event.payload["doc"])
        if event.kind == RESOLVED_REPORT:
            self._resolved[doc] = event
        else:
            self._said.setdefault(doc, {})[event.reviewer] = Report.from_dict(event.payload)

    def rename(self, renamed: Mapping[str, str]) -> None:
        """Rename reasons wherever they were given."""
        for reports in self._said.values():
            for name, report in reports.items():
                reports[name] = replace(report, reason=renamed.get(report.reason, report.reason))

    def counted(self, doc: str, readers: Sequence[str]) -> Report | None:
        """Return the report that counts for a document after a new entry; None before all these readers have read it, and while they differ."""
        reports = self._said.get(doc, {})
        if any(name not in reports or reports[name].outcome == "waiting" for name in readers):
            self.read.pop(doc, None)
            return None
        wanted = {name: reports[name] for name in readers}
        self.first.setdefault(doc, wanted)
        self.read[doc] = ReadApart(doc, wanted, self._resolved.get(doc))
        return self.read[doc].counted

    @property
    def docs(self) -> list[str]:
        """Documents with an entry of any reader."""
        return [*self._said]

    def of(self, reader: str) -> dict[str, Report]:
        """What a reader entered about each report, by document."""
        return {doc: said[reader] for doc, said in self._said.items() if reader in said}


def compare(reports: Sequence[Report]) -> list[ComparedEntry]:
    """Compare reports on one document place by place.

    Several tables of a report are those of one part of the study where all reports call the parts alike, else they are
    compared in their order.

    Examples
    --------
    >>> rita = Report("data", study="Lee 2004", rows=(Row("Lee 2004", 9, 1, 2, 30),))
    >>> sam = Report("data", study="Lee 2004", rows=(Row("Lee 2004", 9, 1, 3, 30),))
    >>> [(each.place.name, each.values) for each in compare([rita, sam]) if each.differ]
    [('FN', (2, 3))]
    """
    parts = [sorted(_part(report, row) for row in report.rows) for report in reports]
    alike = all(each == parts[0] for each in parts)
    contents = [_contents(report, by_part=alike) for report in reports]
    places = sorted({place: None for content in contents for place in content}, key=lambda place: place.table)
    return [ComparedEntry(place, tuple(content.get(place) for content in contents)) for place in places]


def _contents(report: Report, *, by_part: bool) -> dict[EntryPlace, Value]:
    content: dict[EntryPlace, Value] = {EntryPlace(0, "outcome"): report.outcome}
    if report.outcome == "excluded":
        content[EntryPlace(0, "reason")] = report.reason
    if report.outcome in ("data", "no data"):
        content[EntryPlace(0, "study")] = report.study
    rows = sorted(report.rows, key=lambda row: _part(report, row)) if by_part else report.rows
    for table, row in enumerate(rows, start=1):
        if not by_part:
            content[EntryPlace(table, "part")] = _part(report, row)
        content |= {EntryPlace(table, name): number for name, number in row.numbers.items()}
        if row.bias:
            content[EntryPlace(table, "bias")] = row.bias.value
    return content


def _part(report: Report, row: Row | EffectRow) -> str:
    """What a table is about, apart from the name of the study."""
    return str(_plain(row.study.removeprefix(report.study)))


def _plain(value: Value) -> Value:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
