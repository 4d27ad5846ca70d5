"""The Evidence page: what the 2×2 tables of a review show, under a prior that is shipped, learned or typed."""

import html
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TypeVar

import streamlit as st

from dashboard.evidence.prior import PREFIX, chosen_prior, prior_badge
from dashboard.frame import address, shell
from dashboard.frame.drawing import ALL_BUTTON, note, save_menu
from dashboard.frame.markup import badges, told
from dashboard.frame.scripts import PASTING
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import bound, lasting, one_of, save, switch, upload
from dashboard.frame.work import flash, reviewer
from dashboard.parts import imports
from dashboard.parts.evidence import panel
from dashboard.parts.sessions import file_stem
from dashboard.parts.stakes import sensitivity_to_exceed
from tarstop_core.belief.engines import ENGINES
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import words
from tarstop_core.evidence.manual_tables import (
    FIELDS,
    MOST_ROWS,
    TITLES,
    Row,
    manual_tables,
    pack,
    rows_of,
    unpack,
)
from tarstop_core.evidence.report import evidence_report, study_rows
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.files import UnrecognisedColumns, read_tables, trace_to_csv
from tarstop_core.files.tables import same_studies
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import published_sets
from tarstop_core.sessions.export import when
from tarstop_core.value.payoffs import Payoffs

T = TypeVar("T")

LEAD = "What 2×2 tables of a diagnostic-accuracy review say, and how sure they make you."
EXAMPLE = Path(__file__).with_name("example.csv").read_text(encoding="utf-8")
SOURCES = {"published": "A published set", "file": "A file", "typed": "Type or paste"}
MAPPED = TITLES | {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "diseased": "Number diseased",
    "healthy": "Number healthy",
}
WRITTEN = ("csv", "tsv", "txt", "gz", "xlsx", "xlsm")
"""What the name of a file ends in, by how it is written."""
MANY_NOTES = 4
EMPTY_LINES = 4


@dataclass(frozen=True, eq=False)
class Chosen:
    """The tables that the page is about."""

    name: str
    tables: Tables
    notes: tuple[str, ...] = ()  # What reading them brought up
    source: str = ""  # Where they come from, for a published set
    places: tuple[int, ...] | None = None  # The row that each study was typed in

    @property
    def title(self) -> str:
        """The name as a person reads it, without what says how a file is written."""
        parts = self.name.split(".")
        while len(parts) > 1 and parts[-1] in WRITTEN:
            parts.pop()
        return ".".join(parts).replace("_", " ").strip()

    @cached_property
    def rows(self) -> list[Row]:
        """The tables as text."""
        return rows_of(self.tables.first(MOST_ROWS + 1))


def evidence_page() -> None:
    shell.opening("Evidence", LEAD)
    shell.presentation()
    flash()
    chosen_at, headline = st.container(), st.container(key="evidence-headline")
    drawn, asked = shell.beside(2.5, 1)
    with asked if shell.presenting() else chosen_at:
        chosen = _choose()
    if chosen is None:
        return
    with asked:
        theta, engine, q_star = _question()
        prior = chosen_prior(theta, disabled=not ENGINES[engine].knows_prior)
    summary = evidence(chosen.tables, theta, engine, prior)
    payoffs = Payoffs.from_q_star(q_star)
    with headline:
        _headline(chosen, summary, payoffs)
    with drawn:
        panel(summary, payoffs, key=PREFIX, file_stem=file_stem(chosen.title))
        if chosen.source:
            with st.expander("Source", type="compact"):
                note(chosen.source)


