"""Creation of a session from what a person chose on Set up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

import pandas as pd

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.topic import records_digest
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.events import plan_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.setting_aside import SetAsideFirst, with_set_aside
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now


@dataclass(frozen=True, eq=False)
class ChosenDocuments:
    """The documents that a person chose for a session: a sample, an earlier collection or an uploaded one."""

    key: str  # Part of the keys of widgets that belong to this choice
    name: str
    frame: pd.DataFrame  # A table of records
    query: str  # The question that the documents came with, if any
    simulated: bool
    collection_id: str  # Empty for a sample, which is stored when a session first uses it


@dataclass(frozen=True, eq=False)
class NewSession:
    """Everything that a session is created from."""

    name: str
    reviewer: str
    documents: ChosenDocuments
    ranking: Ranking
    query: str
    calibrator: Calibrator
    settings: Settings
    register: bool = False  # Whether the settings are registered as a plan
    events: tuple[Event, ...] = ()
    """First events of the log: labels and families that came with the documents."""
    aside: SetAsideFirst | None = None  # Documents set aside before reading begins


def create(store: Store, new: NewSession) -> str:
    """Store a new session with its documents and calibrator, register its plan if asked for, and return its id."""
    ranking, events = new.ranking, list(new.events)
    if new.aside is not None:
        ranking, set_aside = with_set_aside(ranking, new.aside)
        events.insert(0, replace(set_aside, reviewer=new.reviewer))
    if new.register:
        ids = new.documents.frame["id"].to_numpy()[ranking.order].tolist()
        digest = records_digest(ids, None if ranking.scores is None else ranking.scores.tolist())
        registered = plan_event(replay(new.settings, ids, _numbered(events)), digest)
        events.append(replace(registered, reviewer=new.reviewer))
    with store.together():
        store.save_calibrator(new.calibrator)
        name, listed, log = _unused(store, new.name), _stored(store, new.documents), _numbered(events)
        ranked = (ranking.order, ranking.scores, new.settings, new.query, ranking.how)
        return store.create_session(name, listed, *ranked, events=log, recipe=ranking.recipe)


def _stored(store: Store, documents: ChosenDocuments) -> str:
    """Id of the collection of these documents; a sample that was never used is stored first."""
    if documents.collection_id:
        return documents.collection_id
    earlier = next(iter(store.of_same_records(documents.frame, name=documents.name, simulated=True)), None)
    if earlier is not None:
        return earlier.id
    return store.save_collection(
        documents.name, documents.frame, [], 0, simulated=documents.simulated, query=documents.query
    )


def _unused(store: Store, name: str) -> str:
    """The name, with a number if another session has it already."""
    taken = {session.name for archived in (False, True) for session in store.sessions(archived)}
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(free for free in names if free not in taken)


def _numbered(events: Sequence[Event]) -> list[Event]:
    """First events of a log with their numbers, from 1 on, and the time now."""
    moment = now()
    return [replace(event, seq=number, time=moment) for number, event in enumerate(events, start=1)]
