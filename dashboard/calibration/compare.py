"""Two calibrators on the same lists, and what another one would have changed in a finished session."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.calibration.fit import finished, no_sessions, standings, titles_of, uploaded
from dashboard.frame import shell
from dashboard.frame.drawing import dark, figure, note, table
from dashboard.frame.widgets import lasting, one_of, some_of, switch
from dashboard.frame.work import kept
from dashboard.parts.chances import reliability_rows
from dashboard.parts.sessions import CHOSEN, loaded
from tarstop_core.calibration.figures import two_reliabilities, worth_figure
from tarstop_core.evaluation import calibrators
from tarstop_core.evaluation.calibrators import HeldOut
from tarstop_core.files.labelled_lists import fingerprint
from tarstop_core.policies import POLICIES
from tarstop_core.policies.registry import followed
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.compare import beliefs_read, duplicate, switch_sentence, with_calibrator, worths
from tarstop_core.sessions.figures import belief_curves
from tarstop_core.sessions.labelled import session_list, session_scenario
from tarstop_core.sessions.shelf import NAMES, Listed, fitting, title
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.whole import WholeSession
from tarstop_core.value.payoffs import Payoffs

PREFIX = "calibration_compare"
UPLOADED, SESSIONS = "lists you upload", "your finished sessions"
Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
KEPT = 12
SWITCHED = "The same labels, other chances"


def two(store: Store) -> None:
    """Draw the part that compares two on held-out lists."""
    scenario = switch("Chances", NAMES, **lasting(f"{PREFIX}/scenario"))
    there = fitting(store, scenario)
    a, b = _pair(there, scenario)
    held_out = _held_out(store, scenario)
    if held_out is None:
        return
    if a.key == b.key:
        st.info("Choose two different calibrators.", icon=":material/info:")
        return
    for said in calibrators.warnings((a.name, b.name), (a.calibrator, b.calibrator), held_out.topics):
        st.warning(shell.escape_markdown(said), icon=":material/warning:")
    found: calibrators.Comparison = _once(
        ("compare", a.key, b.key, held_out.title, fingerprint(held_out.topics)),
        lambda: calibrators.compare(a.calibrator, b.calibrator, held_out.topics),
        f"Judging both on {held_out.title} …",
    )
    _compared(found, held_out, title(a), title(b))
    _decided(a, b, held_out)


def _pair(there: dict[str, Listed], scenario: str) -> tuple[Listed, Listed]:
    left, right = st.columns(2, gap="medium")
    titles, second = {key: title(each) for key, each in there.items()}, list(there)[:2][-1]
    a = one_of("First calibrator", titles, at=left, key=f"{PREFIX}/0/{scenario}")
    b = one_of("Second calibrator", titles, at=right, first=second, key=f"{PREFIX}/1/{scenario}")
    return there[a], there[b]


def _held_out(store: Store, scenario: str) -> HeldOut | None:
    titles = {**calibrators.SHIPPED[scenario], UPLOADED: UPLOADED, SESSIONS: SESSIONS}
    where = one_of("Judged on", titles, key=f"{PREFIX}/where/{scenario}")
    if where == UPLOADED:
        found = uploaded(PREFIX, scenario)
        return None if found is None else HeldOut(f"{len(found.topics):,} lists of yours", found.topics)
    if where == SESSIONS:
        return _sessions(store, scenario)
    return calibrators.shipped(scenario, where)


def _sessions(store: Store, scenario: str) -> HeldOut | None:
    there = finished(store)
    states = standings(store, there)
    kinds = {key: session_scenario(state) for key, (_, state) in states.items()}
    titles = titles_of(told for key, told in there.items() if kinds.get(key) == scenario)
    if not titles:
        no_sessions()
        return None
    chosen = some_of("Which sessions?", titles, titles, key=f"{PREFIX}/sessions/{scenario}")
    if not chosen:
        return None
    note("Only documents with a verdict count; what was not read is unlabelled, not irrelevant.")
    topics = tuple(session_list(*states[each]) for each in chosen)
    simulated = any(there[each].simulated for each in chosen)
    return HeldOut(f"{len(chosen):,} finished sessions", topics, simulated=simulated)


def _once(asked: tuple[Any, ...], make: Any, words: str) -> Any:
    """What was asked for, computed once a browser tab."""

    def made() -> Any:
        with st.spinner(words):
            return make()

    return kept(f"{PREFIX}/kept", asked, made, KEPT)


def _compared(found: calibrators.Comparison, held_out: HeldOut, a: str, b: str) -> None:
    said = calibrators.comparison_sentence(found, a, b)
    rows = [reliability_rows(each).assign(calibrator=name) for name, each in ((a, found.a), (b, found.b))]
    figure(
        "two-reliabilities",
        "Whose chances come true?",
        two_reliabilities(found.a, found.b, (a, b), held_out.simulated, dark()),
        said,
        pd.concat(rows),
        "tarstop-calibrators-compared",
    )
    if found.first_hits:
        note(
            "One of the two gives the chance of a first hit only, so both are judged by that: on each list up to its "
            "first relevant document."
        )
    table(
        measure_rows(found.measures),
        "Lower is better. Difference: second minus first, with an interval of 95 % by a paired bootstrap over lists.",
    )


def measure_rows(measures: Sequence[calibrators.Measure]) -> list[dict[str, str]]:
    def signed(value: float) -> str:
        return number(value).replace("-", "−")

    unknown = "one list: unknown"
    return [
        {
            "": each.name,
            "first": signed(each.a),
            "second": signed(each.b),
            "difference": signed(each.difference),
            "95 %": f"{signed(each.low)} to {signed(each.high)}" if np.isfinite(each.low) else unknown,
            "clearly better": {"a": "first", "b": "second", "": "–"}[each.better],
        }
        for each in measures
    ]


def _decided(a: Listed, b: Listed, held_out: HeldOut) -> None:
    st.subheader("What it does to decisions")
    one, other, third = st.columns([1.3, 1, 1], gap="medium", vertical_alignment="bottom")
    titles = {name: POLICIES[name].title for name in followed()}
    rule = one_of("Stopping rule", titles, at=one, **lasting(f"{PREFIX}/rule"))
    how: dict[str, Any] = {"default": 0.5, "required": True, "key": f"{PREFIX}/q"}
    q_star = other.segmented_control("How sure before you act, q\\*", Q_STARS, **how)
    how = {"key": f"{PREFIX}/cost", "format_func": "{:g}".format}
    cost = third.select_slider("Cost of one document, c", COSTS, 0.001, **how)
    other.caption(f"Act only when more than {percent(q_star)} sure.")
    third.caption("Where both mistakes together cost 1.")
    policy, payoffs = POLICIES[rule](), Payoffs.from_q_star(q_star)
    found: calibrators.Decisions | None = _once(
        ("decide", a.key, b.key, rule, q_star, cost, held_out.title, fingerprint(held_out.topics)),
        lambda: calibrators.decisions(a.calibrator, b.calibrator, held_out, policy, payoffs, cost, 0.5),
        f"Stopping on {held_out.title} with both …",
    )
    if found is None:
        note(
            "Decisions need all labels of a list, and in a review the 2×2 tables behind them; these lists do not have "
            "them. What a calibrator does to one session shows under “In a finished session”."
        )
        return
    st.write(shell.escape_markdown(calibrators.decisions_sentence(found, policy.title, title(a), title(b))))
    empty = f"; {found.empty:,} of them hold nothing to find" if found.empty else ""
    said = f"{found.cases:,} cases in paper mode, b₀ = 0.5{empty}. Net utility: higher is better."
    table(measure_rows(found.measures), said)


def switched(store: Store) -> None:
    """Draw the part that replays a finished session with another calibrator."""
    there = finished(store)
    if not there:
        no_sessions()
        return
    left, right = st.columns(2, gap="medium")
    session_id = one_of("Session", titles_of(there.values()), at=left, key=f"{PREFIX}/session")
    session = loaded(store, session_id)
    settings = session.state.settings
    own = session.calibrators[settings.calibrator]
    scored = session.row.scores is not None
    fit = fitting(store, own.scenario, scored)
    others = {key: each for key, each in fit.items() if each.calibrator.digest != settings.calibrator}
    if not others:
        st.info("There is no other calibrator that fits this session; fit one first.", icon=":material/info:")
        return
    other_key = f"{PREFIX}/other/{own.scenario}/{scored}"
    titles = {key: title(each) for key, each in others.items()}
    other = others[one_of("Another calibrator", titles, at=right, key=other_key)]
    held, moved = with_calibrator(session, other.calibrator)
    said = switch_sentence(held, settings, moved, title(other))
    if not scenario_of(settings).verdicts_tell:
        _worth(held, settings, moved, title(other), said)
    else:
        _beliefs(held, settings, moved, other.name, said)
    if settings.scale != 1:
        note(
            f"In the session the chances were multiplied by {number(settings.scale)} at the end; with the other "
            "calibrator they are taken as it gives them."
        )
    for remark in other.calibrator.mismatch(session.row.scores, len(session.row.ids)):
        st.warning(shell.escape_markdown(remark), icon=":material/warning:")
    name = f"{session.row.name} ({other.name})"
    if st.button("Duplicate the session with it", icon=":material/content_copy:", key=f"{PREFIX}/duplicate"):
        with shell.problems_shown():
            made = duplicate(store, session.row.id, moved, name, other.calibrator)
            st.switch_page(shell.SESSIONS, query_params={CHOSEN: made})
    note("The duplicate takes over labels, reports and notes; plan and decision stay with the original.")


def _beliefs(session: WholeSession, settings: Settings, moved: Settings, name: str, said: str) -> None:
    curves = [("as it was", session, settings), (f"with {name}", session, moved)]
    rows = []
    for told, held, each in curves:
        read, chance = beliefs_read(held, each)
        rows.append(pd.DataFrame({"documents_read": read, "chance": chance, "calibrator": told}))
    drawing = belief_curves(curves, dark())
    figure("switched", SWITCHED, drawing, said, pd.concat(rows), "tarstop-other-chances")


def _worth(session: WholeSession, settings: Settings, moved: Settings, name: str, said: str) -> None:
    """In a review the calibrator moves what the next documents are worth, and not the belief."""
    both = [("as it was", worths(session, settings)), (f"with {name}", worths(session, moved))]
    lines = [(title, worth) for title, worth in both if worth is not None]
    if not lines:
        st.write(shell.escape_markdown(said))
        return
    at = (settings.cost, session.state.depth, settings.payoffs.unit)
    drawing = worth_figure(lines, *at, session.collection.simulated, dark())
    rows = pd.concat(
        pd.DataFrame({"documents_read": range(len(worth)), "worth": worth, "calibrator": title})
        for title, worth in lines
    )
    figure("switched", SWITCHED, drawing, said, rows, "tarstop-other-chances")
