"""Widgets that all pages use in the same way: choices among named options, shares, files to upload or to save."""

import html
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, count
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import address, people, shell, uploads
from dashboard.frame.waiting import LARGE_FILE, take_in, taken_in
from dashboard.frame.work import attempt, say
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.html import unbroken

T = TypeVar("T")
MIME = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "ris": "application/x-research-info-systems",
    "svg": "image/svg+xml",
    "tex": "text/plain",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""MIME types of saved files by their suffixes."""
LONGEST_NAME = 120
"""Characters."""
LASTING = "_lasting"
"""Key of the set of widgets whose values are kept."""


def lasting(key: str) -> dict[str, Any]:
    """Arguments for a widget under this key whose value stays while other pages are visited."""
    st.session_state.setdefault(LASTING, set()).add(key)
    return {"key": key, "persist_state": "session"}


def bound(key: str) -> dict[str, Any]:
    """Arguments for a widget under this key whose value stands in the address, under the same name."""
    return {"key": key, "bind": "query-params"}


def tabs(drawn: Mapping[str, Callable[..., T]], *args: Any, **how: Any) -> T | None:
    """Draw tabs by title, but only the content of the open one; return what its function returns."""
    given = None
    places = st.tabs(list(drawn), on_change="rerun", **how)
    for tab, draw in zip(places, drawn.values(), strict=True):
        if tab.open:
            with tab, shell.problems_shown():
                given = draw(*args)
    return given


def switch(label: str, options: Mapping[T, str], *, at: Any = st, **more: Any) -> T:
    """Draw a row of options by their labels, of which one is always chosen; the default is the first."""
    how = {"default": next(iter(options)), "required": True, "format_func": options.__getitem__}
    return at.segmented_control(label, list(options), **how | more)


def one_of(label: str, options: Mapping[T, str], *, at: Any = st, **more: Any) -> T:
    """Draw a select box of options by their labels; `first` is the default."""
    if "first" in more:
        first: Any = more.pop("first")
        # The choice before another page was opened; a box whose code arrives late would show its default.
        # Unless the address has the choice; it leaves out a box's default.
        now = first if "bind" in more else st.session_state.get(more.get("key", ""), first)
        more["index"] = list(options).index(now if now in options else first)
    return at.selectbox(label, list(options), format_func=_told_apart(options).__getitem__, **more)


def _told_apart(options: Mapping[T, str]) -> Mapping[T, str]:
    """Number namesakes: the browser answers with what an option is called, and would mean the first of them."""
    if len(set(options.values())) == len(options):
        return options
    called: dict[T, str] = {}
    for option, name in options.items():
        numbered = (f"{name} ({at})" for at in count(2))
        called[option] = next(each for each in chain([name], numbered) if each not in called.values())
    return called


def alone(label: str, options: Mapping[str, str], parameter: str) -> str:
    """Draw a box for the item that a projector shows alone; the address names it, so that a link leads to it."""
    first = address.named(parameter, options, next(iter(options)))
    chosen = one_of(label, options, first=first, key=f"{parameter}/alone", label_visibility="collapsed")
    st.query_params[parameter] = chosen
    return chosen


def some_of(
    label: str, options: Mapping[T, str], first: Iterable[T], *, at: Any = st, **more: Any
) -> list[T]:
    """Draw a box for several options; `first` are the default."""
    return at.multiselect(
        label, list(options), list(first), format_func=_told_apart(options).__getitem__, **more
    )


def go_to_one(
    label: str, options: Mapping[int, str], go: Callable[[int], None], *, key: str, placeholder: str
) -> None:
    """Draw a box that goes to the chosen item and is then empty again."""

    def gone() -> None:
        chosen = st.session_state[key]
        st.session_state[key] = None
        if chosen is not None:
            go(int(chosen))

    one_of(
        label,
        options,
        key=key,
        on_change=gone,
        index=None,
        placeholder=placeholder,
        label_visibility="collapsed",
    )


def radio(label: str, options: Mapping[T, str], **more: Any) -> T:
    """Draw options that are all in view; `first` is the default, or None."""
    if "first" in more:
        first = more.pop("first")
        more["index"] = None if first is None else list(options).index(first)
    words = {option: unbroken(text) for option, text in options.items()}
    return st.radio(label, list(options), format_func=words.__getitem__, **more)


def explained(label: str, options: Mapping[T, tuple[str, str]], **more: Any) -> T:
    """Draw options that are all in view, with an explanation below each."""
    names = {option: name for option, (name, _) in options.items()}
    return radio(label, names, captions=[caption for _, caption in options.values()], **more)


def share(
    label: str, value: float, *, low: float = 0.01, high: float = 0.99, at: Any = st, **more: Any
) -> float:
    """Ask for a probability or share as a percentage; a value outside the slider's ends is kept until it is moved."""
    edged = min(high, max(low, value))
    chosen = float(at.slider(label, low, high, edged, step=0.01, format="percent", **more))
    return value if chosen == edged else chosen


