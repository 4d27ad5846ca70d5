"""RIS, as databases really write it: tags with one space, records without an end, values over several lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tarstop_core.errors import InputProblem
from tarstop_core.files import tagged
from tarstop_core.files.columns import Progress, RecordTable
from tarstop_core.files.format import Format
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.tagged import Fields, Put, find_doi, first_of, patent_number, put_decisions

_TITLE = ("TI", "T1", "CT", "BT", "TT")
_ADDRESS = ("UR", "LK", "L2")
_CUSTOM = tuple(f"C{number}" for number in range(1, 9))
_LINE = re.compile(r"([A-Z][A-Z0-9])  ?-(?:\s+(.*)|$)", flags=re.DOTALL)
_PUBMED_PAGE = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d{1,9})\b")
# As databases, EndNote ("NLM") and EBSCO (by codes) name it.
_MEDLINE = re.compile(r"pubmed(?! central)|medline|\b(?:nlm(?! catalog)|cmedm|mdc|mnh)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"embase|cinahl|psycinfo|scopus|cochrane|web of science", re.IGNORECASE)
_PMID = re.compile(r"\bPMID:?\s*(\d{1,9})\b", re.IGNORECASE)
_BARE = re.compile(r"\s*(\d{1,9})\s*")
# What MEDLINE counted by before PubMed has eight digits too, the year first, from 66 on.
_NUMBERED = re.compile(r"([1-9]\d{0,6}|[1-5]\d{7})")

Tags = list[tuple[str, list[str]]]  # a value may go on over several lines


def read_ris(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read RIS: TI or T1, AB or N2, repeated tags, continuation lines, a missing ER."""
    encoding, notes = detect_encoding(source)
    understood: dict[str, str] = {}
    with source.text(encoding) as stream:
        records = ((start, _fields(tags, understood)) for start, tags in _blocks(source.name, stream))
        return tagged.table_of(source, "ris", records, understood, notes, progress)


def _blocks(name: str, lines: Iterable[str]) -> Iterator[tuple[int, Tags]]:
    """Yield each record as (first line, tags in order)."""
    tags: Tags | None = None
    start = 0
    seen = False
    for number, line in enumerate(lines, start=1):
        match = _LINE.match(line.rstrip("\r\n"))
        if match is None:
            # Between records stand only blank lines and an exporter's remarks.
            if tags and line.strip():
                tags[-1][1].append(line.strip())
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag == "TY":
            if tags:
                yield start, tags
            tags, start, seen = [(tag, [value])], number, True
        elif tag == "ER":
            if tags:
                yield start, tags
            tags = None
        elif tags is None:
            if seen or tag in _TITLE:
                raise InputProblem(
                    f"Line {number} of {name} has {tag} outside a record; "
                    'begin the record with a line "TY  - ".'
                )
        else:
            tags.append((tag, [value]))
    if tags:
        yield start, tags
    if not seen:
        raise InputProblem(
            f'{name} holds no RIS record (no line begins with "TY  -"); export it as RIS again.'
        )


def _fields(block: Tags, understood: dict[str, str]) -> Fields:
    tags: dict[str, list[str]] = defaultdict(list)
    for tag, parts in block:
        tags[tag].append(" ".join(parts).strip())
    fields: Fields = {}
    put = tagged.put_into(fields, understood, (tag for tag in tags if tag != "TY"))
    put("id", *first_of(tags, "ID"))
    put("title", *first_of(tags, *_TITLE))
    for tag in ("AB", "N2"):
        # Structured abstracts are sometimes written as one AB for each section.
        put("abstract", " ".join(filter(None, tags.get(tag, []))), tag)
    for tag in ("AU", "A1"):
        put("authors", "; ".join(filter(None, tags.get(tag, []))), tag)
    for tag in ("DA", "PY", "Y1"):
        value, _ = first_of(tags, tag)
        if re.search(r"\d{4}", value):
            put("date", value.strip("/ "), tag)
    put("url", *first_of(tags, *_ADDRESS))
    if first_of(tags, "TY")[0].upper() == "PAT":
        put("assignee", *first_of(tags, "PB"))
    for tag in ("N1", "KW"):
        put_decisions(put, tags.get(tag, []), tag)
    _identifiers(tags, put)
    return fields


def _identifiers(tags: Mapping[str, list[str]], put: Put) -> None:
    for tag, value in _values(tags, "DO", *_CUSTOM, "AN", "M3", "L3"):
        put("doi", find_doi(value), tag)
    for tag, value in _values(tags, *_ADDRESS):
        put("doi", find_doi(value) if "doi.org/" in value else "", tag)
        if page := _PUBMED_PAGE.search(value):
            put("pmid", page[1], tag)
    for tag, value in _values(tags, "PM", "AN", *_CUSTOM, "M1", "N1"):
        if number := _PMID.search(value) or (_BARE.fullmatch(value) if tag == "PM" else None):
            put("pmid", number[1], tag)
    # A bare number in AN is a PMID only where the database says so: others number records too.
    databases = " ".join(value for _, value in _values(tags, "DB", "DP"))
    for tag, value in _values(tags, "AN"):
        if _MEDLINE.search(databases) and not _ANOTHER.search(databases):
            put("pmid", number[1] if (number := _NUMBERED.fullmatch(value.strip())) else "", tag)
    if first_of(tags, "TY")[0].upper() == "PAT":
        for tag, value in _values(tags, "AN", "M1", "SN", "CN", "VL", "IS", *_CUSTOM, "ID"):
            put("publication_number", patent_number(value), tag)


def _values(tags: Mapping[str, list[str]], *wanted: str) -> Iterator[tuple[str, str]]:
    return ((tag, value) for tag in wanted for value in tags.get(tag, []))


RIS = Format("ris", "RIS", (".ris",), read_ris, looks=re.compile(r"(?:.*\n){0,200}?TY {1,2}-(?: |\r|\n|$)"))
