"""The frame of every page: routing, the store, titles, links, and problems as sentences."""

import html
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock, Timer
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.runtime_util import MESSAGE_FLUSH_INTERVAL_SECS
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx

from dashboard.frame import address, people
from dashboard.frame.scripts import FRAME, REACHABLE_SCRIPT
from dashboard.frame.uploads import giving_back
from tarstop_core.errors import InputProblem, Outage
from tarstop_core.presentation.numbers import unbroken
from tarstop_core.sessions.store.store import Store
from tarstop_core.teaching.reference import named, terms

ROOT = Path(__file__).parents[2]
ICON = str(FRAME / "icon.svg")
ROUTED = "_routed"
"""State: whether this is the first run in this tab; missing before the first run."""
MOMENT = 0.1
"""Longest time in seconds for which elements wait to be sent in one piece."""
HOME, SET_UP, SCREEN = "pages/home.py", "pages/set_up.py", "pages/screen.py"
SESSIONS, EVIDENCE, EXPLORE = "pages/sessions.py", "pages/evidence.py", "pages/explore.py"
CALIBRATION, LEARN = "pages/calibration.py", "pages/learn.py"
DECISIONS, ADMINISTRATION = "pages/decisions.py", "pages/administration.py"
RESULTS, GUIDE = "pages/results.py", "pages/guide.py"
CHAPTERS = {"Home": "the-first-five-minutes", "Set up": "set-up-a-session"}
"""Chapters of the guide for pages whose chapter has another name."""
UNFORESEEN = (
    "Something unexpected happened. Everything recorded so far is safe. Reload the page; if it "
    "happens again, report it with the server's log."
)
MANY_NOTES = 4
"""Number of notes above which they are folded."""
_MARKDOWN = re.compile(r"[\\`*_{}\[\]()<>#+\-.!|$~:^]")
_LINKED = re.compile(r"https?:(?=//)|www(?=\.)|@(?=\w)", re.IGNORECASE)
_BEGINS_A_LIST = r"\A[#+-]|(?<=\A\d)[.)]|(?<=\A\d\d)[.)]"
_OF_LABELS = re.compile(rf"[\\`*\[\]<>$~^]|:(?=\S)|(?<!\w)_|_(?!\w)|{_BEGINS_A_LIST}")


OF_A_CLASS = ("Learn", "Explore")
"""Titles of the pages that a class may open; every other address leads to the first."""


def pages() -> dict[str, list[st.Page]]:
    """The pages in their groups, in the order of the sidebar."""

    def page(file: str, title: str, icon: str, *, hidden: bool = False) -> st.Page:
        return st.Page(
            ROOT / file,
            title=title,
            icon=f":material/{icon}:",
            url_path=Path(file).stem,
            default=file == HOME,
            visibility="hidden" if hidden else "visible",
        )

    if people.lecture() is not None:
        begins = page(HOME, "Home", "home", hidden=True)
        return {"": [begins, page(LEARN, "Learn", "school"), page(EXPLORE, "Explore", "explore")]}
    exists, hidden = _administration()
    administration = page(ADMINISTRATION, "Administration", "admin_panel_settings", hidden=hidden)
    return {
        "Work": [
            page(HOME, "Home", "home"),
            page(SET_UP, "Set up", "tune"),
            page(SCREEN, "Screen", "fact_check"),
            page(SESSIONS, "Sessions", "folder_open"),
        ],
        "Understand": [
            page(EVIDENCE, "Evidence", "lab_profile"),
            page(EXPLORE, "Explore", "explore"),
            page(DECISIONS, "Decisions", "alt_route"),
            page(CALIBRATION, "Calibration", "target"),
            page(LEARN, "Learn", "school"),
            page(RESULTS, "Results", "analytics"),
        ],
        "Help": [page(GUIDE, "Guide", "menu_book"), *([administration] if exists else [])],
    }


def _administration() -> tuple[bool, bool]:
    """Whether there is a page of administrators, and whether the sidebar hides it from the visitor.

    For other visitors it is hidden and not missing, so that the page itself refuses them; for a missing page Streamlit
    would show Home below a message.
    """
    try:
        return (True, not store().administers) if people.person() else (False, True)
    except InputProblem:
        return True, True  # The page itself says why


def addresses(*, every: bool = False) -> list[str]:
    """Addresses of pages: the root and their names, of `every` page or only of those that visitors may open."""
    names = sorted(script.stem for script in (ROOT / "pages").glob("*.py"))
    if people.lecture() is not None and not every:
        names = [title.lower() for title in OF_A_CLASS]
    elif people.way() is None and not every:
        names.remove(Path(ADMINISTRATION).stem)  # nobody logs in
    return ["/", *(f"/{name}" for name in names)]


