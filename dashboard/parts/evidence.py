"""Figures and tables of the evidence from studies, for the Evidence page and Screen."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import ALL, all_figures, among_all, offered, picture, picture_buttons, table
from dashboard.frame.markup import grid
from dashboard.frame.widgets import save_button
from tarstop_core.evidence import effect_figures, effect_report, effect_words, report, words
from tarstop_core.evidence.curve_figures import belief_by_study, value_of_more
from tarstop_core.evidence.curve_figures import prior_and_posterior as posterior
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.study_figures import forest, leave_one_out, sroc
from tarstop_core.evidence.summary import Evidence
from tarstop_core.files import trace_to_csv
from tarstop_core.presentation.figures import Figure, Rows
from tarstop_core.presentation.numbers import unbroken
from tarstop_core.presentation.pictures import still
from tarstop_core.teaching.reference import named
from tarstop_core.value.payoffs import Payoffs

LARGE = 60
"""Number of studies above which a figure may take a moment."""


@dataclass(frozen=True)
class EvidenceTab:
    """A tab with a figure or a table, its sentence, and its numbers as CSV."""

    name: str  # End of the names of its files
    title: str  # Label of the tab
    sentence: Callable[..., str]
    rows: Callable[..., Rows]
    figure: Callable[..., Figure] | None  # None for a table
    of: Literal["", "payoffs", "worth", "decision"] = ""
    """Arguments of sentence and figure besides the evidence: none, the payoffs, or the payoffs with the people concerned
    ("worth") or with the names of the actions ("decision"). For the last two, `rows` takes them as well.
    """

    def of_evidence(
        self, summary: Evidence | EffectEvidence, payoffs: Payoffs, about: report.About
    ) -> tuple[str, Rows, Figure | None]:
        """Return sentence, numbers and figure; the figure is None for a table, or if "reml" is not identified."""
        beside = {
            "": (),
            "payoffs": (payoffs,),
            "worth": (payoffs, about.everyone),
            "decision": (payoffs, about.actions),
        }
        more: tuple[Any, ...] = beside[self.of]
        rows = self.rows(summary) if self.of in ("", "payoffs") else self.rows(summary, *more)
        figure = self.figure and self.figure(summary, *more, dark=shell.dark(), simulated=about.simulated)
        return self.sentence(summary, *more), rows, figure if figure and figure["data"] else None


RISK = EvidenceTab("risk", "Risk of bias", words.risk_sentence, report.risk_rows, None, "decision")
VIEWS = (
    EvidenceTab("forest", "Forest", words.forest_sentence, report.study_rows, forest),
    EvidenceTab("sroc", "SROC", words.sroc_sentence, report.curve_rows, sroc),
    EvidenceTab(
        "belief", "Belief by study", words.path_sentence, report.path_rows, belief_by_study, "payoffs"
    ),
    EvidenceTab("posterior", "Prior and posterior", words.density_sentence, report.density_rows, posterior),
    EvidenceTab(
        "without", "Leave one out", words.without_sentence, report.without_rows, leave_one_out, "payoffs"
    ),
    EvidenceTab(
        "value", "Value of more studies", words.value_sentence, report.value_rows, value_of_more, "worth"
    ),
    RISK,
    EvidenceTab("revman", "Table for RevMan", words.parameters_sentence, report.parameter_rows, None),
)


EFFECT_VIEWS = (
    EvidenceTab(
        "forest", "Forest", effect_words.forest_sentence, effect_report.study_rows, effect_figures.forest
    ),
    EvidenceTab(
        "cumulative",
        "Cumulative",
        effect_words.cumulative_sentence,
        effect_report.cumulative_rows,
        effect_figures.cumulative,
        "payoffs",
    ),
    EvidenceTab(
        "belief", "Belief by study", words.path_sentence, report.path_rows, belief_by_study, "payoffs"
    ),
    EvidenceTab(
        "without", "Leave one out", words.without_sentence, report.without_rows, leave_one_out, "payoffs"
    ),
    EvidenceTab(
        "funnel", "Funnel", effect_words.funnel_sentence, effect_report.study_rows, effect_figures.funnel
    ),
    EvidenceTab(
        "labbe", "L’Abbé", effect_words.labbe_sentence, effect_report.study_rows, effect_figures.labbe
    ),
    EvidenceTab(
        "value", "Value of more studies", words.value_sentence, report.value_rows, value_of_more, "worth"
    ),
    RISK,
    EvidenceTab(
        "methods", "Other methods", effect_words.reviewed_sentence, effect_report.reviewed_rows, None
    ),
)


def panel(
    summary: Evidence | EffectEvidence, payoffs: Payoffs, about: report.About, *, key: str, file_stem: str
) -> None:
    """Draw all views of the studies as tabs; only the open tab is computed.

    May be drawn inside a fragment.
    """
    views = VIEWS if isinstance(summary, Evidence) else EFFECT_VIEWS
    tabs = st.tabs([view.title for view in views], key=f"{key}/tab", on_change="rerun")
    spinner = partial(st.spinner, f"Computing from {len(summary):,} studies …")
    for tab, view in zip(tabs, views, strict=True):
        seen = partial(view.of_evidence, summary, payoffs, about)
        stem = f"{file_stem}-{view.name}"
        if tab.open:
            # The key becomes a CSS class, and the style sheet looks for "tar-figure" in it.
            with tab, st.container(key=f"{key}-tar-figure-{view.name}"), shell.problems_shown():
                with spinner() if len(summary) > LARGE else nullcontext():
                    sentence, rows, figure = seen()
                _draw(view, sentence, rows, figure, key, stem)
        elif ALL in st.session_state:
            # All figures include those of closed tabs.
            with shell.problems_shown():
                sentence, rows, figure = seen()
                among_all(stem, partial(trace_to_csv, rows), svg=still(figure, sentence) if figure else "")
    all_figures(file_stem)


def _draw(view: EvidenceTab, sentence: str, rows: Rows, figure: Figure | None, key: str, stem: str) -> None:
    entry, csv = named(view.title), partial(trace_to_csv, rows)
    what = f" {shell.term(entry.key, 'What is this?')}" if entry else ""
    # Above the figure, because Streamlit searches a tab for a focusable element after every change, and a figure is long to search.
    st.caption(f"{shell.escape_markdown(unbroken(sentence))}{what}")
    if figure:
        with st.container(key=f"{key}-tar-wide-{view.name}"):
            picture(figure, sentence)
    elif view.figure is None and rows:
        if "parameter" in rows[0]:
            _parameters(rows)
        else:
            table(rows, linked=False)
    with offered(view.title, view.name):
        if figure:
            picture_buttons(stem, csv, svg=still(figure, sentence))
        elif rows:
            among_all(stem, csv)
        save_button("CSV", csv, f"{stem}.csv", key=f"{key}/csv/{view.name}", disabled=not rows)


def _parameters(rows: Rows) -> None:
    def rounded(value: float | None) -> str:
        return "not defined" if value is None else f"{value:.{0 if value == round(value) else 4}f}"

    cells = ((row["parameter"], rounded(row["value"]), row["meaning"]) for row in rows)
    st.html(f'<div class="tar-parameters">{grid(("parameter", "value", "what it is"), cells)}</div>')
