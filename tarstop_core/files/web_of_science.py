"""Plain text of Web of Science: two-letter tags, a record from PT to ER, continuation lines indented by three."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tarstop_core.errors import InputProblem
from tarstop_core.files.record_tables import Format, Progress, RecordTable
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.tagged import Value, table_of

_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*$)", flags=re.DOTALL)
_FIELDS = {"id": "UT", "title": "TI", "abstract": "AB", "date": "PY", "doi": "DI", "pmid": "PM"}
_OUTSIDE = ("FN", "VR", "EF")  # Lines of the file, not of a record
Tags = dict[str, list[str]]  # The lines of each tag


def read_web_of_science(
    source: Source, columns: Mapping[str, str] | None, progress: Progress | None
) -> RecordTable:
    """Read the plain text that Web of Science exports.

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
        When there is no record.
    """
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        records = ((start, _values(tags)) for start, tags in _records(source.name, stream))
        return table_of(source, "wos", records, notes, progress)


def _records(name: str, lines: Iterable[str]) -> Iterator[tuple[int, Tags]]:
    """Yield each record as (first line, lines of each tag)."""
    tags: Tags = {}
    start, last = 0, ""
    for number, line in enumerate(lines, start=1):
        match = _LINE.match(line.rstrip("\r\n"))
        if match is None:
            if last in tags and line.strip():
                tags[last].append(line.strip())
            continue
        last = match[1]
        if last in ("PT", "ER") and tags:
            yield start, tags
            tags = {}
        if last == "PT":
            start = number
        if last not in ("ER", *_OUTSIDE) and start:
            tags.setdefault(last, []).append((match[2] or "").strip())
    if tags:
        yield start, tags
    if not start:
        raise InputProblem(f"{name} holds no record (no line begins with PT); export it again.")


def _values(tags: Mapping[str, Sequence[str]]) -> Iterator[Value]:
    yield from (("", "", tag) for tag in tags if tag != "PT")
    for field, tag in _FIELDS.items():
        yield field, " ".join(tags.get(tag, ())), tag
    for tag in ("AF", "AU", "BF", "BA", "CA"):
        yield "authors", "; ".join(tags.get(tag, ())), tag


WOS = Format(
    "wos",
    "Web of Science",
    (".ciw", ".isi"),
    read_web_of_science,
    looks=re.compile(r"\s*(?:FN .*\r?\n(?:VR .*\r?\n)?)?PT [A-Z]\b.*\r?\n(?:[A-Z][A-Z0-9]) "),
    phrase="Web of Science plain text",
)
