"""Plain text of Web of Science: two-letter tags, a record from PT to ER, continuation lines indented by three."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tarstop_core.errors import InputProblem
from tarstop_core.files.record_tables import Format
from tarstop_core.files.tagged import Value, blocks, outside_records, reader_of

_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*$)", flags=re.DOTALL)
_FIELDS = {"id": "UT", "title": "TI", "abstract": "AB", "date": "PY", "doi": "DI", "pmid": "PM"}
_OUTSIDE = ("FN", "VR", "EF")  # Lines of the file, not of a record


def _records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Iterator[Value]]]:
    strays: list[tuple[int, str]] = []
    first = 0
    for start, block in blocks(lines, _LINE, "PT", "ER", strays):
        first = first or start
        tags: dict[str, list[str]] = {}
        for tag, values in block:
            tags.setdefault(tag, []).extend(values)
        yield start, _values(tags)
    if not first:
        raise InputProblem(f"{name} holds no record (no line begins with PT); export it again.")
    notes += outside_records([(number, tag) for number, tag in strays if tag not in _OUTSIDE], first)


def _values(tags: Mapping[str, Sequence[str]]) -> Iterator[Value]:
    yield from (("", "", tag) for tag in tags if tag not in ("PT", *_OUTSIDE))
    for field, tag in _FIELDS.items():
        yield field, " ".join(tags.get(tag, ())), tag
    for tag in ("AF", "AU", "BF", "BA", "CA"):
        yield "authors", "; ".join(tags.get(tag, ())), tag


WOS = Format(
    "wos",
    "Web of Science",
    (".ciw", ".isi"),
    reader_of("wos", _records),
    looks=re.compile(r"\s*(?:FN .*\r?\n(?:VR .*\r?\n)?)?PT [A-Z]\b.*\r?\n(?:[A-Z][A-Z0-9]) "),
    phrase="Web of Science plain text",
)
