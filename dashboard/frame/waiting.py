"""What a person sees while a job runs in another process."""

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
"""Files of more bytes are read in another process."""
LARGE_LIST = 2_000
"""Documents from which it is."""
QUEUED = f"Waiting for others: {worker.AT_ONCE} large jobs are done at once"
worker.preload(
    "dashboard.parts.jobs",
    "tarstop_core.documents.merging",
    "tarstop_core.files.labelled_lists",
    "tarstop_core.ranking.order",
)


def heard(waiting: bool) -> None:
    """Let Streamlit end the script if the person pressed something or left, which it checks when state is read."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        st.session_state.get("_heard")


def take_in(key: str, take: Callable[..., None], *args: Any, large: bool) -> None:
    """Process what a callback was given: at once or, if it is `large`, later in :func:`taken_in`."""
    if large:
        st.session_state[f"{key}/later"] = partial(take, *args)
    else:
        attempt(take, *args)


def taken_in(key: str) -> None:
    """Process what a callback left, because that could draw neither bar nor Cancel; then the page is drawn again."""
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
    """Return the result of a job, as :func:`tarstop_core.evaluation.worker.run` does, with a bar while it runs.

    The bar begins with `words`; `in_words` gives its share and words for what the job says of how far it is, and without it
    the job says nothing. What is not `large` enough to be worth a process is done here.
    """
    if not large and in_words is None:
        return job(*args)
    bar, ending = st.progress(0.0, text=shell.escape_markdown(words)), False

    def progress(*far: Any) -> None:
        nonlocal ending
        ending = far[0] == far[-1]  # everything is done except for the last message, which must come next
        share, more = in_words(*far) if in_words is not None else (0.0, words)
        bar.progress(min(1.0, share), text=shell.escape_markdown(more))

    def beat(waiting: bool) -> None:
        if not ending:
            heard(waiting)
        if waiting:
            bar.progress(0.0, text=QUEUED)

    try:
        if not large:
            return job(*args, progress=progress)
        context = get_script_run_ctx(suppress_warning=True)
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
