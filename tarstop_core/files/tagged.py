"""What RIS and PubMed files share: records of tags, turned into our fields."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tarstop_core.files.columns import MAPPABLE, Layout, Progress, RecordTable, Row, collect, finish
from tarstop_core.files.source import Source
from tarstop_core.files.values import FROM_NOTES, tool_of

FIELDS = tuple(field for field in MAPPABLE if field != "family")
Fields = dict[str, str]
Put = Callable[[str, str, str], None]
LONGEST_NUMBER = 40  # of a patent; the pattern takes its time over long ones
_PATENT = re.compile(r"[A-Z]{2}[- ]?(?:[\d/]*[A-Z]{1,2}\d{4,}|[\d/]*\d{4})[- ]?(?:[A-Z]\d?)?")


def put_into(fields: Fields, understood: dict[str, str], tags: Iterable[str] = ()) -> Put:
    """How a reader puts a value into a field that has none yet, and says which tag it came from.

    `tags` are all of the record: those that nothing is put from stay in `understood` without a field.
    """
    for tag in tags:
        understood.setdefault(tag, "")

    def put(field: str, value: str, their: str) -> None:
        if value and not fields.get(field):
            fields[field] = value
            understood[their] = understood.get(their) or field

    return put


def first_of(tags: Mapping[str, Sequence[str]], *names: str) -> tuple[str, str]:
    """Return the first value that is not blank among tags, and the tag that held it."""
    for name in names:
        for value in tags.get(name, ()):
            if value.strip():
                return value.strip(), name
    return "", ""


def find_doi(text: str) -> str:
    """Return the first DOI in a text, or ""."""
    found = re.search(r"10\.\d{4,9}/[^\s\"<>\[\]]+", text)
    return found[0].rstrip(".;,") if found else ""


def patent_number(text: str) -> str:
    """Return the publication number of a patent that a text is, or ""."""
    return text if len(text) < LONGEST_NUMBER and _PATENT.fullmatch(text.strip()) else ""


def table_of(
    source: Source,
    format_key: str,
    records: Iterable[tuple[int, Fields]],
    understood: Mapping[str, str],
    notes: Sequence[str],
    progress: Progress | None,
) -> RecordTable:
    """Gather records (the line on which each starts, and its fields) into a table.

    `understood`, tag to field ("" for one that is not used), may still grow while they are consumed.
    """
    layout = Layout(FIELDS, {field: (number,) for number, field in enumerate(FIELDS)})

    def rows() -> Iterator[Row]:
        for line, fields in records:
            yield line, [fields.get(field, "") for field in FIELDS]

    found, lines = collect(source.name, rows(), layout, progress, source.fraction)
    for field in FIELDS:
        if field != "title" and (found[field] == "").all():
            found = found.drop(columns=field)
    used = {tag: field for tag, field in understood.items() if field}
    return finish(source.name, format_key, found, lines, used, notes, given_ids=False, header=understood)


def put_decisions(put: Put, notes: Sequence[str], their: str) -> None:
    """Put the label, the reason and the remark that stand in a record's notes or keywords, and say who wrote them."""
    tool = next(filter(None, map(tool_of, notes)), "")
    for field, read in FROM_NOTES.items():
        found = next(filter(None, map(read, notes)), "")
        put(field, found, f"{their}, as {tool} writes it" if tool else their)
