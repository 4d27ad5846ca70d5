"""RIS and PubMed's own format (nbib), as databases really write them: records of tags, turned into our fields."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import MAPPABLE
from tarstop_core.files.record_tables import Format, Progress, RecordTable, Row, collect, finish
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.values import FROM_NOTES, find_doi, tool_of

FIELDS = tuple(field for field in MAPPABLE if field != "family")
Value = tuple[str, str, str]
"""A field, a value for it, and the tag that the value stands under, if any; no field for a tag that is merely there."""
Tags = list[tuple[str, list[str]]]  # The lines of each value
LONGEST_NUMBER = 40  # of a patent; the pattern takes its time over long ones
_PATENT = re.compile(r"[A-Z]{2}[- ]?(?:[\d/]*[A-Z]{1,2}\d{4,}|[\d/]*\d{4})[- ]?(?:[A-Z]\d?)?")


def table_of(
    source: Source,
    format_key: str,
    records: Iterable[tuple[int, Iterable[Value]]],
    notes: Sequence[str],
    progress: Progress | None,
) -> RecordTable:
    """Gather records into a table: the first value of a field counts.

    Parameters
    ----------
    source : Source
        The file.
    format_key : str
        Key of its format.
    records : iterable
        The line on which each record starts, and its values.
    notes : sequence of str
        Sentences on how the file was opened.
    progress : callable, optional
        Called with the share that was read and a few words.

    Returns
    -------
    RecordTable
        The records; it names the tags that nothing was read from.

    Raises
    ------
    InputProblem
        When the records cannot be used.
    """
    tags: dict[str, str] = {}

    def rows() -> Iterator[Row]:
        for line, values in records:
            fields: dict[str, str] = {}
            for field, value, tag in values:
                if not field:
                    tags.setdefault(tag, "")
                elif value and not fields.get(field):
                    fields[field] = value
                    if tag:
                        tags[tag] = tags.get(tag) or field
            yield line, [fields.get(field, "") for field in FIELDS]

    at = {field: (number,) for number, field in enumerate(FIELDS)}
    columns = collect(source.name, rows(), at, progress, source.fraction)
    empty = [field for field in FIELDS if field != "title" and (columns[field] == "").all()]
    understood = {tag: field for tag, field in tags.items() if field}
    columns = columns.drop(columns=empty)
    return finish(source.name, format_key, columns, understood, notes, given_ids=False, header=tags)


def first_of(tags: Mapping[str, Sequence[str]], *names: str) -> tuple[str, str]:
    """Return the first value that is not blank among tags, and the tag that held it."""
    filled = ((value.strip(), name) for name in names for value in tags.get(name, ()) if value.strip())
    return next(filled, ("", ""))


def patent_number(text: str) -> str:
    """Return the publication number of a patent that a text is, or ""."""
    return text if len(text) < LONGEST_NUMBER and _PATENT.fullmatch(text.strip()) else ""


def decisions(notes: Sequence[str], tag: str) -> Iterator[Value]:
    """Label, reason and remark that stand in a record's notes or keywords, with the tool that wrote them."""
    tool = next(filter(None, map(tool_of, notes)), "")
    for field, read in FROM_NOTES.items():
        yield field, next(filter(None, map(read, notes)), ""), f"{tag}, as {tool} writes it" if tool else tag


# --- RIS: tags with one space, records without an end, values over several lines ---------------------------

