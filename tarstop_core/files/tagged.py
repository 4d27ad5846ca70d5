"""Read the tagged formats RIS, PubMed's nbib and Web of Science's, as databases write them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import MAPPABLE
from tarstop_core.files.record_tables import Format, Progress, Reader, RecordTable, Row, collect, finish
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.values import FROM_NOTES, find_doi, tool_of

FIELDS = tuple(field for field in MAPPABLE if field != "family")
Value = tuple[str, str, str]
"""A field, its value, and the tag of the value. ("", "", tag) registers that a record has the tag, which is listed
as not read unless a field was read from it."""
Tags = list[tuple[str, list[str]]]  # Tags of a record in order, each with the lines of its value
Records = Callable[[str, Iterable[str], list[str]], Iterator[tuple[int, Iterable[Value]]]]
"""Yields the first line and the values of each record, given the name of the file, its lines, and a list to add notes to."""
LONGEST_NUMBER = 40  # Most characters of a patent's number, because the pattern is slow on long texts
_PATENT = re.compile(r"[A-Z]{2}[- ]?(?:[\d/]*[A-Z]{1,2}\d{4,}|[\d/]*\d{4})[- ]?(?:[A-Z]\d?)?")


def table_of(
    source: Source,
    format_key: str,
    records: Iterable[tuple[int, Iterable[Value]]],
    notes: Sequence[str],
    progress: Progress | None,
) -> RecordTable:
    """Gather records into a table, with the first value of each field.

    Parameters
    ----------
    source : Source
        The file.
    format_key : str
        Key of its format.
    records : iterable
        First line and values of each record.
    notes : sequence of str
        Sentences on how the file was opened.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable
        The records, with the tags that were not used.

    Raises
    ------
    InputProblem
        When the records are unusable.
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


