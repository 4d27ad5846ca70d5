"""The Administration page: for administrators alone, with what is kept about whom, and every press of it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.administration import page
from dashboard.frame import people, shell
from tarstop_core.sessions.store.backup import restore
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tests.session_cases import START, a_collection, label, log

OpenApp = Callable[..., AppTest]
ADMINISTRATOR, READER, OTHER = "ada", "bob", "cleo"


@pytest.fixture
def session(store: Store) -> str:
    """A session of the administrator's in which somebody else read."""
    for name in (ADMINISTRATOR, READER, OTHER):
        store.for_person(name).arrive(now())
    mine = store.for_person(ADMINISTRATOR)
    made = mine.create_session("S", a_collection(mine), list(range(30)), None, START, "", "own order")
    mine.share(made, READER, "reader")
    log(store.for_person(READER), made, label(0, "irrelevant"), label(1, "relevant"))
    return made


@pytest.fixture
def as_person(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def here(name: str) -> None:
        monkeypatch.setattr(people, "person", lambda: name)
        monkeypatch.setattr(people, "opened_for", lambda machine: machine.for_person(name))

    return here


@pytest.fixture
def titles(monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, str]]:
    """The pages that there are for whoever is here, and whether the sidebar lists them."""
    monkeypatch.setattr(st, "Page", lambda file, *, title, visibility, **how: (title, visibility))
    return lambda: {title: seen for group in shell.pages().values() for title, seen in cast(Any, group)}


def said(app: AppTest) -> str:
    assert not app.error, [each.value for each in app.error]
    assert not app.exception
    return " ".join(str(each.proto.body) for each in app.get("html"))


def part(app: AppTest, name: str) -> AppTest:
    app.session_state["part"] = name
    return app.run()


def press(app: AppTest, key: str) -> AppTest:
    return app.button(f"{page.PREFIX}/{key}").click().run()


def test_it_exists_for_administrators_alone(
    open_app: OpenApp, session: str, as_person: Callable[[str], None]
) -> None:
    as_person(READER)
    app = open_app("administration")
    assert not app.tabs and not app.selectbox and OTHER not in str(app.get("html"))
    as_person(ADMINISTRATOR)
    app = open_app("administration")
    assert {"Rights", "Last login", "Roles held"} <= set(re.findall(r"<th>(.*?)</th>", said(app)))
    assert {each.label for each in app.tabs} == {"Accounts", "Projects", "Backup", "Limits", "Audit log"}
    assert "read=guide#administration" in said(app)


def test_the_sidebar_lists_it_for_administrators_alone(
    store: Store, session: str, as_person: Callable[[str], None], titles: Callable[[], dict[str, str]]
) -> None:
    as_person(READER)
    assert titles()["Administration"] == "hidden" and titles()["Guide"] == "visible"
    as_person(ADMINISTRATOR)
    assert titles()["Administration"] == "visible"


def test_on_ones_own_machine_there_is_none(titles: Callable[[], dict[str, str]]) -> None:
    assert "Administration" not in titles()
    assert "/administration" not in shell.addresses() and "/administration" in shell.addresses(every=True)


def test_what_is_kept_about_somebody_is_counted_and_saved(
    open_app: OpenApp, store: Store, session: str, as_person: Callable[[str], None]
) -> None:
    as_person(ADMINISTRATOR)
    app = open_app("administration")
    app.selectbox(f"{page.PREFIX}/about").set_value(READER).run()
    assert "2 in 1 session" in said(app) and "<td>1 session, import" in said(app)
    mine = store.for_person(ADMINISTRATOR)
    account = next(each for each in mine.accounts() if each.name == READER)
    kept = json.loads(page._as_json(account, mine.kept_about(READER)))
    [entries] = kept["logs"]
    times = [event.time for event in store.log(session)]
    assert entries == {"session": session, "entries": 2, "first": times[0], "last": times[1]}
    assert kept["roles"] == [{"kind": "session", "id": session, "role": "reader"}]
    assert kept["account"]["name"] == READER and kept["account"]["events"] == 2
    assert {line["what"] for line in kept["audit"]} == {"login", "shared as reader"}
    assert mine.kept_about("nobody").logs == []


def test_somebody_is_locked_out_appointed_and_erased(
    open_app: OpenApp, store: Store, session: str, as_person: Callable[[str], None]
) -> None:
    as_person(ADMINISTRATOR)
    app = open_app("administration")
    app.selectbox(f"{page.PREFIX}/about").set_value(READER).run()
    press(app, "lock")
    assert not store.for_person(READER).welcome and "locked out" in said(app)
    press(app, "lock")
    assert store.for_person(READER).welcome
    press(app, "appoint")
    assert store.for_person(READER).administers
    press(app, "erased")
    assert {account.name for account in store.for_person(ADMINISTRATOR).accounts()} == {ADMINISTRATOR, OTHER}
    assert {event.reviewer.startswith("former reader") for event in store.log(session)} == {True}
    assert READER not in said(app)
    app.selectbox(f"{page.PREFIX}/about").set_value(ADMINISTRATOR).run()
    assert not {each.key for each in app.button} & {
        f"{page.PREFIX}/{name}" for name in ("lock", "appoint", "erased")
    }


def test_a_backup_is_written_beside_the_store_and_can_be_restored(
    open_app: OpenApp, store: Store, session: str, as_person: Callable[[str], None], tmp_path: Path
) -> None:
    as_person(ADMINISTRATOR)
    app = part(open_app("administration"), "Backup")
    assert "30 records" in said(app)
    press(app, "backup")
    [file] = (store.file.parent / "backups").glob("tarstop-*.db")  # type: ignore[union-attr]
    assert file.name in said(app) and file.stat().st_mode & 0o077 == 0
    assert "\u00a0MB<" in said(app), "no line breaks between a size and its unit"
    url = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    assert restore(file, url).held.sessions == 1
    with Store(url) as again:
        assert again.log(session) == store.log(session)
    assert "backed up" in {line.what for line in store.for_person(ADMINISTRATOR).audit()}


def test_limits_and_the_audit_log(open_app: OpenApp, session: str, as_person: Callable[[str], None]) -> None:
    as_person(ADMINISTRATOR)
    app = part(open_app("administration"), "Limits")
    assert "one browser tab" in said(app) and ">1 GB<" in said(app)
    app = part(app, "Audit log")
    assert "shared as reader" in said(app) and READER in said(app)
    app.selectbox(f"{page.PREFIX}/whose").set_value(OTHER).run()
    assert "shared as reader" not in said(app) and "login" in said(app)


def test_projects_are_made_and_left(
    open_app: OpenApp, store: Store, session: str, as_person: Callable[[str], None]
) -> None:
    as_person(ADMINISTRATOR)
    app = part(open_app("administration"), "Projects")
    app.text_input(f"{page.PREFIX}/project").set_value("hips")
    app.text_input(f"{page.PREFIX}/person").set_value(READER)
    press(app, "join")
    assert store.for_person(READER).projects() == {"project:hips": [READER]} and "project:hips" in said(app)
    press(app, "leave")
    assert store.for_person(ADMINISTRATOR).projects() == {}
