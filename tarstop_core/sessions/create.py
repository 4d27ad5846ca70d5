"""From what a person chose to a session."""

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
from tarstop_core.screening.setting_aside import SetAside, with_set_aside
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents a person has chosen."""

    key: str  # Tells one choice from another; widgets that belong to it carry it
    name: str
    frame: pd.DataFrame  # A table of records
    query: str  # What is asked, where the documents came with a question
    simulated: bool
    collection_id: str  # Empty for a sample that was never used


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that a session is created from."""

    name: str
    reviewer: str
    documents: Documents
    ranking: Ranking
    query: str
    calibrator: Calibrator
    settings: Settings
    register: bool = False
    events: tuple[Event, ...] = ()
    """What the log begins with: labels and families that came along with the documents."""
    aside: SetAside | None = None  # What is set aside before the list begins


def create(store: Store, plan: Plan) -> str:
    """Store the session, with the plan where one is registered, and what it needs; its id."""
    ranking, events = plan.ranking, list(plan.events)
    if plan.aside is not None:
        ranking, set_aside = with_set_aside(ranking, plan.aside)
        events.insert(0, replace(set_aside, reviewer=plan.reviewer))
    if plan.register:
        ids = plan.documents.frame["id"].to_numpy()[ranking.order].tolist()
        digest = records_digest(ids, None if ranking.scores is None else ranking.scores.tolist())
        registered = plan_event(replay(plan.settings, ids, _numbered(events)), digest)
        events.append(replace(registered, reviewer=plan.reviewer))
    with store.together():
        store.save_calibrator(plan.calibrator)
        name, listed, log = _unused(store, plan.name), _stored(store, plan.documents), _numbered(events)
        return store.create_session(
            name, listed, ranking.order, ranking.scores, plan.settings, plan.query, ranking.how, events=log
        )


def _stored(store: Store, documents: Documents) -> str:
    """Id of the collection of these documents; a sample is stored the first time it is used."""
    if documents.collection_id:
        return documents.collection_id
    earlier = next(iter(store.of_same_records(documents.frame, name=documents.name, simulated=True)), None)
    if earlier is not None:
        return earlier.id
    return store.save_collection(
        documents.name, documents.frame, [], 0, simulated=documents.simulated, query=documents.query
    )


def _unused(store: Store, name: str) -> str:
    """The name, with a number where a session is called so already."""
    taken = {each.name for archived in (False, True) for each in store.sessions(archived)}
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(each for each in names if each not in taken)


def _numbered(events: Sequence[Event]) -> list[Event]:
    """What a log begins with."""
    moment = now()
    return [replace(event, seq=number, time=moment) for number, event in enumerate(events, start=1)]
