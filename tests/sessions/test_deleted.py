"""Whoever writes into a session that was deleted is told so, and nothing of it changes until it is restored."""

from pathlib import Path

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE
from tarstop_core.sessions.learning import prepare_features
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Deleted, Store
from tests.sessions.store.cases import on_both
from tests.sessions.test_joining import LEARNS, added, begun, read


@pytest.fixture(autouse=True)
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, f"sqlite:///{tmp_path}/t.db")


@on_both
def test_documents_do_not_join_or_leave_it(store: Store) -> None:
    key = begun(store)
    added(store, key)
    before, held = store.events(key), store.session(key).collection_id
    store.delete_session(key)
    with pytest.raises(Deleted, match="was deleted"):
        added(store, key, "id,title\nx1,Hip imaging", "c.csv")
    assert (store.events(key), store.session(key).collection_id) == (before, held)
    assert [each.id for each in store.collections()] == [held]
    store.restore_session(key)
    added(store, key, "id,title\nx1,Hip imaging", "c.csv")
    assert len(store.events(key)) == len(before) + 1


def test_an_order_that_is_learned_waits(store: Store) -> None:
    key = begun(store, settings=LEARNS)
    mine, theirs = OpenSession.load(store, key), OpenSession.load(store, key)
    prepare_features(store, mine.collection.id)
    read(mine, 3)
    mine.label(mine.row.ids[3], "irrelevant", seen=mine.state.seq)  # a fit is due
    before = store.events(key)
    theirs.refresh()
    store.delete_session(key)
    theirs.learn()  # the deletion is not known here yet
    mine.refresh()
    assert mine.deleted
    mine.learn()
    with pytest.raises(InputProblem, match="was deleted"):
        mine.label(mine.row.ids[4], "relevant", seen=mine.state.seq)
    assert store.events(key) == before
    store.restore_session(key)
    mine.refresh()
    mine.learn()
    assert not mine.deleted and [each.kind for each in store.events(key)[len(before) :]] == ["fit"]
