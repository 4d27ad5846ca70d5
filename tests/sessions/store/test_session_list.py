"""Sessions are renamed, archived, deleted and restored, and nothing enters one that is deleted."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.store import Deleted, Store
from tests.sessions.store.cases import label, new_session


def test_sessions_can_be_renamed_and_put_away(store: Store) -> None:
    first, second = new_session(store, name="first"), new_session(store, name="second")
    store.rename(first, "better")
    store.archive(second)
    assert [(row.id, row.name) for row in store.sessions()] == [(first, "better")]
    assert [row.id for row in store.sessions(archived=True)] == [second]
    assert store.session(second).archived
    store.archive(second, archived=False)
    assert {row.id for row in store.sessions()} == {first, second}


def test_a_deleted_session_keeps_everything_until_it_is_brought_back(store: Store) -> None:
    kept, gone = new_session(store, name="kept"), new_session(store, name="gone")
    store.append(gone, Event("label", {"doc": store.session(gone).ids[0], "label": "unsure"}), expected=0)
    before = store.events(gone)
    store.delete_session(gone)
    store.delete_session(gone)
    store.archive(gone)
    assert [row.id for row in store.sessions()] == [kept] and not store.sessions(archived=True)
    [row] = store.sessions(deleted=True)
    assert (row.id, row.labelled) == (gone, 1)
    assert store.events(gone) == before
    with pytest.raises(InputProblem, match="cannot be deleted, because the session"):
        store.delete_collection(store.session(gone).collection_id)
    store.restore_session(gone)
    store.restore_session(kept)
    assert [row.id for row in store.sessions(archived=True)] == [gone] and not store.sessions(deleted=True)
    for ask in (store.delete_session, store.restore_session):
        with pytest.raises(InputProblem, match="no session 'nix'"):
            ask("nix")


def test_a_deleted_session_takes_nothing_in_until_it_is_restored(store: Store) -> None:
    session = new_session(store)
    first = store.append(session, label(0), 0)
    store.delete_session(session)
    assert store.news(session)[1]
    with pytest.raises(Deleted, match=r"was deleted .* nothing was recorded"):
        store.append(session, label(1), 1)
    assert store.events(session) == [first]
    store.restore_session(session)
    assert not store.news(session)[1] and store.append(session, label(1), 1).seq == 2


def test_nothing_enters_a_session_that_is_being_deleted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deletion and a label at the same moment: whichever comes first, no label follows the deletion."""
    with Store(url) as store, Store(url) as other:
        for _ in range(10):
            session, barrier = new_session(store), threading.Barrier(2)

            def race(session: str = session, barrier: threading.Barrier = barrier) -> int:
                seen = 0
                barrier.wait()
                with suppress(Deleted):
                    while seen < 50:
                        seen = store.append(session, Event("note", {"doc": "EP0", "text": "x"}), seen).seq
                return seen

            with ThreadPoolExecutor(1) as pool:
                writing = pool.submit(race)
                barrier.wait()
                other.delete_session(session)
                at_deletion = len(other.events(session))
                assert writing.result() == at_deletion == len(store.events(session))
