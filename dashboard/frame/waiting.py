"""What a person sees while something is done in a process of its own."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.frame import shell
from dashboard.frame.apart import AT_ONCE, apart

T = TypeVar("T")
LARGE_FILE = 1_000_000
"""Bytes from which reading a file is worth a process of its own."""
LARGE_LIST = 2_000
"""Documents from which it is."""
MOST_HELD = 1 << 30
"""Bytes of uploads that one browser tab may hold."""
QUEUED = f"Waiting for others: {AT_ONCE} large jobs are done at once"


def heard(waiting: bool) -> None:
    """Let Streamlit end the script where a person pressed something or left: it listens where state is asked for."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        st.session_state.get("_heard")


def quietly(name: str, job: Callable[..., T], *args: Any, large: bool) -> T:
    """What a job gives, in a process of its own where it is large; a callback can draw no bar."""
    return apart(name, job, *args, beat=heard) if large else job(*args)


def shown(
    name: str,
    words: str,
    job: Callable[..., T],
    *args: Any,
    said: Callable[..., tuple[float, str]] | None = None,
    large: bool = True,
) -> T:
    """What a job in a process of its own gives, with a bar while it goes on.

    Parameters
    ----------
    name : str
        What is worked on, for messages.
    words : str
        What the bar says to begin with.
    job, *args
        As for :func:`dashboard.frame.apart.apart`.
    said : callable, optional
        The share and the words of what the job says of how far it is; without it the job says nothing.
    large : bool
        Whether it is worth a process; what is small is done here.
    """
    if not large and said is None:
        return job(*args)
    bar = st.progress(0.0, text=shell.escape_markdown(words))

    ending = False

    def progress(*far: Any) -> None:
        nonlocal ending
        ending = far[0] == far[-1]  # all is done but the last word, which nothing may come before
        share, more = said(*far) if said is not None else (0.0, words)
        bar.progress(min(1.0, share), text=shell.escape_markdown(more))

    def beat(waiting: bool) -> None:
        if not ending:
            heard(waiting)
        if waiting:
            bar.progress(0.0, text=QUEUED)

    try:
        if not large:
            return job(*args, progress=progress)
        return apart(name, job, *args, progress=progress if said is not None else None, beat=beat)
    finally:
        bar.empty()