_TITLE = ("TI", "T1", "CT", "BT", "TT")
_ADDRESS = ("UR", "LK", "L2")
_CUSTOM = tuple(f"C{number}" for number in range(1, 9))
_RIS_LINE = re.compile(r"([A-Z][A-Z0-9])  ?-(?:\s+(.*)|$)", flags=re.DOTALL)
_PUBMED_PAGE = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(?:\?term=)?(\d{1,9})\b")
# As databases, EndNote ("NLM") and EBSCO (by codes) name it.
_MEDLINE = re.compile(r"pubmed(?! central)|medline|\b(?:nlm(?! catalog)|cmedm|mdc|mnh)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"embase|cinahl|psycinfo|scopus|cochrane|web of science", re.IGNORECASE)
_PMID = re.compile(r"\b(?:PMID|PUBMED)(?: ID)?:?\s*(\d{1,9})\b", re.IGNORECASE)
# Numbers of Cochrane CENTRAL, Rayyan and Web of Science.
_ACCESSION = re.compile(r"CN-\d{5,9}|rayyan-\d{1,12}|WOS:[A-Z0-9]{15}")
# The short title by which EPPI-Reviewer, which keeps its own number in U1, names a record.
_SHORT_TITLE = re.compile(r".{1,200} \((?:\d{4})?\)")
_BARE = re.compile(r"\s*(\d{1,9})\s*")
# What MEDLINE counted by before PubMed has eight digits too, the year first, from 66 on.
_NUMBERED = re.compile(r"([1-9]\d{0,6}|[1-5]\d{7})")


def read_ris(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read RIS: TI or T1, AB or N2, repeated tags, continuation lines, a missing ER.

    Parameters
    ----------
    source : Source
        The file.
    columns : mapping, optional
        Passed over: fields mean what the format says.
    progress : callable, optional
        Called with the share that was read and a few words.

    Returns
    -------
    RecordTable
        Its records.

    Raises
    ------
    InputProblem
        When no record begins, or a title stands outside of one.
    """
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        records = ((start, _ris_values(tags)) for start, tags in _ris_records(source.name, stream, notes))
        return table_of(source, "ris", records, notes, progress)


def _ris_records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Tags]]:
    """Yield each record as (first line, tags in order), and note in the end what stands outside of records."""
    outside: list[tuple[int, str]] = []
    tags: Tags | None = None
    start = 0
    seen = False
    for number, line in enumerate(lines, start=1):
        match = _RIS_LINE.match(line.rstrip("\r\n"))
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
            if tag in _TITLE:
                raise InputProblem(
                    f"Line {number} of {name} has {tag} outside a record; "
                    'begin the record with a line "TY  - ".'
                )
            if seen:
                outside.append((number, tag))
        else:
            tags.append((tag, [value]))
    if tags:
        yield start, tags
    if not seen:
        raise InputProblem(
            f'{name} holds no RIS record (no line begins with "TY  -"); export it as RIS again.'
        )
    if outside:
        more = f", and {len(outside) - 1:,} more lines likewise" if len(outside) > 1 else ""
        notes.append(f"Line {outside[0][0]} has {outside[0][1]} outside a record{more}; this was not read.")


def _joined(block: Tags) -> dict[str, list[str]]:
    """The values of each tag, their lines joined."""
    tags: dict[str, list[str]] = {}
    for tag, lines in block:
        tags.setdefault(tag, []).append(" ".join(lines).strip())
    return tags


def _ris_values(block: Tags) -> Iterator[Value]:
    tags = _joined(block)
    yield from (("", "", tag) for tag in tags if tag != "TY")
    is_patent = first_of(tags, "TY")[0].upper() == "PAT"
    number, tag = first_of(tags, "ID")
    yield "id", number.partition(" [http")[0], tag
    if _SHORT_TITLE.fullmatch(first_of(tags, "ST")[0]) and first_of(tags, "U1")[0].isdecimal():
        yield "id", *first_of(tags, "U1")
    if _ACCESSION.fullmatch(first_of(tags, "AN")[0]):
        yield "id", *first_of(tags, "AN")
    yield "title", *first_of(tags, *_TITLE)
    for tag in ("AB", "N2"):
        # Structured abstracts are sometimes written as one AB for each section.
        yield "abstract", " ".join(filter(None, tags.get(tag, ()))), tag
    for tag in ("AU", "A1"):
        yield "authors", "; ".join(filter(None, tags.get(tag, ()))), tag
    for tag in ("DA", "PY", "Y1"):
        value, _ = first_of(tags, tag)
        yield "date", value.strip("/ ") if re.search(r"\d{4}", value) else "", tag
    yield "url", *first_of(tags, *_ADDRESS)
    if is_patent:
        yield "assignee", *first_of(tags, "PB")
    for tag in ("N1", "KW"):
        yield from decisions(tags.get(tag, ()), tag)
    yield from _identifiers(tags, is_patent)


def _identifiers(tags: Mapping[str, list[str]], is_patent: bool) -> Iterator[Value]:
    for tag, value in _values(tags, "DO", *_CUSTOM, "AN", "M3", "L3"):
        yield "doi", find_doi(value), tag
    for tag, value in _values(tags, *_ADDRESS, "ID"):
        yield "doi", find_doi(value) if "doi.org/" in value else "", tag
        if page := _PUBMED_PAGE.search(value):
            yield "pmid", page[1], tag
    for tag, value in _values(tags, "PM", "AN", *_CUSTOM, "M1", "N1"):
        if number := _PMID.search(value) or (_BARE.fullmatch(value) if tag == "PM" else None):
            yield "pmid", number[1], tag
    # A bare number in AN is a PMID only where the database says so: others number records too.
    databases = " ".join(value for _, value in _values(tags, "DB", "DP"))
    if _MEDLINE.search(databases) and not _ANOTHER.search(databases):
        for tag, value in _values(tags, "AN"):
            if number := _NUMBERED.fullmatch(value.strip()):
                yield "pmid", number[1], tag
    elif not is_patent:
        written, tag = first_of(tags, "AN")
        written = written.partition(". ")[0]
        if (
            written not in tags.get("ID", ())
            and not _ACCESSION.fullmatch(written)
            and not _PMID.search(written)
        ):
            yield "record_number", written, tag
    if is_patent:
        for tag, value in _values(tags, "AN", "M1", "SN", "CN", "VL", "IS", *_CUSTOM, "ID"):
            yield "publication_number", patent_number(value), tag


def _values(tags: Mapping[str, list[str]], *wanted: str) -> Iterator[tuple[str, str]]:
    return ((tag, value) for tag in wanted for value in tags.get(tag, []))


RIS = Format("ris", "RIS", (".ris",), read_ris, looks=re.compile(r"(?:.*\n){0,200}?TY {1,2}-(?: |\r|\n|$)"))

# --- nbib: four-letter tags, continuation lines indented by six --------------------------------------------

_NBIB_LINE = re.compile(r"([A-Z][A-Z0-9]{1,4}) *-(?: (.*)|$)", flags=re.DOTALL)


def read_nbib(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read PubMed's nbib (or its "PubMed" text export).

    Parameters
    ----------
    source : Source
        The file.
    columns : mapping, optional
        Passed over: fields mean what the format says.
    progress : callable, optional
        Called with the share that was read and a few words.

    Returns
    -------
    RecordTable
        Its records.

    Raises
    ------
    InputProblem
        When there is no record, or a tag stands before the first.
    """
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        records = ((start, _nbib_values(tags)) for start, tags in _nbib_records(source.name, stream, notes))
        return table_of(source, "nbib", records, notes, progress)


def _nbib_records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Tags]]:
    """Yield each record as (first line, tags in order), and note lines that neither have a tag nor continue one."""
    tags: Tags = []
    broken: list[int] = []
    start = 0
    for number, line in enumerate(lines, start=1):
        match = _NBIB_LINE.match(line.rstrip("\r\n"))
        if match is None:
            if tags and line.startswith(" ") and line.strip():
                tags[-1][1].append(line.strip())
            elif line.strip():
                broken.append(number)
                if tags:
                    tags[-1][1].append(line.strip())
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag == "PMID":
            if tags:
                yield start, tags
            tags, start = [], number
        elif not start:
            raise InputProblem(
                f"Line {number} of {name} stands before the first PMID-; export it from PubMed again."
            )
        tags.append((tag, [value]))
    if not tags:
        raise InputProblem(f"{name} holds no PubMed record (no line begins with PMID-); export it again.")
    if broken:
        more = f", nor do {len(broken) - 1:,} more" if len(broken) > 1 else ""
        notes.append(
            f"Line {broken[0]} does not begin with a tag{more}; what stands before it goes on there."
        )
    yield start, tags


def _nbib_values(block: Tags) -> Iterator[Value]:
    tags = _joined(block)
    yield from (("", "", tag) for tag in tags)
    yield "pmid", *first_of(tags, "PMID")
    yield "title", *first_of(tags, "TI", "BTI", "TT")
    yield "abstract", *first_of(tags, "AB", "OAB")
    yield "date", *first_of(tags, "DP", "DEP", "EDAT")
    for tag in ("FAU", "AU", "CN"):
        yield "authors", "; ".join(filter(None, tags.get(tag, []))), tag
    for tag, value in _values(tags, "LID", "AID", "SO"):
        yield "doi", find_doi(value) if "doi" in value else "", tag


NBIB = Format(
    "nbib",
    "PubMed (nbib)",
    (".nbib",),
    read_nbib,
    looks=re.compile(r"\s*PMID ?- ?\d"),
    phrase="PubMed's own format",
)
