"""Several readers of one list: their verdicts, what each may see, and what counts.

The log of such a session contains the verdicts of all readers. Three views of it have the form of a single reader's log:

- :attr:`SeveralReaders.common` is what counts: advice, report, exports and learning use it. A document is read once all
  who have to judge it have done so. It is unsure while they differ, and then has the verdict of whoever resolved that.
- :meth:`SeveralReaders.own` is what one reader works on, without anything that others entered.
- :attr:`SeveralReaders.visible` is what every reader may see: verdicts and notes on documents that all have judged, or
  that came with their labels.

If each also reads full texts alone (``Readers.full_texts``), a report is read once all people among the readers have read
it, and it counts once they agree or somebody has resolved their differences.

An unsure verdict does not count as judged. Verdicts that are changed after all have judged are not independent any more,
so agreement uses the verdicts from before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarstop_core.documents.reports import Report
from tarstop_core.documents.tables import Floats
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event, as_label
from tarstop_core.screening.reports_apart import RESOLVED_REPORT, ReadApart, ReportsApart
from tarstop_core.screening.several_readers import Readers

VERDICTS = ("label", "relabel")
"""Kinds of events with the verdict of one reader on one document."""
MACHINE, BROUGHT = "machine", "brought"
FROM_FILES = (MACHINE, BROUGHT)
"""Kinds of events with the verdicts of one reader from a file."""
SETTLING = ("resolved", "checked")
"""Kinds of events that decide on a document that all have judged."""
ENTRIES = (*VERDICTS, "undo", "note")
"""Kinds of events by which one reader works."""
OF_READERS = (*ENTRIES, *FROM_FILES, *SETTLING, "opened")
"""Kinds of events about verdicts; all others concern every reader."""
TOGETHER = ("report", RESOLVED_REPORT, "fit")
"""Kinds of events that are in the log that counts, but not in the log of one reader."""
JUDGED_BY = "judged_by"
"""Key in the payload of an event that counts: names of the readers who judged the document."""
_INCLUDED = {"relevant": 1.0, "irrelevant": 0.0}


@dataclass(frozen=True)
class JudgedDocument:
    """A document that all who have to judge it have judged, with their verdicts."""

    doc: str
    verdicts: Mapping[str, Event]
    """The event with each reader's present verdict."""
    notes: Mapping[str, str]
    """Each reader's note, if any."""
    resolution: Event | None = None
    """The event that resolved a difference."""
    check: Event | None = None
    """The event that judged it as an audit draw from the documents that all excluded."""

    @property
    def labels(self) -> set[str]:
        """The different verdicts of its readers."""
        return {str(event.payload["label"]) for event in self.verdicts.values()}

    @property
    def differ(self) -> bool:
        """Whether readers differ, resolved or not."""
        return len(self.labels) > 1

    @property
    def label(self) -> Label:
        """The verdict that counts; unsure while readers differ."""
        if decided := self.check or self.resolution:
            return as_label(str(decided.payload["label"]))
        return "unsure" if self.differ else as_label(*self.labels)


def counted_log(readers: Readers, log: Sequence[Event]) -> Sequence[Event]:
    """The part of a log that counts, in the form of a single reader's log; the log itself if there is one reader."""
    return SeveralReaders(readers, log).common if readers.names else log


