"""What the 2×2 tables of a review show: a panel of figures for any page, and the Evidence page itself."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import streamlit as st

from dashboard import shell
from dashboard.drawing import AsItIs, picture_buttons
from dashboard.review_settings import ENGINES
from dashboard.typed_table import typed_table
from tarstop_core.belief.prior import Prior, from_json
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import figures, words
from tarstop_core.evidence.prior_figure import prior_figure, prior_sentence
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.evidence.typed import MOST_ROWS, Row, pack, rows_of, typed_tables, unpack
from tarstop_core.files import read_tables, trace_to_csv
from tarstop_core.files.tables import same_studies
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import PublishedSet, published_sets
from tarstop_core.samples.shipped import priors
from tarstop_core.teaching.glossary import named

ROOM = 10  # rows by which a figure grows where studies are added one by one
LARGE = 60  # studies from which a figure may take a moment


@dataclass(frozen=True)
class View:
    """One tab: a figure or a table, what it says, and its numbers as CSV.

    Parameters
    ----------
    name : str
        Ends the names of its files.
    title : str
        Of the tab.
    sentence, rows, figure : callable
        Of the evidence and q*; `figure` is None for the table of parameters.
    needs_q_star : bool
    grows : bool
        Whether the figure has a row for every study.
    """

    name: str
    title: str
    sentence: Callable[[Evidence, Any], str]
    rows: Callable[[Evidence, Any], list[dict[str, Any]]]
    figure: Callable[..., Figure] | None
    needs_q_star: bool = False
    grows: bool = False


VIEWS = (
    View(
        "forest",
        "Forest",
        lambda e, q: words.forest_sentence(e),
        lambda e, q: e.study_rows(),
        lambda e, q, **how: figures.forest(e, **how),
        grows=True,
    ),
    View(
        "sroc",
        "SROC",
        lambda e, q: words.sroc_sentence(e),
        lambda e, q: e.curve_rows(),
        lambda e, q, **how: figures.sroc(e, **how),
    ),
    View(
        "belief",
        "Belief by study",
        words.path_sentence,
        lambda e, q: e.path_rows(),
        figures.belief_by_study,
    ),
    View(
        "posterior",
        "Prior and posterior",
        lambda e, q: words.density_sentence(e),
        lambda e, q: e.density_rows(),
        lambda e, q, **how: figures.prior_and_posterior(e, **how),
    ),
    View(
        "without",
        "Leave one out",
        words.without_sentence,
        lambda e, q: e.without_rows(),
        figures.leave_one_out,
        grows=True,
    ),
    View(
        "value",
        "Value of more studies",
        words.value_sentence,
        lambda e, q: e.value_rows(q),
        figures.value_of_more,
        needs_q_star=True,
    ),
    View(
        "revman",
        "Table for RevMan",
        lambda e, q: words.parameters_sentence(e),
        lambda e, q: e.parameter_rows(),
        None,
    ),
)


def _as_rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


def _save_script() -> str:
    paper = {_as_rgb(dark): _as_rgb(light) for dark, light in figures.FOR_PAPER.items()}
    script = (shell.ROOT / "dashboard" / "saving.js").read_text(encoding="utf-8")
    return f"<script>window.tarstopPaper={json.dumps(paper)};\n{script}</script>"


SAVE_SCRIPT = _save_script()


def panel(
    tables: Tables,
    *,
    theta: float,
    engine: str,
    prior: Prior,
    q_star: float | None = None,
    simulated: bool = False,
    growing: bool = False,
    key: str,
    file_stem: str,
) -> None:
    """Everything that can be seen in the tables, a tab each; only the open tab is computed and drawn.

    May be drawn inside a fragment.

    Parameters
    ----------
    tables : Tables
        n studies.
    theta, engine, prior
        What the belief is asked, see :func:`tarstop_core.evidence.summary.evidence`.
    q_star : float, optional
        Threshold belief; drawn, and needed for the value of more studies.
    simulated : bool
        Says so in every figure.
    growing : bool
        Whether studies are added while it is looked at: figures then seldom change their height, which
        would cost another 100 ms and make the page jump.
    key : str
        Prefix of everything it keeps in the browser session.
    file_stem : str
        Begins the names of files that are saved.
    """
    st.html(shell.ROOT / "dashboard" / "evidence.css")
    shown = evidence(tables, theta, engine, prior)
    views = [view for view in VIEWS if q_star is not None or not view.needs_q_star]
    tabs = st.tabs([view.title for view in views], key=f"{key}/tab", on_change="rerun")
    for tab, view in zip(tabs, views, strict=True):
        if tab.open:
            # The word that the style sheet and the script look for, in the class that the key becomes.
            with tab, st.container(key=f"{key}-tar-figure-{view.name}"), shell.problems_shown():
                room = {"room": ROOM if growing else 1} if view.grows else {}
                _draw(view, shown, q_star, key, f"{file_stem}-{view.name}", simulated=simulated, **room)
    st.html(SAVE_SCRIPT, unsafe_allow_javascript=True)


def _draw(view: View, shown: Evidence, q_star: float | None, key: str, file_name: str, **how: Any) -> None:
    slow = len(shown) > LARGE
    with st.spinner(f"Computing from {len(shown):,} studies …") if slow else nullcontext():
        sentence, rows = view.sentence(shown, q_star), view.rows(shown, q_star)
        dark = st.context.theme.type == "dark"
        figure = view.figure(shown, q_star, dark=dark, **how) if view.figure else {}
    known = named(view.title)
    what = f" {shell.term(known.key, 'What is this?')}" if known else ""
    # Above the figure: a tab is searched for something to tab to after every change, and a figure is long to search.
    st.caption(f"{shell.escape_markdown(_unbroken(sentence))}{what}")
    # Nothing to draw while "reml" is not identified: the sentence says so.
    drawn = bool(figure.get("data"))
    if drawn:
        with st.container(key=f"{key}-tar-wide-{view.name}"):
            st.plotly_chart(
                AsItIs(figure),
                config={"displayModeBar": False},
                key=f"{key}/figure/{view.name}",
                alt=sentence,
                width="stretch",
            )
    elif view.figure is None and rows:
        _parameters(rows)
    with st.container(horizontal=True, vertical_alignment="center"):
        if drawn:
            picture_buttons(file_name)
        st.download_button(
            "CSV",
            data=lambda: trace_to_csv(rows),
            file_name=f"{file_name}.csv",
            mime="text/csv",
            key=f"{key}/csv/{view.name}",
            disabled=not rows,
            on_click="ignore",
        )


def _unbroken(text: str) -> str:
    """Percentages that no line break parts from their sign."""
    return text.replace(" %", "\u00a0%")


def _parameters(rows: list[dict[str, Any]]) -> None:
    cells = "".join(
        f"<tr><td>{html.escape(row['parameter'])}</td><td>{_parameter(row['value'])}</td>"
        f"<td>{html.escape(row['meaning'])}</td></tr>"
        for row in rows
    )
    st.html(
        '<div class="tar-parameters"><table><thead><tr><th>parameter</th><th>value</th><th>what it is</th></tr>'
        f"</thead><tbody>{cells}</tbody></table></div>"
    )


def _parameter(value: float | None) -> str:
    if value is None:
        return "not defined"
    return f"{value:.0f}" if value == round(value) else f"{value:.4f}"


# --- the page -----------------------------------------------------------------------------------

PREFIX = "evidence"
PLUS, MINUS = "Adopt", "Don’t adopt"
EXAMPLE_NAME = "tarstop-example-2x2.csv"
EXAMPLE = """study,TP,FP,FN,TN
Invented A 2001,28,9,12,91
Invented B 2003,45,22,9,130
Invented C 2006,17,3,8,64
Invented D 2010,88,31,15,240
Invented E 2014,12,6,1,33
Invented F 2019,61,12,19,176
"""
SOURCES = {"published": "A published set", "file": "A CSV file", "typed": "Type or paste"}
MANY_NOTES = 4
EMPTY_LINES = 4


@dataclass(frozen=True, eq=False)
class Chosen:
    """The tables that the page is about.

    Parameters
    ----------
    name : str
    tables : Tables
    notes : tuple of str
        What reading them brought up.
    source : str
        Where they come from, for a published set.
    places : tuple of int, optional
        The row that each study was typed in.
    """

    name: str
    tables: Tables
    notes: tuple[str, ...] = ()
    source: str = ""
    places: tuple[int, ...] | None = None

    @cached_property
    def rows(self) -> list[Row]:
        """The tables as text."""
        return rows_of(self.tables.first(MOST_ROWS + 1))


def evidence_page() -> None:
    """Draw the page."""
    st.html(shell.ROOT / "dashboard" / "evidence.css")
    st.title("Evidence")
    st.html(
        '<p class="tar-lead">What 2×2 tables of a diagnostic-accuracy review say, without screening: '
        "import or type them, and see how sure they make you.</p>"
    )
    chosen = _choose()
    if chosen is None:
        return
    headline = st.container()
    drawn, asked = st.columns([2.5, 1], gap="large")
    with asked:
        theta, engine, q_star = _question()
        prior = _prior(theta, disabled=engine == "reml")
    shown = evidence(chosen.tables, theta, engine, prior)
    with headline:
        _headline(chosen, shown, q_star)
    with drawn:
        panel(
            chosen.tables,
            theta=theta,
            engine=engine,
            prior=prior,
            q_star=q_star,
            key=PREFIX,
            file_stem=_file_stem(chosen.name),
        )
        if chosen.source:
            st.caption(shell.escape_markdown(f"Source: {_unbroken(chosen.source)}"))


def _headline(chosen: Chosen, shown: Evidence, q_star: float) -> None:
    rival = words.rival_sentence(shown, q_star, PLUS, MINUS)
    badges = [words.studies(len(shown)), words.ENGINE_BADGES[shown.engine], _prior_badge(shown)]
    marks = " ".join(f'<span class="tar-badge">{html.escape(badge)}</span>' for badge in badges if badge)
    st.html(
        f'<div class="tar-told" role="status"><div class="tar-word">{html.escape(_unbroken(words.belief_sentence(shown)))}</div>'
        f"<p>{html.escape(_unbroken(words.action_sentence(shown, q_star, PLUS, MINUS)))}</p>"
        + (f"<p>{html.escape(_unbroken(rival))}</p>" if rival else "")
        + "</div>"
        f'<p>{marks} <span class="tar-meta">{html.escape(chosen.name)}</span></p>'
    )
    twice = same_studies(chosen.tables, chosen.places)
    notes = list(dict.fromkeys((*chosen.notes, *twice, *shown.partly)))
    if not notes:
        return
    text = shell.escape_markdown("\n".join(notes)).replace("\n", "  \n")
    if len(notes) <= MANY_NOTES:
        st.warning(text, icon=":material/warning:")
    else:
        with st.expander(f"{len(notes)} remarks on these tables", icon=":material/warning:"):
            st.markdown(text)


# --- which tables -------------------------------------------------------------------------------


def _choose() -> Chosen | None:
    query, sources = st.query_params, list(SOURCES)
    named = query.get("source", sources[0])
    source = st.segmented_control(
        "Where the tables come from",
        sources,
        default=named if named in sources else sources[0],
        required=True,
        format_func=SOURCES.__getitem__,
        key=f"{PREFIX}/source",
        persist_state="session",
        label_visibility="collapsed",
    )
    if source != named:  # what the address holds came from elsewhere
        _keep({"tables": "", "name": ""})
    _keep({"source": "" if source == sources[0] else source})
    return {"published": _published, "file": _from_file, "typed": _typed}[source]()


def _keep(said: dict[str, str]) -> None:
    """Put values into the address; without one the name goes too."""
    for name, value in said.items():
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)


def _keep_rows(rows: Sequence[Row], again: str, name: str = "") -> None:
    """Put tables into the address, so that a reload brings them back, or say that they are too long for it."""
    packed = pack(rows)
    _keep({"tables": packed or "", "name": name if packed else ""})
    if packed is None:
        st.caption(f"These tables are too long for the page’s address: after a reload, {again} again.")
    elif packed:
        st.caption("The page’s address holds these tables: a reload or a bookmark brings them back.")


@cache
def _sets() -> dict[str, PublishedSet]:
    return {each.name: each for each in published_sets()}


def _published() -> Chosen:
    sets = _sets()
    chosen = sets[_in_address("set", "Set", {name: each.title for name, each in sets.items()})]
    sensitivity, fpr = chosen.reported.sensitivity, chosen.reported.false_positive_rate
    specificity = (1 - fpr[0], 1 - fpr[2], 1 - fpr[1])
    said = [
        f"{what} {percent(value)} ({percent(low)} to {percent(high)})"
        for what, (value, low, high) in (("sensitivity", sensitivity), ("specificity", specificity))
    ]
    reported = f"Reported: {', '.join(said)}, by {chosen.reported.by}."
    source = f"{chosen.citation.rstrip('.')}. {chosen.note} {reported}"
    return Chosen(chosen.title, chosen.tables, source=source)


def _from_file() -> Chosen | None:
    state = st.session_state
    if f"{PREFIX}/problem" not in state:
        _restore_file()
    upload, example = st.columns([2.5, 1], gap="large", vertical_alignment="bottom")
    with upload:
        st.file_uploader(
            "A CSV or TSV file, one study a line, with columns TP, FP, FN and TN",
            type=["csv", "tsv", "txt", "gz"],
            key=f"{PREFIX}/upload",
            on_change=_take_in,
        )
    with example:
        st.download_button(
            "Example to fill in",
            EXAMPLE,
            EXAMPLE_NAME,
            "text/csv",
            key=f"{PREFIX}/example",
            on_click="ignore",
            width="stretch",
            icon=":material/download:",
        )
    problem = state.get(f"{PREFIX}/problem")
    chosen: Chosen | None = state.get(f"{PREFIX}/chosen")
    if problem:
        shell.problem_box(problem)
    elif chosen is None:
        st.info(
            "Nothing to show yet: upload your tables, or fill in the example. A published set shows what to expect.",
            icon=":material/arrow_upward:",
        )
    if chosen is None:
        _keep({"tables": "", "name": ""})
    else:
        _keep_rows(chosen.rows, "upload the file", chosen.name)
    return chosen


def _restore_file() -> None:
    """Take the tables that the address of a reloaded page holds for an upload."""
    state, query = st.session_state, st.query_params
    state[f"{PREFIX}/problem"] = ""
    if "tables" not in query:
        return
    try:
        rows = unpack(query["tables"])
    except InputProblem as problem:
        state[f"{PREFIX}/problem"] = str(problem)
        return
    tables, left_out, _ = typed_tables(rows)
    if len(tables):
        state[f"{PREFIX}/chosen"] = Chosen(query.get("name", "tables"), tables, left_out)


def _take_in() -> None:
    """Read an upload at once: it is gone after a visit to another page."""
    state = st.session_state
    upload = state[f"{PREFIX}/upload"]
    if upload is None:
        return
    state[f"{PREFIX}/problem"] = ""
    try:
        read = read_tables(upload, upload.name)
    except InputProblem as problem:
        state[f"{PREFIX}/problem"] = str(problem)
        state[f"{PREFIX}/chosen"] = None
    else:
        state[f"{PREFIX}/chosen"] = Chosen(upload.name, read.tables, read.notes)


def _typed() -> Chosen | None:
    state = st.session_state
    # The table begins anew after a visit to another page: with what was typed before.
    if f"{PREFIX}/typed" not in state:
        state[f"{PREFIX}/typed_first"] = state.get(f"{PREFIX}/typed_last", _restored_rows())
    rows = typed_table(
        "Studies with their counts TP, FP, FN and TN",
        ("Study", *CELLS),
        state[f"{PREFIX}/typed_first"],
        key=f"{PREFIX}/typed",
    )
    state[f"{PREFIX}/typed_last"] = rows
    st.caption(
        "Cells copied from a spreadsheet can be pasted. Leave FP and TN empty where a report gives sensitivity only."
    )
    tables, left_out, places = typed_tables(rows)
    _keep_rows(rows, "paste them")
    if left_out:
        st.warning(
            "  \n".join(shell.escape_markdown(sentence) for sentence in left_out), icon=":material/warning:"
        )
    if len(tables):
        return Chosen("typed tables", tables, places=places)
    problem = state.get(f"{PREFIX}/typed_problem")
    if problem and not left_out:
        shell.problem_box(problem)
    st.info("Enter TP and FN of at least one study.", icon=":material/edit:")
    return None


def _restored_rows() -> list[Row]:
    """What was typed, if the address of a reloaded page holds it; else empty lines to fill in."""
    rows: list[Row] = []
    if "tables" in st.query_params:
        try:
            rows = unpack(st.query_params["tables"])
        except InputProblem as problem:
            st.session_state[f"{PREFIX}/typed_problem"] = str(problem)
    return rows + [("",) * (1 + len(CELLS))] * (EMPTY_LINES - len(rows))


# --- what is asked ------------------------------------------------------------------------------


def _question() -> tuple[float, str, float]:
    """θ, the engine and q*; all of them in the URL."""
    theta = st.slider(
        "Sensitivity to exceed",
        0.01,
        0.99,
        0.75,
        step=0.01,
        format="percent",
        key="theta",
        bind="query-params",
        help=f"The {shell.term('theta', 'threshold')} θ on {shell.term('pooled', 'pooled sensitivity')}.",
    )
    q_star = st.slider(
        "How sure before you act",
        0.01,
        0.99,
        0.5,
        step=0.01,
        key="q_star",
        bind="query-params",
        help=f"The {shell.term('q-star', 'threshold')} q\\* = (G + L\\_r) / K. The worse a wrong adoption is, the surer you have to be.",
    )
    st.caption(
        shell.escape_markdown(
            _unbroken(
                f"q* = {q_star:.2f}: “{PLUS}” only when more than {percent(q_star)} sure that sensitivity exceeds "
                f"{words.threshold(theta)}."
            )
        )
    )
    engine = _engine()
    return theta, engine, q_star


def _engine() -> str:
    engine = _in_address(
        "engine", "How the belief is computed", {name: title for name, (title, _) in ENGINES.items()}
    )
    st.caption(ENGINES[engine][1])
    if engine == "reml":
        st.caption(words.REML_CORRECTION)
    return engine


def _in_address(name: str, label: str, options: dict[str, str]) -> str:
    """A choice of which the address has the name; bound, the widget would put its label there."""
    names = list(options)
    named = st.query_params.get(name, names[0])
    chosen = st.selectbox(
        label,
        names,
        index=names.index(named) if named in names else 0,
        format_func=options.__getitem__,
        key=f"{PREFIX}/{name}",
        persist_state="session",
    )
    if chosen != names[0]:
        st.query_params[name] = chosen
    else:
        st.query_params.pop(name, None)
    return chosen


def _prior(theta: float, disabled: bool) -> Prior:
    """The prior that the widgets hold, with where it was learned where that is unchanged."""
    b_0 = st.slider(
        "Chance before any study",
        0.01,
        0.99,
        0.5,
        step=0.01,
        format="percent",
        key="b_0",
        bind="query-params",
        disabled=disabled,
        help=f"The {shell.term('b-0', 'starting belief')} b₀.",
    )
    with st.expander("Prior", expanded=False):
        s = st.slider(
            "Spread of pooled sensitivity, s (logits)",
            0.2,
            5.0,
            1.5,
            step=0.05,
            key="s",
            bind="query-params",
            disabled=disabled,
        )
        tau = st.slider(
            "Scale of differences between studies, τ (logits)",
            0.05,
            3.0,
            1.0,
            step=0.05,
            key="tau",
            bind="query-params",
            disabled=disabled,
            help=f"Scale of the half-normal {shell.term('prior', 'prior')} of {shell.term('heterogeneity', 'heterogeneity')}. Of all these numbers it matters most.",
        )
        s_fpr = st.slider(
            "Spread of the false-positive rate (logits)",
            0.2,
            5.0,
            1.5,
            step=0.05,
            key="s_fpr",
            bind="query-params",
            disabled=disabled,
        )
        eta = st.number_input(
            "Shape η of the correlation’s prior",
            1.0,
            100.0,
            2.0,
            step=1.0,
            format="%g",
            key="eta",
            bind="query-params",
            disabled=disabled,
            help="LKJ prior; 1 is flat, large means next to no correlation.",
        )
        prior = _with_origin(Prior(b_0, s, tau, s_fpr, eta), theta)
        said = prior_sentence(prior, theta)
        st.plotly_chart(
            prior_figure(prior, theta, st.context.theme.type == "dark"),
            config={"staticPlot": True},
            key=f"{PREFIX}/prior_figure",
            alt=said,
        )
        st.caption(shell.escape_markdown(_unbroken(said)))
        _other_priors(prior, theta)
    return prior


def _same(prior: Prior, other: Prior, theta: float) -> bool:
    """Whether the widgets hold the other prior's numbers, its b_0 at θ and to their step."""
    numbers = replace(prior, b_0=other.b_0, learned_from=None) == replace(other, learned_from=None)
    return numbers and abs(prior.b_0 - other.at(theta).b_0) < 0.006


