"""Where the studies of an intervention come from that the Evidence page is about: a session, a set, a file, or typed."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.evidence.chosen import EVEN, ChosenStudies, from_file
from dashboard.evidence.chosen import PREFIX as EVIDENCE
from dashboard.evidence.typed import (
    JUDGED_TITLES,
    choice_in_address,
    keep_rows,
    tables_in_address,
    typed_table,
)
from dashboard.frame import address, shell
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import lasting, one_of
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import words
from tarstop_core.evidence.manual_tables import Row
from tarstop_core.files import read_effects
from tarstop_core.files.effect_tables import FIELDS, effects_of_cells, rows_of_effects
from tarstop_core.files.tables import BIAS
from tarstop_core.samples.collections import published_effects
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.tables import SessionRow
from tarstop_core.value.payoffs import Payoffs

PREFIX = f"{EVIDENCE}/effect"
EXAMPLE = Path(__file__).with_name("example_effects.csv").read_text(encoding="utf-8")
TITLES = {
    "study": "Study",
    "events_treated": "Events, treated",
    "n_treated": "People, treated",
    "events_control": "Events, control",
    "n_control": "People, control",
    "mean_treated": "Mean, treated",
    "sd_treated": "SD, treated",
    "mean_control": "Mean, control",
    "sd_control": "SD, control",
    "effect": "Effect",
    "se": "Standard error",
    "low": "Lower limit",
    "high": "Upper limit",
    "o_minus_e": "O − E",
    "v": "Variance V",
    BIAS: JUDGED_TITLES[BIAS],
}
FORMS = {
    Form.EVENTS: "Events and people by arm",
    Form.MEANS: "Mean, SD and people by arm",
    Form.LIMITS: "Effect with 95 % limits",
    Form.ERRORS: "Effect with standard error",
    Form.LOGRANK: "O − E and V",
}
EMPTY_LINES = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenEffects(ChosenStudies):
    """The studies that the page is about, and a question to begin with."""

    studies: Studies
    measure: Measure | None = None  # the first that they give unless one is named
    delta: float | None = None
    above: bool = False
    settings: EffectSettings | None = None  # of a session, where they are those of one

    @property
    def key(self) -> str:
        """What tells these studies from others, for the keys of widgets."""
        of = (
            ""
            if self.settings is None
            else f"/{self.settings.measure}/{self.settings.delta:g}/{self.settings.above}"
        )
        return f"{self.name}/{self.studies.form.name}{of}"

    @property
    def first_measure(self) -> Measure:
        """The measure to begin with."""
        return self.measure or self.studies.form.measures[0]

    @property
    def baseline(self) -> float | None:
        """Risk of the event without the intervention: the session's, or that of the control arms."""
        own = None if self.settings is None else self.settings.baseline
        return own or self.studies.control_risk

    @property
    def payoffs(self) -> Payoffs:
        """What is at stake to begin with."""
        return EVEN if self.settings is None else self.settings.payoffs


def of_session(row: SessionRow, state: State, simulated: bool) -> ChosenEffects:
    """Return the effects of a session with its settings."""
    settings = state.settings
    assert isinstance(settings, EffectSettings), "only sessions about an intervention are listed"
    return ChosenEffects(
        row.name,
        state.evidence.notes,
        studies=EFFECT.evidence(settings, state).studies,
        measure=settings.kind,
        delta=settings.delta,
        above=settings.above,
        settings=settings,
        actions=words.Actions(
            settings.plus, settings.minus, EFFECT.lacking(settings, state), settings.actions[2:]
        ),
        simulated=simulated,
    )


_sets = cache(published_effects)


def published() -> ChosenEffects:
    sets = {one.name: one for one in _sets()}
    titles = {name: one.title for name, one in sets.items()}
    one = sets[choice_in_address("set", "Set", titles, label_visibility="collapsed")]
    source = f"{one.citation}. {one.note} The smallest effect that matters is an example."
    asked: dict[str, Any] = {"measure": one.measure, "delta": one.delta, "above": one.above}
    return ChosenEffects(one.title, source=source, studies=one.studies, **asked)


