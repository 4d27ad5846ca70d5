"""Roles that end while somebody is at work: what is asked, and what is done, are one transaction."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store import store as stored
from tarstop_core.sessions.store.permissions import Forbidden
from tarstop_core.sessions.store.store import Store
from tests.session_cases import INCLUSION
from tests.sessions.store.cases import label
from tests.sessions.store.cells import ADMINISTRATORS, CELLS, NOT_BY_ROLE, OWNER, everything, made

READS = {
    *("session", "heading", "events", "log", "news", "shares", "snapshot", "collection"),
    *("records", "scores", "record_texts", "document_ids", "calibrator", "purge_counts"),
}


@pytest.mark.parametrize("name", sorted(set(CELLS) - READS - NOT_BY_ROLE))
def test_a_role_that_ends_just_before_a_change_allows_it_no_more(
    people: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What was asked before the transaction would still say yes."""
    case, (allowed, call) = made(people), CELLS[name]
    person = "reader" if "r" in allowed else "adjudicator" if "a" in allowed else "owner"
    mine, ended = people.for_person(person), False
    begin = mine.write

    def late() -> Any:
        nonlocal ended
        if not ended:
            ended = True
            people.share(case.session, person, None)
        return begin()

    monkeypatch.setattr(mine, "write", late)
    before = everything(people)
    with pytest.raises(InputProblem, match=r"There is no (session|collection)"):
        call(mine, case)
    assert ended and everything(people) == before


@pytest.mark.parametrize("name", sorted(ADMINISTRATORS.keys() - {"accounts", "audit", "kept_about"}))
def test_an_administration_that_ends_just_before_a_change_allows_it_no_more(
    people: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    people.save_calibrator(INCLUSION)
    mine, ended = people.for_person("administrator"), False
    begin = mine.write

    def late() -> Any:
        nonlocal ended
        if not ended:
            ended = True
            people.appoint("administrator", False)
        return begin()

    monkeypatch.setattr(mine, "write", late)
    with pytest.raises(Forbidden):
        getattr(mine, name)(*ADMINISTRATORS[name])
    assert ended and people.calibrator(INCLUSION.digest)


@pytest.mark.parametrize(
    "take_away",
    [
        lambda store, session: store.for_person(OWNER).share(session, "reader", None),
        lambda store, session: store.for_person("administrator").lock_out("reader", True),
    ],
    ids=["share", "account"],
)
def test_whoever_takes_a_role_away_waits_for_what_is_being_stored(
    people: Store, monkeypatch: pytest.MonkeyPatch, take_away: Callable[[Store, str], None]
) -> None:
    case, waited = made(people), []
    away = Thread(target=take_away, args=(people, case.session))
    last = stored._last_seq

    def slowly(session: Any, session_id: str) -> int:
        if not away.ident:
            away.start()
            away.join(0.5)
            waited.append(away.is_alive())
        return last(session, session_id)

    monkeypatch.setattr(stored, "_last_seq", slowly)
    mine = people.for_person("reader")
    mine.append(case.session, label(1), 1)
    away.join(30)
    assert waited == [True] and not away.is_alive()
    assert len(people.events(case.session)) == 2
    with pytest.raises(InputProblem, match="There is no session"):
        mine.append(case.session, label(2), 2)
