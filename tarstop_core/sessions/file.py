"""A session as one JSON document with everything it depends on, to keep, send and import elsewhere.

The content depends on the session alone: a file that is imported on another machine and exported there again is the same
byte for byte, except for one more entry in its log. That entry says when the session was imported, from which file and by
whom; everything before it is what the file claims.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from tarstop_core.calibration.calibrator import from_json as calibrator_from_json
from tarstop_core.documents.records import RECORD_COLUMNS, as_records
from tarstop_core.envelope import FileKind, check_time, validated
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed
from tarstop_core.ranking.bm25 import RECIPES, recipe_told
from tarstop_core.screening.fold import replay
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.log import Event, check_event
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named
from tarstop_core.sessions.store.store import Store, event_row
from tarstop_core.sessions.store.tables import check_files, check_order, now, storable_text

FILE = FileKind(
    "tarstop-session",
    1,
    "session",
    "'Session file (JSON)' on the Sessions page",
    "export it again with the version that wrote it",
)
Text = Annotated[str, Field(max_length=10_000_000)]
Name = Annotated[str, Field(max_length=1_000)]
Time = Annotated[str, AfterValidator(check_time)]


def _check_recipe(name: str) -> str:
    """The name of a BM25 recipe, or an empty text; InputProblem when it is neither."""
    if name and name not in RECIPES:
        raise InputProblem(f"{name[:40]!r} is not {listed([*RECIPES], 'or')}.")
    return name


@dataclass(frozen=True)
class _Collection:
    """The stored fields of a collection, without its documents."""

    name: Name
    created: Time
    files: list[dict[str, Any]]
    duplicates: Annotated[int, Field(ge=0)]
    simulated: bool
    query: Text


_FIELDS: Any = {name: float if name == "score" else Text for name in RECORD_COLUMNS}
_Document = TypedDict("_Document", _FIELDS, total=False)  # type: ignore[misc]


class _Entry(TypedDict):
    """An event of the log as it is written."""

    seq: int
    time: str
    reviewer: Name
    kind: str
    payload: dict[str, Any]


@dataclass(frozen=True)
class _File:
    """The contents of a session file, apart from format and version."""

    name: Name
    created: Time
    query: Text
    ranking: Text
    settings: dict[str, Any]
    order: list[int]
    scores: list[float] | None
    collection: _Collection
    calibrators: list[dict[str, Any]]
    documents: list[_Document]
    log: list[_Entry]
    # Written only if it is not empty, so that other files stay as they were
    recipe: Annotated[str, AfterValidator(_check_recipe)] = ""


def export_session(store: Store, session_id: str) -> str:
    """A session with its documents, calibrators and log as JSON, with a line for each document and each event.

    With several readers, the log contains only what all of them may see.
    """
    log, row = store.log(session_id), store.session(session_id)
    events = log
    if row.settings.readers.names:
        visible = SeveralReaders(row.settings.readers, log).visible
        events = [replace(event, seq=number) for number, event in enumerate(visible, start=1)]
    collection = store.collection(row.collection_id)
    calibrators = sorted(calibrators_named(row.settings, events) - {""})
    content = {
        **FILE.head,
        **{name: getattr(row, name) for name in ("name", "created", "query", "ranking")},
        **({"recipe": row.recipe} if row.recipe else {}),
        "settings": row.settings.to_dict(),
        "order": row.order.tolist(),
        "scores": None if row.scores is None else row.scores.tolist(),
        "collection": {field.name: getattr(collection, field.name) for field in fields(_Collection)},
        "calibrators": [json.loads(store.calibrator(digest).to_json()) for digest in calibrators],
        "documents": [_document(record) for record in store.records(row.collection_id).to_dict("records")],
        "log": [event_row(event) for event in events],
    }
    return _laid_out(content)


def import_session(store: Store, text: str, name: str = "The file", by: str = "") -> str:
    """Store a session that :func:`export_session` wrote, here or elsewhere, and return its id.

    Nothing is stored unless all of it can be used. If another session has its name, it is called "… (imported)".

    Parameters
    ----------
    store
        Where the session is stored.
    text
        Content of the file.
    name
        Name of the file, for messages and the log.
    by
        Name of the person who imports it.

    Returns
    -------
    str
        Id of the session in this store.

    Raises
    ------
    InputProblem
        If the text is no session file, contradicts itself, or has the log of a session that is already here.
    """
    file, settings, events, frame, order = _read(text, name)
    calibrators = [calibrator_from_json(json.dumps(content), name) for content in file.calibrators]
    ids = frame["id"].to_numpy()[order].tolist()
    _check_joined(replay(settings, ids, events), file, frame, name)
    if calibrators_named(settings, events) - {"", *(calibrator.digest for calibrator in calibrators)}:
        raise InputProblem(f"{name} lacks a calibrator that its log uses; export the session again.")
    here = (*store.sessions(), *store.sessions(archived=True))
    for session in here:
        if session.created == file.created and _screened(store.log(session.id)) == _screened(events):
            raise InputProblem(
                f"{name} has the same log as “{session.name}”, which is already here; open that one."
            )
    arrival = Event("imported", {"source": storable_text(name)}, len(events) + 1, now(), storable_text(by))
    taken = file.name in {session.name for session in here}
    called = f"{file.name} (imported)" if taken else file.name
    ranked = (order, file.scores, settings, file.query, file.ranking)
    recipe = file.recipe
    if not recipe and file.scores is not None:  # perhaps a file of an earlier version
        recipe = recipe_told(file.ranking)
    with _collection(store, frame, file.collection) as collection:
        for calibrator in calibrators:
            store.save_calibrator(calibrator)
        return store.create_session(
            called, collection, *ranked, created=file.created, events=[*events, arrival], recipe=recipe
        )


def is_session(text: str) -> bool:
    """Whether a text begins like a session file; it may still be damaged further on."""
    return text.lstrip().startswith("{") and f'"{FILE.format}"' in text[:200]


def state_of(text: str, name: str = "The file") -> State:
    """State of the session in a session file; InputProblem if it is no session file, or damaged."""
    _, settings, events, frame, order = _read(text, name)
    return replay(settings, frame["id"].to_numpy()[order].tolist(), events)


_MEND = "export the session again"


def _read(text: str, name: str) -> tuple[_File, Settings, list[Event], pd.DataFrame, NDArray[np.intp]]:
    """Content of a session file, checked: the file, its settings, log and documents, and their order in the list."""
    file = validated(_File, FILE.content(text, name), name, _MEND)
    settings = read_settings(file.settings, f"The settings part of {name}", _MEND)
    events = [Event(**entry) for entry in file.log]
    try:
        for event in events:
            check_event(event)
        check_files(file.collection.files, "Its description of files")
        frame = as_records(pd.DataFrame(file.documents))
        order = check_order(file.order, len(frame))
    except (InputProblem, ValueError) as problem:
        raise InputProblem(f"{name} is damaged ({str(problem).rstrip('.')}); {_MEND}.") from None
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        raise InputProblem(f"{name} lacks part of its log; {_MEND}.")
    return file, settings, events, frame, order


def _screened(events: Sequence[Event]) -> Sequence[Event]:
    """A log without the imports at its end, after which nothing was recorded."""
    return events if not events or events[-1].kind != "imported" else _screened(events[:-1])


def _check_joined(state: State, file: _File, frame: pd.DataFrame, name: str) -> None:
    """Raise InputProblem if documents that joined are not in the collection, or lack scores that the others have."""
    docs, positions = state.joining("docs"), state.joining("positions")
    order = check_order([*file.order, *positions], len(frame)).tolist()
    same = frame["id"].to_numpy()[order[len(file.order) :]].tolist() == docs
    if not same or (file.scores is not None and len(state.joining("scores")) != len(docs)):
        raise InputProblem(
            f"{name} contradicts itself about documents that joined; export the session again."
        )


@contextmanager
def _collection(store: Store, frame: pd.DataFrame, about: _Collection) -> Iterator[str]:
    """Begin a transaction and yield the id of the collection of these documents, which is stored first if it is new."""
    held = next(iter(store.of_same_records(frame, name=about.name, created=about.created)), None)
    if held is None:
        with store.arriving(frame=frame, **vars(about)) as key:
            yield key
    else:
        with store.together():
            yield held.id


def _document(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Fields of a document that are not empty, as they are written."""
    filled = {column: record[column] for column in RECORD_COLUMNS if record[column] != ""}
    # A missing score is NaN, which differs from itself.
    return {column: value for column, value in filled.items() if value == value}


def _laid_out(content: Mapping[str, Any]) -> str:
    """JSON that people can read: lists of documents and of events have a line for each entry."""
    plain = partial(json.dumps, ensure_ascii=False)
    parts = []
    for key, value in content.items():
        written = plain(value)
        if key in ("documents", "log") and value:
            written = "[\n" + ",\n".join(map(plain, value)) + "\n]"
        parts.append(f"{plain(key)}: {written}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