def _headline(chosen: Chosen, summary: Evidence, payoffs: Payoffs) -> None:
    twice = same_studies(chosen.tables, chosen.places)
    notes = list(dict.fromkeys((*chosen.notes, *twice, *summary.partly)))
    acts, rival = (
        words.action_sentence(summary, payoffs.q_star),
        words.rival_sentence(summary, payoffs.q_star),
    )
    said = told(words.belief_sentence(summary), acts, rival)
    marks = badges(
        *filter(None, (words.studies(len(summary)), ENGINES[summary.engine].badge, prior_badge(summary)))
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = f'<span class="tar-meta">{html.escape(chosen.name)}</span>'
        st.html(f"{said}<p>{marks} {name}</p>", width="stretch")
        _export(chosen, summary, payoffs, notes)
    if not notes:
        return
    text = "  \n".join(map(shell.escape_markdown, notes))
    if len(notes) <= MANY_NOTES:
        st.warning(text, icon=":material/warning:")
    else:
        with st.expander(f"{len(notes)} remarks on these tables", icon=":material/warning:"):
            st.markdown(text)


def _export(chosen: Chosen, summary: Evidence, payoffs: Payoffs, notes: Sequence[str]) -> None:
    """Everything that leaves this page: the report, all figures, and the data."""
    with save_menu(f"{PREFIX}/export", "Export"):
        # A box keeps what it began with: other tables have their own.
        own = st.text_input("Title of the report", chosen.title, key=f"{PREFIX}/title/{chosen.name}")
        title = own.strip() or chosen.title
        about = {"name": title, "at": when(datetime.now(UTC).isoformat()), "by": reviewer()}
        report = partial(evidence_report, summary, payoffs, **about, source=chosen.source, notes=notes)
        stem, key = file_stem(title), f"{PREFIX}/export"
        save("Report (HTML)", report, f"{stem}-report.html", key=f"{key}-report.html", width="stretch")
        save(
            "Data (CSV)",
            lambda: trace_to_csv(study_rows(summary)),
            f"{stem}.csv",
            key=f"{key}.csv",
            width="stretch",
        )
        st.html(ALL_BUTTON)


def _choose() -> Chosen | None:
    named = st.query_params.get("source", "published")
    how = lasting(f"{PREFIX}/source") | {"label_visibility": "collapsed"}
    first = named if named in SOURCES else "published"
    source = switch("Where the tables come from", SOURCES, default=first, **how)
    if source != named:  # what the address holds came from elsewhere
        address.write({"tables": "", "name": ""})
    address.write({"source": "" if source == "published" else source})
    return {"published": _published, "file": _from_file, "typed": _typed}[source]()


def _keep_rows(rows: Sequence[Row], again: str, name: str = "") -> None:
    """Put tables into the address, so that a reload brings them back, or say that they are too long for it."""
    packed = pack(rows)
    address.write({"tables": packed or "", "name": name if packed else ""})
    if packed is None:
        st.caption(f"These tables are too long for the page’s address: after a reload, {again} again.")
    elif packed:
        st.caption("The page’s address holds these tables: a reload or a bookmark brings them back.")


_sets = cache(published_sets)


def _published() -> Chosen:
    sets = {published.name: published for published in _sets()}
    titles = {name: published.title for name, published in sets.items()}
    chosen = sets[_in_address("set", "Set", titles)]
    reported = chosen.reported
    sensitivity, s_low, s_high = map(percent, reported.sensitivity)
    specificity, high, low = (percent(1 - rate) for rate in reported.false_positive_rate)
    source = (
        f"{chosen.citation.rstrip('.')}. {chosen.note} Reported: sensitivity {sensitivity} ({s_low} to {s_high}), "
        f"specificity {specificity} ({low} to {high}), by {reported.by}."
    )
    return Chosen(chosen.title, chosen.tables, source=source)


def _from_file() -> Chosen | None:
    state = st.session_state
    if f"{PREFIX}/upload_problem" not in state:
        # A reloaded page: its address holds the tables of an upload.
        tables, left_out, _ = _in_the_address("upload_problem", manual_tables) or manual_tables(())
        if len(tables):
            name = st.query_params.get("name", "tables")
            state[f"{PREFIX}/chosen"] = Chosen(name, tables, left_out)
    asked, example = st.columns([2.5, 1], gap="large", vertical_alignment="bottom")
    with asked:
        label = "Excel, CSV or TSV, a study a line: TP, FP, FN, TN, or sensitivity and specificity with group sizes"
        kinds, key = " ".join(WRITTEN), f"{PREFIX}/upload"
        well = upload(label, lambda file: _read(file.getvalue(), file.name), key=key, kinds=kinds)
    how = {"key": f"{PREFIX}/example", "width": "stretch", "icon": ":material/download:"}
    save("Example to fill in", EXAMPLE, "tarstop-example-2x2.csv", at=example, **how)
    chosen: Chosen | None = state.get(f"{PREFIX}/chosen")
    if unread := state.get(f"{PREFIX}/unread"):
        problem, content, name = unread
        imports.ask(problem, MAPPED, _enough, partial(_read, content, name), f"{PREFIX}/map")
    elif well and chosen is None:
        st.info(
            "Nothing to show yet: upload your tables, or fill in the example. A published set shows what to expect.",
            icon=":material/arrow_upward:",
        )
    if chosen is None:
        address.write({"tables": "", "name": ""})
    else:
        _keep_rows(chosen.rows, "upload the file", chosen.name)
    return chosen


def _read(content: bytes, name: str, chosen: Mapping[str, str] | None = None) -> None:
    """Take in a file, or keep it for the question which of its columns is what."""
    state = st.session_state
    state[f"{PREFIX}/chosen"] = None
    unread = state.pop(f"{PREFIX}/unread", None)
    try:
        job = (read_tables, io.BytesIO(content), name, chosen)
        read = shown(name, f"Reading {name}", *job, large=len(content) > LARGE_FILE)
        state[f"{PREFIX}/chosen"] = Chosen(name, read.tables, read.notes)
    except UnrecognisedColumns as problem:
        state[f"{PREFIX}/unread"] = problem, content, name
    except InputProblem:
        if chosen is not None:  # another choice may do
            state[f"{PREFIX}/unread"] = unread
        raise


def _enough(fields: set[str]) -> bool:
    counts = fields & {"TP", "FN"}
    return len(counts) == 2 or (not counts and "sensitivity" in fields)


def _typed() -> Chosen | None:
    state = st.session_state
    # The table begins anew after a visit to another page: with what was typed before.
    if f"{PREFIX}/typed" not in state:
        there = _in_the_address("typed_problem", list) or []
        empty = [("",) * (1 + len(CELLS))] * (EMPTY_LINES - len(there))
        state[f"{PREFIX}/typed_first"] = state.get(f"{PREFIX}/typed_last", there + empty)
    label, first = "Studies with their counts TP, FP, FN and TN", state[f"{PREFIX}/typed_first"]
    rows = typed_table(label, first, key=f"{PREFIX}/typed")
    state[f"{PREFIX}/typed_last"] = rows
    st.caption(
        "Cells copied from a spreadsheet can be pasted; names of columns pasted along decide their order. Leave FP and TN "
        "empty where a report gives sensitivity only."
    )
    _keep_rows(rows, "paste them")
    try:
        tables, left_out, places = manual_tables(rows)
    except InputProblem as unclear:
        shell.problem_box(unclear)
        return None
    if left_out:
        st.warning("  \n".join(map(shell.escape_markdown, left_out)), icon=":material/warning:")
    if len(tables):
        return Chosen("typed tables", tables, places=places)
    problem = state.get(f"{PREFIX}/typed_problem")
    if problem and not left_out:
        shell.problem_box(problem)
    st.info("Enter TP and FN of at least one study.", icon=":material/edit:")
    return None


def _in_the_address(problem: str, read: Callable[[list[Row]], T]) -> T | None:
    """What `read` makes of the tables that a reloaded page's address holds; what is wrong with them is kept as a problem."""
    st.session_state[f"{PREFIX}/{problem}"] = ""
    try:
        return read(unpack(st.query_params["tables"])) if "tables" in st.query_params else None
    except InputProblem as found:
        st.session_state[f"{PREFIX}/{problem}"] = str(found)
        return None


def _question() -> tuple[float, str, float]:
    """θ, the engine and q*; all of them in the URL."""
    theta = sensitivity_to_exceed(0.75, **bound("theta"))
    said = f"The {shell.term('q-star', 'threshold')} q\\* = (G + L\\_r) / K. The worse a wrong adoption is, the surer you have to be."
    q_star = st.slider("How sure before you act", 0.01, 0.99, 0.5, step=0.01, **bound("q_star"), help=said)
    note(
        f"q* = {q_star:.2f}: “{words.PLUS}” only when more than {percent(q_star)} sure that sensitivity exceeds "
        f"{words.threshold(theta)}."
    )
    engines = {name: kind.title for name, kind in ENGINES.items()}
    engine = _in_address("engine", "How the belief is computed", engines)
    st.caption(ENGINES[engine].help)
    if engine == "reml":
        st.caption(words.REML_CORRECTION)
    return theta, engine, q_star


def _in_address(name: str, label: str, options: dict[str, str]) -> str:
    """A choice of which the address has the name; bound, the widget would put its label there."""
    usual = next(iter(options))
    named = st.query_params.get(name, usual)
    first = named if named in options else usual
    chosen = one_of(label, options, first=first, **lasting(f"{PREFIX}/{name}"))
    address.write({name: "" if chosen == usual else chosen})
    return chosen


_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tarstop_typed_table",
    html="<table></table>",
    css=(_HERE / "typed_table.css").read_text(encoding="utf-8"),
    js=PASTING + (_HERE / "typed_table.js").read_text(encoding="utf-8"),
)


def typed_table(label: str, first: Sequence[Row], *, key: str) -> list[Row]:
    """Draw the table; its cells as text, row by row, as far as a person has left them, empty ones among them.

    `first` is what the table begins with (at least one row): changed later, it is not looked at.
    """
    rows = [list(row) for row in first]
    data = {"label": label, "columns": [*TITLES.values()], "fields": FIELDS, "rows": rows}
    typed = _mount(key=key, data=data, default={"rows": rows}, on_rows_change=lambda: None)
    return [tuple(str(cell) for cell in row) for row in typed.rows]
