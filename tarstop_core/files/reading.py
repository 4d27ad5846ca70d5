"""Read records in any format, recognised by content or, if that does not tell, by suffix."""

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

FORMATS: tuple[Format, ...] = (CSV, TSV, XLSX, RIS, BIB, NBIB, WOS, ENW, XML, JSONL, ASREVIEW)
"""Every format, in the order in which a page names them."""
_BY_KEY = {form.key: form for form in FORMATS}
_BY_SUFFIX = {suffix: form for form in FORMATS for suffix in form.suffixes}
_PLAIN = ("", ".txt", ".csv", ".tsv", ".tab")
"""Suffixes of files that may be tables with any names of columns; a person can choose the columns."""
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
    """Read records from a file of any known format, gzipped or not, whatever it is called.

    Its content decides the format; a table is what looks like nothing else.

    Parameters
    ----------
    source : path or binary file
        An open file is read from its start and left open.
    name : str, optional
        Its name, for messages.
    columns : mapping, optional
        Of tables and JSON, their columns to our fields ("" leaves a column out); others are still recognised.
    progress : callable, optional
        Called now and then with the share done (0 to 1) and a few words.

    Returns
    -------
    RecordTable
        Its records, with what was noted on reading them.

    Raises
    ------
    InputProblem
        When the file cannot be used; nothing is half-imported. UnrecognisedColumns when no column holds the titles: call
        again with `columns`.
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
    """Read text that looks like no other format; if its suffix is not that of a table, it must have a column of titles."""
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
