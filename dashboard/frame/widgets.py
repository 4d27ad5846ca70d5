"""Widgets that all pages use in the same way: choices among named options, shares, files to upload or to save."""

import html
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, count
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import address, people, shell, uploads
from dashboard.frame.waiting import LARGE_FILE, take_in, taken_in
from dashboard.frame.work import attempt, button, say
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import unbroken

T = TypeVar("T")
View = Callable[[str], dict[str, Any]]
"""Takes a name, and returns the arguments with which a widget shows the value of that name and reports a new one."""
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
"""Most characters of a name."""
LASTING = "_lasting"
"""Key of the state with the keys of all widgets made by :func:`lasting`."""


def lasting(key: str) -> dict[str, Any]:
    """Arguments for a widget with this key whose value is kept while other pages are visited."""
    st.session_state.setdefault(LASTING, set()).add(key)
    return {"key": key, "persist_state": "session"}


def bound(key: str) -> dict[str, Any]:
    """Arguments for a widget with this key whose value is kept in the address, as a parameter with the same name."""
    return {"key": key, "bind": "query-params"}


def tabs(drawn: Mapping[str, Callable[..., T]], *args: Any, **how: Any) -> T | None:
    """Draw tabs by title, but only the content of the open one; return the result of its function."""
    result = None
    places = st.tabs(list(drawn), on_change="rerun", **how)
    for tab, draw in zip(places, drawn.values(), strict=True):
        if tab.open:
            with tab, shell.problems_shown():
                result = draw(*args)
    return result


def switch(label: str, options: Mapping[T, str], *, at: Any = st, **more: Any) -> T:
    """Draw a row of options by their labels, of which one is always chosen; the default is the first."""
    how = {"default": next(iter(options)), "required": True, "format_func": options.__getitem__}
    return at.segmented_control(label, list(options), **how | more)


def one_of(label: str, options: Mapping[T, str], *, at: Any = st, **more: Any) -> T:
    """Draw a select box of options by their labels; `first` is the default."""
    if "first" in more:
        first: Any = more.pop("first")
        # The default is the last choice, because a box whose code arrives late shows its default. If the address has
        # the choice, the default stays: the address leaves it out.
        now = first if "bind" in more else st.session_state.get(more.get("key", ""), first)
        more["index"] = list(options).index(now if now in options else first)
    return at.selectbox(label, list(options), format_func=_distinct(options).__getitem__, **more)


def _distinct(options: Mapping[T, str]) -> Mapping[T, str]:
    """Number equal labels, because the browser answers with a label and would mean the first of them."""
    if len(set(options.values())) == len(options):
        return options
    labels: dict[T, str] = {}
    for option, label in options.items():
        candidates = chain([label], (f"{label} ({at})" for at in count(2)))
        labels[option] = next(candidate for candidate in candidates if candidate not in labels.values())
    return labels


def alone(label: str, options: Mapping[str, str], parameter: str) -> str:
    """Draw a box for the item that a projector shows alone, and keep the choice in the address."""
    first = address.named(parameter, options, next(iter(options)))
    chosen = one_of(label, options, first=first, key=f"{parameter}/alone", label_visibility="collapsed")
    st.query_params[parameter] = chosen
    return chosen


