"""One session open twice: nothing is lost, nothing is overwritten, and what is told is what the log says."""

from dataclasses import replace

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.sessions.session import KEPT_PATHS, OpenSession
from tarstop_core.sessions.store.store import Conflict, Store
from tests.session_cases import IDS, PATENT, START, N, a_collection, a_patent_session, a_review
from tests.sessions.store.cases import on_both


@pytest.fixture
def key(store: Store) -> str:
    """A session of which nothing was read."""
    return store.create_session("S", a_collection(store), list(range(N)), None, START, "", "own order")


@pytest.fixture
def session(store: Store, key: str) -> OpenSession:
    return OpenSession.load(store, key)


def kinds(store: Store, key: str) -> list[str]:
    return [event.kind for event in store.events(key)]


def test_what_is_recorded_is_stored_and_counted_in(store: Store, key: str, session: OpenSession) -> None:
    session.record(Event("label", {"doc": IDS[0], "label": "irrelevant"}, reviewer="Ada"), seen=0)
    session.label(IDS[1], "unsure", seen=1)
    session.label(IDS[0], "relevant", seen=2, reason="")
    assert session.events == store.events(key)
    assert kinds(store, key) == ["label", "label", "relabel"]
    assert session.state.depth == 2 and session.state.relevant == 1
    assert session.last_reviewer == "Ada"


def test_a_press_on_what_was_shown_before_is_refused(store: Store, key: str, session: OpenSession) -> None:
    session.label(IDS[0], "irrelevant", seen=0)
    with pytest.raises(InputProblem, match="was recorded before your press, so it was not counted"):
        session.label(IDS[1], "relevant", seen=0)
    assert kinds(store, key) == ["label"]


def test_a_note_stored_by_the_very_press_does_not_stand_in_its_way(
    store: Store, key: str, session: OpenSession
) -> None:
    session.record(Event("note", {"doc": IDS[0], "text": "seen"}), seen=0)
    session.label(IDS[0], "irrelevant", seen=0)
    assert kinds(store, key) == ["note", "label"]


@on_both
def test_what_was_recorded_elsewhere_is_taken_in_before_anything_is_stored(store: Store, key: str) -> None:
    here, there = OpenSession.load(store, key), OpenSession.load(store, key)
    assert not here.refresh()
    there.label(IDS[0], "relevant", seen=0)
    with pytest.raises(Conflict, match="in another tab or window"):
        here.label(IDS[0], "irrelevant", seen=0)
    assert kinds(store, key) == ["label"]
    assert here.state.relevant == 1, "the refused press shows what had happened"
    there.record(Event("undo"), seen=1)
    assert here.refresh() and here.state.depth == 0
    here.label(IDS[0], "irrelevant", seen=2)
    assert kinds(store, key) == ["label", "undo", "label"]


def test_only_the_next_document_or_one_read_is_labelled(store: Store, key: str, session: OpenSession) -> None:
    with pytest.raises(InputProblem):
        session.label(IDS[5], "relevant", seen=0)
    assert kinds(store, key) == []


def test_settings_change_when_they_do_and_deviate_with_a_reason(
    store: Store, key: str, session: OpenSession
) -> None:
    session.change_settings(START, seen=0)
    assert kinds(store, key) == [], "nothing changed"
    session.register_plan(seen=0)
    assert session.state.plan == START and session.state.plan_records == session.row.digest
    dearer = replace(START, cost=6.0)
    with pytest.raises(InputProblem, match="why you deviate"):
        session.change_settings(dearer, seen=1)
    session.change_settings(dearer, seen=1, reason="The office asked")
    assert kinds(store, key) == ["plan", "settings"] and session.state.settings == dearer


@pytest.mark.parametrize("make", [a_patent_session, a_review])
def test_advice_is_what_the_log_says_whatever_was_computed_before(store: Store, make) -> None:  # type: ignore[no-untyped-def]
    key = make(store)
    whole = OpenSession.load(store, key)
    row = whole.row
    again = store.create_session("Again", row.collection_id, row.order, row.scores, row.settings, "", "")
    grown = OpenSession.load(store, again)
    for event in whole.events:
        grown.advice(grown.state.settings)
        grown.record(event, seen=grown.state.seq)
    state = replay(row.settings, row.ids, whole.events)
    calibrator = store.calibrator(state.settings.calibrator)
    fresh = advise(state.settings, calibrator, calibrator.probabilities(row.scores, state.ranked), state)
    assert grown.advice(state.settings) == whole.advice(state.settings) == fresh


def test_a_miss_leaves_the_paths_as_they_are_and_few_are_kept(session: OpenSession) -> None:
    first = session.paths(START)
    session.label(IDS[0], "irrelevant", seen=0)
    assert session.paths(START) is first
    for cost in range(1, KEPT_PATHS + 1):
        session.paths(replace(START, cost=float(cost)))
    assert session.paths(START) is not first, "the oldest gave way"
    calibrator, p = session.chances(START)
    assert calibrator == PATENT and session.chances(START)[1] is p


def test_texts_are_read_when_they_are_asked_for(
    store: Store, session: OpenSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.document(4).title == "Title 4"
    first = session.reports_of([7, 5])
    assert [each.id for each in first] == [IDS[7], IDS[5]]
    asked: list[int] = []
    texts = store.record_texts
    monkeypatch.setattr(
        store, "record_texts", lambda collection, at: asked.extend(at) or texts(collection, at)
    )
    assert [each.id for each in session.reports_of([5, 6, 7])] == [IDS[5], IDS[6], IDS[7]]
    assert asked == [], "what comes next is loaded with what is asked for"
    assert session.document(0).id == IDS[0] and asked == [0, 1, 2, 3]


def test_the_last_name_is_offered_and_never_taken(session: OpenSession, key: str) -> None:
    assert session.last_reviewer == ""
    session.record(Event("note", {"doc": IDS[0], "text": "a"}, reviewer="Ada"), seen=0)
    session.label(IDS[0], "irrelevant", seen=1)
    assert session.last_reviewer == "Ada"
    assert [event.reviewer for event in session.events] == ["Ada", ""]


def test_what_is_recorded_together_is_recorded_whole_or_not_at_all(
    store: Store, session: OpenSession, key: str
) -> None:
    dearer = replace(START, cost=9.0)

    def record(seen: int) -> None:
        with session.together():
            session.change_settings(dearer, seen=0)
            session.label(IDS[0], "irrelevant", seen=seen)

    with pytest.raises(InputProblem, match="recorded before your press"):
        record(seen=0)
    assert not store.events(key) and not session.events and session.state.settings == START
    record(seen=1)
    assert [event.kind for event in store.events(key)] == ["settings", "label"]


def test_an_unknown_session_is_one_sentence(store: Store) -> None:
    with pytest.raises(InputProblem, match="There is no session 'nix' here"):
        OpenSession.load(store, "nix")
