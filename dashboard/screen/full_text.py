"""Reports read in full: which wait, the form for what they hold, and which belong to one study."""

import html
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import badges
from dashboard.frame.widgets import go_to_one, radio
from dashboard.frame.work import Work, say
from dashboard.parts.document import opened_html
from dashboard.screen.verdicts import reason_row
from tarstop_core.documents.reports import OUTCOMES, FullText, Report
from tarstop_core.documents.tables import CELLS
from tarstop_core.errors import InputProblem
from tarstop_core.screening.exclusions import reasons_offered
from tarstop_core.screening.report_entry import RATES, Draft, TypedTable, by_study, study_name
from tarstop_core.screening.state import State
from tarstop_core.sessions.answers import sample_text

FORM_OUTCOMES: tuple[FullText, ...] = ("data", "no data", "excluded", "not retrieved")
LISTED = 3  # waiting reports named one by one
CELL_WORDS = {"TP": "diseased, +", "FP": "healthy, +", "FN": "diseased, −", "TN": "healthy, −"}
RATE_WORDS = {
    "sensitivity": "Sensitivity",
    "diseased": "Diseased patients",
    "specificity": "Specificity",
    "healthy": "Healthy patients",
}
SAID = "_report_said"
TO_TOP = "_to_top"
"""Whether the page goes to its top: what was above the window is another document now."""