def _of_rows(rows: Sequence[Row], name: str) -> ChosenEffects:
    """Studies of rows below one with the names of their columns."""
    table = effects_of_cells(name, rows)
    return ChosenEffects(name, table.notes, studies=table.studies)


def from_upload() -> ChosenEffects | None:
    state = st.session_state
    if f"{PREFIX}/upload_problem" not in state:
        name = st.query_params.get("name", "studies")
        state[f"{PREFIX}/chosen"] = tables_in_address(
            "upload_problem", lambda rows: _of_rows(rows, name), None
        )
        state[f"{PREFIX}/upload_problem"] = state.pop(f"{EVIDENCE}/upload_problem", "")
    label = "Excel, CSV, TSV or RevMan, one study per line: events, means, or effects with limits or standard errors"
    fields = {field: (TITLES | JUDGED_TITLES)[field] for field in FIELDS}
    chosen = from_file(PREFIX, label, ("tarstop-example-effects.csv", EXAMPLE), fields, _enough, _read)
    if chosen is None:
        address.write({"tables": "", "name": ""})
    else:
        _remarks(chosen)
        keep_rows(rows_of_effects(chosen.studies), "upload the file", chosen.name)
    return chosen


def _read(content: bytes, name: str, columns: Mapping[str, str] | None) -> ChosenEffects:
    job = (read_effects, io.BytesIO(content), name, columns)
    studies, notes = shown(name, f"Reading {name}", *job, large=len(content) > LARGE_FILE)
    return ChosenEffects(name, notes, studies=studies)


def _enough(fields: set[str]) -> bool:
    return any(fields.issuperset(form.columns) for form in Form)


def typed() -> ChosenEffects | None:
    state, key = st.session_state, f"{PREFIX}/typed"
    there: list[Row] = []
    if f"{key}/problem" not in state:
        there = tables_in_address("typed_effects", list, None) or []
        state[f"{key}/problem"] = state.pop(f"{EVIDENCE}/typed_effects", "")
    held = next((form for form in Form if there and there[0][1:][: len(form.columns)] == form.columns), None)
    if held:
        state[f"{key}/form"] = held.name
        state[f"{key}/{held.name}/last"] = there[1:]
    names = {form.name: title for form, title in FORMS.items()}
    form = Form[one_of("What each study gives", names, **lasting(f"{key}/form"))]
    titles = {field: TITLES[field] for field in ("study", *form.columns, BIAS)}
    table = f"{key}/{form.name}"
    if f"{table}/table" not in state:
        first = [tuple(row) for row in state.get(f"{table}/last", [])]
        state[f"{table}/first"] = first + [("",) * len(titles)] * (EMPTY_LINES - len(first))
    label = f"Studies: {', '.join(titles.values())}"
    rows = typed_table(label, state[f"{table}/first"], key=f"{table}/table", titles=titles)
    state[f"{table}/last"] = rows
    st.caption("You can paste cells from a spreadsheet. Risk of bias (low, some, high) may stay empty.")
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    keep_rows([tuple(titles), *filled] if filled else [], "paste them")
    if problem := state.get(f"{key}/problem"):
        shell.problem_box(problem)
    if not filled:
        return None
    # Names of columns that were pasted along say which is which.
    named = any(filled[0][1:]) and not any(letter.isdigit() for cell in filled[0][1:] for letter in cell)
    try:
        chosen = _of_rows(filled if named else [tuple(titles), *rows], "typed studies")
    except InputProblem as unclear:
        shell.problem_box(unclear)
        return None
    _remarks(chosen)
    return chosen


def _remarks(chosen: ChosenEffects) -> None:
    """Say which rows are not studies, and how unnamed arms were read in the first row, so that a swap is noticed."""
    if chosen.notes:
        shell.remarks([*chosen.notes, *chosen.studies.in_words()])
