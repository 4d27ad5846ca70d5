"""The Evidence page: what the 2×2 tables of a review show, under its session's prior or one shipped, learned or typed."""

import io
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

import streamlit as st

from dashboard.evidence import effects
from dashboard.evidence.answer import files, headline
from dashboard.evidence.chosen import (
    PREFIX,
    SEEN,
    START,
    Chosen,
    Start,
    choose,
    from_file,
    with_tables,
)
from dashboard.evidence.prior import chosen_prior, prior_badge, put_prior, within_slider
from dashboard.evidence.typed import (
    JUDGED_TITLES,
    choice_in_address,
    keep_rows,
    tables_in_address,
    typed_table,
)
from dashboard.evidence.worth import ask_amounts, link_to_decisions
from dashboard.frame import address, shell
from dashboard.frame.drawing import beside_title, note
from dashboard.frame.markup import told
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import bound, lasting, share, switch
from dashboard.frame.work import OPEN, flash
from dashboard.parts.evidence import panel
from dashboard.parts.sessions import CHOSEN, file_stem, newly_chosen, not_weighed, offer_reset, sessions_with
from dashboard.parts.stakes import beyond
from tarstop_core.belief.both import claim
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.question import Question
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import words
from tarstop_core.evidence.everyone import Everyone
from tarstop_core.evidence.manual_tables import TITLES, manual_tables
from tarstop_core.evidence.report import evidence_report, study_rows
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.files import read_tables
from tarstop_core.files.tables import same_studies
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import published_sets
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.review_settings import SENSITIVITY, SPECIFICITY, ReviewSettings
from tarstop_core.screening.settings_words import not_as_in_session
from tarstop_core.value.payoffs import Payoffs

T = TypeVar("T")

LEAD = "See what the studies of a review say, and how sure you can be."
EXAMPLE = Path(__file__).with_name("example.csv").read_text(encoding="utf-8")
TRIALS = "trials"
NUMBERS = {"accuracy": "A test’s accuracy", TRIALS: "An intervention’s effect"}
NOTHING_YET = {
    "file": "Nothing to show yet: upload your tables, or fill in the example. A published set shows what to expect.",
    "typed": "Nothing to show yet. Enter TP and FN of at least one study.",
}
"""What stands in place of an answer, by the source of the tables."""
MAPPED = {
    **TITLES,
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "diseased": "Number diseased",
    "healthy": "Number healthy",
    **JUDGED_TITLES,
}
EMPTY_LINES = 4


def evidence_page() -> None:
    shell.opening("Evidence", LEAD)
    menu = beside_title(present=True)
    flash()
    # The answer stands above the question which studies they are, which a projector has behind a button.
    listed = shell.store().sessions()
    of_tests, of_effects = (sessions_with(kind, listed) for kind in (ReviewSettings, EffectSettings))
    numbers, opened = _numbers_at_first(of_tests, of_effects)
    headlined = st.container(key=f"evidence-headline-{numbers}")
    headlined.empty()  # a container without content would get its place late
    chosen_at = st.container(key="evidence-chosen")
    if not shell.presenting():
        chosen_at.empty()
    drawn, asked = shell.beside(2.5, 1)
    with asked if shell.presenting() else chosen_at:
        row, below = st.container(horizontal=True, key="evidence-choices"), st.container()
    with row:
        numbers = _ask_numbers(numbers, opened)
    if numbers == TRIALS:
        effects.show_effects(of_effects, headlined, row, below, drawn, asked, menu)
        return
    with below:
        not_weighed(listed, "it has no 2×2 tables to show.")
    others = {"published": _published, "file": _from_file, "typed": _typed}
    chosen = choose(PREFIX, "Where the tables come from", of_tests, with_tables, others, row, below)
    if chosen is None:
        headlined.info(NOTHING_YET.get(st.session_state[f"{PREFIX}/source"], "Nothing to show yet."))
        return
    start = chosen.start
    if st.session_state.setdefault(START, start) != start:
        begin_anew(start)
    with asked:
        theta, theta_sp, engine, payoffs, everyone = _question(start, chosen.actions)
        unasked = not ENGINES[engine].knows_prior
        prior = chosen_prior(theta, start, disabled=unasked, both=theta_sp is not None)
    summary = evidence(chosen.tables, Question(theta, engine, prior, theta_sp))
    with headlined:
        notes = _headline(chosen, summary, payoffs)
        if (session := chosen.session) is not None:
            tried = session.tried(summary, payoffs)
            differs = not_as_in_session(session.settings, tried, session.evidence.belief)
            offer_reset(differs, begin_anew, session.start, prefix=PREFIX)
    with menu:
        about = chosen.about(chosen.title, everyone, notes)
        files(summary, payoffs, about, chosen.name, evidence_report, study_rows, PREFIX)
    with drawn:
        panel(summary, payoffs, about, key=PREFIX, file_stem=file_stem(chosen.title))
        link_to_decisions(kind="test", accuracy=chosen.accuracy)
        if chosen.source:
            with st.expander("Source", type="compact"):
                note(chosen.source)


