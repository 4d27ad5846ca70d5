"""The store of commit 44dc997, from before any of its tables was changed, opens, says what it said and goes on."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tarstop_core.screening.events import label_event
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store

OLD = Path(__file__).parent / "commit_44dc997"
SAID = json.loads((OLD / "said.json").read_text(encoding="utf-8"))
SESSIONS = {said["name"]: said for said in SAID["sessions"]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    shutil.copy(OLD / "store.db", tmp_path / "store.db")
    with Store(f"sqlite:///{tmp_path}/store.db") as opened:
        yield opened


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_says_what_it_said(store: Store, name: str) -> None:
    said = SESSIONS[name]
    whole = session_snapshot(store, said["id"])
    state, row, advice = whole.state, whole.row, whole.advice_now
    assert (row.name, list(row.ids), row.digest) == (name, said["ids"], said["digest"])
    assert (None if row.scores is None else row.scores.tolist()) == said["scores"]
    events: list[list[Any]] = [[e.seq, e.kind, dict(e.payload), e.time, e.reviewer] for e in whole.events]
    assert events == said["events"]
    assert (state.labels.tolist(), state.confirmed.tolist()) == (said["labels"], said["confirmed"])
    assert dict(state.notes) == said["notes"]
    assert (state.stopped, state.decision is not None) == (said["stopped"], said["decided"])
    assert (state.plan is not None) == said["planned"]
    for what, value in said["advice"].items():
        assert getattr(advice, what) == (pytest.approx(value) if isinstance(value, float) else value), what


def test_its_records_and_calibrators_are_there(store: Store) -> None:
    said = SAID["records"]
    collection, frame = store.collection(said["collection"]), store.records(said["collection"])
    assert (collection.documents, collection.digest) == (said["documents"], said["digest"])
    assert {name: frame[name].tolist() for name in said["frame"]} == said["frame"]
    assert set(frame["family"]) == set(frame["remark"]) == {""}
    assert sorted(each.digest for each in store.kept_calibrators()) == SAID["calibrators"]
    assert [each.id for each in store.sessions(archived=True)] == SAID["archived"]


def test_what_came_later_can_be_done(store: Store) -> None:
    said = SESSIONS["Folding, going on"]
    state, ids = session_snapshot(store, said["id"]).state, said["ids"]
    store.append(said["id"], label_event(state, ids, ids[state.depth], "irrelevant"), expected=state.seq)
    store.delete_session(said["id"])
    assert [each.labelled for each in store.sessions(deleted=True)] == [5]
    store.rename_calibrator(SAID["calibrators"][0], "Mine")
    frame = store.records(SAID["records"]["collection"]).assign(remark="seen")
    again = store.save_collection("Again", frame, [], 0)
    assert set(store.records(again)["remark"]) == {"seen"}


def test_what_it_was_lies_beside_it(store: Store, tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "store.revision-0001.db")) as copied,
        closing(sqlite3.connect(OLD / "store.db")) as old,
    ):
        assert list(copied.iterdump()) == list(old.iterdump())
    assert {file.name for file in tmp_path.iterdir()} <= {
        *("store.db", "store.db-wal", "store.db-shm", "store.revision-0001.db")
    }