def _with_origin(prior: Prior, theta: float) -> Prior:
    """The prior, with what it was learned from while it is still the one that was taken over."""
    taken: Prior | None = st.session_state.get(f"{PREFIX}/prior")
    if taken is None or not _same(prior, taken, theta):
        return prior
    return replace(taken, b_0=prior.b_0)


def _other_priors(prior: Prior, theta: float) -> None:
    learned = prior.learned_from
    if learned is not None:
        st.caption(
            shell.escape_markdown(
                f"Learned from {learned.studies:,} studies in {learned.reviews:,} reviews ({learned.source})."
            )
        )
    for name, shipped in {**priors(), "weak": Prior()}.items():
        origin = shipped.learned_from
        st.button(
            f"Take the prior learned from {origin.reviews:,} reviews" if origin else "Back to the weak prior",
            key=f"{PREFIX}/prior/{name}",
            on_click=_take_prior,
            args=(shipped, theta),
            disabled=_same(prior, shipped, theta),
            width="stretch",
        )
    st.file_uploader(
        "A prior that was saved or learned (JSON)",
        type=["json"],
        key=f"{PREFIX}/prior_file",
        on_change=_take_in_prior,
        args=(theta,),
    )
    problem = st.session_state.get(f"{PREFIX}/prior_problem")
    if problem:
        shell.problem_box(problem)
    st.download_button(
        "Save this prior (JSON)",
        prior.to_json(),
        "tarstop-prior.json",
        "application/json",
        key=f"{PREFIX}/save_prior",
        on_click="ignore",
        width="stretch",
    )