def whole_percent(label: str, value: int, *, low: int = 1, high: int = 99, at: Any = st, **more: Any) -> int:
    """Ask for a probability in whole per cent."""
    return int(at.slider(label, low, high, value, format="%d %%", **more))


def save_button(label: str, data: Any, file: str, *, at: Any = st, **more: Any) -> None:
    """Draw a button that saves a file without running the page again."""
    mime = MIME[file.rpartition(".")[2]]
    data = people.handed_over(data, mime, file)
    at.download_button(label, data=data, file_name=file, mime=mime, on_click="ignore", **more)


def button(
    label: str, action: Callable[..., object], *args: Any, key: str, at: Any = st, **more: Any
) -> None:
    """Draw a button with its action; a problem with that is shown on the page drawn next."""
    at.button(label, key=key, on_click=attempt, args=(action, *args), **more)


def named(typed: str) -> str:
    """A name as it is kept; InputProblem for one that no line can hold."""
    name = typed.strip()
    if len(name) > LONGEST_NAME:
        raise InputProblem(f"This name has {len(name):,} characters; give one of at most {LONGEST_NAME}.")
    return name


def name_box(name: str, rename: Callable[[str], None], *, key: str) -> None:
    """Draw a name that can be edited in place; an empty one is ignored."""

    def renamed() -> None:
        typed = str(st.session_state[key])
        if typed.strip():
            attempt(lambda: rename(named(typed)))

    st.text_input("Name", name, key=key, on_change=renamed)


def put_away(key: str, name: str, what: str, away: Callable[[], object], back: Callable[[], object]) -> None:
    """Remove something with `away`, and remember under a key how :func:`undo_row` brings it back."""
    away()
    st.session_state[key] = name, what, back


def bring_back(key: str, back: Callable[[], object], name: str = "") -> None:
    """Bring something back with `back`, so that :func:`undo_row` no longer offers it. With a name, say so."""
    back()
    st.session_state.pop(key, None)
    if name:
        say(f"{name} is back.")


def undo_row(key: str, *, named: bool = False) -> None:
    """Offer to bring back what was removed last with one press, which says so if it is `named`."""
    if key not in st.session_state:
        return
    name, what, back = st.session_state[key]
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="undo-row"):
        sentence = f'<div role="status">“{html.escape(name)}” was {what}. Nothing is lost.</div>'
        st.html(sentence, width="stretch")
        button("Undo", bring_back, key, back, name if named else "", key=f"{key}/press")


def ask_for_files(label: str, **more: Any) -> list[UploadedFile] | None:
    """Ask as `st.file_uploader` does; None where a file was refused, which a sentence below says."""
    given = st.file_uploader(label, **more)
    files = given if isinstance(given, list) else [given] if given is not None else []
    reasons = uploads.drawn(files)
    for reason in reasons:
        shell.problem_box(reason)
    return None if reasons else files


def files_given(key: str) -> list[UploadedFile]:
    """Return the files that an uploader holds, for its callback; none where one of them was refused."""
    value = st.session_state.get(key)
    files = [
        file for file in (value if isinstance(value, list) else [value]) if isinstance(file, UploadedFile)
    ]
    return [] if uploads.refusals(files) else files


def upload(
    label: str, take: Callable[[Any], None], *, key: str, kinds: str = "json", also_none: bool = False
) -> bool:
    """Ask for a file, which `take` reads at once: it is gone after a visit to another page.

    What is wrong with it is said below, until the next one is given; then False. With `also_none` it is told, too,
    when a person takes the file away.
    """
    state, wrong = st.session_state, f"{key}_problem"

    def taken(file: Any) -> None:
        try:
            take(file)
        except Exception as problem:
            state[wrong] = shell.said_of(problem)

    def given() -> None:
        file, state[wrong] = next(iter(files_given(key)), None), ""
        if file is not None or also_none:
            take_in(key, taken, file, large=file is not None and file.size > LARGE_FILE)

    ask_for_files(label, type=kinds.split(), key=key, on_change=given)
    taken_in(key)
    if state.get(wrong):
        shell.problem_box(state[wrong])
    return not state.get(wrong)


def text_of(file: UploadedFile, otherwise: str) -> str:
    """Return the text of an upload; raise InputProblem if it is not text, where `otherwise` says what to do."""
    try:
        return file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputProblem(f"{file.name} is not text; {otherwise}.") from None