def _numbers_at_first(of_tests: dict[str, str], of_effects: dict[str, str]) -> tuple[str, str]:
    """Return what the numbers are before a person is asked, and the newly opened session that settles it, if any."""
    state, key = st.session_state, f"{PREFIX}/numbers"
    offered = of_effects | of_tests
    address_names = st.query_params.get(CHOSEN, "")
    if address_names in offered:  # Screen opens it too, unless another session is open
        state.setdefault(OPEN, address_names)
    if opened := newly_chosen(SEEN, address_names, state.get(OPEN, ""), offered):
        state[key] = TRIALS if opened in of_effects else "accuracy"
    named = TRIALS if st.query_params.get("numbers") == TRIALS else "accuracy"
    return state.get(key, named), opened


def _ask_numbers(first: str, opened: str) -> str:
    """Ask what the numbers are: a test's accuracy or an intervention's effect."""
    how = lasting(f"{PREFIX}/numbers") | {"label_visibility": "collapsed"}
    numbers = switch("What the numbers are", NUMBERS, default=first, **how)
    named = TRIALS if st.query_params.get("numbers") == TRIALS else "accuracy"
    if numbers != named and not opened:  # what the address holds belongs to the other kind
        address.write(dict.fromkeys(("tables", "name", "set", "source", "engine", CHOSEN), ""))
    address.write({"numbers": TRIALS if numbers == TRIALS else ""})
    return numbers


def begin_anew(start: Start) -> None:
    """Reset the widgets to the values that the page starts with."""
    state = st.session_state
    state[START] = start
    state[f"{PREFIX}/engine"] = start.engine
    state.update(theta=within_slider(start.theta), q_star=within_slider(start.payoffs.q_star))
    state.update(both=start.theta_sp is not None, theta_sp=within_slider(start.theta_sp or SPECIFICITY.value))
    state.update({f"{PREFIX}/prior": None, "worst": 0.0})
    put_prior(start.prior)


def _headline(chosen: Chosen, summary: Evidence, payoffs: Payoffs) -> list[str]:
    """Draw the headline, and return the remarks on the tables."""
    twice = same_studies(chosen.tables, chosen.places)
    notes = list(dict.fromkeys((*chosen.notes, *twice, *summary.partly)))
    acts, rival = (
        sentence(summary, payoffs, chosen.actions)
        for sentence in (words.action_sentence, words.rival_sentence)
    )
    verdict = told(words.belief_sentence(summary), f"{words.each_sentence(summary)} {acts}".strip(), rival)
    marks = ("simulated" if chosen.simulated else "", words.studies(len(summary)))
    headline(
        verdict, (*marks, ENGINES[summary.engine].badge, prior_badge(summary, chosen.start)), chosen.name
    )
    shell.remarks(notes)
    return notes


_sets = cache(published_sets)


def _published() -> Chosen:
    sets = {published.name: published for published in _sets()}
    titles = {name: published.title for name, published in sets.items()}
    chosen = sets[choice_in_address("set", "Set", titles, label_visibility="collapsed")]
    reported = chosen.reported
    sensitivity, s_low, s_high = map(percent, reported.sensitivity)
    specificity, high, low = (percent(1 - rate) for rate in reported.false_positive_rate)
    source = (
        f"{chosen.citation.rstrip('.')}. {chosen.note} Reported: sensitivity {sensitivity} ({s_low} to {s_high}), "
        f"specificity {specificity} ({low} to {high}), by {reported.by}."
    )
    return Chosen(chosen.title, tables=chosen.tables, source=source, accuracy=f"set:{chosen.name}")


