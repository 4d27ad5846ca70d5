"""Who reads the next stretch: ways of reading it, what each finds, overlooks, costs and gains."""

from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import grid, scrolling
from dashboard.frame.widgets import lasting
from dashboard.frame.work import Work
from tarstop_core.presentation.numbers import number
from tarstop_core.screening.foretold import still_unread
from tarstop_core.sessions.who_next import compare_ways, worth_of_one

WORTH = "One more relevant document is worth, in {unit}"
HELP = "What you would give for it. Left empty, what the advice says that it is worth."


def panel(work: Work) -> None:
    """Ask what one more find is worth, and compare; the best way first."""
    several, settings = work.several, work.state.settings
    assert several is not None
    if not (several.judged or several.machines):
        return
    calibrator, p = work.chances(settings)
    unread = still_unread(settings, calibrator, p, work.state).mean
    compare = partial(compare_ways, several, work.row.ids, p, unread, settings)
    if compare(1.0) is None:
        return
    by_advice = worth_of_one(work.advice(settings), settings)
    unit = settings.payoffs.unit or "units of the stakes"
    label = WORTH.format(unit=unit if settings.weighs else "documents that you would read")
    placeholder = "" if by_advice is None else number(by_advice)
    how: dict[str, Any] = {"min_value": 0.0, "help": HELP, "width": 420, "placeholder": placeholder}
    given = st.number_input(label, value=None, **how, **lasting(f"who_next/{work.row.id}"))
    worth = by_advice if given is None else given
    if worth and (compared := compare(worth)):
        st.html(scrolling(compared.head[0], grid(compared.head, compared.rows)))
        st.caption(shell.escape_markdown(compared.because))
