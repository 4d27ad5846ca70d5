"""What every page begins with: routing, the store, the look."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from tarstop_core.errors import InputProblem
from tarstop_core.store import Store

ROOT = Path(__file__).parent.parent
ICON = str(ROOT / "dashboard" / "icon.svg")
ROUTED = "_routed"
HOME, SET_UP, SCREEN = "pages/home.py", "pages/set_up.py", "pages/screen.py"
EVIDENCE = "pages/evidence.py"
RESULTS = "pages/results.py"
EXPLORE = "pages/explore.py"
SESSIONS = "pages/sessions.py"


def pages() -> list[st.Page]:
    """The pages, in the order of the sidebar."""
    return [
        st.Page(ROOT / HOME, title="Home", icon=":material/home:", default=True),
        st.Page(ROOT / SET_UP, title="Set up", icon=":material/tune:", url_path="set_up"),
        st.Page(ROOT / SCREEN, title="Screen", icon=":material/fact_check:", url_path="screen"),
        st.Page(ROOT / SESSIONS, title="Sessions", icon=":material/folder_open:", url_path="sessions"),
        st.Page(ROOT / EVIDENCE, title="Evidence", icon=":material/lab_profile:", url_path="evidence"),
        st.Page(ROOT / EXPLORE, title="Explore", icon=":material/explore:", url_path="explore"),
        st.Page(ROOT / RESULTS, title="Results", icon=":material/analytics:", url_path="results"),
    ]


def route() -> None:
    """Run the page that the URL names."""
    st.set_page_config(page_title="TARstop", page_icon=ICON, layout="wide")
    st.session_state[ROUTED] = True
    st.navigation(pages()).run()


def begin(title: str) -> None:
    """First call of every page.

    On a fresh server a direct URL runs its page without app.py. Registering the navigation makes the
    rerun go through app.py, with the URL and its parameters kept.
    """
    if ROUTED not in st.session_state:
        st.session_state[ROUTED] = True
        st.set_page_config(page_title="TARstop", page_icon=ICON, layout="wide")
        st.navigation(pages())
        st.rerun()
    st.set_page_config(page_title=f"{title} · TARstop", page_icon=ICON, layout="wide")
    st.html(ROOT / "dashboard" / "look.css")


@st.cache_resource(show_spinner=False)
def _store(url: str | None) -> Store:
    return Store(url)


def store() -> Store:
    """The store named by TARSTOP_DATABASE_URL, or the local one; one connection pool a server."""
    return _store(os.environ.get("TARSTOP_DATABASE_URL"))


@contextmanager
def problems_shown() -> Iterator[None]:
    """Show a person's problem as a sentence where it arose, and go on with the page."""
    try:
        yield
    except InputProblem as problem:
        problem_box(problem)


def problem_box(problem: InputProblem | str) -> None:
    """A problem as literal text: file names may hold Markdown."""
    st.error(escape_markdown(str(problem)), icon=":material/error:")


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is: titles and file names hold $, *, < and brackets."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|$~:^" else c for c in text)


def show(title: str, body: Callable[[], None]) -> None:
    """Run a page: its first call, its body, and a sentence instead of a traceback."""
    begin(title)
    try:
        with problems_shown():
            body()
    except Exception:
        logging.getLogger("tarstop").exception("%s page", title)
        problem_box(
            "Something happened that TARstop did not expect. What you entered is saved; reload the page, "
            "and if it happens again, report it with the server's log."
        )