def reader_of(format_key: str, records: Records) -> Reader:
    """Make the reader of a tagged text format. It ignores the choice of columns, because tags have fixed meanings."""

    def read(source: Source, _: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
        encoding, notes = detect_encoding(source)
        with source.text(encoding) as stream:
            return table_of(source, format_key, records(source.name, stream, notes), notes, progress)

    return read


def blocks(
    lines: Iterable[str], line: re.Pattern[str], begins: str, ends: str, strays: list[tuple[int, str]]
) -> Iterator[tuple[int, Tags]]:
    """Split lines with tags into records.

    Parameters
    ----------
    lines : iterable of str
        The file.
    line : pattern
        Matches a line with a tag; its groups are the tag and the value, if any.
    begins : str
        Tag on the first line of a record.
    ends : str
        Tag after the last line of a record; "" if the format has none. It may be missing in the file.
    strays : list
        Receives number and tag of each line outside a record, and number and "" of each line that has no tag and is not
        indented.

    Yields
    ------
    tuple of int and Tags
        First line and tags of a record.
    """
    tags: Tags | None = None
    start = 0
    for number, text in enumerate(lines, start=1):
        match = line.match(text.rstrip("\r\n"))
        if match is None:
            if text.strip() and not text.startswith(" "):
                strays.append((number, ""))
            if text.strip() and tags:
                tags[-1][1].append(text.strip())
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag in (begins, ends):
            if tags:
                yield start, tags
            tags, start = ([], number) if tag == begins else (None, 0)
        if tags is not None:
            tags.append((tag, [value]))
        elif tag != ends:
            strays.append((number, tag))
    if tags:
        yield start, tags


def outside_records(strays: Sequence[tuple[int, str]], first: int) -> list[str]:
    """A sentence on tags between records, if any; blank lines and lines without a tag may stand there."""
    outside = [(number, tag) for number, tag in strays if tag and number > first]
    if not outside:
        return []
    more = f", and {len(outside) - 1:,} more lines likewise" if len(outside) > 1 else ""
    return [f"Line {outside[0][0]} has {outside[0][1]} outside a record{more}; this was not read."]


def joined(block: Tags) -> dict[str, list[str]]:
    """The values of each tag, with their lines joined."""
    tags: dict[str, list[str]] = {}
    for tag, lines in block:
        tags.setdefault(tag, []).append(" ".join(lines).strip())
    return tags


def first_of(tags: Mapping[str, Sequence[str]], *names: str) -> tuple[str, str]:
    """The first value among tags that is not blank, and its tag; empty texts if there is none."""
    filled = ((value.strip(), name) for name in names for value in tags.get(name, ()) if value.strip())
    return next(filled, ("", ""))


def patent_number(text: str) -> str:
    """The text if it is the publication number of a patent, otherwise ""."""
    return text if len(text) < LONGEST_NUMBER and _PATENT.fullmatch(text.strip()) else ""


def decisions(notes: Sequence[str], tag: str) -> Iterator[Value]:
    """Yield label, reason and remark that a tool wrote into a record's notes or keywords."""
    tool = next(filter(None, map(tool_of, notes)), "")
    for field, read in FROM_NOTES.items():
        yield field, next(filter(None, map(read, notes)), ""), f"{tag}, as {tool} writes it" if tool else tag


# --- RIS: tags with one space, records without an end, values over several lines ---------------------------

_TITLE = ("TI", "T1", "CT", "BT", "TT")
_ADDRESS = ("UR", "LK", "L2")
_CUSTOM = tuple(f"C{number}" for number in range(1, 9))
_RIS_LINE = re.compile(r"([A-Z][A-Z0-9])  ?-(?:\s+(.*)|$)", flags=re.DOTALL)
_PUBMED_PAGE = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(?:\?term=)?(\d{1,9})\b")
# Names of MEDLINE in databases, EndNote ("NLM") and EBSCO (codes).
_MEDLINE = re.compile(r"pubmed(?! central)|medline|\b(?:nlm(?! catalog)|cmedm|mdc|mnh)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"embase|cinahl|psycinfo|scopus|cochrane|web of science", re.IGNORECASE)
_PMID = re.compile(r"\b(?:PMID|PUBMED)(?: ID)?:?\s*(\d{1,9})\b", re.IGNORECASE)
# Record numbers of Cochrane CENTRAL, Rayyan and Web of Science.
_ACCESSION = re.compile(r"CN-\d{5,9}|rayyan-\d{1,12}|WOS:[A-Z0-9]{15}")
# A short title of EPPI-Reviewer, which has its own record number in U1.
_SHORT_TITLE = re.compile(r".{1,200} \((?:\d{4})?\)")
_BARE = re.compile(r"\s*(\d{1,9})\s*")
# A PMID. MEDLINE's numbers before PubMed have eight digits too and begin with the year, from 66 on.
_NUMBERED = re.compile(r"([1-9]\d{0,6}|[1-5]\d{7})")


def _ris_records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Iterator[Value]]]:
    """Yield the records of RIS; tags may repeat, values continue on the next line, and ER may be missing."""
    strays: list[tuple[int, str]] = []
    first = 0
    for start, block in blocks(lines, _RIS_LINE, "TY", "ER", strays):
        first = first or start
        yield start, _ris_values(joined(block))
    for number, tag in strays:
        if tag in _TITLE:
            raise InputProblem(
                f'Line {number} of {name} has {tag} outside a record; begin the record with a line "TY  - ".'
            )
    if not first:
        raise InputProblem(
            f'{name} contains no RIS record (no line begins with "TY  -"); export it as RIS again.'
        )
    notes += outside_records(strays, first)


def _ris_values(tags: Mapping[str, list[str]]) -> Iterator[Value]:
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
        # Structured abstracts may have one AB per section.
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
    """Yield DOIs, PMIDs, record numbers and publication numbers, which databases write into many tags."""
    for tag, value in _values(tags, "DO", *_CUSTOM, "AN", "M3", "L3"):
        yield "doi", find_doi(value), tag
    for tag, value in _values(tags, *_ADDRESS, "ID"):
        yield "doi", find_doi(value) if "doi.org/" in value else "", tag
        if page := _PUBMED_PAGE.search(value):
            yield "pmid", page[1], tag
    for tag, value in _values(tags, "PM", "AN", *_CUSTOM, "M1", "N1"):
        if number := _PMID.search(value) or (_BARE.fullmatch(value) if tag == "PM" else None):
            yield "pmid", number[1], tag
    # A bare number in AN is a PMID only if the database is MEDLINE, because others number records too.
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
    """Yield tag and value of all values of some tags."""
    return ((tag, value) for tag in wanted for value in tags.get(tag, []))


