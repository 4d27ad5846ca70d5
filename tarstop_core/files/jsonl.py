"""JSON lines: one object a line, with the same freedom of names as a table's columns."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import make_layout
from tarstop_core.files.record_tables import Format, Progress, RecordTable, collect, finish
from tarstop_core.files.source import BUDGET, Source, check_columns, detect_encoding


def read_jsonl(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read JSON lines; the fields of all lines together are the columns."""
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        names: dict[str, None] = {}
        for number, entry in _entries(source.name, stream):
            names |= dict.fromkeys(entry)
            if len(names) > BUDGET.columns:
                check_columns(source.name, f"up to line {number}", len(names))
    keys = list(names)
    if not keys:
        raise InputProblem(f"{source.name} holds no fields; write id, title and abstract in every object.")
    with source.text(encoding) as stream:
        first = itertools.islice(_entries(source.name, stream), 5)
        preview = [[_text(entry.get(key)) for key in keys] for _, entry in first]
    layout = make_layout(source.name, keys, "over all lines", preview, columns)
    notes += layout.unused("Field")
    # Only what is used of a line is looked at: each may have keys of its own.
    used = sorted({column for at in layout.at.values() for column in at})
    at = {field: tuple(map(used.index, columns)) for field, columns in layout.at.items()}
    with source.text(encoding) as stream:
        rows = (
            (number, [_text(entry.get(keys[column])) for column in used])
            for number, entry in _entries(source.name, stream)
        )
        found = collect(source.name, rows, at, progress, source.fraction)
    return finish(source.name, "jsonl", found, layout.understood, notes, header=layout.header)


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
    text = value if isinstance(value, str) else _written(value)
    # Half of a surrogate pair, which JSON can spell out, is no character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(part, (str, int)) for part in value):
        return "; ".join(map(str, value))
    if isinstance(value, (int, float)):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""  # nested deeper than anything that is text


JSONL = Format("jsonl", "JSON lines", (".jsonl", ".ndjson"), read_jsonl, looks=re.compile(r'\s*\{\s*"'))
