"""Jobs for a worker on long lists: reading, storing, ordering and exporting.

A job that uses the store takes the store itself or, in a worker, how to open it: see :func:`reached`.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import pandas as pd

from tarstop_core.documents.records import ranking_text
from tarstop_core.evaluation.benchmarks.folder import read_upload, save_upload
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.files import RecordTable, read_records
from tarstop_core.files.record_tables import Progress
from tarstop_core.ranking.bm25 import Bm25Index, Recipe, build_index
from tarstop_core.sessions.export import to_csv, to_ris, to_xlsx
from tarstop_core.sessions.file import export_session
from tarstop_core.sessions.other_tools import TOOLS, to_tool
from tarstop_core.sessions.prisma import flow_diagram
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import SessionSnapshot, session_snapshot
from tarstop_core.sessions.store.backup import Held, backup
from tarstop_core.sessions.store.permissions import Reach
from tarstop_core.sessions.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")
Counting = Callable[[int, int], None]
FLOW, REPORT = "-prisma.svg", "-report.html"


ENDS: dict[str, Callable[[SessionSnapshot], str | bytes]] = {
    REPORT: report_html,
    "-session.xlsx": to_xlsx,
    "-documents.csv": to_csv,
    "-documents.ris": to_ris,
    "-relevant.ris": lambda session: to_ris(session, relevant_only=True),
    "-included.ris": lambda session: to_ris(session, with_data=True),
    FLOW: lambda session: flow_diagram(session.prisma),
    **{tool.end: partial(to_tool, tool=tool) for tool in TOOLS},
}
"""The functions that export a session, by the suffix of the file."""
SESSION = ".json"


def records_in(
    content: bytes, name: str, columns: Mapping[str, str] | None, progress: Progress
) -> RecordTable:
    """Read the records of an upload."""
    return read_records(io.BytesIO(content), name, columns=columns, progress=progress)


def benchmark_in(files: Sequence[tuple[str, bytes]], folder: Path) -> tuple[Benchmark, tuple[str, ...]]:
    """Write an uploaded benchmark into a folder; return it, and sentences on files that were left out."""
    notes = save_upload([(name, io.BytesIO(content)) for name, content in files], folder)
    return read_upload(folder), notes


def reached(store: Store, large: bool) -> Store | Reach:
    """Return the store as an argument of a job: for a worker how to open it for the same person, otherwise itself."""
    return store.reach if large else store


@contextmanager
def _opened(by: Store | Reach) -> Iterator[Store]:
    if isinstance(by, Store):
        yield by
    else:
        with Store(*by) as store:
            yield store


def in_store(
    by: Store | Reach, job: Callable[Concatenate[Store, P], T], *args: P.args, **more: P.kwargs
) -> T:
    """Run `job` with the store, which is opened first if `by` only says how."""
    with _opened(by) as store:
        return job(store, *args, **more)


def stored(
    by: Store | Reach, name: str, frame: pd.DataFrame, files: Sequence[Mapping[str, Any]], progress: Counting
) -> tuple[str, bool]:
    """Store a collection unless it is stored already; return its id, and whether it is new.

    The files have more records than the `frame` if some were merged as duplicates, here or by another tool.
    """
    with _opened(by) as store:
        duplicates = sum(file.get("records", 0) for file in files) - len(frame)
        if (earlier := store.same_collection(name, frame, files)) is not None:
            return earlier, False
        return store.save_collection(name, frame, files, duplicates, progress=progress), True


def index_of(frame: pd.DataFrame, recipe: Recipe, progress: Counting) -> Bm25Index:
    """Count the words of all documents."""
    return build_index(ranking_text(frame), progress, recipe)


def backed_up(by: Reach, file: Path, progress: Counting) -> Held:
    """Write the whole store to a file in a folder that is made for it and that other users of the machine cannot read."""
    file.parent.mkdir(mode=0o700, exist_ok=True)
    return backup(file, by.url, lambda share: progress(round(100 * share), 100))


def exported(by: Reach, session: str, end: str) -> bytes:
    """Export a session as a file with the suffix `end`, one of :data:`ENDS` or :data:`SESSION`."""
    with Store(*by) as store:
        store.note_export(session, end)
        if end == SESSION:
            return export_session(store, session).encode()
        content = ENDS[end](session_snapshot(store, session))
        return content if isinstance(content, bytes) else content.encode()
