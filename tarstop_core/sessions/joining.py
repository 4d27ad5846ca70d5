"""Documents that are added to a session later, from a repeated search or another database, and their removal."""

import io
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.duplicates import merge_records, unique_ids
from tarstop_core.documents.merging import near_duplicates
from tarstop_core.documents.records import ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_records
from tarstop_core.files.source import check_held
from tarstop_core.ranking.bm25 import RECIPES, build_index, recipe_told
from tarstop_core.ranking.learning import Floats
from tarstop_core.screening.log import Event
from tarstop_core.screening.state import State
from tarstop_core.sessions.lazy_session import LazySession
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import SessionRow

SHOWN = 5
"""How many titles a preview names."""


@dataclass(frozen=True)
class Preview:
    """What a file would add to a session."""

    payload: dict[str, Any]
    """Payload of the event, without what depends on the order of the new documents: positions, ranks and scores."""
    titles: tuple[str, ...]
    """Titles of the first new documents; possible duplicates come first, each with the document that it may be."""
    labelled: int  # New documents with a label in the file; these labels are not imported
    file: dict[str, Any]  # How the file was read


def preview(store: Store, session_id: str, content: bytes, name: str) -> Preview:
    """What :func:`join` would add from a file; nothing is stored.

    Parameters
    ----------
    store, session_id, content, name
        As for :func:`join`.

    Returns
    -------
    Preview
        What the file would add.
    """
    session, documents, file, payload = _arrivals(store, session_id, content, name)
    docs, titles, alike = payload["docs"], documents.set_index("id")["title"], payload["alike"]
    lines = [f"{titles[doc]}, {alike_in_words(session, alike[doc], titles[alike[doc]])}" for doc in alike]
    lines += [titles[doc] for doc in docs if doc not in alike]
    labelled = int((documents["label"].iloc[len(documents) - len(docs) :] != "").sum())
    return Preview(payload, tuple(lines[:SHOWN]), labelled, file)


def alike_in_words(session: LazySession, doc: str, title: str) -> str:
    """Say that a document may be the same as another one.

    Parameters
    ----------
    session : LazySession
        The session that holds the other.
    doc, title : str
        Id and title of the other.

    Returns
    -------
    str
        A clause, with the number that the other has once it was read: until then that may change.
    """
    read, title = session.row.ids[: session.state.depth], textwrap.shorten(title, 90, placeholder=" …")
    number = f"#{read.index(doc) + 1} " if doc in read else ""
    return f"perhaps the same as {number}“{title}”{'' if number else ', which is not read yet'}"


