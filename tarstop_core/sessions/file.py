"""A session as one JSON document: everything it rests on, to be kept, sent, and taken in elsewhere.

What is written depends on the session alone, so that a file taken in on another machine and written there
again is the same file, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibrator import from_json as calibrator_from_json
from tarstop_core.documents.records import RECORD_COLUMNS, as_records, records_hash
from tarstop_core.envelope import read_envelope
from tarstop_core.errors import InputProblem
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import KINDS, Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.trace import calibrators_named
from tarstop_core.sessions.store.rows import event_row
from tarstop_core.sessions.store.store import Store

FILE_FORMAT = "tarstop-session"
FILE_VERSION = 1
NAMED = ("name", "created", "query", "ranking")
COLLECTION: dict[str, Callable[[Any], Any]] = {
    "name": str,
    "created": str,
    "files": list,
    "duplicates": int,
    "simulated": bool,
    "query": str,
}
"""What is kept of the collection beside its documents, each as a value of JSON."""
MAKER = "'Export the session' on the Sessions page"


def export_session(store: Store, session_id: str) -> str:
    """The session with its documents, calibrators and log.

    Parameters
    ----------
    store : Store
    session_id : str

    Returns
    -------
    str
        JSON, one line a document and one an event.

    Raises
    ------
    InputProblem
        When there is no such session.
    """
    row = store.session(session_id)
    collection = store.collection(row.collection_id)
    events = store.events(session_id)
    calibrators = sorted(calibrators_named(row.settings, events) - {""})
    content = {
        "format": FILE_FORMAT,
        "version": FILE_VERSION,
        **{name: getattr(row, name) for name in NAMED},
        "settings": row.settings.to_dict(),
        "order": row.order.tolist(),
        "scores": None if row.scores is None else row.scores.tolist(),
        "collection": {name: kind(getattr(collection, name)) for name, kind in COLLECTION.items()},
        "calibrators": [json.loads(store.calibrator(digest).to_json()) for digest in calibrators],
        "documents": [_document(record) for record in store.records(row.collection_id).to_dict("records")],
        "log": [event_row(event) for event in events],
    }
    return _laid_out(content)


def import_session(store: Store, text: str, name: str = "The file") -> str:
    """Take a session in; nothing is stored unless all of it can be used.

    One whose name is in use here is called "… (imported)".

    Parameters
    ----------
    store : Store
    text : str
        What :func:`export_session` wrote, here or elsewhere.
    name : str
        Name for messages.

    Returns
    -------
    str
        Id of the session in this store.

    Raises
    ------
    InputProblem
        When it is not such a file, does not fit together, or is a session that is here already.
    """
    content = read_envelope(
        text,
        name,
        file_format=FILE_FORMAT,
        version=FILE_VERSION,
        what="session",
        maker=MAKER,
        again="export it again with the version that wrote it",
    )
    try:
        settings = Settings.from_dict(content["settings"])
        events = [_event(each) for each in content["log"]]
        frame = as_records(pd.DataFrame(content["documents"]))
        calibrators = [calibrator_from_json(json.dumps(each), name) for each in content["calibrators"]]
        order = np.array(content["order"], dtype=np.int64)
        ids = frame["id"].to_numpy()[order].tolist()
        scores = content["scores"]
        about = content["collection"]
        named = {name: str(content[name]) for name in NAMED}
        stored = {name: kind(about[name]) for name, kind in COLLECTION.items()}
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
        raise InputProblem(f"{name} is damaged ({problem!r}); export the session again.") from None
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        raise InputProblem(f"{name} lacks part of its log; export the session again.")
    replay(settings, ids, events)
    if calibrators_named(settings, events) - {"", *(each.digest for each in calibrators)}:
        raise InputProblem(f"{name} lacks a calibrator that its log uses; export the session again.")
    here = (*store.sessions(), *store.sessions(archived=True))
    for session in here:
        if session.created == named["created"] and store.events(session.id) == events:
            raise InputProblem(
                f"{name} holds what is here already as “{session.name}”: the same log, to the last entry; open that one."
            )
    if named["name"] in {session.name for session in here}:
        named["name"] += " (imported)"

    for each in calibrators:
        store.save_calibrator(each)
    collection, new = _collection(store, frame, stored)
    try:
        return store.create_session(
            collection_id=collection, order=order, scores=scores, settings=settings, events=events, **named
        )
    except InputProblem:
        if new:
            store.delete_collection(collection)
        raise


def _collection(store: Store, frame: pd.DataFrame, stored: Mapping[str, Any]) -> tuple[str, bool]:
    """The collection of these documents, and whether it had to be stored."""
    digest = records_hash(frame)
    for row in store.collections():
        if (row.digest, row.name, row.created) == (digest, stored["name"], stored["created"]):
            return row.id, False
    return store.save_collection(frame=frame, **stored), True


def _document(record: Mapping[Any, Any]) -> dict[str, Any]:
    """What is known of a document, empty fields left out."""
    return {
        column: record[column]
        for column in RECORD_COLUMNS
        if (record[column] == record[column] if column == "score" else record[column] != "")
    }


def _event(content: Mapping[str, Any]) -> Event:
    kind = str(content["kind"])
    if kind not in KINDS:
        raise ValueError(f"an event of kind '{kind}'")
    return Event(
        kind, dict(content["payload"]), int(content["seq"]), str(content["time"]), str(content["reviewer"])
    )


def _laid_out(content: Mapping[str, Any]) -> str:
    """JSON that a person can leaf through: long lists take a line an entry."""
    parts = []
    for key, value in content.items():
        if key in ("documents", "log") and value:
            lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in value)
            parts.append(f"{json.dumps(key)}: [\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
