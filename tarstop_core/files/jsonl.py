"""Read JSON with one object per line, or one document with a list of objects; keys are recognised like column titles.

EPPI-Reviewer (`References`), reference managers (CSL) and scripts write such documents.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import make_layout
from tarstop_core.files.record_tables import Format, Progress, RecordTable, collect, finish
from tarstop_core.files.source import BUDGET, Source, check_columns, detect_encoding

_NAMES = ("display_name", "name")
LONGEST = 256 << 20  # Characters of one document, which is read at once
_Entries = Callable[[], Iterator[tuple[int, dict[str, Any]]]]
"""Iterates over all objects from the start, with their line numbers."""


def read_jsonl(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read JSON; the keys of all objects together are the columns.

    Parameters
    ----------
    source : Source
        The file.
    columns : mapping, optional
        A person's choice: key to our field.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable
        One record per object.

    Raises
    ------
    InputProblem
        When the file is no JSON with records; UnrecognisedColumns when no key holds the titles.
    """
    encoding, notes = detect_encoding(source)
    document = _document(source, encoding)
    entries: _Entries = lambda: _lines(source, encoding) if document is None else enumerate(document, start=1)  # noqa: E731
    names: dict[str, None] = {}
    for number, entry in entries():
        names |= dict.fromkeys(entry)
        if len(names) > BUDGET.columns:
            check_columns(source.name, f"up to line {number}", len(names))
    keys = list(names)
    if not keys:
        raise InputProblem(f"{source.name} contains no fields; write id, title and abstract in every object.")
    preview = [[_text(entry.get(key)) for key in keys] for _, entry in itertools.islice(entries(), 5)]
    layout = make_layout(source.name, keys, "over all lines", preview, columns)
    notes += layout.unused("Field")
    # Only the keys that are used are converted, because every object may have others.
    used = sorted({column for columns in layout.at.values() for column in columns})
    at = {field: tuple(map(used.index, columns)) for field, columns in layout.at.items()}
    rows = ((number, [_text(entry.get(keys[column])) for column in used]) for number, entry in entries())
    records = collect(source.name, rows, at, progress, source.fraction)
    return finish(source.name, "jsonl", records, layout.understood, notes, header=layout.header)


def _lines(source: Source, encoding: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with one object per line, with line numbers; InputProblem at a broken line."""
    with source.text(encoding) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as problem:
                raise InputProblem(
                    f"Line {number} of {source.name} is not valid JSON; write one complete object on each line."
                ) from problem
            if not isinstance(entry, dict):
                raise InputProblem(
                    f"Line {number} of {source.name} is not a JSON object; write lines like "
                    '{"id": "1", "title": "…", "abstract": "…"}.'
                )
            yield number, entry


def _document(source: Source, encoding: str) -> list[dict[str, Any]] | None:
    """The objects of a file that is one document; None for a file with one object per line."""
    with source.text(encoding) as stream:
        text = next((line for line in stream if line.strip()), "")
        second = next((line for line in stream if line.strip()), "")
        try:
            first_value = json.loads(text)
        except (ValueError, RecursionError):
            first_value = None  # the document goes on after its first line
        if isinstance(first_value, dict) and (second or _records_in(first_value) is None):
            return None
        if first_value is None:
            text += second + stream.read(LONGEST)
    if len(text) >= LONGEST:
        raise InputProblem(
            f"{source.name} is one JSON document of more than {LONGEST >> 20} MB; split it, or give one object per line."
        )
    try:
        records = _records_in(json.loads(text))
    except (ValueError, RecursionError) as problem:
        line = f" (line {problem.lineno})" if isinstance(problem, json.JSONDecodeError) else ""
        raise InputProblem(f"{source.name} is not valid JSON{line}; export it again.") from problem
    if records is None:
        raise InputProblem(
            f"{source.name} contains no list of records; export it again, or give one object per line."
        )
    return records


def _records_in(document: Any) -> list[dict[str, Any]] | None:
    """The longest list of objects in a document; None if there is none, or if the document is itself a record."""
    lists = [document] if isinstance(document, list) else []
    if isinstance(document, dict) and not {"title", "Title", "TITLE"} & document.keys():
        lists = [value for name, value in document.items() if isinstance(value, list) and name != "CodeSets"]
    records = [[entry for entry in entries if isinstance(entry, dict)] for entries in lists]
    longest = max(records, key=len, default=[])
    return longest or None


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else _as_text(value)
    # JSON can contain half of a surrogate pair, which is not a character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _as_text(value: Any) -> str:
    """Convert a JSON value to text: lists of names, dates and abstracts as CSL, Semantic Scholar and OpenAlex have them."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(part, (str, int)) for part in value):
        return "; ".join(map(str, value))
    if isinstance(value, list) and all(isinstance(part, dict) and "family" in part for part in value):
        names = ([part.get("family"), part.get("given")] for part in value)
        return "; ".join(", ".join(str(name) for name in parts if name) for parts in names)
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        # authors in Semantic Scholar and OpenAlex
        people = [part["author"] if isinstance(part.get("author"), dict) else part for part in value]
        if all(set(_NAMES) & person.keys() for person in people):
            return "; ".join(str(next(person[key] for key in _NAMES if key in person)) for person in people)
    if isinstance(value, dict) and isinstance(value.get("date-parts"), list):
        parts = [part for part in value["date-parts"][:1] if isinstance(part, list)]
        return "-".join(f"{part!s:0>2}" for part in parts[0]) if parts else ""
    if isinstance(value, dict) and value and all(isinstance(places, list) for places in value.values()):
        # abstracts in OpenAlex: words with their places
        words = [(at, word) for word, places in value.items() for at in places if isinstance(at, int)]
        return " ".join(word for _, word in sorted(words))
    if isinstance(value, (int, float)):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""  # nested too deeply to be text


_BEGINS = re.compile(r"\s*(?:\{\s*\"|\[\s*\{)")
JSONL = Format("jsonl", "JSON", (".jsonl", ".ndjson", ".json"), read_jsonl, _BEGINS)
