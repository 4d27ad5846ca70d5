"""PubMed's own format (nbib): four-letter tags, continuation lines indented by six."""

import re
from collections.abc import Iterable, Iterator, Mapping

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import Progress, RecordTable
from tarstop_core.files.format import Format
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.tagged import Fields, find_doi, first_of, put_into, table_of

_LINE = re.compile(r"([A-Z][A-Z0-9]{1,4}) *-(?: (.*)|$)", flags=re.DOTALL)


def read_nbib(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read PubMed's nbib (or its "PubMed" text export)."""
    encoding, notes = detect_encoding(source)
    understood: dict[str, str] = {}
    with source.text(encoding) as stream:
        records = _records(source.name, stream, understood)
        return table_of(source, "nbib", records, understood, notes, progress)


def _records(name: str, lines: Iterable[str], understood: dict[str, str]) -> Iterator[tuple[int, Fields]]:
    tags: dict[str, list[list[str]]] = {}  # the lines of each value
    last: list[str] = []
    start = 0
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r\n")
        match = _LINE.match(line)
        if match is None:
            if last and line.startswith(" ") and line.strip():
                last.append(line.strip())
            elif line.strip():
                raise InputProblem(
                    f"Line {number} of {name} neither begins with a tag such as PMID- nor continues one "
                    "(indented by six spaces); export it from PubMed again."
                )
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag == "PMID":
            if tags:
                yield start, _fields(tags, understood)
            tags, start = {}, number
        elif not start:
            raise InputProblem(
                f"Line {number} of {name} stands before the first PMID-; export it from PubMed again."
            )
        last = [value]
        tags.setdefault(tag, []).append(last)
    if not tags:
        raise InputProblem(f"{name} holds no PubMed record (no line begins with PMID-); export it again.")
    yield start, _fields(tags, understood)


def _fields(found: Mapping[str, list[list[str]]], understood: dict[str, str]) -> Fields:
    tags = {tag: list(map(" ".join, values)) for tag, values in found.items()}
    fields: Fields = {}
    put = put_into(fields, understood, tags)
    put("pmid", *first_of(tags, "PMID"))
    put("title", *first_of(tags, "TI", "BTI", "TT"))
    put("abstract", *first_of(tags, "AB", "OAB"))
    put("date", *first_of(tags, "DP", "DEP", "EDAT"))
    for tag in ("FAU", "AU", "CN"):
        put("authors", "; ".join(filter(None, tags.get(tag, []))), tag)
    for tag in ("LID", "AID", "SO"):
        for value in tags.get(tag, []):
            put("doi", find_doi(value) if "doi" in value else "", tag)
    return fields


NBIB = Format(
    "nbib",
    "PubMed (nbib)",
    (".nbib",),
    read_nbib,
    looks=re.compile(r"\s*PMID ?- ?\d"),
    phrase="PubMed's own format",
)
