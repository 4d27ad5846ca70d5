"""What RIS and PubMed files share: records of tags, turned into our fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tarstop_core.files.columns import MAPPABLE, Layout, Progress, RecordTable, Row, collect, finish
from tarstop_core.files.source import Source
from tarstop_core.files.values import FROM_NOTES, tool_of

FIELDS = tuple(field for field in MAPPABLE if field != "family")
Fields = dict[str, str]
Put = Callable[[str, str, str], None]


def put_into(fields: Fields, understood: dict[str, str]) -> Put:
    """How a reader puts a value into a field that has none yet, and says which tag it came from."""

    def put(field: str, value: str, their: str) -> None:
        if value and not fields.get(field):
            fields[field] = value
            understood.setdefault(their, field)

    return put


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

    found, lines = collect(source.name, rows(), layout, progress, source.fraction)
    for field in FIELDS:
        if field != "title" and (found[field] == "").all():
            found = found.drop(columns=field)
    return finish(source.name, format_key, found, lines, dict(understood), notes, given_ids=False)


def decisions(notes: Iterable[str]) -> Fields:
    """Return the label, the reason and the remark that stand in a record's notes and keywords, "" for none.

    Examples
    --------
    >>> decisions(["Cited often.", "ASReview_irrelevant", "Note: animals only"])
    {'label': 'not relevant', 'reason': '', 'remark': 'animals only'}
    """
    texts = list(notes)
    return {field: next(filter(None, map(read, texts)), "") for field, read in FROM_NOTES.items()}


def told_in(their: str, notes: Iterable[str]) -> str:
    """Return the name of a tag or field, and of the tool that wrote decisions into it.

    Examples
    --------
    >>> told_in("N1", ["ASReview_relevant"])
    'N1, as ASReview writes it'
    """
    tool = next(filter(None, map(tool_of, notes)), "")
    return f"{their}, as {tool} writes it" if tool else their
