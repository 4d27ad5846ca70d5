"""Read projects of ASReview 2 and 3: ZIP files with records and labels in SQLite databases."""

import itertools
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from tarstop_core.documents.records import PRIOR
from tarstop_core.errors import InputProblem
from tarstop_core.files import archives
from tarstop_core.files.record_tables import Format, Progress, RecordTable, collect, finish
from tarstop_core.files.source import BUDGET, Source, check_count

LABELS = {1: "included", 0: "excluded"}
LONGEST = 32 << 20  # Bytes of one value
STEPS = 10_000  # SQLite calls the progress handler after this many instructions
MOST_STEPS = 100_000  # Most calls of the handler, because a database may contain views without end
_RECORD = ("record_id", "title", "abstract", "authors", "year", "doi", "url")
_FIELDS = "id title abstract authors date doi url label remark read_order labelled_at".split()
_RESULT = ("record_id", "label", "querier", "time", "note", "tags")
_UNDERSTOOD = {name: name for name in ("title", "abstract", "authors", "doi", "url", "label")} | {
    "record_id": "id",
    "year": "date",
    "time": "labelled_at",
    "note": "remark",
    "order of the labels": "read_order",
}


def read_asreview(
    source: Source, columns: Mapping[str, str] | None, progress: Progress | None
) -> RecordTable:
    """Read the records of a project with their labels, the order of labelling, notes and tags.

    Parameters
    ----------
    source
        The project, an archive.
    columns
        Ignored: the format defines its fields.
    progress
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable

    Raises
    ------
    InputProblem
        When the archive or a database is damaged, or not from ASReview 2 or 3.
    """
    with archives.opened(source) as archive:
        project = _project(archive)
        records_in, results_in = _databases(archive, project)
        stored = archive.read(records_in)
        results = stored if results_in == records_in else archive.read(results_in)
    if progress:
        progress(0.3, f"Unpacked {source.name}")
    listed = _rows(source.name, stored, "record", _RECORD, "")
    labelled = _rows(source.name, results, "results", _RESULT, " ORDER BY time, rowid")
    labels = {row["record_id"]: row for row in labelled if row["label"] in LABELS}
    given = {key: str(number) for number, key in enumerate(_read(labels), start=1)}
    rows = (
        (number, [*_about(row), *_decision(labels.get(row["record_id"]), given)])
        for number, row in enumerate(listed, start=1)
    )
    columns_of = {field: (place,) for place, field in enumerate(_FIELDS)}
    records = collect(source.name, rows, columns_of, progress, lambda: 1.0)
    records.index.name = "record"
    notes = []
    if labels:
        before = len(labels) - len(given)
        prior = f", and {before:,} known before" if before else ""
        notes.append(f"{len(given):,} labels are in the order they were given{prior}.")
    return finish(source.name, "asreview", records, dict(_UNDERSTOOD), notes)


def _project(archive: archives.Archive) -> dict[str, Any]:
    """The description of the project in project.json."""
    content = archive.read("project.json")
    try:
        project = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise InputProblem(
            f"The file project.json in {archive.name} is damaged; export the project from ASReview again."
        ) from problem
    return project if isinstance(project, dict) else {}


def _databases(archive: archives.Archive, project: Mapping[str, Any]) -> tuple[str, str]:
    """Names of the databases with records and with labels: one since version 3, two in version 2."""
    if "results.db" in archive.members:
        return "results.db", "results.db"
    in_reviews = (name for name in sorted(archive.members) if name.startswith("reviews/"))
    reviews = [name for name in in_reviews if name.endswith("/results.db")]
    if "data_store.db" not in archive.members or not reviews:
        raise InputProblem(
            f"{archive.name} is not a project of ASReview 2 or 3 in which screening has begun; open it in ASReview 2 or "
            "later and export it again, or export its data as CSV."
        )
    listed = project.get("reviews")
    entries = listed if isinstance(listed, list) else []
    ids = [review.get("id") for review in entries if isinstance(review, dict)]
    named = [name for name in reviews if name.split("/")[1] in ids]
    return "data_store.db", (named or reviews)[0]


