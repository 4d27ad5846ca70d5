"""A session that came in a file says so on Screen and Sessions, and marks what the file claims."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tarstop_core.sessions.file import export_session
from tarstop_core.sessions.store.store import Store
from tests.session_cases import a_patent_session
from tests.ui.screen.test_page import html_of

Open = Callable[..., AppTest]


def test_where_it_came_from_stands_on_every_page(open_app: Open, store: Store, tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/their.db") as their:
        text = export_session(their, a_patent_session(their)).replace("Ann <b>", "Prof. Famous")
    page = open_app("sessions")
    assert "imported" not in html_of(page)
    sent = ("theirs.json", text.encode(), "application/json")
    page.file_uploader("sessions/import").set_value(sent).run()
    assert not page.exception and '<span class="tar-badge">imported</span>' in html_of(page)
    [session] = store.sessions()
    assert store.events(session.id)[-1].reviewer == "Rita"
    for name in ("sessions", "screen"):
        shown = html_of(open_app(name, session=session.id))
        assert "from theirs.json by Rita." in shown and "what the file claims (Prof. Famous)" in shown
    assert "by Prof. Famous, as the session file claims." in shown
