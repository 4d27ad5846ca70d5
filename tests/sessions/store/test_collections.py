"""Records come back as they were saved, whole or not at all."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from tarstop_core.documents.records import TEXT_COLUMNS, as_records, records_hash
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store import collections
from tarstop_core.sessions.store.collections import CHUNK
from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import EXAMPLES, new_session, some_records


def test_a_collection_comes_back_as_it_was_saved(store: Store) -> None:
    frame = some_records()
    files = [{"file": "a.csv", "rows": 6, "columns": {"title": "Title"}}]
    key = store.save_collection("Hinges", frame, files, duplicates=1, simulated=True, query="a hinge")
    row = store.collection(key)
    assert (row.name, row.documents, row.files, row.duplicates) == ("Hinges", 5, tuple(files), 1)
    assert (row.simulated, row.query, row.digest) == (True, "a hinge", records_hash(frame))
    assert [(each.id, each.files) for each in store.collections()] == [(key, tuple(files))]
    assert_frame_equal(store.records(key), frame)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(data=st.data(), ids=st.lists(CELLS.filter(bool), min_size=1, max_size=6, unique=True))
@hypothesis_settings(max_examples=EXAMPLES)
def test_any_table_of_records_comes_back(kept: Store, data: st.DataObject, ids: list[str]) -> None:
    n = len(ids)
    columns: dict[str, Any] = {
        name: data.draw(st.lists(CELLS, min_size=n, max_size=n)) for name in TEXT_COLUMNS if name != "id"
    }
    columns["score"] = data.draw(st.lists(st.floats(allow_infinity=True), min_size=n, max_size=n))
    frame = as_records({"id": ids, **columns})
    key = kept.save_collection("any", frame, [], 0)
    assert_frame_equal(kept.records(key), frame, check_exact=True)
    assert kept.collection(key).digest == records_hash(frame)
    assert [found.id for found in kept.record_texts(key, range(n))] == ids


def test_text_that_not_every_database_holds_is_mended(store: Store) -> None:
    frame = as_records({"id": ["a\0", "a\ufffd", "b"], "title": ["x\0y", "🦆", ""]})
    key = store.save_collection("odd\0 \ud800", frame, [], 0)
    saved = store.records(key)
    assert saved["id"].tolist() == ["a\ufffd", "a\ufffd (2)", "b"]
    assert saved["title"].tolist() == ["x\ufffdy", "🦆", ""]
    assert store.collection(key).name == "odd\ufffd \ufffd"
    assert store.collection(key).digest == records_hash(saved)


def test_a_few_texts_come_in_the_order_asked_for(store: Store) -> None:
    key = store.save_collection("c", some_records(1200), [], 0)
    wanted = [700, 3, 3, *range(1199, 0, -1)]
    found = store.record_texts(key, wanted)
    assert [one.position for one in found] == wanted
    assert (found[1].id, found[1].title, found[1].score) == ("EP3", "Hinge 3", 2.5)
    assert found[-1].score is None
    assert store.record_texts(key, []) == []
    with pytest.raises(InputProblem, match="no document at position 1200; positions run from 0 to 1199"):
        store.record_texts(key, np.array([0, 1200]))


def test_a_cancelled_import_leaves_nothing(store: Store) -> None:
    seen = []

    def cancel(done: int, total: int) -> None:
        seen.append((done, total))
        if done > 2 * CHUNK:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.save_collection("c", some_records(12_000), [], 0, progress=cancel)
    assert seen == [(CHUNK, 12_000), (2 * CHUNK, 12_000), (3 * CHUNK, 12_000)]
    assert store.collections() == []
    with store.read() as session:
        assert session.connection().exec_driver_sql("SELECT count(*) FROM record").scalar() == 0


@pytest.mark.parametrize("n", [10_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_many_records_are_saved_piece_by_piece(store: Store, n: int) -> None:
    frame = as_records(
        {"id": np.arange(n).astype(str), "title": ["Hinge"] * n, "abstract": ["word " * 200] * n}
    )
    seen = []
    key = store.save_collection("large", frame, [], 0, progress=lambda done, total: seen.append(done))
    assert seen == list(range(CHUNK, n + 1, CHUNK))
    assert store.record_texts(key, [n - 1])[0].id == str(n - 1)


def test_an_import_that_was_killed_is_absent_and_later_removed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def look(done: int, total: int) -> None:
        seen.append(len(store.collections()))

    with monkeypatch.context() as killed:
        killed.setattr(
            type(store), "remove_unfinished", lambda self, key: None
        )  # a process that is killed tidies nothing

        def stop(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.save_collection("killed", some_records(2 * CHUNK), [], 0, progress=stop)
    assert store.collections() == store.damaged() == []
    store.save_collection("soon after", some_records(CHUNK + 1), [], 0, progress=look)
    with store.read() as session:
        assert session.connection().exec_driver_sql("SELECT count(*) FROM collection").scalar() == 2
    monkeypatch.setattr(collections, "ABANDONED", -collections.ABANDONED)
    store.save_collection("days after", some_records(CHUNK + 1), [], 0, progress=look)
    with store.read() as session:
        assert session.connection().exec_driver_sql("SELECT count(*) FROM collection").scalar() == 2
        assert session.connection().exec_driver_sql("SELECT count(*) FROM record").scalar() == 2 * CHUNK + 2
    assert seen == [0, 0, 1, 1]


def test_a_long_list_is_gone_before_its_parts_are(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = new_session(store)
    key = store.save_collection("long", some_records(CHUNK + 1), [], 0)
    settings = store.session(session).settings
    monkeypatch.setattr(collections, "REMOVED", CHUNK)
    ids = store.document_ids(key)  # as another tab reads them just before
    with monkeypatch.context() as killed:
        killed.setattr(type(store), "remove_unfinished", lambda self, key: None)
        store.delete_collection(key)
    assert key not in [row.id for row in store.collections()]
    monkeypatch.setattr(store, "document_ids", lambda key: ids)
    for ask in (
        store.records,
        store.collection,
        lambda key: store.create_session("late", key, [0], None, settings, "", "own order"),
    ):
        with pytest.raises(InputProblem, match=f"no collection '{key}'"):
            ask(key)
    store.remove_unfinished(key)
    with store.read() as session:
        assert session.connection().exec_driver_sql("SELECT count(*) FROM collection").scalar() == 1
        assert session.connection().exec_driver_sql("SELECT count(*) FROM record").scalar() == 5


def test_no_records_are_no_collection(store: Store) -> None:
    with pytest.raises(InputProblem, match="no records to save"):
        store.save_collection("c", as_records({"id": []}), [], 0)


def test_only_unused_collections_can_be_deleted(store: Store) -> None:
    session = new_session(store, name="Mine")
    used = store.session(session).collection_id
    spare = store.save_collection("spare", some_records(), [], 0)
    store.archive(session)
    with pytest.raises(InputProblem, match="the session 'Mine' uses them"):
        store.delete_collection(used)
    store.delete_collection(spare)
    assert [row.id for row in store.collections()] == [used]
    assert len(store.records(used)) == 5
    for ask in (store.delete_collection, store.collection, store.records):
        with pytest.raises(InputProblem, match=f"no collection '{spare}'"):
            ask(spare)
