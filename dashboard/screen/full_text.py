"""Reports read in full: the queue, the form for their data, and links between documents and tables."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.scripts import TABLES_SCRIPT
from dashboard.frame.widgets import go_to_one, one_of, radio, upload
from dashboard.frame.work import LABEL, Work, button, say
from dashboard.parts.document import opened_html
from dashboard.parts.imports import TABLES
from dashboard.parts.sessions import first
from dashboard.screen.reading import REPORT, TO_TOP, block
from dashboard.screen.several import read_apart, side_by_side
from dashboard.screen.verdicts import reason_row
from tarstop_core.documents.reports import OUTCOMES, FullText, Report
from tarstop_core.documents.tables import CELLS
from tarstop_core.effects.bias import Bias
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import count_of
from tarstop_core.screening.events import reasons_offered, resolved_report_event
from tarstop_core.screening.report_entry import (
    ReportDraft,
    Waiting,
    by_study,
    filled_in,
    name_without_author,
    study_name,
    table_rows,
)
from tarstop_core.screening.reports_apart import ReadApart
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.scenarios.studies import StudyScenario
from tarstop_core.screening.state import State
from tarstop_core.screening.typed_numbers import COLUMN_WORDS, Typed, TypedTable, fields_of
from tarstop_core.sessions.demo import sample_text

FORM_OUTCOMES: tuple[FullText, ...] = ("data", "no data", "excluded", "not retrieved")
RISKS = {"": "Not judged", **{risk.value: risk.capitalize() for risk in Bias}}
LISTED = 3
"""Waiting reports whose titles are listed."""
COLUMNS = {name: words.lower() for name, (words, _) in COLUMN_WORDS.items()}
"""Words for the columns of numbers."""
SAID = "_report_said"
"""State: the document of the form, the problem with its entries, and remarks on them."""
TABLE = "_table_to_fill_in"
"""State: the session, the studies of a table that was uploaded for it, and notes on how it was read."""
EVIDENCE = "evidence_drawn"
"""State: whether the fold with the tables is open."""
LOOKED_FOR = "_table_looked_for"
"""State: the place of the document whose table a link leads to."""
MOST = 12
"""Tables that are listed before a person asks for all."""


def queue(work: Work, state: State) -> None:
    """The reports that wait, and those read, by study."""
    waiting = [int(at) for at in state.waiting]
    included = [*waiting, *state.read_in_full]
    with st.container(border=True, key="reports", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            many = len(waiting) > 1
            count = f"{len(waiting):,} reports wait" if many else f"{len(waiting) or 'No'} report waits"
            st.html(f"<strong>{count} to be read in full</strong>", width="stretch")
        if not included:
            if not work.state.settings.two_stages:
                wanted = scenario_of(state.settings).find
                st.caption(f"Mark a document relevant, and {wanted} is asked for at once.")
            return
        titles = {
            at: record.title or "Untitled"
            for at, record in zip(included, work.reports_of(included), strict=True)
        }
        lines = [f"#{at + 1} {titles[at]}" for at in waiting[:LISTED]]
        if len(waiting) > LISTED:
            lines.append(f"and {len(waiting) - LISTED:,} more")
        if lines:
            st.html(block("queued", lines))
        options = {at: _option(state, at, titles[at]) for at in included}
        hint = f"Open or change a report ({len(included):,} included) …"
        go_to_one("Open a report", options, work.open_report, key="open_report", placeholder=hint)
        if waiting and LABEL in work.may and work.reads_in_full:
            with st.expander("Fill in from a table", key="fill_in", on_change="rerun") as folded:
                if folded.open:
                    _fill_in(work, state, waiting)
        if state.read_in_full:
            with st.expander(f"Reports read ({len(state.read_in_full):,})", key="reports_read"):
                st.html(_read_html(state))


def _fill_in(work: Work, state: State, waiting: Sequence[int]) -> None:
    """Take the numbers of several reports from a table of studies, after a person has checked the matches."""
    settings, session = state.settings, st.session_state
    scenario = scenario_of(settings)
    assert isinstance(scenario, StudyScenario), "only full reports bring numbers"

    def read(file: UploadedFile) -> None:
        session.pop(TABLE, None)
        rows_and_notes = scenario.rows_of_file(settings, io.BytesIO(file.getvalue()), file.name)
        session[TABLE] = (work.row.id, *rows_and_notes)

    one, many = scenario.finds
    label = f"Excel, CSV, TSV or RevMan with {many}, one study per line, named by first author and year"
    upload(label, read, key="fill_in_file", kinds=TABLES)
    session_id, rows, notes = session.get(TABLE, ("", (), ()))
    if session_id != work.row.id:
        return
    reports = {
        at: Waiting(work.row.ids[at], record.title, study_name(record.authors, record.date))
        for at, record in zip(waiting, work.reports_of(waiting), strict=True)
    }
    matched = filled_in(rows, reports, settings)
    st.html(block("filled_in", len(rows), len(matched.reports), matched.left_out, matched.unfit, notes))

    def save() -> None:
        for at, read_in_full in matched.reports.items():
            work.report(work.row.ids[at], read_in_full, work.state.seq)
        session.pop(TABLE, None)
        say(f"Saved: {count_of(len(matched.reports), 'report', 'reports')} from the table.")

    words = f"Save {count_of(len(matched.reports), one, many)}"
    button(words, save, key="fill_in_save", type="primary", disabled=not matched.reports)


def _option(state: State, at: int, title: str) -> str:
    read = state.read_in_full.get(at)
    outcome = [read.outcome, read.study] if read else ["waiting"]
    return " · ".join(filter(None, (f"#{at + 1}", *outcome, title)))


def _read_html(state: State) -> str:
    """Reports by study, then by outcome those without a study, with reasons, as HTML."""
    studies, outcomes, grouped = by_study(state), [], set[int]()
    for positions in studies.values():
        grouped.update(positions)
    for outcome in FORM_OUTCOMES:
        reasons = {
            at: _brought(state, at) if outcome == "data" else report.reason
            for at, report in state.read_in_full.items()
            if report.outcome == outcome and at not in grouped
        }
        if reasons:
            outcomes.append((outcome.capitalize(), _places(reasons)))
    rows = [(name, _places({at: _brought(state, at) for at in places})) for name, places in studies.items()]
    return block("reports_read", rows, outcomes)


def _places(reasons: dict[int, str]) -> str:
    """Places of reports as text, each with its remark if it has one."""
    return ", ".join(f"#{at + 1}" + (f" ({reason})" if reason else "") for at, reason in reasons.items())


def _brought(state: State, at: int) -> str:
    tables = len(state.read_in_full[at].rows)
    return "no data" if not tables else scenario_of(state.settings).brings(tables)


def report(work: Work, state: State, at: int) -> None:
    """The document in full, and the form for its data."""
    doc = work.row.ids[at]
    work.show(doc)
    text, apart = sample_text(work, doc), read_apart(work, doc)
    lead = "" if apart is None else side_by_side(apart)
    with st.container(height=430, border=False, key="document"):
        # The full text comes first, because the abstract was read before.
        st.html(opened_html(work, at, lead + (block("excerpt", text) if text else "")))
    with st.container(key="report_form"):
        if apart is not None and work.settles_report:
            with st.container(horizontal=True, gap="small", key="report_as"):
                for number, (name, read) in enumerate(apart.reports.items()):
                    how: dict[str, Any] = {"key": f"report_as_{number}_{work.turn}", "disabled": work.busy}
                    button(f"As {name} says", _store, work, at, doc, read, state.seq, **how)
        elif state.reasons and LABEL in work.may and work.reads_in_full:

            def exclude(reason: str) -> None:
                _store(work, at, doc, Report("excluded", reason), state.seq)

            key, words = f"report_because_{{}}_{work.turn}", "Exclude the report, because:"
            reason_row(state, words, exclude, key=key, disabled=work.busy)
        _form(work, state, at, doc, apart if work.settles_report else None)


def _form(work: Work, state: State, at: int, doc: str, apart: ReadApart | None = None) -> None:
    draft, recorded = work.drafts.get(doc), state.read_in_full.get(at)
    if apart is not None:
        recorded = apart.counted or next(iter(apart.reports.values()))
    if draft is None or draft.stored != recorded:
        (record,) = work.reports_of([at])
        empty = scenario_of(state.settings).entry(state.settings)
        draft = work.drafts[doc] = ReportDraft.of(recorded, study_name(record.authors, record.date), empty)
    stored = " (stored; saving changes it)" if draft.stored is not None else ""
    stored = " in the end" if apart is not None else stored
    st.html(block("offered", by_study(state), reasons_offered(state)))
    with st.form(key=f"report_{doc}", border=True):
        became = outcomes(state)
        asked, key = f"What became of report #{at + 1}{stored}", f"report_outcome_{doc}"
        radio(asked, became, first=draft.outcome, horizontal=True, key=key)
        for place, table in enumerate(draft.tables):
            _table(doc, place, table, several=len(draft.tables) > 1)
        with st.container(horizontal=True, gap="small", key="report_words"):
            _field("Study", draft.study, "study", doc, placeholder="Surname Year", max_chars=120)
            one_of("Risk of bias", RISKS, first=draft.bias, key=f"report_bias_{doc}")
            _field("Reason, if not used", draft.reason, "reason", doc, max_chars=300)
        # Fields have no help icons, which would be stops on the way from field to field with the Tab key.
        st.caption(
            f"{draft.tables[0].hint} Give reports of one study the same name; the list offers the names in use."
        )
        about, problem, counts = st.session_state.get(SAID, ("", "", ""))
        if problem and about == doc:
            shell.problem_box(problem)
        if counts and about == doc:
            st.info(shell.escape_markdown(counts), icon=":material/calculate:")
        with st.container(horizontal=True, gap="small", key="report_buttons"):
            # Enter presses the first button.
            what = (work, at, doc, state.seq)
            if LABEL in work.may and (apart is not None or work.reads_in_full):
                st.form_submit_button("Save the report", type="primary", on_click=_save, args=what)
                st.form_submit_button(
                    f"Add another {draft.tables[0].called}", on_click=_another, args=(work, doc)
                )
            st.form_submit_button(
                "Back to screening",
                shortcut="Esc",
                on_click=_back,
                args=(work, doc),
                key=f"report_back_{doc}",
            )


def _field(label: str, value: str, name: str, doc: str, **more: Any) -> None:
    st.text_input(label, value=value, key=f"report_{name}_{doc}", **more)


def _table(doc: str, place: int, table: Typed, several: bool) -> None:
    if several:
        label = f"{table.called.capitalize()} {place + 1} is about"
        example = "a test, a threshold, a group of patients"
        _field(label, table.part, f"part_{place}", doc, placeholder=example, max_chars=80)
    for number, (tab, fields) in enumerate(zip(st.tabs([*table.fields]), table.fields.values(), strict=True)):
        key = f"report_rates_{place}_{number}" if number else f"report_counts_{place}"
        with tab, st.container(horizontal=True, gap="small", key=key):
            for name, (label, example) in fields.items():
                _field(label, table.field(name), f"{name}_{place}", doc, placeholder=example)
        if number and table.hint_further:
            tab.caption(table.hint_further)


def _typed(work: Work, doc: str) -> ReportDraft:
    """The present entries of the form."""
    state = st.session_state

    def text(name: str) -> str:
        return str(state.get(f"report_{name}_{doc}") or "")

    draft = work.drafts[doc]
    tables = tuple(
        table.typed(text(f"part_{place}"), {name: text(f"{name}_{place}") for name in fields_of(table)})
        for place, table in enumerate(draft.tables)
    )
    outcome = state.get(f"report_outcome_{doc}", draft.outcome)
    study, reason, bias = map(text, ("study", "reason", "bias"))
    return replace(draft, outcome=outcome, study=study, reason=reason, tables=tables, bias=bias)


def _save(work: Work, at: int, doc: str, seen: int) -> None:
    draft = work.drafts[doc] = _typed(work, doc)
    try:
        if draft.outcome == "data" and draft.to_convert:
            _convert(work, doc, draft)
            return
        (record,) = work.reports_of([at])
        read = draft.report(unnamed=name_without_author(at, record.title))
        doubts = draft.doubts(read)
        if doubts == draft.looked_at:
            _store(work, at, doc, read, seen)
            return
        work.drafts[doc] = replace(draft, looked_at=doubts)
        st.session_state[SAID] = (doc, "", f"{doubts} Save once more to store it." if doubts else "")
    except InputProblem as problem:
        st.session_state[SAID] = (doc, str(problem), "")


def _store(work: Work, at: int, doc: str, read: Report, seen: int) -> None:
    try:
        if work.settles_report:
            work.settle(resolved_report_event, seen, work.reader, doc, read)
        else:
            work.report(doc, read, seen)
    except InputProblem as problem:
        st.session_state[SAID] = (doc, str(problem), "")
        return
    work.drafts.pop(doc, None)
    _close(work, doc)
    if not work.held:
        say(f"Saved: report #{at + 1}, {outcomes(work.state)[read.outcome].lower()}.")


def _convert(work: Work, doc: str, draft: ReportDraft) -> None:
    """Put the counts that follow from rates into the form, for the person to check before they are stored."""
    tables, sentences = list(draft.tables), list[str]()
    for place in draft.to_convert:
        rates = tables[place]
        assert isinstance(rates, TypedTable), "only a 2×2 table comes from rates"
        converted, tables[place] = rates.from_rates(), rates.filled()
        sentences += [
            f"The rates come to {_known({cell: getattr(converted, cell) for cell in CELLS})}.",
            *converted.notes,
        ]
        for cell in CELLS:
            st.session_state[f"report_{cell}_{place}_{doc}"] = tables[place].field(cell)
    work.drafts[doc] = replace(draft, tables=tuple(tables))
    st.session_state[SAID] = (doc, "", " ".join([*sentences, "Save once more to store them."]))


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
    work.reporting, work.settles_report = None, False


def to_table(work: Work, state: State, at: int | None) -> None:
    """A button with the table of a document, which leads to the list of tables; nothing where it brought none."""
    read = state.read_in_full.get(-1 if at is None else at)
    if read is None or not read.rows:
        return
    (row, *more) = read.rows
    scenario = scenario_of(state.settings)
    words = f"Its {scenario.brings(len(read.rows))}{'' if more else f': {_known(row.numbers)}'}"
    how = {"key": f"to_table_{work.turn}", "type": "tertiary", "icon": ":material/table_chart:"}
    change = {EVIDENCE: True, LOOKED_FOR: at}
    button(words, st.session_state.update, change, **how, help="Shows it among all tables")


def _known(numbers: Mapping[str, Any]) -> str:
    """The numbers of a study that are given, as text: "TP 9, FP 1", or "4 of 123 treated, 11 of 139 control"."""
    given = {name: value for name, value in numbers.items() if value is not None}
    arms = []
    if {*Form.EVENTS.columns} <= given.keys():
        events, people, others, controls = (given.pop(name) for name in Form.EVENTS.columns)
        arms = [f"{events:,} of {people:,} treated, {others:,} of {controls:,} control"]
    return ", ".join([*arms, *(f"{COLUMNS.get(name, name)} {value}" for name, value in given.items())])


def outcomes(state: State) -> dict[FullText, str]:
    """Words for the outcomes of a report."""
    with_data = f"Eligible, with {scenario_of(state.settings).find}"
    return {outcome: OUTCOMES[outcome] for outcome in FORM_OUTCOMES} | {"data": with_data}


def tables(work: Work, state: State) -> None:
    """A link for every table that counts, which opens the report it is from."""
    rows = table_rows(state, work.row.ids)
    sought = st.session_state.pop(LOOKED_FOR, None)
    with st.container(key="tables", gap=None):
        st.caption("Studies that count; each links to its document.")
        most = len(rows) if sought is not None else MOST
        place, listed = first(rows, most, f"All {len(rows):,} studies", "every_table", gap=None)
        links = []
        for row in listed:
            counts = _known({name: row[name] for name in row if name not in ("study", "document", "rank")})
            links.append((row["rank"], f"#{row['rank']} {row['study']}: {counts}", row["rank"] - 1 == sought))
        place.html(block("tables", links, REPORT))
    if sought is not None:
        st.html(TABLES_SCRIPT, unsafe_allow_javascript=True)
