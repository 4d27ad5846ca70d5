"""Exports in the columns of other screening tools, with their number of each record, the label, the reason and the note."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tarstop_core.documents.records import date_key
from tarstop_core.files.delimited import trace_to_csv
from tarstop_core.screening.labels import IRRELEVANT, NAMES, RELEVANT, UNSEEN
from tarstop_core.sessions.snapshot import SessionSnapshot

READER = "TARstop"
"""Name of the reader, for tools that store decisions by reader."""


@dataclass(frozen=True)
class Tool:
    """Another tool's table: its columns by name, each with the entry of :func:`_values` that it holds, "" for none."""

    name: str
    end: str  # The suffix of the file
    columns: Mapping[str, str]


_LISTED = tomllib.loads((files(__package__) / "other_tools.toml").read_text(encoding="utf-8"))
TOOLS = tuple(Tool(**tool) for tool in _LISTED["tool"])


def to_tool(session: SessionSnapshot, tool: Tool) -> str:
    """All documents of a session as the CSV of another tool; texts that look like formulas get an apostrophe."""
    return trace_to_csv(
        [{column: row.get(value, "") for column, value in tool.columns.items()} for row in _values(session)]
    )


def _values(session: SessionSnapshot) -> Iterator[dict[str, Any]]:
    """Values of each document that a tool's table may hold; documents set aside come last."""
    state = session.state
    for at, record in enumerate(session.records.to_dict("records")):
        yield _values_of(
            record, int(state.labels[at]), state.excluded_for.get(at, ""), state.notes.get(record["id"], "")
        )
    for record in session.records_aside.to_dict("records"):
        yield _values_of(record, UNSEEN, "", "")


def _values_of(record: Mapping[Any, Any], label: int, reason: str, note: str) -> dict[str, Any]:
    """Values of one document."""
    year = str(next(iter(date_key(record["date"])), ""))
    first = record["authors"].partition(";")[0].partition(",")[0].strip()
    values = {name: record[name] for name in ("id", "title", "abstract", "authors", "doi", "url", "pmid")}
    return values | {
        "record_id": record["record_number"],
        "number": record["record_number"] or record["id"],
        "joined authors": " and ".join(filter(None, map(str.strip, record["authors"].split(";")))),
        "year": year,
        "short": f"{first} ({year})" if first else "",
        "binary": {RELEVANT: "1", IRRELEVANT: "0"}.get(label, ""),
        "letter": {RELEVANT: "I", IRRELEVANT: "E"}.get(label, ""),
        "verdict": NAMES[label],
        "reason": reason,
        "note": note,
        "rayyan": _rayyan(label, reason, note),
        "covidence": "; ".join(filter(None, (reason and f"Exclusion reason: {reason}", note))),
    }


def _rayyan(label: int, reason: str, note: str) -> str:
    """Decision, reason and note in one column, as Rayyan writes them; the note comes last, because it may contain anything."""
    verdict = {UNSEEN: "", RELEVANT: "Included", IRRELEVANT: "Excluded"}.get(label, "Maybe")
    quoted = note.replace("\\", "\\\\").replace('"', '\\"')
    parts = (
        verdict and f'RAYYAN-INCLUSION: {{"{READER}"=>"{verdict}"}}',
        reason and f"RAYYAN-EXCLUSION-REASONS: {reason.replace('|', '/')}",
        note and f'USER-NOTES: {{"{READER}"=>["{quoted}"]}}',
    )
    return " | ".join(filter(None, parts))
