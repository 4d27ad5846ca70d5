"""Read records in any format, which is recognised by the content."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from tarstop_core.errors import InputProblem
from tarstop_core.files import archives
from tarstop_core.files.asreview import ASREVIEW
from tarstop_core.files.bib import BIB
from tarstop_core.files.columns import UnrecognisedColumns
from tarstop_core.files.delimited import CSV, TSV
from tarstop_core.files.endnote import ENW, XML
from tarstop_core.files.jsonl import JSONL
from tarstop_core.files.record_tables import Format, Progress, RecordTable
from tarstop_core.files.source import Looks, Source, looks_like, open_source
from tarstop_core.files.tagged import NBIB, RIS, WOS
from tarstop_core.files.xlsx import XLSX

FORMATS: tuple[Format, ...] = (  # One a line
    CSV,
    TSV,
    XLSX,
    RIS,
    BIB,
    NBIB,
    WOS,
    ENW,
    XML,
    JSONL,
    ASREVIEW,
)
"""All formats, in the order in which pages name them; a file has the first one whose `looks` matches its beginning."""
_BY_KEY = {form.key: form for form in FORMATS}
_BY_SUFFIX = {suffix: form for form in FORMATS for suffix in form.suffixes}
_PLAIN = ("", ".txt", ".csv", ".tsv", ".tab")
"""Suffixes of tables whose columns a person may choose if none is recognised."""
_PACKED = frozenset(_BY_SUFFIX) - {*XLSX.suffixes, *ASREVIEW.suffixes} | {".txt"}
_LOOKS = [
    (form.looks, Looks(form.key, form.phrase or form.name, f'rename it to end in "{form.suffixes[0]}"'))
    for form in FORMATS
    if form.looks
]


def read_records(
    source: Path | str | BinaryIO,
    name: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> RecordTable:
    """Read records from a file of any known format, gzipped or not.

    The content decides on the format, not the name; text that looks like no other format is read as a table.

    Parameters
    ----------
    source : path or binary file
        An open file is read from its start and stays open.
    name : str, optional
        Its name, for messages.
    columns : mapping, optional
        For tables and JSON: column of the file to our field ("" leaves a column out); other columns are recognised.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable
        The records, with notes on how they were read.

    Raises
    ------
    InputProblem
        When the file is unusable; then nothing is imported. UnrecognisedColumns when no column holds the titles: call again
        with `columns`.
    """
    with open_source(source, name) as opened:
        if progress:
            progress(0.0, f"Checking {opened.name}")
        table = _read(opened, columns, progress)
        if progress:
            progress(1.0, f"Read {len(table.frame):,} records of {opened.name}")
        return table


def _read(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    looks = looks_like(source.head(), _LOOKS)
    if looks is None:
        return _as_table(source, columns, progress)
    key = archives.kind_of(source) if looks.key == "xlsx" else looks.key
    if key == "zip":
        member, content = archives.only_file(source, _PACKED)
        inner = Source(content, f"{source.name}: {member}", content.seek(0, io.SEEK_END), False)
        if looks_like(inner.head()) is not None:
            raise InputProblem(
                f"{source.name} is an archive in which {member} contains no records; unpack it first."
            )
        return _read(inner, columns, progress)
    if key not in _BY_KEY:
        raise InputProblem(f"{source.name} looks like {looks.phrase}; {looks.mend}.")
    return _BY_KEY[key].reader(source, columns, progress)


def _as_table(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read text that looks like no other format as a table; a person may choose its columns only if its suffix is a table's."""
    try:
        return CSV.reader(source, columns, progress)
    except UnrecognisedColumns as problem:
        if source.suffix in _PLAIN:
            raise
        claimed = _BY_SUFFIX.get(source.suffix)
        if claimed is None:
            raise InputProblem(
                f'{source.name} ends in "{source.suffix}", which is not a format that TARstop reads; use {", ".join(_BY_SUFFIX)}.'
            ) from problem
        raise InputProblem(
            f"{source.name} is named as {claimed.name} but does not look like it; check the export."
        ) from problem
