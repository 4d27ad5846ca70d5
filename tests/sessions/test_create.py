"""A session is made of what a person chose, nothing else."""

from dataclasses import replace

import numpy as np

from tarstop_core.documents.records import as_records
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.sessions.create import ChosenDocuments, NewSession, create
from tarstop_core.sessions.store.store import Store
from tests.session_cases import PATENT, START

FRAME = as_records({"id": ["a", "b", "c"], "title": ["Hinge", "Mast", "Door"]})
SAMPLE = ChosenDocuments("key", "Masts", FRAME, "a mast", simulated=True, collection_id="")
RANKING = Ranking(np.array([2, 0, 1]), np.array([3.0, 2.0, 1.0]), "by likeness")
PLAN = NewSession("Mine", "Ada", SAMPLE, RANKING, "a hinge", PATENT, START)
KEPT = Event(
    "kept", {"source": "a.csv", "labels": {"c": "irrelevant"}, "ranks": [1], "notes": {}, "reasons": {}}
)


def test_a_session_holds_what_was_chosen(store: Store) -> None:
    row = store.session(create(store, PLAN))
    assert (row.name, row.query, row.ranking) == ("Mine", "a hinge", "by likeness")
    assert row.ids == ("c", "a", "b") and row.scores is not None and row.scores.tolist() == [3, 2, 1]
    assert row.settings == START
    assert store.calibrator(PATENT.digest) == PATENT
    collection = store.collection(row.collection_id)
    assert (collection.name, collection.query, collection.simulated) == ("Masts", "a mast", True)
    assert store.events(row.id) == []


def test_a_registered_plan_is_the_last_of_what_the_log_begins_with(store: Store) -> None:
    row = store.session(create(store, replace(PLAN, register=True, events=(KEPT,))))
    kept, plan = store.events(row.id)
    assert [(each.seq, each.kind, each.reviewer) for each in (kept, plan)] == [
        (1, "kept", ""),
        (2, "plan", "Ada"),
    ]
    assert kept.payload == KEPT.payload and kept.time
    state = replay(row.settings, row.ids, [kept, plan])
    assert state.plan == START and state.plan_records == row.digest and state.kept == 1


def test_a_name_that_is_taken_gets_a_number(store: Store) -> None:
    first, second = create(store, PLAN), create(store, PLAN)
    store.archive(second)
    third = create(store, PLAN)
    names = [store.session(each).name for each in (first, second, third)]
    assert names == ["Mine", "Mine (2)", "Mine (3)"]


def test_documents_are_stored_once(store: Store) -> None:
    own = store.save_collection("Masts", FRAME, [], 0)
    sample = store.session(create(store, PLAN)).collection_id
    assert sample != own, "a person's own documents are never taken for a sample"
    assert store.session(create(store, PLAN)).collection_id == sample
    chosen = replace(PLAN, documents=replace(SAMPLE, collection_id=own))
    assert store.session(create(store, chosen)).collection_id == own
    assert len(store.collections()) == 2
