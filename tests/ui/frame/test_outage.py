"""Without its database a page says so, names no place, and goes on when the database is back."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.frame import shell
from tarstop_core.sessions.store.database import TRUSTED_SECONDS
from tarstop_core.sessions.store.store import Store
from tests import postgres
from tests.session_cases import START, a_collection, a_patent_session
from tests.ui.conftest import ROOT, SECONDS
from tests.ui.screen.test_page import button

Open = Callable[..., AppTest]
AWAY = "The database server cannot be reached"


def start_again(server: postgres.Server) -> None:
    """Start it once no connection counts as just used: those are not asked whether their server is still there."""
    time.sleep(TRUSTED_SECONDS)
    server.start()


@pytest.fixture
def session(store: Store) -> str:
    return store.create_session("Mine", a_collection(store), list(range(30)), None, START, "", "own order")


def without_database(app: AppTest) -> bool:
    """Whether the page says that, and nothing of where the database is."""
    (said,) = (error.value.replace("\\", "") for error in app.error)
    assert not app.exception and "/" not in said and "tmp" not in str(app.error)
    return said.startswith(("The database t.db ", AWAY))


@pytest.mark.parametrize("page", ["home", "screen", "sessions", "calibration"])
def test_a_file_that_is_gone_and_comes_back(
    store: Store, session: str, open_app: Open, tmp_path: Path, page: str
) -> None:
    app = open_app(page, session=session)
    assert not app.error
    names = [each for each in tmp_path.iterdir() if each.name.startswith("t.db")]
    away = tmp_path / "away"
    away.mkdir()
    for each in names:
        each.rename(away / each.name)
    app.run()
    assert without_database(app)
    app.button("try-again").click().run()
    assert without_database(app) and not (tmp_path / "t.db").exists()
    for each in away.iterdir():
        each.rename(tmp_path / each.name)
    app.button("try-again").click().run()
    assert not app.error and not app.exception
    assert [each.id for each in store.sessions()] == [session]


def test_a_label_while_the_file_is_locked_is_said_not_to_be_stored(
    session: str, open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = Store.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "busy_seconds", 0.05)
    st.cache_resource.clear()
    app = open_app("screen", session=session)
    other = sqlite3.connect(tmp_path / "t.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    app.button("label_irrelevant_1").click().run()
    assert "t.db is locked" in app.warning[0].value.replace("\\", "") and not app.exception
    assert "t.db" not in str(app.warning)
    other.execute("ROLLBACK")
    other.close()
    app.button("label_irrelevant_1").click().run()
    assert not app.warning and "label_irrelevant_2" in {each.key for each in app.button}


def test_a_server_that_does_not_answer_is_not_named(
    open_app: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(
        "TARSTOP_DATABASE_URL", "postgresql+psycopg://secretuser:secretword@127.0.0.1:1/secretbase"
    )
    app = open_app("home")
    assert without_database(app) and "secret" not in app.error[0].value
    assert "secretbase" in caplog.text and "secretword" not in caplog.text


def test_what_nobody_foresaw_is_a_sentence_and_its_words_stay_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def page() -> None:
        from dashboard.frame.shell import uncaught

        uncaught(RuntimeError("a secret of the server"))

    app = AppTest.from_function(page, default_timeout=120).run()
    assert app.error[0].value == shell.escape_markdown(shell.UNFORESEEN) and not app.exception
    assert "a secret of the server" in caplog.text


def test_a_press_that_nobody_foresaw_is_a_sentence_too(caplog: pytest.LogCaptureFixture) -> None:
    def page() -> None:
        import streamlit as st

        from dashboard.frame.work import button, flash

        def broken() -> None:
            raise RuntimeError("a secret of the server")

        flash()
        button("Go", broken, key="go")
        st.write("drawn to the end")

    app = AppTest.from_function(page, default_timeout=120).run()
    app.button("go").click().run()
    assert app.warning[0].value == shell.escape_markdown(shell.UNFORESEEN) and not app.exception
    assert app.markdown[0].value == "drawn to the end" and "a secret of the server" in caplog.text


@pytest.fixture
def server(server_to_stop: postgres.Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[postgres.Server]:
    with postgres.database(server_to_stop) as url:
        monkeypatch.setenv("TARSTOP_DATABASE_URL", url)
        st.cache_resource.clear()
        yield server_to_stop
        st.cache_resource.clear()


def opened(page: str, session: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    app.query_params["session"] = session
    if page != "home":
        app.switch_page(f"pages/{page}.py")
    return app.run()


def errors(app: AppTest) -> str:
    assert not app.exception
    return " ".join(each.value for each in app.error)


def test_pages_say_that_the_server_is_away_and_recover(server: postgres.Server) -> None:
    with Store() as store:
        session = a_patent_session(store)
        apps = {page: opened(page, session) for page in ("home", "screen", "sessions", "calibration")}
        assert not any(errors(app) for app in apps.values())
        before = len(store.events(session))
        server.stop()
        for page, app in apps.items():
            said = errors(app.run())
            assert AWAY in said, page
            assert "tester" not in said and "tarstop-pg" not in said
        assert AWAY in errors(opened("set_up", session)) + errors(opened("home", session))
        start_again(server)
        for app in apps.values():
            assert not errors(app.run())
        assert len(store.events(session)) == before


def test_a_press_that_does_not_reach_the_server_is_not_counted(server: postgres.Server) -> None:
    with Store() as store:
        session = a_patent_session(store)
        app = opened("screen", session)
        keep = button(app, "Keep screening")
        before = len(store.events(session))
        server.stop()
        keep.click()
        assert AWAY in errors(app.run())
        start_again(server)
        app = app.run()
        assert not errors(app) and len(store.events(session)) == before
        button(app, "Keep screening").click()
        assert not errors(app.run())
        assert [event.kind for event in store.events(session)[before:]] == ["continued"]