class SeveralReaders:
    """A log of several readers, updated event by event."""

    def __init__(self, readers: Readers, log: Sequence[Event] = ()) -> None:
        self.readers = readers
        self.first: dict[str, dict[str, str]] = {}
        """Each reader's verdict on a document at the moment when all had judged it for the first time, by document."""
        self.log: list[Event] = []
        self.undone = 0
        """Number of undone events. When it grows, the log that counts is computed anew; otherwise that log only gets longer."""
        self.changed: Event | None = None
        """The last event that changed more than what one reader has read so far."""
        self._standing: list[Event] = []
        self._own: dict[str, tuple[int, list[Event]]] = {}
        self._begin()
        self.take(log)

    def _begin(self) -> None:
        """Forget everything that follows from the events in force."""
        self.common: list[Event] = []
        """The log that counts, in the form of a single reader's log."""
        self.judged: dict[str, JudgedDocument] = {}
        """Documents that all have judged, by id, in the order in which this happened."""
        self.opened: Event | None = None
        """The event that showed everybody's verdicts to all readers, if any."""
        self.files: dict[str, Event] = {}
        """By reader: the event with their verdicts from a file, those of a machine or of a person who judged elsewhere."""
        self._verdicts: dict[str, dict[str, Event]] = {}
        self._notes: dict[str, dict[str, str]] = {}
        self._settled: dict[str, dict[str, Event]] = {kind: {} for kind in SETTLING}
        self._counted: dict[str, tuple[Label, str]] = {}
        self._kept: set[str] = set()
        self._fit = 0
        self.in_full = ReportsApart()
        """Entries of all readers on full texts, if each reads these alone."""
        self._counted_reports: dict[str, Report] = {}

    def take(self, events: Sequence[Event]) -> None:
        """Apply the next events of the log."""
        for event in events:
            self.log.append(event)
            doc = str(event.payload.get("doc", ""))
            counts, was_open = len(self.common), doc not in self.judged and doc not in self._counted
            if event.kind == "undo":
                self._undo(event)
            else:
                self._standing.append(event)
                self._apply(event)
            still_open = was_open and doc not in self.judged and len(self.common) == counts
            if not (still_open and event.kind in (*VERDICTS, "note")):
                self.changed = event

    def _undo(self, event: Event) -> None:
        """Take back the last verdict of the reader whose event it is."""
        for at, standing in reversed([*enumerate(self._standing)]):
            if standing.kind in VERDICTS and standing.reviewer == event.reviewer:
                del self._standing[at]
                self.undone += 1
                self._begin()
                for remaining in self._standing:
                    self._apply(remaining)
                return

    def _apply(self, event: Event) -> None:
        """Apply one event in force."""
        doc = str(event.payload.get("doc", ""))
        if JUDGED_BY in event.payload:  # from a log that holds only what counts already
            self.common.append(event)
            return
        if event.kind in FROM_FILES:
            self._take_file(event)
        elif event.kind in VERDICTS:
            self._check_reader(event, event.reviewer)
            self._verdicts.setdefault(doc, {})[event.reviewer] = event
            if event.payload.get("note"):
                self._notes.setdefault(doc, {})[event.reviewer] = str(event.payload["note"])
        elif event.kind == "note":
            self._notes.setdefault(doc, {})[event.reviewer] = str(event.payload["text"])
        elif event.kind in SETTLING:
            self._settled[event.kind][doc] = event
        elif event.kind == "opened":
            self.opened = self.opened or event
        elif event.kind in ("report", RESOLVED_REPORT) and self.alone_in_full:
            if event.kind == "report":
                self._check_reader(event, event.reviewer)
            self.in_full.take(event)
            self._count_report(doc, event)
        else:
            if event.kind == "fit":
                self._fit = int(event.payload["number"])
            elif event.kind == "reasons":
                self.in_full.rename(event.payload.get("renamed", {}))
            elif event.kind == "kept":
                self._kept |= event.payload["labels"].keys()
                for kept, label in event.payload["labels"].items():
                    self._counted[kept] = as_label(str(label)), str(event.payload["reasons"].get(kept, ""))
            self.common.append(event)
        if doc and event.kind in OF_READERS:
            self._count(doc, event)

    def _check_reader(self, event: Event, name: str) -> None:
        """Raise InputProblem if the name of the person or machine whose verdicts an event has is none of the readers."""
        if name not in self.readers.names:
            content = "has verdicts" if event.kind in FROM_FILES else "is a verdict"
            raise InputProblem(
                f"Event {event.seq} {content} of '{name[:40]}', who is not a reader of this session."
            )

    def _take_file(self, event: Event) -> None:
        """Apply the verdicts of a file, as if its reader had given all of them at this moment."""
        name = str(event.payload["name"])
        self._check_reader(event, name)
        earlier, verdicts = self.files.get(name), event.payload["verdicts"]
        self.files[name] = event
        if event.kind == BROUGHT and earlier is not None:
            # A corrected file replaces the earlier one, but no verdict that its reader has given here since.
            for doc in earlier.payload["verdicts"]:
                if (given := self._verdicts.get(doc, {}).get(name)) and given.seq == earlier.seq:
                    del self._verdicts[doc][name]
                    self._count(doc, event)
            verdicts = {
                doc: label for doc, label in verdicts.items() if name not in self._verdicts.get(doc, {})
            }
        for doc, label in verdicts.items():
            content = {"doc": doc, "label": label}
            self._verdicts.setdefault(doc, {})[name] = Event("label", content, event.seq, event.time, name)
            self._count(doc, event)
        for doc in self.in_full.docs if self.alone_in_full else ():
            self._count_report(doc, event)

    def _count(self, doc: str, event: Event) -> None:
        """Update what counts for a document after an event about its verdicts."""
        verdicts, wanted = self._verdicts.get(doc, {}), self._readers_of(doc)
        if any(name not in verdicts or verdicts[name].payload["label"] == "unsure" for name in wanted):
            self.judged.pop(doc, None)
            if doc in self._counted:  # a verdict was changed to unsure, or there is more to judge now
                self._record_verdict(doc, "unsure", "", event)
            return
        notes = {name: text for name, text in self._notes.get(doc, {}).items() if text}
        if wanted:  # else it came with its label, which nobody has changed
            self.first.setdefault(doc, {name: str(verdicts[name].payload["label"]) for name in wanted})
            given = {name: verdicts[name] for name in wanted}
            judged = JudgedDocument(doc, given, notes, *(self._settled[kind].get(doc) for kind in SETTLING))
            self.judged[doc] = judged
            deciding = [judged.check or judged.resolution or event for event in given.values()]
            reasons = [
                str(verdict.payload["reason"]) for verdict in deciding if verdict.payload.get("reason")
            ]
            reason = reasons[0] if reasons and judged.label == "irrelevant" else ""
            self._record_verdict(doc, judged.label, reason, event)
        if notes or event.kind == "note":
            text = "\n".join(f"{name}: {text}" for name, text in notes.items())
            self._record("note", {"doc": doc, "text": text}, event, wanted or (event.reviewer,))

    def _count_report(self, doc: str, event: Event) -> None:
        """Update what counts for a report after an entry; a report on which readers differ waits."""
        waiting = Report("waiting")
        report = self.in_full.counted(doc, self.alone_in_full) or waiting
        if report != self._counted_reports.get(doc, waiting):
            self._counted_reports[doc] = report
            self._record("report", {"doc": doc, **report.to_dict()}, event, self.alone_in_full)

    def _record_verdict(self, doc: str, label: Label, reason: str, event: Event) -> None:
        """Add a verdict to the log that counts, if it differs from the present one."""
        before = self._counted.get(doc)
        if before == (label, reason):
            return
        self._counted[doc] = label, reason
        given = {"doc": doc, "label": label} | ({"reason": reason} if reason else {})
        kind, more = ("label", {"fit": self._fit}) if before is None else ("relabel", {})
        self._record(kind, {**given, **more}, event)

    def _record(
        self, kind: str, content: Mapping[str, object], event: Event, readers: Sequence[str] = ()
    ) -> None:
        """Add an event to the log that counts, with number and time of the event that it follows from."""
        readers = readers or self._readers_of(str(content["doc"]))
        by = event.reviewer if event.kind in (*SETTLING, RESOLVED_REPORT) else listed(readers)
        self.common.append(Event(kind, {**content, JUDGED_BY: list(readers)}, event.seq, event.time, by))

    # --- documents and their readers

    @property
    def machines(self) -> dict[str, Event]:
        """By name: the event with the verdicts of each machine among the readers."""
        return {name: event for name, event in self.files.items() if event.kind == MACHINE}

    @property
    def alone_in_full(self) -> tuple[str, ...]:
        """Names of the people who each read full texts alone; empty if they do not. Machines read none."""
        people = [name for name in self.readers.names if name not in self.machines]
        return tuple(people) if self.readers.full_texts else ()

    def _readers_of(self, doc: str) -> tuple[str, ...]:
        """Names of the readers who have to judge a document or, if it came with a label, of those who changed that label."""
        if doc in self._kept:
            return tuple(self._verdicts.get(doc, {}))
        by_first = self._verdicts.get(doc, {}).get(self.readers.names[0])
        return self.readers.of(doc, "" if by_first is None else str(by_first.payload["label"]))

    @property
    def waiting(self) -> list[JudgedDocument]:
        """Documents on which readers differ and nobody has decided yet, in the order in which all had judged them."""
        return [judged for judged in self.judged.values() if judged.differ and judged.resolution is None]

    @property
    def reports_waiting(self) -> list[ReadApart]:
        """Included reports on which readers differ and nobody has decided yet, in the order in which all had read them."""
        unsettled = (apart for apart in self.in_full.read.values() if apart.counted is None)
        return [apart for apart in unsettled if self._counted.get(apart.doc, ("unsure", ""))[0] == "relevant"]

    @property
    def excluded_by_all(self) -> list[str]:
        """Documents that all excluded and no reader has included since, in a random order; audit draws are among them."""
        excluded = (
            doc
            for doc, judged in self.judged.items()
            if {*self.first[doc].values()} == judged.labels == {"irrelevant"} and judged.resolution is None
        )
        return self.readers.in_random_order(excluded)

    @property
    def drawn(self) -> list[str]:
        """Audit draws from the documents that all excluded, in the order in which they were drawn.

        They are the first documents of the random order, up to the first that was not judged again.
        """
        excluded = self.excluded_by_all
        checked = (self.judged[doc].check is not None for doc in excluded)
        return excluded[: next((at for at, judged in enumerate(checked) if not judged), len(excluded))]

    def to_judge(self, reader: str, ids: Sequence[str]) -> list[str]:
        """Documents among `ids` that a reader has to judge and has not read, in the same order."""
        unread = (doc for doc in ids if reader not in self._verdicts.get(doc, {}))
        return [doc for doc in unread if reader in self._readers_of(doc)]

    def read_by(self, reader: str) -> int:
        """Number of documents that a reader has read, including unsure ones."""
        return sum(reader in verdicts for verdicts in self._verdicts.values())

    @property
    def beyond(self) -> int:
        """The largest number of documents that one person has read and not all have judged."""
        people = [name for name in self.readers.names if name not in self.files]
        not_judged = [verdicts for doc, verdicts in self._verdicts.items() if doc not in self.judged]
        return max(sum(name in verdicts for verdicts in not_judged) for name in people or self.readers.names)

    def independent(self) -> Floats:
        """Verdicts from before readers could see each other's: 1 included, 0 excluded, NaN none; shape (documents, readers).

        The rows are the documents of :attr:`judged`, in the same order.
        """
        rows = [
            [_INCLUDED.get(self.first[doc].get(name, ""), np.nan) for name in self.readers.names]
            for doc in self.judged
        ]
        return np.array(rows, dtype=float).reshape(len(rows), len(self.readers.names))

    # --- views

    def own(self, reader: str) -> list[Event]:
        """The log that one reader works on: their own entries, and those that concern every reader."""
        seen, own = self._own.get(reader, (0, []))
        new = (
            event
            for event in self.log[seen:]
            if event.kind not in TOGETHER
            and (event.kind not in OF_READERS or (event.reviewer == reader and event.kind in ENTRIES))
        )
        self._own[reader] = len(self.log), [*own, *new]
        return self._own[reader][1]

    @property
    def visible(self) -> list[Event]:
        """The log that every reader may see: of verdicts and notes, those in force on documents that are open to all."""
        if self.opened:
            return list(self.log)
        standing = {event.seq for event in self._standing}

        def is_open(event: Event) -> bool:
            if event.kind == "report":
                return not self.alone_in_full or str(event.payload["doc"]) in self.in_full.read
            if event.kind not in ENTRIES:
                return True
            return event.seq in standing and self._open_to_all(str(event.payload["doc"]))

        visible = filter(is_open, self.log)
        return [self._of_open(event) if event.kind in FROM_FILES else event for event in visible]

    def _open_to_all(self, doc: str) -> bool:
        """Whether all have judged a document, or nobody has to because it came with its label."""
        return doc in self.judged or doc in self._kept

    def _of_open(self, event: Event) -> Event:
        """The event of a file with only the verdicts on documents that are open to all; nobody may see more of it."""
        verdicts = {doc: label for doc, label in event.payload["verdicts"].items() if self._open_to_all(doc)}
        return replace(event, payload={**event.payload, "verdicts": verdicts})

    def verdicts_on(self, doc: str, reader: str = "") -> Mapping[str, Event]:
        """By reader: the verdicts on a document that one reader may see."""
        given = self._verdicts.get(doc, {})
        if self.opened or self._open_to_all(doc):
            return given
        return {name: event for name, event in given.items() if name == reader}
