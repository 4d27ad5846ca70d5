"""Reports that several readers each read in full alone: their differences, entry by entry, and the report that counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from tarstop_core.documents.reports import Report, StudyRow
from tarstop_core.screening.log import Event

RESOLVED_REPORT = "resolved_report"
Value = str | float | None


class EntryPlace(NamedTuple):
    """The place of an entry in a report."""

    table: int
    """Number of the table in the report, from 1 on; 0 for the whole report."""
    name: str
    """Name of a field of the report, or of a column of the table."""


@dataclass(frozen=True)
class ComparedEntry:
    """The entry of each reader at one place of a report; None if a reader has none there."""

    place: EntryPlace
    values: tuple[Value, ...]

    @property
    def differ(self) -> bool:
        """Whether readers disagree there; capitals and spaces make no difference."""
        return len({_plain(value) for value in self.values}) > 1


@dataclass(frozen=True)
class ReadApart:
    """A report that all who have to read it have read, with their entries."""

    doc: str
    reports: Mapping[str, Report]
    """Entry of each reader."""
    resolution: Event | None = None
    """The event that resolved a difference."""

    @cached_property
    def compared(self) -> list[ComparedEntry]:
        """All places of the report, with the entry of every reader."""
        return compare([*self.reports.values()])

    @property
    def differ(self) -> bool:
        """Whether readers differ, resolved or not."""
        return any(entry.differ for entry in self.compared)

    @property
    def counted(self) -> Report | None:
        """The report that counts; None while a difference is not resolved."""
        if self.resolution is not None:
            return Report.from_dict(self.resolution.payload)
        return None if self.differ else next(iter(self.reports.values()))


class ReportsApart:
    """Entries of several readers who each read reports in full alone, updated event by event."""

    def __init__(self) -> None:
        self.read: dict[str, ReadApart] = {}
        """Reports that all have read, by document, in the order in which this happened."""
        self.first: dict[str, dict[str, Report]] = {}
        """Each reader's entry on a report at the moment when all had read it for the first time, by document."""
        self._entries: dict[str, dict[str, Report]] = {}
        self._resolved: dict[str, Event] = {}

    def take(self, event: Event) -> None:
        """Apply the entry of a reader, or the resolution of a difference."""
        doc = str(event.payload["doc"])
        if event.kind == RESOLVED_REPORT:
            self._resolved[doc] = event
        else:
            self._entries.setdefault(doc, {})[event.reviewer] = Report.from_dict(event.payload)

    def rename(self, renamed: Mapping[str, str]) -> None:
        """Rename reasons in all entries, by their old names."""
        for reports in self._entries.values():
            for name, report in reports.items():
                reports[name] = replace(report, reason=renamed.get(report.reason, report.reason))

    def counted(self, doc: str, readers: Sequence[str]) -> Report | None:
        """The report that counts for a document; None until all these readers have read it, and while they differ.

        It must be called after every new entry on the document, because it updates :attr:`read` and :attr:`first`.
        """
        reports = self._entries.get(doc, {})
        if any(name not in reports or reports[name].outcome == "waiting" for name in readers):
            self.read.pop(doc, None)
            return None
        wanted = {name: reports[name] for name in readers}
        self.first.setdefault(doc, wanted)
        self.read[doc] = ReadApart(doc, wanted, self._resolved.get(doc))
        return self.read[doc].counted

    @property
    def docs(self) -> list[str]:
        """Documents on whose report some reader has an entry."""
        return [*self._entries]

    def of(self, reader: str) -> dict[str, Report]:
        """Entries of one reader, by document."""
        return {doc: reports[reader] for doc, reports in self._entries.items() if reader in reports}


def compare(reports: Sequence[Report]) -> list[ComparedEntry]:
    """Entries of several readers on one report, place by place.

    If all readers named the parts of the study alike, tables of the same part are compared; otherwise tables are compared
    in their order.

    Examples
    --------
    >>> from tarstop_core.documents.reports import AccuracyRow
    >>> rita = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 2, 30),))
    >>> sam = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 3, 30),))
    >>> [(entry.place.name, entry.values) for entry in compare([rita, sam]) if entry.differ]
    [('FN', (2, 3))]
    """
    parts = [sorted(_part(report, row) for row in report.rows) for report in reports]
    alike = all(names == parts[0] for names in parts)
    contents = [_contents(report, by_part=alike) for report in reports]
    places = sorted({place: None for content in contents for place in content}, key=lambda place: place.table)
    return [ComparedEntry(place, tuple(content.get(place) for content in contents)) for place in places]


def _contents(report: Report, *, by_part: bool) -> dict[EntryPlace, Value]:
    """All entries on a report by their place; with `by_part`, tables are sorted by the part of the study."""
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


def _part(report: Report, row: StudyRow) -> str:
    """Part of the study that a table is about: its name without that of the study."""
    return str(_plain(row.study.removeprefix(report.study)))


def _plain(value: Value) -> Value:
    """An entry without differences of case and spaces."""
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
