"""What the Evidence page says of studies of either kind, and the files that leave it."""

import html
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import streamlit as st

from dashboard.frame.markup import badges
from dashboard.frame.widgets import save_button
from dashboard.frame.work import reviewer
from dashboard.parts.sessions import file_stem
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.report import About
from tarstop_core.evidence.summary import Evidence
from tarstop_core.files import trace_to_csv
from tarstop_core.presentation.figures import Rows
from tarstop_core.sessions.export import when
from tarstop_core.value.payoffs import Payoffs

E = TypeVar("E", Evidence, EffectEvidence)


def headline(verdict: str, marks: Iterable[str], name: str) -> None:
    """Say what the studies come to, how many they are and how that was computed."""
    st.html(
        f'{verdict}<p>{badges(*filter(None, marks))} <span class="tar-meta">{html.escape(name)}</span></p>'
    )


def files(
    summary: E,
    payoffs: Payoffs,
    about: About,
    name: str,
    report: Callable[[E, Payoffs, About], str],
    rows: Callable[[E], Rows],
    prefix: str,
) -> None:
    """Offer what leaves this page beside its figures: the report, under a title that can be changed, and the data.

    Parameters
    ----------
    summary
        The studies and what follows from them.
    payoffs
        What right and wrong decisions bring and cost.
    about
        What the report says beside the numbers.
    name
        Of the studies: a box keeps what it began with, so that others have their own.
    report, rows
        Write the report, and give the data.
    prefix
        Of the widgets.
    """
    own = st.text_input("Title of the report", about.name, key=f"{prefix}/title/{name}")
    title = own.strip() or about.name
    about = replace(about, name=title, at=when(datetime.now(UTC).isoformat()), by=reviewer())
    stem, key = file_stem(title), f"{prefix}/export"
    save = partial(save_button, width="stretch")
    written = partial(report, summary, payoffs, about)
    save("Report (HTML)", written, f"{stem}-report.html", key=f"{key}-report.html")
    save("Data (CSV)", lambda: trace_to_csv(rows(summary)), f"{stem}.csv", key=f"{key}.csv")