def _take_prior(prior: Prior, theta: float) -> None:
    """Put a prior's numbers into the widgets; one learned at another θ keeps its distribution."""
    state = st.session_state
    state[f"{PREFIX}/prior"] = prior
    for name in ("s", "tau", "s_fpr", "eta"):
        state[name] = getattr(prior, name)
    state["b_0"] = min(0.99, max(0.01, round(prior.at(theta).b_0, 2)))


def _take_in_prior(theta: float) -> None:
    state = st.session_state
    upload = state[f"{PREFIX}/prior_file"]
    if upload is None:
        return
    state[f"{PREFIX}/prior_problem"] = ""
    try:
        try:
            text = upload.getvalue().decode("utf-8")
        except UnicodeDecodeError:
            raise InputProblem(f"{upload.name} is no text; choose a prior saved as JSON.") from None
        _take_prior(from_json(text, upload.name), theta)
    except InputProblem as problem:
        state[f"{PREFIX}/prior_problem"] = str(problem)


def _prior_badge(shown: Evidence) -> str:
    learned = shown.prior.learned_from
    if shown.engine == "reml":
        return ""
    if learned is not None:
        return f"prior learned from {learned.reviews} reviews"
    return "default prior" if shown.prior == Prior() else "prior chosen here"


def _file_stem(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", re.sub(r"\.(csv|tsv|txt|gz)", "", name)).strip("-")[:60] or "evidence"
