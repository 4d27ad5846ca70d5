"""Read EndNote's tagged text (.enw, which Google Scholar and others write too) and its XML."""

import re
from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element

from tarstop_core.errors import InputProblem
from tarstop_core.files.markup import root_element
from tarstop_core.files.record_tables import Format, Progress, RecordTable
from tarstop_core.files.source import Source
from tarstop_core.files.tagged import Value, blocks, decisions, joined, reader_of, table_of
from tarstop_core.files.values import find_doi

_LINE = re.compile(r"%([0-9A-Z@!?^~<>#$&*+\[(|'\"])(?: (.*)|\s*$)", flags=re.DOTALL)
_FIELDS = {"title": "T", "abstract": "X", "url": "U", "record_number": "M"}
# Path of each field in a record of the XML.
_PATHS = {
    "id": "rec-number",
    "title": "titles/title",
    "abstract": "abstract",
    "doi": "electronic-resource-num",
    "url": "urls/related-urls/url",
    "record_number": "accession-num",
}
_DATES = ("dates/pub-dates/date", "dates/year")


def _enw_records(name: str, lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, Iterator[Value]]]:
    start = 0
    for start, block in blocks(lines, _LINE, "0", "", []):
        yield start, _enw_values(joined(block))
    if not start:
        raise InputProblem(f"{name} contains no record (no line begins with %0); export it again.")


def _enw_values(tags: Mapping[str, list[str]]) -> Iterator[Value]:
    yield from (("", "", f"%{tag}") for tag in tags if tag != "0")
    for field, tag in _FIELDS.items():
        yield field, next(iter(tags.get(tag, ())), ""), f"%{tag}"
    yield "authors", "; ".join(tags.get("A", ())), "%A"
    for tag in ("8", "D"):
        date = " ".join(tags.get(tag, ()))
        yield "date", date if re.search(r"\d{4}", date) else "", f"%{tag}"
    for tag in ("R", "U"):
        yield "doi", find_doi(" ".join(tags.get(tag, ()))), f"%{tag}"
    for tag in ("Z", "K"):
        yield from decisions(tags.get(tag, ()), f"%{tag}")


def read_xml(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read EndNote's XML.

    Parameters
    ----------
    source : Source
        The file.
    columns : mapping, optional
        Ignored: the format defines its fields.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable

    Raises
    ------
    InputProblem
        When the file is damaged or has no record.
    """
    records = root_element(source).findall(".//record")
    if not records:
        raise InputProblem(f"{source.name} contains no record; export it from EndNote again, or as RIS.")
    rows = ((number, _xml_values(record)) for number, record in enumerate(records, start=1))
    return table_of(source, "endnote", rows, [], progress)


def _xml_values(record: Element) -> Iterator[Value]:
    yield from (("", "", part.tag) for part in record)
    for field, path in _PATHS.items():
        yield field, next(_texts(record, path), ""), path.partition("/")[0]
    yield "authors", "; ".join(_texts(record, "contributors/authors/author")), "contributors"
    for path in _DATES:
        date = next(_texts(record, path), "")
        yield "date", date if re.search(r"\d{4}", date) else "", "dates"
    for path in ("notes", "research-notes", "keywords/keyword"):
        yield from decisions(list(_texts(record, path)), path.partition("/")[0])


def _texts(record: Element, path: str) -> Iterator[str]:
    """Yield the text of each element at a path, without styles."""
    return (" ".join("".join(part.itertext()).split()) for part in record.findall(path))


_ENW_BEGINS = re.compile(r"\s*%0 [A-Z]")
_XML_BEGINS = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:xml|records)>\s*<record")
read_enw = reader_of("enw", _enw_records)
ENW = Format("enw", "EndNote (tagged)", (".enw",), read_enw, _ENW_BEGINS, "EndNote's text")
XML = Format("endnote", "EndNote (XML)", (".xml",), read_xml, _XML_BEGINS, "EndNote's XML")
