"""What is done in a process of its own: read, compare, store, put in order and write what is large."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tarstop_core.documents.merging import Proposal, propose
from tarstop_core.documents.records import ranking_text
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.upload import checked, place
from tarstop_core.files import RecordTable, TableFile, read_records, read_tables
from tarstop_core.files.columns import Progress
from tarstop_core.files.labelled_lists import Labelled, read_labelled
from tarstop_core.ranking.bm25 import Bm25Index, build_index
from tarstop_core.ranking.order import Order, suggest_order
from tarstop_core.sessions.export import to_csv, to_ris, to_xlsx
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.whole import WholeSession, whole_session

Files = Sequence[tuple[str, bytes]]
Counting = Callable[[int, int], None]
ENDS: dict[str, Callable[[WholeSession], str | bytes]] = {
    "-report.html": report_html,
    ".xlsx": to_xlsx,
    ".csv": to_csv,
    ".ris": to_ris,
    "-relevant.ris": lambda session: to_ris(session, relevant_only=True),
}
"""What a session leaves as, by how its name ends."""
SESSION = ".json"


def records_in(
    content: bytes, name: str, columns: Mapping[str, str] | None, progress: Progress
) -> RecordTable:
    """The records of an upload."""
    return read_records(io.BytesIO(content), name, columns=columns, progress=progress)


def tables_in(content: bytes, name: str) -> TableFile:
    """The 2×2 tables of an upload."""
    return read_tables(io.BytesIO(content), name)


def labelled_in(files: Files, queries: Mapping[str, str], abstracts: bool) -> Labelled:
    """Labelled lists, ordered."""
    return read_labelled(files, queries, abstracts=abstracts)


def benchmark_in(files: Files, folder: Path) -> tuple[Benchmark, tuple[str, ...]]:
    """A benchmark that was sent, laid out in a folder; and what was left out."""
    notes = place([(name, io.BytesIO(content)) for name, content in files], folder)
    return checked(folder), notes


def session_in(text: str, name: str, url: str) -> str:
    """Take in a session file; its id in the store."""
    with Store(url) as store:
        return import_session(store, text, name)


def proposed(frames: Sequence[pd.DataFrame]) -> Proposal:
    """What is and may be the same document."""
    return propose(frames)


def stored(
    url: str,
    name: str,
    frame: pd.DataFrame,
    files: Sequence[Mapping[str, Any]],
    duplicates: int,
    progress: Counting,
) -> tuple[str, bool]:
    """Store a collection that is not there yet; its id, and whether it is new."""
    with Store(url) as store:
        earlier = store.same_collection(name, frame, files)
        if earlier is not None:
            return earlier, False
        return store.save_collection(name, frame, files, duplicates, progress=progress), True


def documents_of(url: str, collection: str) -> pd.DataFrame:
    """The records of a collection."""
    with Store(url) as store:
        return store.records(collection)


def suggested(frame: pd.DataFrame) -> tuple[Order, str]:
    """The order to begin with, and why."""
    return suggest_order(frame)


def index_of(frame: pd.DataFrame, progress: Counting) -> Bm25Index:
    """The words of all documents, counted."""
    return build_index(ranking_text(frame), progress)


def whole(url: str, session: str) -> WholeSession:
    """A session with all its documents."""
    with Store(url) as store:
        return whole_session(store, session)


def exported(url: str, session: str, end: str) -> str | bytes:
    """A session as a file whose name ends so."""
    with Store(url) as store:
        if end == SESSION:
            return export_session(store, session)
        return ENDS[end](whole_session(store, session))