def queue(work: Work, state: State) -> None:
    """Reports that wait, the next one under a key, and those read, by study."""
    waiting = [int(at) for at in state.waiting]
    included = [*waiting, *state.read_in_full]
    with st.container(border=True, key="reports", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            many = len(waiting) > 1
            count = f"{len(waiting):,} reports wait" if many else f"{len(waiting) or 'No'} report waits"
            st.html(f"<strong>{count} to be read in full</strong>", width="stretch")
        if not included:
            if work.state.settings.stages == 1:
                st.caption("Mark a document relevant, and its 2×2 table is asked for at once.")
            return
        titles = dict(zip(included, work.reports_of(included), strict=True))
        lines = [f"#{at + 1} {titles[at].title or 'Untitled'}" for at in waiting[:LISTED]]
        if len(waiting) > LISTED:
            lines.append(f"and {len(waiting) - LISTED:,} more")
        if lines:
            st.html("".join(f'<div class="tar-queued tar-waiting">{html.escape(one)}</div>' for one in lines))
        options = {at: _option(state, at, titles[at].title) for at in included}
        hint = f"Open or change a report ({len(included):,} included) …"
        go_to_one("Open a report", options, work.open_report, key="open_report", placeholder=hint)
        if state.read_in_full:
            with st.expander(f"Reports read ({len(state.read_in_full):,})", key="reports_read"):
                st.html(_read_html(state))


def _option(state: State, at: int, title: str) -> str:
    read = state.read_in_full.get(at)
    told = [read.outcome, read.study] if read else ["waiting"]
    return " · ".join(filter(None, (f"#{at + 1}", *told, title or "Untitled")))


def _read_html(state: State) -> str:
    """Reports by study, then data of studies without a name and those that brought none, with why."""
    lines, grouped = [], set()
    for study, positions in by_study(state).items():
        each = ", ".join(f"#{at + 1} ({_brought(state, at)})" for at in positions)
        lines.append(f"<strong>{html.escape(study)}</strong>: {each}")
        grouped.update(positions)
    reports = state.read_in_full.items()
    for outcome in FORM_OUTCOMES:
        found = [(at, each) for at, each in reports if each.outcome == outcome and at not in grouped]
        if found:
            told = {at: _brought(state, at) if outcome == "data" else report.reason for at, report in found}
            them = (f"#{at + 1}" + (f" ({html.escape(why)})" if why else "") for at, why in told.items())
            lines.append(f"{outcome.capitalize()}: {', '.join(them)}")
    return "".join(f'<div class="tar-queued">{line}</div>' for line in lines)


def _brought(state: State, at: int) -> str:
    tables = len(state.read_in_full[at].rows)
    return "no data" if not tables else "2×2 table" if tables == 1 else f"{tables} tables"


def report(work: Work, state: State, at: int) -> None:
    """The document in full, and the form for what it holds."""
    doc = work.row.ids[at]
    work.show(doc)
    text = sample_text(work, doc)
    with st.container(height=430, border=False, key="document"):
        # What is to be looked for stands in the full text; the abstract was read before.
        lead = ""
        if text:
            lead = (
                f'<h4 class="tar-part">Full text {badges("simulated excerpt")}</h4>'
                f'<div class="tar-literal">{html.escape(text)}</div><h4 class="tar-part">Abstract</h4>'
            )
        st.html(opened_html(work, at, lead))
    with st.container(key="report_form"):
        if state.reasons:

            def exclude(reason: str) -> None:
                _store(work, at, doc, Report("excluded", reason), state.seq)

            key, words = f"report_because_{{}}_{work.turn}", "Exclude the report, because:"
            reason_row(state, words, exclude, key=key, disabled=work.busy)
        _form(work, state, at, doc)


def _form(work: Work, state: State, at: int, doc: str) -> None:
    draft, known = work.drafts.get(doc), state.read_in_full.get(at)
    if draft is None or draft.stored != known:
        (record,) = work.reports_of([at])
        draft = work.drafts[doc] = Draft.of(known, study_name(record.authors, record.date))
    stored = " (stored; saving changes it)" if draft.stored is not None else ""
    st.html(_offered("tar-studies", by_study(state)) + _offered("tar-reasons", reasons_offered(state)))
    with st.form(key=f"report_{doc}", border=True):
        became = {outcome: OUTCOMES[outcome] for outcome in FORM_OUTCOMES}
        asked, key = f"What became of report #{at + 1}{stored}", f"report_outcome_{doc}"
        radio(asked, became, first=draft.outcome, horizontal=True, key=key)
        for place, table in enumerate(draft.tables):
            _table(doc, place, table, several=len(draft.tables) > 1)
        with st.container(horizontal=True, gap="small", key="report_words"):
            _field("Study", draft.study, "study", doc, placeholder="Surname Year", max_chars=120)
            _field("Reason, if excluded or not retrieved", draft.reason, "reason", doc, max_chars=300)
        # No help behind question marks here: each would be a stop on the way from field to field.
        st.caption(
            "FP and TN may stay empty. Four cells pasted into one field fill all four. Reports of one study carry the "
            "same name; names in use are offered."
        )
        about, problem, told = st.session_state.get(SAID, ("", "", ""))
        if problem and about == doc:
            shell.problem_box(problem)
        if told and about == doc:
            st.info(shell.escape_markdown(told), icon=":material/calculate:")
        with st.container(horizontal=True, gap="small", key="report_buttons"):
            # The first one is what Enter presses.
            what = (work, at, doc, state.seq)
            st.form_submit_button("Save the report", type="primary", on_click=_save, args=what)
            st.form_submit_button("Add another table", on_click=_another, args=(work, doc))
            st.form_submit_button(
                "Back to screening",
                shortcut="Esc",
                on_click=_back,
                args=(work, doc),
                key=f"report_back_{doc}",
            )


def _offered(name: str, values: Iterable[str]) -> str:
    """A list that the fields of the form offer, as HTML."""
    options = "".join(f'<option value="{html.escape(value, quote=True)}"></option>' for value in values)
    return f'<datalist id="{name}">{options}</datalist>'


def _field(label: str, value: str, name: str, doc: str, **more: Any) -> None:
    st.text_input(label, value=value, key=f"report_{name}_{doc}", **more)


def _table(doc: str, place: int, table: TypedTable, several: bool) -> None:
    if several:
        _field(
            f"Table {place + 1} is about",
            table.part,
            f"part_{place}",
            doc,
            placeholder="a test, a threshold, a group of patients",
            max_chars=80,
        )
    counts, rates = st.tabs(["Counts", "From sensitivity, specificity and group sizes"])
    with counts, st.container(horizontal=True, gap="small", key=f"report_counts_{place}"):
        for cell in CELLS:
            _field(cell, getattr(table, cell), f"{cell}_{place}", doc, placeholder=CELL_WORDS[cell])
    with rates:
        with st.container(horizontal=True, gap="small", key=f"report_rates_{place}"):
            for name in RATES:
                example = "0.83 or 83 %" if name in ("sensitivity", "specificity") else ""
                _field(RATE_WORDS[name], getattr(table, name), f"{name}_{place}", doc, placeholder=example)
        st.caption("Save works out the counts and shows them; saving once more stores them.")


def _typed(work: Work, doc: str) -> Draft:
    """What stands in the form now."""
    state = st.session_state

    def text(name: str) -> str:
        return str(state.get(f"report_{name}_{doc}") or "")

    draft = work.drafts[doc]
    names = (*CELLS, *RATES, "part")
    tables = tuple(
        TypedTable(**{name: text(f"{name}_{place}") for name in names}) for place in range(len(draft.tables))
    )
    outcome = state.get(f"report_outcome_{doc}", draft.outcome)
    return replace(draft, outcome=outcome, study=text("study"), reason=text("reason"), tables=tables)


def _save(work: Work, at: int, doc: str, seen: int) -> None:
    st.session_state.pop(SAID, None)
    draft = work.drafts[doc] = _typed(work, doc)
    try:
        if draft.outcome == "data" and draft.to_convert:
            _convert(work, doc, draft)
        else:
            _store(work, at, doc, draft.report(unnamed=f"Document #{at + 1}"), seen)
    except InputProblem as problem:
        st.session_state[SAID] = (doc, str(problem), "")


def _store(work: Work, at: int, doc: str, read: Report, seen: int) -> None:
    st.session_state.pop(SAID, None)
    try:
        work.report(doc, read, seen)
    except InputProblem as problem:
        st.session_state[SAID] = (doc, str(problem), "")
        return
    work.drafts.pop(doc, None)
    _close(work, doc)
    if not work.held:
        say(f"Saved: report #{at + 1}, {OUTCOMES[read.outcome].lower()}.")


def _convert(work: Work, doc: str, draft: Draft) -> None:
    """Put the counts that the rates come to into the form, to be looked at before they count."""
    tables, told = list(draft.tables), []
    for place in draft.to_convert:
        found = tables[place].from_rates()
        tables[place] = tables[place].filled()
        counts = (f"{cell} {getattr(found, cell)}" for cell in CELLS if getattr(found, cell) is not None)
        told += [f"The rates come to {', '.join(counts)}.", *found.notes]
        for cell in CELLS:
            st.session_state[f"report_{cell}_{place}_{doc}"] = getattr(tables[place], cell)
    work.drafts[doc] = replace(draft, tables=tuple(tables))
    st.session_state[SAID] = (doc, "", " ".join([*told, "Save once more to store them."]))


def _another(work: Work, doc: str) -> None:
    st.session_state.pop(SAID, None)
    work.drafts[doc] = _typed(work, doc).another()


def _back(work: Work, doc: str) -> None:
    work.drafts[doc] = _typed(work, doc)
    _close(work, doc)


def _close(work: Work, doc: str) -> None:
    for key in map(str, list(st.session_state)):
        if key.startswith("report_") and key.endswith(f"_{doc}"):
            del st.session_state[key]
    st.session_state.pop(SAID, None)
    st.session_state[TO_TOP] = True
    work.reporting = None
