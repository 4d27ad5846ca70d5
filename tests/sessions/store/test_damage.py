"""What is stored and cannot be read is named, deleted where a person wants, and takes nothing else down."""

from pathlib import Path

import pytest

from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.store import Store
from tests.session_cases import a_patent_session, a_review, change


@pytest.mark.parametrize(
    "how",
    [
        "created = 'garbage'",
        "created = '9999-12-31T23:59:59.999-14:00'",
        "settings = '[1]'",
        "settings = '{'",
        "settings = x'00ff'",
    ],
)
def test_a_damaged_session_is_named_and_the_others_are_listed(store: Store, how: str) -> None:
    broken = a_review(store)
    change(store, "session", how)
    fine = a_patent_session(store)
    assert [each.id for each in store.sessions()] == [fine]
    (damaged,) = store.damaged()
    assert (damaged.kind, damaged.id) == ("session", broken) and damaged.problem.endswith(".")
    with pytest.raises(InputProblem):
        store.session(broken)
    store.discard(damaged)
    assert store.damaged() == [] and [each.id for each in store.sessions()] == [fine]


@pytest.mark.parametrize(
    "table, how",
    [
        ("session", "positions = x'01'"),
        ("session", "positions = x'ffffffff'"),
        ("session", "scores = x'000000000000f87f'"),
        ("session", "settings = '{}'"),
        ("collection", "ids = x'00'"),
        ("event", "payload = '3'"),
        ("event", "time = 'yesterday'"),
        ("event", "payload = '{'"),
    ],
)
def test_what_can_be_listed_but_not_opened_is_one_sentence(store: Store, table: str, how: str) -> None:
    session = a_review(store)
    change(store, table, how)

    def opened() -> None:
        store.session(session)
        store.events(session)

    with pytest.raises(InputProblem) as problem:
        opened()
    assert str(problem.value).endswith(".") and "\n" not in str(problem.value)
    store.purge_session(session)
    assert store.sessions() == [] and store.collections() == []


def test_damaged_documents_and_calibrators_are_named_too(store: Store) -> None:
    session = a_review(store)
    change(store, "collection", "files = '[3]'")
    change(store, "calibrator", "json = '{}'")
    assert store.collections() == [] and store.kept_calibrators() == []
    assert {each.kind for each in store.damaged()} == {"collection", "calibrator"}
    documents = next(each for each in store.damaged() if each.kind == "collection")
    with pytest.raises(InputProblem, match="uses them"):
        store.discard(documents)
    store.purge_session(session)
    for each in store.damaged():
        store.discard(each)
    assert store.damaged() == []


def test_a_session_goes_for_good_with_what_only_it_uses(store: Store) -> None:
    session = a_review(store)
    row = store.session(session)
    second = store.create_session("Second", row.collection_id, [0], None, row.settings, "", "own order")
    store.delete_session(session)
    assert store.purge_counts(session) == (len(store.events(session)), 0)
    store.purge_session(session)
    assert len(store.records(row.collection_id)) == 30
    assert store.purge_counts(second)[1] == 30
    store.purge_session(second)
    assert store.collections() == []
    with pytest.raises(InputProblem, match="no collection"):
        store.records(row.collection_id)
    with pytest.raises(InputProblem, match="no session"):
        store.purge_session(second)


def test_what_is_stored_together_is_whole_or_absent(store: Store) -> None:
    records = as_records({"id": ["a"], "title": ["One"]})

    def stored() -> None:
        with store.together():
            collection = store.save_collection("Kept", records, files=[], duplicates=0)
            settings = store.session(a_review(store)).settings
            store.create_session("Mine", collection, [7], None, settings, "", "own order")

    with pytest.raises(InputProblem, match="order"):
        stored()
    assert store.collections() == [] and store.sessions() == []


def test_an_event_that_could_not_be_read_is_not_stored(store: Store) -> None:
    session = a_review(store)
    seen = len(store.events(session))
    with pytest.raises(InputProblem, match="damaged"):
        store.append(session, Event("label", {"doc": 3}), expected=seen)
    assert len(store.events(session)) == seen


def test_the_same_import_is_found_again(store: Store) -> None:
    records = as_records({"id": ["a"], "title": ["One"]})
    files = [{"source": "a.csv", "records": 1}]
    assert store.same_collection("a.csv", records, files) is None
    collection = store.save_collection("a.csv", records, files, duplicates=0)
    assert store.same_collection("a.csv", records, files) == collection
    assert store.same_collection("a.csv", records, [{"source": "b.csv", "records": 1}]) is None
    assert store.same_collection("a.csv", as_records({"id": ["a"], "title": ["Two"]}), files) is None


def test_text_where_a_number_belongs_is_one_sentence(tmp_path: Path) -> None:
    """SQLite keeps any text in any column: a restored file may hold some."""
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        session = a_review(store)
        change(store, "collection", "duplicates = 'many'")
        change(store, "event", "seq = 'last' WHERE seq = 8")
        with pytest.raises(InputProblem, match="counts are whole numbers"):
            store.collection(store.session(session).collection_id)
        with pytest.raises(InputProblem, match="log of this session is damaged"):
            store.purge_counts(session)
        assert {each.kind for each in store.damaged()} == {"session", "collection"}