def route() -> None:
    """Run the page that the URL names."""
    st.set_page_config(page_title="TARstop", page_icon=ICON, layout="wide")
    apart(REACHABLE_SCRIPT, "everywhere")
    if ROUTED not in st.session_state:
        send_ahead()  # The first element makes the browser load what HTML needs; more elements would be drawn twice
    st.session_state[ROUTED] = ROUTED not in st.session_state
    st.logo(ICON)
    st.navigation(pages()).run()


def send_ahead() -> None:
    """Wait until everything drawn so far is sent, because the browser shows what arrives together only when it has all."""
    time.sleep(2 * MESSAGE_FLUSH_INTERVAL_SECS)


def begin(title: str) -> None:
    """Set up a page: its title and the link to the guide. This is the first call of every page.

    On a fresh server a direct URL runs its page without app.py. Registering the navigation makes the rerun go through
    app.py, and keeps the URL and its parameters.
    """
    if ROUTED not in st.session_state:
        st.session_state[ROUTED] = True
        st.set_page_config(page_title="TARstop", page_icon=ICON, layout="wide")
        st.navigation(pages())
        st.rerun()
    st.set_page_config(page_title=f"{title} · TARstop", page_icon=ICON, layout="wide")
    about = guide(place=CHAPTERS.get(title, title.lower()))
    link = f'<a class="tar-guide" href="{about}" target="_blank" rel="noopener">Guide to this page</a>'
    if title != "Guide" and people.lecture() is None:
        apart(link, "about")


def apart(markup: str, name: str) -> None:
    """Draw HTML that takes no space on the page, such as a script or an element with a fixed place in the window."""
    with st.container(key=f"apart-{name}"):
        st.html(markup, unsafe_allow_javascript=True)


def opening(title: str, lead: str) -> None:
    """Draw the head of a page: its title and its purpose."""
    st.title(title)
    show_lead(lead)


def show_lead(words: str) -> None:
    """Draw the paragraph below a title from Markdown without HTML, which would be shown later than the rest."""
    with st.container(key="lead"):
        st.markdown(words)


PRESENT = "present"


def presenting() -> bool:
    """Whether the page is shown on a projector."""
    return bool(st.session_state.get(PRESENT))


def dark() -> bool:
    """Whether the page is dark."""
    return st.context.theme.type == "dark"


def beside(*widths: float) -> Sequence[DeltaGenerator]:
    """Return the containers for figures and for their controls, which on a projector are behind a button."""
    if presenting():
        return st.container(), st.popover("Change", icon=":material/tune:", key="present-change")
    figures, asked = st.columns(widths, gap="large")
    place = figures.container(key="beside")
    place.empty()  # A container without content would appear late
    return place, asked


@contextmanager
def in_one_piece() -> Iterator[None]:
    """Send what is drawn within a moment in one piece, because the browser lays out the page anew for every piece.

    What takes longer is sent as it is drawn, so that a person sees where the work is.
    """
    run = get_script_run_ctx()
    assert run is not None
    send, lock, held = run._enqueue, Lock(), list[ForwardMsg]()

    def hold(message: ForwardMsg) -> None:
        run.yield_check()  # st.rerun and st.switch_page end a page only where something is sent
        with lock:
            (send if timer.finished.is_set() else held.append)(message)

    def release() -> None:
        with lock:
            timer.finished.set()
            messages = held.copy()
            held.clear()  # before a press can end the sending, or the timer would send the rest into the next run
            for message in messages:
                send(message)

    timer = Timer(MOMENT, release)
    run._enqueue = hold
    timer.start()
    try:
        yield
    finally:
        run._enqueue = send
        release()


def in_turn() -> Sequence[DeltaGenerator]:
    """Return two containers, one below the other, or on a projector side by side."""
    return st.columns(2, gap="medium") if presenting() else (st.container(), st.container())


@st.cache_resource(show_spinner=False)
def _store(url: str | None) -> Store:
    return Store(url)


def store() -> Store:
    """Return the store with the visitor's rights."""
    return people.opened_for(machine_store())


def machine_store() -> Store:
    """Return the store named by TARSTOP_DATABASE_URL, or the local one, with all rights; a server has one.

    It raises NobodyHere in a class, which has no store, and Outage when the database cannot be reached.
    """
    if people.lecture() is not None:
        raise people.NobodyHere("A class stores nothing, so there are no sessions here; choose a sample.")
    try:
        return _store(os.environ.get("TARSTOP_DATABASE_URL"))
    except InputProblem as problem:
        raise Outage(str(problem)) from problem


@contextmanager
def problems_shown() -> Iterator[None]:
    """Show an InputProblem as a sentence in its place, and go on with the page."""
    try:
        yield
    except InputProblem as problem:
        problem_box(problem)


def remarks(notes: Sequence[str]) -> None:
    """Show the remarks on a table as a warning, folded if there are many."""
    text = "  \n".join(map(escape_markdown, notes))
    if len(notes) > MANY_NOTES:
        with st.expander(f"{len(notes)} remarks on these tables", icon=":material/warning:"):
            st.markdown(text)
    elif notes:
        st.warning(text, icon=":material/warning:")