def _from_file() -> Chosen | None:
    state = st.session_state
    if f"{PREFIX}/upload_problem" not in state:
        # A reloaded page: its address holds the tables of an upload.
        tables, left_out, _ = tables_in_address("upload_problem", manual_tables) or manual_tables(())
        if len(tables):
            name = st.query_params.get("name", "tables")
            state[f"{PREFIX}/chosen"] = Chosen(name, left_out, tables=tables)
    label = "Excel, CSV, TSV or RevMan, one study per line: TP, FP, FN, TN, or sensitivity and specificity with group sizes"
    example = ("tarstop-example-2x2.csv", EXAMPLE)
    chosen = from_file(PREFIX, label, example, MAPPED, _enough, _read)
    if chosen is None:
        address.write({"tables": "", "name": ""})
    else:
        keep_rows(chosen.rows, "upload the file", chosen.name)
    return chosen


def _read(content: bytes, name: str, columns: Mapping[str, str] | None) -> Chosen:
    job = (read_tables, io.BytesIO(content), name, columns)
    read = shown(name, f"Reading {name}", *job, large=len(content) > LARGE_FILE)
    return Chosen(name, read.notes, tables=read.tables)


def _enough(fields: set[str]) -> bool:
    counts = fields & {"TP", "FN"}
    return len(counts) == 2 or (not counts and "sensitivity" in fields)


def _typed() -> Chosen | None:
    state = st.session_state
    # After a visit to another page the table is drawn anew, with what was typed before.
    if f"{PREFIX}/typed" not in state:
        there = tables_in_address("typed_problem", list) or []
        empty = [("",) * len(TITLES)] * (EMPTY_LINES - len(there))
        state[f"{PREFIX}/typed_first"] = state.get(f"{PREFIX}/typed_last", there + empty)
    label, first = "Studies with their counts TP, FP, FN and TN", state[f"{PREFIX}/typed_first"]
    rows = typed_table(label, first, key=f"{PREFIX}/typed")
    state[f"{PREFIX}/typed_last"] = rows
    st.caption(
        "You can paste cells from a spreadsheet; pasted column names set their order. Leave FP and TN empty if a report gives only "
        "sensitivity, and risk of bias (low, some, high) if nobody judged it."
    )
    keep_rows(rows, "paste them")
    try:
        tables, left_out, places = manual_tables(rows)
    except InputProblem as unclear:
        shell.problem_box(unclear)
        return None
    if left_out:
        st.warning("  \n".join(map(shell.escape_markdown, left_out)), icon=":material/warning:")
    if len(tables):
        return Chosen("typed tables", tables=tables, places=places)
    problem = state.get(f"{PREFIX}/typed_problem")
    if problem and not left_out:
        shell.problem_box(problem)
    return None


def _question(start: Start, actions: words.Actions) -> tuple[float, float | None, str, Payoffs, Everyone]:
    """Ask for thresholds, engine, payoffs and how many people are concerned; the address keeps what differs from the start."""
    theta = beyond(replace(SENSITIVITY, value=start.theta), **bound("theta"))
    theta_sp = None
    if st.checkbox("Specificity decides too", start.theta_sp is not None, **bound("both")):
        theta_sp = beyond(
            replace(SPECIFICITY, value=start.theta_sp or SPECIFICITY.value), **bound("theta_sp")
        )
    meaning = f"The worse a wrong adoption is, the surer you must be: {shell.term('q-star', 'threshold')}."
    q_star = share("How sure before you act", start.payoffs.q_star, **bound("q_star"), help=meaning)
    note(f"“{actions.plus}” only when more than {percent(q_star)} sure that {claim(theta, theta_sp)}.")
    engines = {name: kind.title for name, kind in ENGINES.items()}
    engine = choice_in_address("engine", "How the belief is computed", engines, start.engine)
    st.caption(ENGINES[engine].help)
    if engine == "reml":
        st.caption(words.REML_CORRECTION)
    with st.expander("Amounts and people", expanded=False):
        payoffs, everyone = ask_amounts(start.payoffs, q_star)
    return theta, theta_sp, engine, payoffs, everyone
