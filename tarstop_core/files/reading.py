"""One call for every format of records: dispatched by suffix, checked by content."""

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from tarstop_core.errors import InputProblem
from tarstop_core.files.bib import BIB
from tarstop_core.files.delimited import CSV, TSV
from tarstop_core.files.jsonl import JSONL
from tarstop_core.files.record_tables import Format, Progress, RecordTable
from tarstop_core.files.source import Looks, Source, looks_like, open_source
from tarstop_core.files.tagged import NBIB, RIS
from tarstop_core.files.xlsx import XLSX

FORMATS: tuple[Format, ...] = (CSV, TSV, XLSX, RIS, BIB, NBIB, JSONL)
"""Every format, in the order in which a page names them."""
_BY_KEY = {form.key: form for form in FORMATS}
_BY_SUFFIX = {suffix: form for form in FORMATS for suffix in form.suffixes}
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

    An open file is read from its start and left open. The suffix of `name` (by default the path's or the object's own)
    decides the format. For tables and JSON lines `columns` are theirs to our fields ("" leaves a column out); others are
    still recognised. `progress` is called now and then with the share done (0 to 1) and a few words.
    UnrecognisedColumns when no column holds the titles: call again with `columns`. InputProblem when the file cannot be
    used; nothing is half-imported.
    """
    with open_source(source, name) as opened:
        if progress:
            progress(0.0, f"Checking {opened.name}")
        table = _format_of(opened).reader(opened, columns, progress)
        if progress:
            progress(1.0, f"Read {len(table.frame):,} records of {opened.name}")
        return table


def _format_of(source: Source) -> Format:
    looks = looks_like(source.head(), _LOOKS)
    if source.suffix in (".txt", ""):
        # PubMed, Web of Science and others save several formats under .txt.
        if looks is None:
            return _BY_KEY["csv"]
        if looks.key and looks.key != "xlsx":
            return _BY_KEY[looks.key]
        raise InputProblem(f"{source.name} looks like {looks.phrase}; {looks.mend}.")
    claimed = _BY_SUFFIX.get(source.suffix)
    if claimed is None:
        mend = looks.mend if looks else "use " + ", ".join(_BY_SUFFIX)
        kind = f" and looks like {looks.phrase}" if looks else ""
        raise InputProblem(
            f'{source.name} ends in "{source.suffix}", which is no format read here{kind}; {mend}.'
        )
    if looks is not None and looks.key != claimed.key:
        raise InputProblem(
            f"{source.name} is named as {claimed.name} but looks like {looks.phrase}; {looks.mend}."
        )
    if looks is None and claimed not in (CSV, TSV):
        raise InputProblem(
            f"{source.name} is named as {claimed.name} but does not look like it; "
            "check the export, or rename a table to end in .csv."
        )
    return claimed
