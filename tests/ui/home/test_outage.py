"""A database server that goes away is a sentence on every page, and pages work again when it is back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tarstop_core.sessions.store.store import Store
from tests import postgres
from tests.session_cases import a_patent_session
from tests.ui.conftest import ROOT, SECONDS
from tests.ui.screen.test_page import button

AWAY = "The database server cannot be reached"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[postgres.Server]:
    with postgres.own_server() as own, postgres.database(own) as url:
        monkeypatch.setenv("TARSTOP_DATABASE_URL", url)
        st.cache_resource.clear()
        yield own
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
        server.start()
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
        server.start()
        app = app.run()
        assert not errors(app) and len(store.events(session)) == before
        button(app, "Keep screening").click()
        assert not errors(app.run())
        assert [event.kind for event in store.events(session)[before:]] == ["continued"]
