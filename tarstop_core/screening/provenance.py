"""Provenance of the entries of a log: some may come from a session file, whose names and times are claims, or another session."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum

from tarstop_core.screening import record_message
from tarstop_core.screening.log import Event

CLOCKS_APART = timedelta(minutes=5)
"""Difference of two machines' clocks up to which a time counts as possible."""
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
"""The earliest possible time of a session."""
LISTED = 5
"""How many entries with impossible times a sentence names."""


class Fault(Enum):
    """Why a time in a session file is impossible."""

    LATE = "later than the import"
    EARLY = "before TARstop existed"
    BACKWARDS = "earlier than the entry before it"


@dataclass(frozen=True)
class Provenance:
    """The parts of a log that came from elsewhere."""

    imports: tuple[Event, ...] = ()
    """Events of imports from a file, in order; empty if all of the session was recorded here."""
    entries: int = 0  # number of entries in the log
    readers: Mapping[str, int] = field(default_factory=dict)  # entries of each name that the file gives
    faults: Mapping[int, Fault] = field(default_factory=dict)  # impossible times, by number of the entry
    duplicated: tuple[Event, ...] = ()
    """Events that say that all entries before were copied from another session, in order."""

    def elsewhere(self) -> str:
        """Sentences on which entries were copied from which other session; empty if none were."""
        starts = [1, *(event.seq + 1 for event in self.duplicated)]
        return " ".join(
            record_message("duplicated", first=first, last=event.seq - 1, **event.payload)
            for first, event in zip(starts, self.duplicated, strict=False)
        )

    @property
    def began_elsewhere(self) -> bool:
        """Whether the time at which the session began is a claim of a file; a duplicate of an imported session began here."""
        last = max((*self.imports, *self.duplicated), key=lambda event: event.seq, default=None)
        return last is not None and last.kind == "imported"

    def columns(self, event: Event | None) -> dict[str, str]:
        """Columns on the provenance of an entry; none if the whole session was recorded here."""
        if not self.imports:
            return {}
        is_imported = event is not None and event.seq < self.imports[-1].seq
        source = str(self.imports[-1].payload["source"]) if is_imported else ""
        fault = self.faults.get(event.seq) if event is not None else None
        return {"imported_from": source, "impossible_time": fault.value if fault else ""}

    def sentence(self, when: Callable[[str], str]) -> str:
        """Sentences on the import of the session and on what is a claim of the file; empty if all was recorded here.

        `when` words a stored time.
        """
        if not self.imports:
            return ""
        last = self.imports[-1]
        faults = [(seq, fault.value) for seq, fault in self.faults.items()]
        return record_message(
            "imported",
            when=when(last.time),
            source=last.payload["source"],
            by=last.reviewer,
            entries=last.seq - 1,
            readers=list(self.readers),
            before=len(self.imports) - 1,
            faults=faults[:LISTED],
            faulty=len(faults),
            own=self.entries - last.seq,
        )


def claim(text: str, columns: Mapping[str, str]) -> str:
    """A name or time of an entry, marked if it is a claim of a file according to :meth:`Provenance.columns`."""
    return f"{text} (claimed)" if text and columns.get("imported_from") else text


def claimed_time(text: str, columns: Mapping[str, str]) -> str:
    """Time of an entry, marked if it is a claim of a file, with the reason if it is impossible."""
    fault = columns.get("impossible_time")
    return f"{text} (claimed; {fault})" if fault else claim(text, columns)


def provenance(events: Sequence[Event]) -> Provenance:
    """Provenance of the entries of a log, with their impossible times."""
    imports = tuple(event for event in events if event.kind == "imported")
    duplicated = tuple(event for event in events if event.kind == "duplicated")
    if not imports:
        return Provenance(entries=len(events), duplicated=duplicated)
    claimed = [event for event in events if event.seq < imports[-1].seq]
    arrived, latest = datetime.fromisoformat(imports[-1].time), BEGINNING
    faults = dict[int, Fault]()
    for event in claimed:
        time = datetime.fromisoformat(event.time)
        if time > arrived + CLOCKS_APART:
            faults[event.seq] = Fault.LATE
        elif time < BEGINNING:
            faults[event.seq] = Fault.EARLY
        elif time < latest - CLOCKS_APART:
            faults[event.seq] = Fault.BACKWARDS
        else:
            latest = max(latest, time)
    readers = Counter(event.reviewer for event in claimed if event.reviewer)
    return Provenance(imports, len(events), dict(readers), faults, duplicated)