def _rows(name: str, content: bytes, table: str, wanted: tuple[str, ...], order: str) -> list[dict[str, Any]]:
    """Read a table of an untrusted database in memory, read-only, within limits of size and time."""
    steps = itertools.count(1)
    # A database with a write-ahead log cannot be opened in memory; two bytes of its header tell that it has one.
    content = content[:18] + b"\1\1" + content[20:] if content[18:20] == b"\2\2" else content
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(content)
            connection.text_factory = lambda value: value.decode("utf-8", "replace")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            connection.set_progress_handler(lambda: next(steps) > MOST_STEPS, STEPS)
            created = connection.execute(
                "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)
            ).fetchone()
            # A view or a virtual table could run foreign code.
            if created is None or not str(created[0]).upper().startswith("CREATE TABLE"):
                raise InputProblem(
                    f"{name} has no table {table}, so it is not a project of ASReview 2 or 3; export it from ASReview again."
                )
            existing = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            if lacking := [column for column in wanted[:2] if column not in existing]:
                raise InputProblem(
                    f"The table {table} in {name} has no column {lacking[0]}; export the project from ASReview again."
                )
            taken = ", ".join(column if column in existing else f"NULL AS {column}" for column in wanted)
            order = order if "time" in existing else ""
            cursor = connection.execute(f"SELECT {taken} FROM {table}{order} LIMIT {BUDGET.records + 1}")
            rows = [dict(zip(wanted, row, strict=True)) for row in cursor]
    except InputProblem:
        raise
    except (sqlite3.Error, OverflowError, ValueError, MemoryError) as problem:
        raise InputProblem(
            f"The database in {name} is damaged or not from ASReview; export the project from ASReview again."
        ) from problem
    check_count(name, len(rows), BUDGET.records, "records")
    return rows


def _read(labels: Mapping[Any, Mapping[str, Any]]) -> list[Any]:
    """Ids of the records that were labelled while screening, in order, without prior knowledge."""
    return [key for key, result in labels.items() if result["querier"] not in (None, PRIOR)]


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, bytes) else str(value)


def _json(value: object) -> list[Any]:
    try:
        values = json.loads(value) if isinstance(value, str) else []
    except (ValueError, RecursionError):
        return []
    return values if isinstance(values, list) else []


def _about(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a row of the table of records."""
    for name in _RECORD:
        yield _authors(row[name]) if name == "authors" else _text(row[name])


def _decision(result: Mapping[str, Any] | None, given: Mapping[Any, str]) -> tuple[str, str, str, str]:
    """Label, remark, rank in the order of labelling, and time of a record's result."""
    if result is None:
        return "", "", "", ""
    order = given.get(result["record_id"], PRIOR)
    return LABELS[result["label"]], _remark(result), order, _time(result["time"])


def _authors(value: object) -> str:
    return "; ".join(_text(name) for name in _json(value)) or ("" if str(value)[:1] == "[" else _text(value))


def _remark(result: Mapping[str, Any]) -> str:
    """The note and the ticked tags."""
    ticked = [
        f"{_text(group.get('label'))}: {_text(tag.get('label'))}"
        for group in _json(result["tags"])
        if isinstance(group, dict) and isinstance(group.get("values"), list)
        for tag in group["values"]
        if isinstance(tag, dict) and tag.get("checked")
    ]
    return "; ".join(filter(None, (_text(result["note"]).strip(), *ticked)))


def _time(value: object) -> str:
    """Convert seconds since 1970 to a time in UTC; "" for anything else."""
    if not isinstance(value, (int, float)):
        return ""
    try:
        return datetime.fromtimestamp(float(value), UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return ""


ASREVIEW = Format("asreview", "ASReview project", (".asreview",), read_asreview)