def problem_box(problem: InputProblem | str) -> None:
    """Draw a problem as literal text, because file names may contain Markdown; end a page without database or login.

    It ends by StopException, because after st.stop nothing more is sent, not even what :func:`in_one_piece` holds.
    """
    st.error(escape_markdown(str(problem)), icon=":material/error:")
    if isinstance(problem, people.NobodyHere):
        raise StopException
    if isinstance(problem, Outage):
        st.button("Try again", key="try-again", icon=":material/refresh:")
        raise StopException


def escape_markdown(text: str) -> str:
    """Escape a text for Markdown, because titles and file names contain $, *, < and brackets."""
    return _MARKDOWN.sub(r"\\\g<0>", _unlinked(text))


def _unlinked(text: str) -> str:
    """Split web addresses in a text by word joiners, because backslashes do not keep them from becoming links."""
    return _LINKED.sub("\\g<0>\u2060", text)


def caption(text: str) -> None:
    """Draw a small sentence as literal text."""
    st.caption(unbroken(escape_markdown(text)))


def escape_label(text: str) -> str:
    r"""Escape a text for the label of a widget with as few backslashes as possible, because screen readers read them.

    >>> print(escape_label("ADHD_2.csv: 3 labels"), escape_label("a*b.csv"), escape_label(":red[a]"))
    ADHD_2.csv: 3 labels a\*b.csv \:red\[a\]
    >>> print(escape_label("2. - no patients"), escape_label("- no patients"))
    2\. - no patients \- no patients
    """
    return _OF_LABELS.sub(r"\\\g<0>", _unlinked(text))


def learn(part: str, **more: str) -> str:
    """Address of a part of the Learn page, relative to any page, so that it works below a base path too.

    >>> learn("ideas", idea="One document")
    'learn?part=ideas&idea=One+document'
    """
    return f"learn?{urlencode({'part': part, **more})}"


def guide(read: str = "guide", place: str = "") -> str:
    """Relative address of a document of the guide, or of a place in it.

    >>> guide("own_data", "patents"), guide(place="stop-and-decide")
    ('guide?read=own_data#patents', 'guide?read=guide#stop-and-decide')
    """
    return f"guide?{urlencode({'read': read})}{f'#{place}' if place else ''}"


def term(key: str, words: str = "") -> str:
    """A word, in Markdown, that links to its entry in the glossary, which opens in a new tab.

    >>> term("evpi", "EVPI")
    '[EVPI](learn?part=glossary&term=evpi)'
    """
    return f"[{words or escape_markdown(terms()[key].name)}]({learn('glossary', term=key)})"


def glossary(*keys: str) -> None:
    """Draw links to terms of the glossary."""
    with st.expander("In the glossary", type="compact"):
        st.caption(", ".join(map(term, keys)))


def linked(words: str) -> str:
    """Words as HTML, with a link if they are a term of the glossary.

    >>> linked("ICER"), linked("Mast & co")
    ('<a class="tar-term" href="learn?part=glossary&amp;term=icer" target="_blank">ICER</a>', 'Mast &amp; co')
    """
    entry, escaped = named(words), html.escape(words)
    if entry is None:
        return escaped
    where = html.escape(learn("glossary", term=entry.key))
    return f'<a class="tar-term" href="{where}" target="_blank">{escaped}</a>'


def show(title: str, body: Callable[[], None], in_parts: bool = False) -> None:
    """Run a page: its first call, its body, and a sentence instead of a traceback; a long text is sent in parts."""
    begin(title)
    try:
        if (attended := people.lecture()) is not None:
            attended.following.discard(people.tab())  # Learn adds the tab again
            if title not in OF_A_CLASS:
                st.switch_page(LEARN)
        with problems_shown():
            _who()
        with problems_shown():
            address.check()
        with giving_back(), problems_shown(), nullcontext() if in_parts else in_one_piece():
            body()
    except Exception as problem:
        uncaught(problem)


def _who() -> None:
    """Admit the visitor and show their name in the sidebar; do nothing on a person's own machine."""
    name = people.person()
    if name and people.lecture() is None:
        store()
        st.sidebar.html(
            f'<p class="tar-meta">{html.escape(name)} <a href="auth/logout" target="_self">Log out</a></p>'
        )


def said_of(problem: Exception) -> str:
    """Return the sentence on a problem; an unexpected error is logged with its traceback."""
    if isinstance(problem, InputProblem):
        return str(problem)
    logging.getLogger("tarstop").error("Not foreseen", exc_info=problem)
    return UNFORESEEN


def uncaught(problem: Exception) -> bool:
    """Show a problem that no page caught, such as a callback's; return True, so that Streamlit does not show it too."""
    problem_box(problem if isinstance(problem, InputProblem) else said_of(problem))
    return True
