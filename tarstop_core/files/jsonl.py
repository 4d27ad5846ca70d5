"""JSON lines: one object a line, with the same freedom of names as a table's columns."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import check_columns
from tarstop_core.files.columns import Layout, Progress, RecordTable, Row, collect, finish, make_layout
from tarstop_core.files.format import Format
from tarstop_core.files.source import Source, detect_encoding


def read_jsonl(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read JSON lines; the fields of all lines together are the columns."""
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        seen: dict[str, None] = {}
        for number, entry in _entries(source.name, stream):
            seen |= dict.fromkeys(entry)
            check_columns(source.name, f"up to line {number}", len(seen))
    keys = list(seen)
    if not keys:
        raise InputProblem(f"{source.name} holds no fields; write id, title and abstract in every object.")
    with source.text(encoding) as stream:
        first = itertools.islice(_entries(source.name, stream), 5)
        preview = [[_text(entry.get(key)) for key in keys] for _, entry in first]
    layout = make_layout(source.name, keys, "over all lines", preview, columns)
    notes += layout.unused("Field")
    # Only what is used of a line is looked at: each may have keys of its own.
    needed = sorted({column for at in layout.at.values() for column in at})
    at = {field: tuple(map(needed.index, columns)) for field, columns in layout.at.items()}
    used = Layout(tuple(layout.header[column] for column in needed), at)

    def rows() -> Iterator[Row]:
        for number, entry in _entries(source.name, stream):
            yield number, [_text(entry.get(keys[column])) for column in needed]

    with source.text(encoding) as stream:
        found, numbers = collect(source.name, rows(), used, progress, source.fraction)
    return finish(source.name, "jsonl", found, numbers, layout.understood, notes, header=layout.header)


def _entries(name: str, stream: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise InputProblem(
                f"Line {number} of {name} is not valid JSON; write one complete object on each line."
            ) from problem
        if not isinstance(entry, dict):
            raise InputProblem(
                f"Line {number} of {name} is not a JSON object; write lines like "
                '{"id": "1", "title": "…", "abstract": "…"}.'
            )
        yield number, entry


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, (str, int)) for part in value):
        return "; ".join(str(part) for part in value)
    if isinstance(value, (int, float)):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""  # nested deeper than anything that is text


JSONL = Format("jsonl", "JSON lines", (".jsonl", ".ndjson"), read_jsonl, looks=re.compile(r'\s*\{\s*"'))
