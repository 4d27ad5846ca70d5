"""Labelled lists and finished sessions: two calibrators judged on them, and what another one would have changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import figure, note, table
from dashboard.frame.uploads import hold
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import ask_for_files, files_given, lasting, one_of, some_of, switch
from dashboard.frame.work import clock, kept
from dashboard.parts.chances import reliability_rows
from dashboard.parts.sessions import CHOSEN, loaded
from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.calibration.figures import two_reliabilities, worth_figure
from tarstop_core.evaluation import calibrators
from tarstop_core.evaluation.calibrators import HeldOut
from tarstop_core.files import labelled_lists
from tarstop_core.files.labelled_lists import Labelled, fingerprint
from tarstop_core.policies import POLICIES
from tarstop_core.policies.registry import advising_rules, titled
from tarstop_core.presentation.numbers import number, percent, unbroken
from tarstop_core.screening.fold import replay
from tarstop_core.screening.scenarios.named import SCENARIOS, scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.calibrator_library import (
    NAMES,
    ListedCalibrator,
    fitting_calibrators,
    session_list,
    session_scenario,
    teaches,
    title,
)
from tarstop_core.sessions.compare import (
    belief_curves,
    beliefs_read,
    duplicate,
    switch_sentence,
    with_calibrator,
    worths,
)
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.listing import SessionSummary
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import SessionRow
from tarstop_core.value.payoffs import Payoffs

PREFIX = "calibration_compare"
STANDINGS = f"{PREFIX}/standings"
UPLOADED, SESSIONS = "lists you upload", "your finished sessions"
Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
KEPT = 12
SWITCHED = "The same labels, other chances"
OTHER = "with the other calibrator"


@dataclass(frozen=True, eq=False)
class Standing:
    """A finished session and its state."""

    session: SessionSummary
    row: SessionRow
    state: State


def two(store: Store) -> None:
    """Draw the part that compares two on held-out lists."""
    scenario = switch("Chances for", NAMES, **lasting(f"{PREFIX}/scenario"))
    there = fitting_calibrators(store, scenario)
    a, b = _pair(there, scenario)
    held_out = _held_out(store, scenario)
    if held_out is None:
        return
    if a.key == b.key:
        st.info("Choose two different calibrators.", icon=":material/info:")
        return
    for warning in calibrators.warnings((a.name, b.name), (a.calibrator, b.calibrator), held_out.topics):
        st.warning(shell.escape_markdown(warning), icon=":material/warning:")
    comparison: calibrators.Comparison = _once(
        ("compare", a.key, b.key, held_out.title, fingerprint(held_out.topics)),
        lambda: calibrators.compare(a.calibrator, b.calibrator, held_out.topics),
        f"Judging both on {held_out.title} …",
    )
    _compared(comparison, held_out, title(a), title(b))
    _decided(a, b, held_out)


def _pair(there: dict[str, ListedCalibrator], scenario: str) -> tuple[ListedCalibrator, ListedCalibrator]:
    left, right = st.columns(2, gap="medium")
    titles, second = {key: title(each) for key, each in there.items()}, list(there)[:2][-1]
    a = one_of("First calibrator", titles, at=left, key=f"{PREFIX}/0/{scenario}")
    b = one_of("Second calibrator", titles, at=right, first=second, key=f"{PREFIX}/1/{scenario}")
    return there[a], there[b]


def _held_out(store: Store, scenario: str) -> HeldOut | None:
    titles = {**calibrators.SHIPPED[scenario], UPLOADED: UPLOADED, SESSIONS: SESSIONS}
    where = one_of("Judged on", titles, key=f"{PREFIX}/where/{scenario}")
    if where == UPLOADED:
        lists = uploaded(PREFIX, scenario)
        return None if lists is None else HeldOut(f"{len(lists.topics):,} lists of yours", lists.topics)
    if where == SESSIONS:
        return _sessions(store, scenario)
    return calibrators.shipped(scenario, where)


def _sessions(store: Store, scenario: str) -> HeldOut | None:
    chosen = some_sessions(teaching(store), scenario, "Which sessions?", PREFIX)
    if not chosen:
        return None
    note("Only documents with a verdict count; what was not read is unlabelled, not irrelevant.")
    topics = tuple(session_list(standing.row, standing.state) for standing in chosen)
    simulated = any(standing.session.simulated for standing in chosen)
    return HeldOut(f"{len(chosen):,} finished sessions", topics, simulated=simulated)


def _once(asked: tuple[Any, ...], make: Any, words: str) -> Any:
    """What was asked for, computed once a browser tab."""

    def made() -> Any:
        with st.spinner(words):
            return make()

    return kept(f"{PREFIX}/kept", asked, made, KEPT)


def _compared(comparison: calibrators.Comparison, held_out: HeldOut, a: str, b: str) -> None:
    both = ((a, comparison.a), (b, comparison.b))
    figure(
        "two-reliabilities",
        "Whose chances come true?",
        two_reliabilities(comparison.a, comparison.b, (a, b), held_out.simulated, shell.dark()),
        calibrators.comparison_sentence(comparison, a, b),
        pd.concat(reliability_rows(quality).assign(calibrator=name) for name, quality in both),
        "tarstop-calibrators-compared",
    )
    if comparison.first_hits:
        note(
            "One of the two gives only the chance of a first hit, so both are judged by that: "
            "on each list up to its first relevant document."
        )
    table(
        measure_rows(comparison.measures),
        "Lower is better. Difference: second minus first, with a 95 % interval from a paired bootstrap over lists.",
    )


def measure_rows(measures: Sequence[calibrators.ComparedMeasure]) -> list[dict[str, str]]:
    def signed(value: float) -> str:
        return number(value).replace("-", "−")

    unknown = "one list: unknown"
    return [
        {
            "": measure.name,
            "first": signed(measure.a),
            "second": signed(measure.b),
            "difference": signed(measure.difference),
            "95 %": f"{signed(measure.low)} to {signed(measure.high)}"
            if np.isfinite(measure.low)
            else unknown,
            "clearly better": {"a": "first", "b": "second", "": "–"}[measure.better],
        }
        for measure in measures
    ]


def _decided(a: ListedCalibrator, b: ListedCalibrator, held_out: HeldOut) -> None:
    st.subheader("What it does to decisions")
    one, other, third = st.columns([1.3, 1, 1], gap="medium")
    titles = {name: titled(name) for name in advising_rules()}
    rule = one_of("Stopping rule", titles, at=one, **lasting(f"{PREFIX}/rule"))
    how: dict[str, Any] = {"default": 0.5, "required": True, "key": f"{PREFIX}/q", "format_func": percent}
    q_star = other.segmented_control("How sure before you act", Q_STARS, **how)
    how = {"key": f"{PREFIX}/cost", "format_func": "{:g}".format}
    cost = third.select_slider("Cost of one document", COSTS, 0.001, **how)
    other.caption(unbroken(f"Act only when more than {percent(q_star)} sure."))
    third.caption("Where both mistakes together cost 1.")
    policy, payoffs = POLICIES[rule](), Payoffs.from_q_star(q_star)
    outcome: calibrators.Decisions | None = _once(
        ("decide", a.key, b.key, rule, q_star, cost, held_out.title, fingerprint(held_out.topics)),
        lambda: calibrators.decisions(a.calibrator, b.calibrator, held_out, policy, payoffs, cost, 0.5),
        f"Stopping on {held_out.title} with both …",
    )
    if outcome is None:
        note(
            "Decisions need all labels of a list, and in a review the 2×2 tables behind them; these lists do not have "
            "them. “In a finished session” shows what a calibrator does to one session."
        )
        return
    st.write(shell.escape_markdown(calibrators.decisions_sentence(outcome, policy.title, title(a), title(b))))
    empty = f"; {outcome.empty:,} of them have nothing to find" if outcome.empty else ""
    caption = f"{outcome.cases:,} cases in paper mode, b₀ = 0.5{empty}. Net utility: higher is better."
    table(measure_rows(outcome.measures), caption)


def switched(store: Store) -> None:
    """Draw the part that replays a finished session with another calibrator."""
    there = {
        key: each for key, each in finished(store).items() if SCENARIOS[each.scenario].settings_class.weighs
    }
    if not there:
        no_sessions()
        return
    left, right = st.columns(2, gap="medium")
    session_id = one_of("Session", titles_of(there.values()), at=left, key=f"{PREFIX}/session")
    session = loaded(store, session_id)
    settings = session.state.settings
    own = session.calibrators[settings.calibrator]
    scored = session.row.scores is not None
    fit = fitting_calibrators(store, own.scenario, scored)
    others = {key: each for key, each in fit.items() if each.calibrator.digest != settings.calibrator}
    if not others:
        st.info("There is no other calibrator that fits this session; fit one first.", icon=":material/info:")
        return
    other_key = f"{PREFIX}/other/{own.scenario}/{scored}"
    titles = {key: title(each) for key, each in others.items()}
    other = others[one_of("Another calibrator", titles, at=right, key=other_key)]
    held, moved = with_calibrator(session, other.calibrator)
    sentence = switch_sentence(held, settings, moved, title(other))
    if not scenario_of(settings).verdicts_tell:
        _worth(held, settings, moved, sentence)
    else:
        _beliefs(held, settings, moved, sentence)
    if settings.scale != 1:
        note(
            f"In the session the chances were multiplied by {number(settings.scale)} at the end; the other calibrator’s "
            "chances are used unchanged."
        )
    for remark in other.calibrator.mismatch(session.row.scores, len(session.row.ids)):
        st.warning(shell.escape_markdown(remark), icon=":material/warning:")
    name = f"{session.row.name} ({other.name})"
    if st.button("Duplicate the session with it", icon=":material/content_copy:", key=f"{PREFIX}/duplicate"):
        with shell.problems_shown():
            made = duplicate(store, session.row.id, moved, name, other.calibrator)
            st.switch_page(shell.SESSIONS, query_params={CHOSEN: made})
    note("The duplicate has the labels, reports and notes; plan and decision stay with the original.")


def _beliefs(session: SessionSnapshot, settings: Settings, moved: Settings, sentence: str) -> None:
    curves = [("as it was", session, settings), (OTHER, session, moved)]
    rows = []
    for words, held, chosen in curves:
        read, chance = beliefs_read(held, chosen)
        rows.append(pd.DataFrame({"documents_read": read, "chance": chance, "calibrator": words}))
    drawing = belief_curves(curves, shell.dark())
    figure("switched", SWITCHED, drawing, sentence, pd.concat(rows), "tarstop-other-chances")


def _worth(session: SessionSnapshot, settings: Settings, moved: Settings, sentence: str) -> None:
    """In a review the calibrator moves what the next documents are worth, and not the belief."""
    both = [("as it was", worths(session, settings)), (OTHER, worths(session, moved))]
    lines = [(title, worth) for title, worth in both if worth is not None]
    if not lines:
        st.write(shell.escape_markdown(sentence))
        return
    at = (settings.cost, session.state.depth, settings.payoffs.unit)
    drawing = worth_figure(lines, *at, session.collection.simulated, shell.dark())
    rows = pd.concat(
        pd.DataFrame({"documents_read": range(len(worth)), "worth": worth, "calibrator": title})
        for title, worth in lines
    )
    figure("switched", SWITCHED, drawing, sentence, rows, "tarstop-other-chances")


def uploaded(prefix: str, scenario: str) -> Labelled | None:
    """Ask for labelled lists; kept for this tab, because uploads vanish on a visit to another page."""
    state = st.session_state
    ask_for_files(
        "Labelled lists: a table with labels each (CSV, Excel, RIS, …), or TREC runs with their qrels",
        accept_multiple_files=True,
        key=f"{prefix}/uploads",
        on_change=_take_files,
        args=(prefix,),
        help="A table keeps its order, or is ordered by its scores. Rows without a label count as unknown.",
    )
    files: list[tuple[str, bytes]] = state.get(f"{prefix}/files", [])
    if not files:
        return None
    if not state.get(f"{prefix}/uploads"):
        note(f"Still here: {', '.join(name for name, _ in files)}.")
    queries: dict[str, str] = {}
    kinds = {name: labelled_lists.kind_of(name, content) for name, content in files}
    if tables := [name for name, kind in kinds.items() if kind == labelled_lists.RECORDS]:
        with st.expander("Order the lists by likeness to a sentence instead"):
            for name in tables:
                queries[name] = st.text_input(
                    shell.escape_label(f"What {name} was searched for"),
                    **lasting(f"{prefix}/query/{name}"),
                    help="Empty: by its own scores, or as it stands. With a sentence: by BM25, as in a session.",
                )
    asked = (tuple(name for name, _ in files), tuple(queries.items()), scenario == INCLUSION)

    def read() -> Labelled:
        large = sum(len(content) for _, content in files) > LARGE_FILE
        job = (labelled_lists.read_labelled, files, queries, scenario == INCLUSION)
        return shown("These lists", "Reading and ordering the lists", *job, large=large)

    labelled = kept(f"{prefix}/read", asked, read)
    for sentence in labelled.notes:
        note(sentence)
    return labelled


def _take_files(prefix: str) -> None:
    state = st.session_state
    if files := files_given(f"{prefix}/uploads"):
        hold(prefix, [file.file_id for file in files])
        state[f"{prefix}/files"] = [(file.name, file.getvalue()) for file in files]
        state.pop(f"{prefix}/read", None)


def finished(store: Store) -> dict[str, SessionSummary]:
    """Sessions that were stopped, decided or read to the end, the last worked on first."""
    sessions = (*store.sessions(), *store.sessions(archived=True))
    labelled = [session for session in sessions if session.labelled]
    return {
        session.id: session
        for session in labelled
        if session.stopped or session.labelled == session.documents
    }


def teaching(store: Store) -> list[Standing]:
    """Finished sessions that teach something, without their texts; replayed again when something was recorded."""
    held: dict[str, Standing] = st.session_state.setdefault(STANDINGS, {})
    sessions = finished(store)
    for key, session in sessions.items():
        if key not in held or held[key].session.last_activity != session.last_activity:
            events, row = store.events(key), store.session(key)  # in this order: documents may join
            state = replay(row.settings, row.ids, events)
            held[key] = Standing(session, row.as_read(state), state)
    return [held[key] for key in sessions if teaches(held[key].state)]


def titles_of(sessions: Iterable[SessionSummary]) -> dict[str, str]:
    """What sessions are called in a list: names may repeat."""
    return {session.id: f"{session.name} · {clock(session.last_activity)}" for session in sessions}


def some_sessions(sessions: Sequence[Standing], scenario: str, asked: str, key: str) -> list[Standing]:
    """Ask for sessions that teach chances of a scenario; where there are none, say so."""
    offered = {
        standing.session.id: standing for standing in sessions if session_scenario(standing.state) == scenario
    }
    if not offered:
        no_sessions()
        return []
    titles = titles_of(standing.session for standing in offered.values())
    return [offered[name] for name in some_of(asked, titles, titles, key=f"{key}/sessions/{scenario}")]


def no_sessions() -> None:
    st.info(
        "No session here is finished yet. Screen one to its end, or start the demo from Home and press "
        "“Stop and decide”; then its labels can be used here.",
        icon=":material/info:",
    )