_RIS_BEGINS = re.compile(r"(?:.*\n){0,200}?TY {1,2}-(?: |\r|\n|$)")
RIS = Format("ris", "RIS", (".ris",), reader_of("ris", _ris_records), _RIS_BEGINS)

# --- nbib: four-letter tags, continuation lines indented by six --------------------------------------------

_NBIB_LINE = re.compile(r"([A-Z][A-Z0-9]{1,4}) *-(?: (.*)|$)", flags=re.DOTALL)


def _nbib_records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Iterator[Value]]]:
    """Yield the records of PubMed's nbib or of its text export "PubMed"."""
    strays: list[tuple[int, str]] = []
    start = 0
    for start, block in blocks(lines, _NBIB_LINE, "PMID", "", strays):
        yield start, _nbib_values(joined(block))
    if before := [number for number, tag in strays if tag]:
        raise InputProblem(
            f"Line {before[0]} of {name} stands before the first PMID-; export it from PubMed again."
        )
    if not start:
        raise InputProblem(f"{name} contains no PubMed record (no line begins with PMID-); export it again.")
    if strays:
        more = f", nor do {len(strays) - 1:,} more" if len(strays) > 1 else ""
        notes.append(f"Line {strays[0][0]} does not begin with a tag{more}; it was added to the line before.")


def _nbib_values(tags: Mapping[str, list[str]]) -> Iterator[Value]:
    yield from (("", "", tag) for tag in tags)
    yield "pmid", *first_of(tags, "PMID")
    yield "title", *first_of(tags, "TI", "BTI", "TT")
    yield "abstract", *first_of(tags, "AB", "OAB")
    yield "date", *first_of(tags, "DP", "DEP", "EDAT")
    for tag in ("FAU", "AU", "CN"):
        yield "authors", "; ".join(filter(None, tags.get(tag, []))), tag
    for tag, value in _values(tags, "LID", "AID", "SO"):
        yield "doi", find_doi(value) if "doi" in value else "", tag


_NBIB_BEGINS = re.compile(r"\s*PMID ?- ?\d")
read_nbib = reader_of("nbib", _nbib_records)
NBIB = Format("nbib", "PubMed (nbib)", (".nbib",), read_nbib, _NBIB_BEGINS, "PubMed's own format")


# --- Web of Science: two-letter tags, a record from PT to ER, continuation lines indented by three ----------
_WOS_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*$)", flags=re.DOTALL)
_WOS_FIELDS = {"id": "UT", "title": "TI", "abstract": "AB", "date": "PY", "doi": "DI", "pmid": "PM"}
_WOS_OUTSIDE = ("FN", "VR", "EF")  # Tags of the file, not of a record


def _wos_records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Iterator[Value]]]:
    strays: list[tuple[int, str]] = []
    first = 0
    for start, block in blocks(lines, _WOS_LINE, "PT", "ER", strays):
        first = first or start
        tags: dict[str, list[str]] = {}
        for tag, values in block:
            tags.setdefault(tag, []).extend(values)
        yield start, _wos_values(tags)
    if not first:
        raise InputProblem(f"{name} contains no record (no line begins with PT); export it again.")
    notes += outside_records([(number, tag) for number, tag in strays if tag not in _WOS_OUTSIDE], first)


def _wos_values(tags: Mapping[str, Sequence[str]]) -> Iterator[Value]:
    yield from (("", "", tag) for tag in tags if tag not in ("PT", *_WOS_OUTSIDE))
    for field, tag in _WOS_FIELDS.items():
        yield field, " ".join(tags.get(tag, ())), tag
    for tag in ("AF", "AU", "BF", "BA", "CA"):
        yield "authors", "; ".join(tags.get(tag, ())), tag


_WOS_BEGINS = re.compile(r"\s*(?:FN .*\r?\n(?:VR .*\r?\n)?)?PT [A-Z]\b.*\r?\n(?:[A-Z][A-Z0-9]) ")
read_wos = reader_of("wos", _wos_records)
WOS = Format("wos", "Web of Science", (".ciw", ".isi"), read_wos, _WOS_BEGINS, "Web of Science plain text")