def join(
    store: Store,
    session_id: str,
    content: bytes,
    name: str,
    database: str = "",
    by: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Event:
    """Add the records of a file to a session, all of them or none, and return the event.

    Records that are surely a document of the session, or each other, count as duplicates and add nothing. Records that
    are only perhaps the same are added, and the event names their counterpart. In a list that is ordered by likeness or
    by scores, a new document gets the rank of its score, after documents with an equal score. Documents that were read
    keep their positions; the rest is read in the new order unless labels decide. Likeness of the new documents is
    computed on the longer list; earlier documents keep their scores. In a list in its own order they come last.

    Parameters
    ----------
    store : Store
        Holds the session.
    session_id : str
        Id of the session.
    content, name : bytes, str
        Content and name of the file.
    database : str
        Database that the records come from, for the flow diagram; empty to show the file's name there.
    by : str
        Name of the person who adds them.
    progress : callable, optional
        As for :meth:`~tarstop_core.sessions.store.collections.Collections.arriving`.

    Returns
    -------
    Event
        The event as it was stored.

    Raises
    ------
    InputProblem
        If the file cannot be read, or this list takes no further documents.
    Conflict
        If other documents joined meanwhile.
    """
    session, documents, file, payload = _arrivals(store, session_id, content, name)
    docs, before = payload["docs"], len(documents) - len(payload["docs"])
    scores = _scores(session.stored, documents, before, name)
    first = np.arange(len(docs)) if scores is None else np.argsort(-scores, kind="stable")
    given = {} if scores is None else {"scores": scores[first].tolist()}
    payload |= {
        "docs": [docs[at] for at in first.tolist()],
        "positions": (before + first).tolist(),
        "ranks": _ranks(session.row, session.state, len(docs), given.get("scores")).tolist(),
    }
    files = [*session.collection.files, file | ({"database": database} if database else {})]
    event = Event("joined", payload | given, reviewer=by)
    duplicates = session.collection.duplicates + payload["duplicates"]
    return store.grow(session_id, event, session.collection, documents, files, duplicates, progress)


def part(
    store: Store, session_id: str, by: str = "", progress: Callable[[int, int], None] | None = None
) -> Event:
    """Remove the documents that joined last, all of them or none, and return the event; the log keeps both events.

    Parameters
    ----------
    store, session_id, by, progress
        As for :func:`join`.

    Returns
    -------
    Event
        The event as it was stored.

    Raises
    ------
    InputProblem
        If no documents joined, or one of the last was read.
    """
    session = OpenSession.load(store, session_id)
    last = may_part(session.row.ids, session.state)
    if last is None:
        raise InputProblem("Nothing was taken back: nothing has joined, or part of it has been read.")
    collection, records = session.collection, store.records(session.collection.id)
    remaining = records.iloc[: len(records) - len(last["docs"])]
    duplicates = collection.duplicates - last["duplicates"]
    content = {"source": last["source"], "docs": last["docs"]}
    event = Event("parted", content, seq=session.state.seq, reviewer=by)
    files = collection.files[:-1]
    return store.grow(session_id, event, collection, remaining, files, duplicates, progress)


def may_part(ids: Sequence[str], state: State) -> Mapping[str, Any] | None:
    """Payload of the event that added the last documents, if none of them was read; otherwise None.

    `ids` are the documents in the order of reading.
    """
    last = state.joined[-1] if state.joined else None
    return None if last is None or {*last["docs"]} & {*ids[: state.depth]} else last


def _arrivals(
    store: Store, session_id: str, content: bytes, name: str
) -> tuple[OpenSession, pd.DataFrame, dict[str, Any], dict[str, Any]]:
    """Session, table of all documents with the new ones of a file last, how the file was read, and payload of the event."""
    session = OpenSession.load(store, session_id)
    while session.refresh():  # until the log and the list are of the same moment
        pass
    collection, before = session.collection, store.records(session.collection.id)
    if collection.simulated or session.state.drawn is not None:
        why = (
            "its documents are simulated" if collection.simulated else "documents are drawn from it at random"
        )
        raise InputProblem(
            f"No documents can join this list, because {why}; set up another session for them."
        )
    table = read_records(io.BytesIO(content), name)
    rows = merge_records([before, table.frame]).rows - len(before)
    new = table.frame.iloc[rows[rows >= 0]]
    check_held(name, len(before) + len(new))
    documents = pd.concat([before, new], ignore_index=True)
    documents["id"] = pd.Series(unique_ids(documents["id"].tolist())[0], dtype="str")
    matches, ids = near_duplicates(documents), documents["id"].tolist()
    payload = {
        "source": name,
        "docs": ids[len(before) :],
        "duplicates": table.repeated + len(table.frame) - len(new),
        "alike": {ids[match.other]: ids[match.kept] for match in matches if match.other >= len(before)},
    }
    return session, documents, table.described, payload


def _scores(row: SessionRow, documents: pd.DataFrame, before: int, name: str) -> Floats | None:
    """Scores of the new documents, computed like those that order the list; None if it has none."""
    if row.scores is None:
        return None
    # A program of an earlier version that was open during the update stored the list without a recipe.
    if recipe := row.recipe or recipe_told(row.ranking):
        return build_index(ranking_text(documents), recipe=RECIPES[recipe]).scores(row.query)[before:]
    scores = documents["score"].to_numpy(dtype=np.float64)[before:]
    if missing := int(np.count_nonzero(~np.isfinite(scores))):
        raise InputProblem(
            f"This list is in the order of its scores, and {missing:,} of the {len(scores):,} documents that {name} would add "
            "have none; fill them in."
        )
    return scores


def _ranks(row: SessionRow, state: State, count: int, scores: list[float] | None) -> NDArray[np.int64]:
    """Ranks of the new documents in the longer list, from 1 on, the highest score first; `row` is in the order of reading."""
    N = len(row.ids)
    if scores is None or row.scores is None:
        return N + 1 + np.arange(count)
    listed = row.scores if state.ranks is None else row.scores[np.argsort(state.ranks)]
    before = np.searchsorted(-np.minimum.accumulate(listed), -np.array(scores), side="right")
    return np.asarray(before + 1 + np.arange(count), dtype=np.int64)
