"""How far a session is, said from its log."""

from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.listing import count_unsure, counts_in_words, progress
from tarstop_core.sessions.store.store import Store
from tests.session_cases import IDS, a_patent_session, a_review, change, label, log


def line(store: Store, session: str) -> str:
    return progress(next(each for each in store.sessions() if each.id == session), store.events)


def test_a_review_says_what_it_has_brought(store: Store) -> None:
    session = a_review(store)
    assert line(store, session) == "8 of 30 screened · 3 included, 1 with a 2×2 table, 1 to be read in full"
    log(store, session, Event("relabel", {"doc": IDS[0], "label": "irrelevant"}), label(8, "relevant"))
    assert line(store, session) == "9 of 30 screened · 3 included, 0 with a 2×2 table, 2 to be read in full"
    log(store, session, Event("undo"), Event("relabel", {"doc": IDS[7], "label": "unsure"}))
    assert line(store, session) == "8 of 30 screened · 1 included, 0 with a 2×2 table, 1 unsure"


def test_a_search_says_what_is_unsure_and_what_was_decided(store: Store) -> None:
    session = a_patent_session(store)
    assert line(store, session) == "12 of 30 screened · 1 unsure · decided: Reject"
    log(store, session, Event("continued"))
    assert line(store, session) == "12 of 30 screened · 1 unsure"
    log(store, session, Event("stopped", {"advice": "stop", "depth": 12}))
    assert line(store, session) == "12 of 30 screened · 1 unsure · stopped, not decided"


def test_labels_that_came_along_count_too() -> None:
    kept = {
        "labels": {"a": "relevant", "b": "unsure"},
        "ranks": [41, 7],
        "source": "a.csv",
        "notes": {},
        "reasons": {},
    }
    events = [Event("kept", kept), Event("label", {"doc": "c", "label": "relevant"})]
    assert counts_in_words("review", events) == "2 included, 0 with a 2×2 table, 2 to be read in full"
    assert count_unsure(events) == 1
    assert count_unsure([*events, Event("relabel", {"doc": "b", "label": "relevant"})]) == 0


def test_a_damaged_log_hides_no_session(store: Store) -> None:
    session = a_review(store)
    log(store, session, label(8, "relevant"))
    change(store, "event", "payload = replace(payload, 'relevant', 'perhaps')")
    assert line(store, session) == "9 of 30 screened"