def some_of(
    label: str, options: Mapping[T, str], first: Iterable[T], *, at: Any = st, **more: Any
) -> list[T]:
    """Draw a box for several options; `first` are the default."""
    return at.multiselect(
        label, list(options), list(first), format_func=_distinct(options).__getitem__, **more
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
    clipped = min(high, max(low, value))
    chosen = float(at.slider(label, low, high, clipped, step=0.01, format="percent", **more))
    return value if chosen == clipped else chosen


def whole_percent(label: str, value: int, *, low: int = 1, high: int = 99, at: Any = st, **more: Any) -> int:
    """Ask for a probability in whole per cent."""
    return int(at.slider(label, low, high, value, format="%d %%", **more))


def save_button(label: str, data: Any, file: str, *, at: Any = st, **more: Any) -> None:
    """Draw a button that saves a file without running the page again."""
    mime = MIME[file.rpartition(".")[2]]
    data = people.handed_over(data, mime, file)
    at.download_button(label, data=data, file_name=file, mime=mime, on_click="ignore", **more)


def named(typed: str) -> str:
    """Return a typed name without spaces at its ends; InputProblem when it is longer than :data:`LONGEST_NAME`."""
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
    """Remove something, and let :func:`undo_row` offer to bring it back.

    Parameters
    ----------
    key
        Key of the state for the offer.
    name, what
        Name of the removed thing, and the participle for its removal, such as "deleted".
    away, back
        Functions that remove it and bring it back.
    """
    away()
    st.session_state[key] = name, what, back


def bring_back(key: str, back: Callable[[], object], name: str = "") -> None:
    """Bring something back and end the offer of :func:`undo_row`; confirm it if there is a `name`."""
    back()
    st.session_state.pop(key, None)
    if name:
        say(f"{name} is back.")


def undo_row(key: str, *, named: bool = False) -> None:
    """Offer to bring back what was removed last; with `named` the press is confirmed."""
    if key not in st.session_state:
        return
    name, what, back = st.session_state[key]
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="undo-row"):
        sentence = f'<div role="status">“{html.escape(name)}” was {what}. Nothing is lost.</div>'
        st.html(sentence, width="stretch")
        button("Undo", bring_back, key, back, name if named else "", key=f"{key}/press")


def ask_for_files(label: str, **more: Any) -> list[UploadedFile] | None:
    """Ask for files (`st.file_uploader`) and return them; None if one was refused, for which a sentence is shown."""
    value = st.file_uploader(label, **more)
    files = value if isinstance(value, list) else [value] if value is not None else []
    reasons = uploads.drawn(files)
    for reason in reasons:
        shell.problem_box(reason)
    return None if reasons else files


def files_given(key: str) -> list[UploadedFile]:
    """Return the files of an uploader in its callback; none if one of them was refused."""
    value = st.session_state.get(key)
    values = value if isinstance(value, list) else [value]
    files = [file for file in values if isinstance(file, UploadedFile)]
    return [] if uploads.refusals(files) else files


def upload(
    label: str, take: Callable[[Any], None], *, key: str, kinds: str = "json", also_none: bool = False
) -> bool:
    """Ask for a file, which is read at once because it is gone after a visit to another page.

    Parameters
    ----------
    label
        Label of the uploader.
    take
        Reads the file.
    key
        Key of the uploader.
    kinds
        Suffixes of files, separated by spaces.
    also_none
        Whether `take` is also called, with None, when the person removes the file.

    Returns
    -------
    bool
        Whether there is no problem with the last file; otherwise a sentence below says what is wrong.
    """
    state, problem_key = st.session_state, f"{key}_problem"

    def read(file: Any) -> None:
        try:
            take(file)
        except Exception as problem:
            state[problem_key] = shell.said_of(problem)

    def changed() -> None:
        file, state[problem_key] = next(iter(files_given(key)), None), ""
        if file is not None or also_none:
            take_in(key, read, file, large=file is not None and file.size > LARGE_FILE)

    ask_for_files(label, type=kinds.split(), key=key, on_change=changed)
    taken_in(key)
    if state.get(problem_key):
        shell.problem_box(state[problem_key])
    return not state.get(problem_key)


def text_of(file: UploadedFile, otherwise: str) -> str:
    """Return the text of an upload; raise InputProblem with the advice `otherwise` if it is not text."""
    try:
        return file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputProblem(f"{file.name} is not text; {otherwise}.") from None


def following(key: str, now: Mapping[str, Any], moved: Callable[[str, Any], None]) -> View:
    """Make widgets follow the values in `now`, which may change elsewhere; `moved` takes the name and value of a change."""
    state, drawn = st.session_state, f"{key}/shown/{'/'.join(now)}"
    if state.get(drawn) != now:
        state.update({f"{key}/{name}": value for name, value in now.items()})
        state[drawn] = now

    def on_change(name: str) -> None:
        # Afterwards the widgets show the values in force, whether or not the change was adopted.
        state.pop(drawn, None)
        moved(name, state[f"{key}/{name}"])

    return lambda name: {"key": f"{key}/{name}", "on_change": on_change, "args": (name,)}
