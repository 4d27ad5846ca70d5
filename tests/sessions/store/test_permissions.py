"""Roles × objects × actions: every cell through the store, on both databases; and nothing of it left out."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import KINDS, Event
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.accounts import check_name
from tarstop_core.sessions.store.database import Database
from tarstop_core.sessions.store.permissions import EVENTS, MAY, Forbidden, Kind, Permissions
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tests.session_cases import INCLUSION, PATENT
from tests.sessions.store.cases import SETTINGS, label, new_session, some_records
from tests.sessions.store.cells import (
    ADMINISTRATORS,
    BESIDE,
    CELLS,
    LAST,
    LISTS,
    MINE,
    NOT_BY_ROLE,
    ONES_OWN,
    OWNER,
    PEOPLE,
    Case,
    everything,
    letter,
    made,
)
from tests.sessions.store.shapes import raw

ON_A_SERVER = ("owner", "stranger", "project reader")
"""Those of PEOPLE who are tried on PostgreSQL too: what a role may is decided before a database is asked."""
of_everybody = pytest.mark.parametrize(
    ("url", "person"),
    [
        *(("sqlite", person) for person in PEOPLE),
        *(
            pytest.param("postgres", person, marks=() if person in ON_A_SERVER else pytest.mark.deep)
            for person in PEOPLE
        ),
    ],
    indirect=["url"],
)


def said_of_none(store: Store, call: Callable[[Store, Case], Any]) -> str:
    """What is said where there is no such object at all."""
    with pytest.raises(InputProblem) as none:
        call(store, Case("none", "none"))
    return str(none.value)


@of_everybody
def test_every_cell(people: Store, person: str) -> None:
    mine, case = people.for_person(person), made(people)
    before = everything(people)
    for name, (allowed, call) in CELLS.items():
        if letter(person) and letter(person) in allowed and name not in NOT_BY_ROLE:
            call(mine, case)
            if name in LAST:
                case = made(people)
            before = everything(people)
            continue
        with pytest.raises(InputProblem) as refused:
            call(mine, case)
        assert everything(people) == before, name
        if letter(person):
            assert isinstance(refused.value, Forbidden), (name, str(refused.value))
        else:
            assert not isinstance(refused.value, Forbidden), (name, str(refused.value))
            for key in (case.session, case.collection):
                if key in str(refused.value):
                    said = str(refused.value).replace(key, "none")
                    assert said == said_of_none(mine, call), name


@of_everybody
def test_lists_hold_what_may_be_seen(people: Store, person: str) -> None:
    case, mine = made(people), people.for_person(person)
    sees = [case.session] if letter(person) else []
    assert [row.id for row in mine.sessions()] == sees
    assert mine.sessions(archived=True) == mine.sessions(deleted=True) == []
    collections = [case.collection] if letter(person) else []
    assert [row.id for row in mine.collections()] == collections
    assert (mine.same_collection("c", some_records(5), []) is None) == (not collections)
    assert mine.kept_calibrators() == []
    if not letter(person):
        # The page and an address that somebody guessed say the same.
        with pytest.raises(InputProblem, match="There is no session"):
            session_snapshot(mine, case.session)


def test_what_is_damaged_is_shown_to_owners(url: str, people: Store) -> None:
    case = made(people)
    with raw(url) as connection:
        connection.execute(text("UPDATE session SET settings = '{'"))
    for person in PEOPLE:
        broken = [each.id for each in people.for_person(person).damaged()]
        assert broken == ([case.session] if letter(person) == "o" else []), person


# On PostgreSQL the owner's every call is one of the cells above.
@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.deep)], indirect=True)
def test_the_owner_owns_all_of_it(people: Store) -> None:
    for name, (_, call) in CELLS.items():
        case = made(people)
        if name in ("delete_collection",):
            people.purge_session(case.session)
            case.collection = people.for_person(OWNER).save_collection("c", some_records(5), [], 0)
        call(people.for_person(OWNER), case)


@of_everybody
def test_administrators_alone_administer(people: Store, person: str) -> None:
    mine = people.for_person(person)
    people.save_calibrator(INCLUSION)
    for name, arguments in ADMINISTRATORS.items():
        if person == "administrator":
            getattr(mine, name)(*arguments)
        else:
            with pytest.raises(Forbidden):
                getattr(mine, name)(*arguments)


def test_no_method_of_the_store_is_without_a_cell() -> None:
    public = {
        name
        for name, _ in inspect.getmembers(Store, inspect.isfunction)
        if not name.startswith("_") and not hasattr(Permissions, name)
    }
    cells = {name.partition(" ")[0] for name in CELLS} - {"snapshot"}
    assert public == cells | set(ADMINISTRATORS) | LISTS | ONES_OWN | BESIDE | {"check"}
    # What the database itself offers asks nobody: pages must not use it.
    assert {name for name in vars(Database) if not name.startswith("_")} == {
        *("at_once", "close", "read", "rows", "value", "write", "together", "reserved", "shrink", "snapshot"),
    }


def test_every_kind_of_event_asks_for_something() -> None:
    assert set(EVENTS) <= set(KINDS)
    assert set(KINDS) - set(EVENTS) == {
        *("kept", "audited", "families", "joined", "parted", "plan", "settings", "imported", "duplicated"),
        *("stopped", "decided", "continued", "opened", "machine", "brought"),
    }, "what is listed here the owner alone records; put any other kind into EVENTS"


def test_what_nobody_owns_is_the_administrators(people: Store) -> None:
    session = new_session(people)
    draft = people.save_draft({"a": 1})
    for person in PEOPLE:
        mine = people.for_person(person)
        assert [row.id for row in mine.sessions()] == ([session] if person == "administrator" else [])
        assert mine.draft(draft) == ({"a": 1} if person == "administrator" else {})
    people.for_person("administrator").share(session, "reader", "owner")
    assert people.for_person("administrator").sessions() == []
    assert [row.id for row in people.for_person("reader").sessions()] == [session]


def test_drafts_and_names_of_calibrators_are_ones_own(people: Store) -> None:
    one, other = people.for_person("reader"), people.for_person("stranger")
    draft = one.save_draft({"a": 1})
    assert other.draft(draft) == {}
    assert other.save_draft({"b": 2}, draft) != draft
    other.delete_draft(draft)
    assert one.draft(draft) == {"a": 1}
    for store in (one, other, people):
        store.save_calibrator(PATENT)
    one.rename_calibrator(PATENT.digest, "Secret case")
    other.delete_calibrator(PATENT.digest)
    assert [(kept.name, kept.deleted) for kept in one.kept_calibrators()] == [("Secret case", False)]
    assert [kept.deleted for kept in other.kept_calibrators()] == [True]
    assert [(kept.name, kept.deleted) for kept in people.kept_calibrators()] == [
        (PATENT.fitted_on.name, False)
    ]


@of_everybody
def test_what_a_role_allows_is_told_as_it_is_asked(people: Store, person: str) -> None:
    case, mine = made(people), people.for_person(person)
    for kind, key in (
        ("session", case.session),
        ("collection", case.collection),
        ("calibrator", PATENT.digest),
    ):
        asked = {action for action in MAY[kind] if _is_allowed(mine, kind, key, action)}
        if letter(person):
            assert mine.actions(kind, key) == asked and "see" in asked
        else:
            with pytest.raises(InputProblem, match="There is no"):
                mine.actions(kind, key)
    with pytest.raises(InputProblem, match="There is no session"):
        people.for_person(OWNER).actions("session", "none")
    assert people.actions("session", case.session) == set(MAY["session"])


def _is_allowed(store: Store, kind: Kind, key: str, action: str) -> bool:
    try:
        store.require(kind, key, action)
    except InputProblem:
        return False
    return True


def test_nobody_takes_a_calibrator_by_its_hash(people: Store) -> None:
    made(people)
    mine = people.for_person("stranger")
    own = mine.save_collection("c", some_records(5), [], 0)
    with pytest.raises(InputProblem, match="no calibrator"):
        mine.create_session("s", own, range(5), None, MINE, "", "own order")
    quoted = replace(
        SETTINGS, payoffs=replace(SETTINGS.payoffs, unit=f'"calibrator": "{PATENT.digest}"'[:60])
    )
    session = mine.create_session("s", own, range(5), None, quoted, f'"calibrator": "{PATENT.digest}"', "own")
    with pytest.raises(InputProblem, match="no calibrator"):
        mine.append(session, Event("settings", {"settings": MINE.to_dict(), "reason": ""}), 0)
    mine.append(session, Event("note", {"doc": "EP0", "text": f'"calibrator": "{PATENT.digest}"'}), 0)
    with pytest.raises(InputProblem, match="no calibrator"):
        mine.calibrator(PATENT.digest)


def test_a_share_ends_at_once_and_an_owner_stays(people: Store) -> None:
    case, ann = made(people), people.for_person(OWNER)
    ann.share(case.session, "reader", None)
    with pytest.raises(InputProblem, match="There is no session"):
        people.for_person("reader").events(case.session)
    for holder in ("owner", "locked owner", "project:owners"):
        ann.share(case.session, holder, None)
    with pytest.raises(InputProblem, match="needs an owner"):
        ann.share(case.session, OWNER, "reader")
    assert ann.shares(case.session)[0] == (OWNER, "owner")
    with pytest.raises(InputProblem, match="not in such a project"):
        ann.share(case.session, "project:none", "guest")
    with pytest.raises(InputProblem, match="no role"):
        ann.share(case.session, "reader", "king")  # type: ignore[arg-type]


def test_whoever_logged_in_signs_with_their_own_name(people: Store) -> None:
    case = made(people)
    signed = people.for_person("reader").append(case.session, replace(label(1), reviewer=OWNER), 1)
    assert signed.reviewer == "reader"
    assert people.events(case.session)[-1].reviewer == "reader"


def test_the_first_account_administers_or_those_that_are_named(store: Store) -> None:
    assert store.for_person("one").arrive(now()) and store.for_person("two").arrive(now())
    assert store.for_person("one").administers and not store.for_person("two").administers
    store.for_person("one").arrive(now(), ["two"])
    store.for_person("two").arrive(now(), ["two"])
    assert store.for_person("two").administers and not store.for_person("one").administers
    store.for_person("two").lock_out("one", True)
    assert not store.for_person("one").arrive(now())


def test_what_matters_is_in_the_audit_log_without_contents(people: Store) -> None:
    case, ann = made(people), people.for_person(OWNER)
    ann.note_export(case.session, "-report.html")
    ann.delete_session(case.session)
    ann.purge_session(case.session)
    lines = [line for line in people.for_person("administrator").audit() if line.person == OWNER]
    assert {line.what for line in lines} >= {
        "login",
        "shared as reader",
        "exported",
        "deleted",
        "deleted for good",
    }
    assert all("hips" not in "".join((line.what, line.kind, line.object_id, line.about)) for line in lines)


def test_erasing_a_person_leaves_nothing_under_their_name(url: str, people: Store) -> None:
    case = made(people)
    reader = people.for_person("reader")
    reader.append(case.session, label(1), 1)
    reader.save_draft({"a": 1})
    reader.save_calibrator(PATENT)
    reader.rename_calibrator(PATENT.digest, "x")
    root = people.for_person("administrator")
    (kept,) = [each for each in root.accounts() if each.name == "reader"]
    assert (kept.shares, kept.events, kept.drafts) == (2, 1, 1) and kept.audit == 1
    other = root.erase("reader")
    assert people.events(case.session)[-1].reviewer == other and "reader" not in [
        each.name for each in root.accounts()
    ]
    with raw(url) as connection:
        for table, column in (
            ("share", "holder"),
            ("draft", "person"),
            ("audit", "person"),
            ("audit", "about"),
        ):
            found = connection.execute(text(f"SELECT count(*) FROM {table} WHERE {column} = 'reader'"))
            assert found.scalar() == 0, table
    with pytest.raises(Forbidden):
        root.erase("administrator")


@pytest.mark.parametrize("name", ["", " ", "project:hips", "Project:x", "a\nb", "a\0", "x" * 201, "a\u202eb"])
def test_names_that_could_pass_for_others_are_refused(name: str) -> None:
    with pytest.raises(InputProblem):
        check_name(name)
    assert check_name(" Ann@Example.ORG ") == "ann@example.org"
