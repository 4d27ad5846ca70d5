"""What RIS and PubMed files share: records of tags, turned into our fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tarstop_core.files.columns import Layout, Progress, RecordTable, Row, collect, finish
from tarstop_core.files.source import Source
from tarstop_core.files.values import label_from_notes

FIELDS: tuple[str, ...] = (
    "id",
    "title",
    "abstract",
    "authors",
    "date",
    "doi",
    "pmid",
    "publication_number",
    "url",
    "label",
    "score",
)
Fields = dict[str, str]


def first_of(tags: Mapping[str, Sequence[str]], *names: str) -> tuple[str, str]:
    """Return the first value that is not blank among tags, and the tag that held it."""
    for name in names:
        for value in tags.get(name, ()):
            if value.strip():
                return value.strip(), name
    return "", ""


def find_doi(text: str) -> str:
    """Return the first DOI in a text, or "".

    Examples
    --------
    >>> find_doi("https://doi.org/10.1000/xyz [doi]")
    '10.1000/xyz'
    """
    found = re.search(r"10\.\d{4,9}/[^\s\"<>\[\]]+", text)
    return found[0].rstrip(".;,") if found else ""


def table_of(
    source: Source,
    format_key: str,
    records: Iterable[tuple[int, Fields]],
    understood: Mapping[str, str],
    notes: Sequence[str],
    progress: Progress | None,
) -> RecordTable:
    """Gather records of fields into a table.

    Parameters
    ----------
    records : iterable of (int, dict)
        Line on which the record starts, and its fields.
    understood : mapping
        Tag to field; may still grow while `records` is consumed.
    """
    layout = Layout(FIELDS, {field: (number,) for number, field in enumerate(FIELDS)})

    def rows() -> Iterator[Row]:
        for line, fields in records:
            yield line, [fields.get(field, "") for field in FIELDS]

    found, lines = collect(rows(), layout, progress, source.fraction)
    for field in FIELDS:
        if field != "title" and (found[field] == "").all():
            found = found.drop(columns=field)
    return finish(source.name, format_key, found, lines, dict(understood), notes, given_ids=False)


def decision(notes: Iterable[str]) -> str:
    """Return the screening decision found in a record's notes, or ""."""
    return next((label for note in notes if (label := label_from_notes(note))), "")
