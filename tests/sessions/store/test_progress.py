"""How far a session is, said from its log."""

import re

from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.listing import count_unsure, counts_in_words, progress
from tarstop_core.sessions.store.store import Store
from tests.session_cases import IDS, a_patent_session, a_review, change, label, log


def line(store: Store, session: str) -> list[str]:
    return progress(next(each for each in store.sessions() if each.id == session), store.events)


def numbers(line: list[str]) -> dict[str, int | tuple[int, ...]]:
    """The numbers of a line, by the last word of the part that each stands in."""
    found = {}
    for part in ", ".join(line).split(", "):
        counts = tuple(map(int, re.findall(r"\b\d+\b(?!×)", part.replace("2×2", ""))))
        found[part.split()[-1]] = counts[0] if len(counts) == 1 else counts
    return found


def test_a_review_says_what_it_has_brought(store: Store) -> None:
    session = a_review(store)
    assert numbers(line(store, session)) == {"screened": (8, 30), "included": 3, "data": 1, "waiting": 1}
    log(store, session, Event("relabel", {"doc": IDS[0], "label": "irrelevant"}), label(8, "relevant"))
    assert numbers(line(store, session)) == {"screened": (9, 30), "included": 3, "data": 0, "waiting": 2}
    log(store, session, Event("undo"), Event("relabel", {"doc": IDS[7], "label": "unsure"}))
    assert numbers(line(store, session)) == {
        "screened": (8, 30),
        "included": 1,
        "data": 0,
        "waiting": 0,
        "unsure": 1,
    }


def test_a_search_says_what_is_unsure_and_what_was_decided(store: Store) -> None:
    session = a_patent_session(store)
    before = ["12 of 30 screened", "1 unsure"]
    assert line(store, session) == [*before, "decided: Reject"]
    log(store, session, Event("continued"))
    assert line(store, session) == before
    log(store, session, Event("stopped", {"advice": "stop", "depth": 12}))
    assert line(store, session)[:-1] == before and line(store, session)[-1].startswith("stopped")


def test_labels_that_came_along_count_too() -> None:
    kept = {
        "labels": {"a": "relevant", "b": "unsure"},
        "ranks": [41, 7],
        "source": "a.csv",
        "notes": {},
        "reasons": {},
    }
    events = [Event("kept", kept), Event("label", {"doc": "c", "label": "relevant"})]
    assert numbers(counts_in_words("review", events)) == {"included": 2, "data": 0, "waiting": 2}
    assert count_unsure(events) == 1
    assert count_unsure([*events, Event("relabel", {"doc": "b", "label": "relevant"})]) == 0


def test_a_damaged_log_hides_no_session(store: Store) -> None:
    session = a_review(store)
    log(store, session, label(8, "relevant"))
    change(store, "event", "payload = replace(payload, 'relevant', 'perhaps')")
    assert line(store, session) == ["9 of 30 screened"]
