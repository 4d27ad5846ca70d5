"""Run a job in another process, with a bar and Cancel on the page."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.frame import shell
from dashboard.frame.work import attempt, say
from tarstop_core.evaluation import worker

T = TypeVar("T")
LARGE_FILE = 1_000_000
"""Bytes of a file above which it is read in another process."""
LARGE_LIST = 2_000
"""Number of documents above which a list is processed in another process."""
QUEUED = f"Waiting for others: {worker.AT_ONCE} large jobs are done at once"
worker.preload(
    "dashboard.parts.jobs",
    "tarstop_core.documents.merging",
    "tarstop_core.files.labelled_lists",
    "tarstop_core.ranking.order",
)


def take_in(key: str, take: Callable[..., None], *args: Any, large: bool) -> None:
    """Call `take` in a callback with `args`: at once or, if they are `large`, later in :func:`taken_in`."""
    if large:
        st.session_state[f"{key}/later"] = partial(take, *args)
    else:
        attempt(take, *args)


def taken_in(key: str) -> None:
    """Do what a callback left by :func:`take_in`, because a callback cannot draw a bar and Cancel; then draw the page again."""
    if (take := st.session_state.get(f"{key}/later")) is not None:

        def give_up() -> None:
            st.session_state.pop(f"{key}/later", None)
            say("Cancelled: nothing was kept.")

        st.button("Cancel", key=f"{key}/cancel", on_click=give_up)
        attempt(take)
        del st.session_state[f"{key}/later"]
        st.rerun()


def texts_read(done: int, total: int) -> tuple[float, str]:
    """Return the progress message while texts are read."""
    return done / total, f"Read the texts of {done:,} of {total:,} documents"


def stored(done: int, total: int) -> tuple[float, str]:
    """Return the progress message while documents are stored."""
    return done / total, f"Stored {done:,} of {total:,} documents"


def shown(
    name: str,
    words: str,
    job: Callable[..., T],
    *args: Any,
    in_words: Callable[..., tuple[float, str]] | None = None,
    large: bool = True,
) -> T:
    """Run a job with a progress bar and return its result (:func:`tarstop_core.evaluation.worker.run`).

    Parameters
    ----------
    name
        What the job works on, for messages.
    words
        First words of the bar.
    job, *args
        The job and its arguments.
    in_words
        Takes the progress that the job reports, and returns the share done and words. Without it the job does not report.
    large
        Whether the job is worth another process; otherwise it runs here.

    Returns
    -------
    object
        The result of the job.
    """
    if not large and in_words is None:
        return job(*args)
    bar, ending = st.progress(0.0, text=shell.escape_markdown(words)), False
    context = get_script_run_ctx(suppress_warning=True)

    def progress(*done: Any) -> None:
        nonlocal ending
        ending = done[0] == done[-1]  # Everything is done, and the result comes next
        share, more = in_words(*done) if in_words is not None else (0.0, words)
        bar.progress(min(1.0, share), text=shell.escape_markdown(more))

    def beat(waiting: bool) -> None:
        # Reading state lets Streamlit end the script if the person pressed something or left.
        if not ending and context is not None:
            st.session_state.get("_heard")
        if waiting:
            bar.progress(0.0, text=QUEUED)

    try:
        if not large:
            return job(*args, progress=progress)
        return worker.run(
            name,
            job,
            *args,
            visitor=context.session_id if context is not None else "",
            progress=progress if in_words is not None else None,
            beat=beat,
        )
    finally:
        bar.empty()
