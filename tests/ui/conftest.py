"""Pages run without a browser, each test on a database of its own."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from dashboard.set_up.page import OPENED
from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import empty_file

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # that a page may take on a busy machine

# Every AppTest looks for components among all packages that are installed, which takes longer than most pages do and
# finds the same each time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def wait_for(runner: LocalScriptRunner, seconds: float) -> None:
    """Sleep until a script has ended: AppTest looks a thousand times a second whether it has, and each look stops the script."""
    thread = runner._script_thread
    assert thread is not None
    thread.join(seconds)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"A page took more than {seconds} s.")


local_script_runner.require_widgets_deltas = wait_for


@pytest.fixture(autouse=True)
def cookies(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the browser has kept: a name. AppTest, which has no browser, would answer with things that are no texts."""
    kept = {"tarstop_reviewer": "Rita"}
    monkeypatch.setattr(ContextProxy, "cookies", kept)
    return kept


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The empty database that the pages use."""
    url = empty_file(tmp_path)
    monkeypatch.setenv("TARSTOP_DATABASE_URL", url)
    st.cache_resource.clear()
    with Store(url) as opened:
        yield opened
    st.cache_resource.clear()


@pytest.fixture
def open_app(store: Store) -> Callable[..., AppTest]:
    """Open a page of the dashboard through its router: "home", "set_up" or "screen".

    Both steps of Set up are there, as for somebody who has opened the second one.
    """

    def opener(page: str = "home", **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
        app.session_state[OPENED] = True
        for name, value in query.items():
            app.query_params[name] = value
        if page != "home":
            app.switch_page(f"pages/{page}.py")
        return app.run()

    return opener
