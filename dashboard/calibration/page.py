"""The Calibration page: where chances come from, how well they did, and what other ones would change."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from dashboard.calibration import compare as calibration_compare
from dashboard.calibration import fit as calibration_fit
from dashboard.calibration.fit import SCENARIO
from dashboard.frame import shell
from dashboard.frame.scripts import FRAME, SAVE_SCRIPT
from dashboard.frame.work import attempt, clock, flash, say
from dashboard.parts.panels import figure, note, table
from dashboard.parts.whole_session import file_stem
from tarstop_core.calibration.calibrator import PATENT, Calibrator
from tarstop_core.calibration.figures import (
    come_by_rank,
    first_hit_figure,
    first_hit_sentence,
    quality_sentence,
    reliability_figure,
    reliability_sentence,
)
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import number
from tarstop_core.samples.shipped import default_calibrator
from tarstop_core.sessions.shelf import (
    CHANCE_OF,
    KIND_WORDS,
    NAMES,
    Listed,
    fitting,
    keep,
    listed,
    read,
    title,
)
from tarstop_core.sessions.store.store import Store

PREFIX = "calibration"
CHOSEN, UNDO = f"{PREFIX}/chosen", f"{PREFIX}/undo"
LEAD = (
    "Every advice rests on the chance that each document is relevant. A calibrator turns the scores or ranks of a list "
    "into such chances. Here you see what each was fitted on and whether its chances came true, fit one of your own, "
    "compare two, and see what another one would have changed."
)


def calibration_page() -> None:
    """Draw the page."""
    for name in ("forms.css", "evidence.css", "results.css"):
        st.html(FRAME / name)
    st.title("Calibration")
    st.html(f'<p class="tar-lead">{html.escape(LEAD)}</p>')
    flash()
    parts = {
        "Calibrators": _calibrators,
        "Fit one": calibration_fit.part,
        "Compare two": calibration_compare.two,
        "In a finished session": calibration_compare.switched,
    }
    tabs = st.tabs(list(parts), key="part", on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab, shell.problems_shown():
                draw(shell.store())
    st.html(SAVE_SCRIPT, unsafe_allow_javascript=True)


def _calibrators(store: Store) -> None:
    _undo(store)
    scenario = st.segmented_control(
        "Chances",
        list(NAMES),
        default=PATENT,
        required=True,
        format_func=NAMES.__getitem__,
        key=SCENARIO,
        persist_state="session",
    )
    there = fitting(store, scenario)
    keys = list(there)
    if st.session_state.get(CHOSEN) not in keys:
        usual = default_calibrator(True, scenario=scenario)
        st.session_state[CHOSEN] = usual if usual in keys else keys[0]
    chosen = there[
        st.selectbox(
            "Calibrator",
            keys,
            index=keys.index(st.session_state[CHOSEN]),
            format_func=lambda key: title(there[key]),
            key=CHOSEN,
            persist_state="session",
        )
    ]
    _detail(store, chosen)
    st.subheader(f"All that give the chance {CHANCE_OF[scenario]}")
    table(
        overview(list(there.values())),
        "Lower is better for Brier score and ECE; 0 is best.",
    )
    _put_away(store)
    _upload(store)


def _detail(store: Store, chosen: Listed) -> None:
    calibrator, seen = chosen.calibrator, chosen.calibrator.fitted_on
    st.html(f'<span class="tar-badge">{html.escape(seen.badge)}</span>')
    rows = facts(chosen)
    body = "".join(
        f'<tr><th scope="row">{shell.linked(name)}</th><td>{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    left, right = st.columns([1, 1.1], gap="large")
    with left:
        st.html(f'<div class="tar-others"><table><tbody>{body}</tbody></table></div>')
        _actions(store, chosen)
    with right:
        drawn(calibrator, chosen.name, "chosen")


def facts(chosen: Listed) -> list[tuple[str, str]]:
    """What a calibrator is and what it was fitted on: name and value.

    Parameters
    ----------
    chosen : Listed
    """
    calibrator, seen = chosen.calibrator, chosen.calibrator.fitted_on
    rows = [
        ("Chance", CHANCE_OF[calibrator.scenario]),
        ("Kind", KIND_WORDS[calibrator.kind]),
        (
            "Fitted on",
            f"{seen.topics:,} {seen.own or 'topics'}, {seen.documents:,} documents, {seen.relevant:,} relevant",
        ),
        ("Data", "simulated: illustrative" if seen.simulated else "real"),
        ("Source", seen.source or "not said"),
        ("Fitted", clock(chosen.created) if chosen.created else "comes with TARstop"),
    ]
    if calibrator.kind == "frailty":
        rows.append(("Frailty shape a", number(calibrator.frailty)))
    if calibrator.kind not in ("hazard", "first-hit"):
        varies = "no more than chance has it"
        if calibrator.dispersion != float("inf"):
            varies = f"by a factor with standard deviation {number(calibrator.dispersion**-0.5)}"
        rows.append(("Lists vary", varies))
    return rows


def drawn(calibrator: Calibrator, name: str, key: str) -> None:
    """The figure of a calibrator: did its chances come true, or when does the first hit come?"""
    dark = st.context.theme.type == "dark"
    stem = f"tarstop-calibration-{file_stem(name)}"
    simulated = calibrator.fitted_on.simulated
    if calibrator.kind == "first-hit":
        at, come, low, high = come_by_rank(calibrator)
        frame = pd.DataFrame({"rank": at, "first_hit_has_come": come, "low_95": low, "high_95": high})
        said = first_hit_sentence(calibrator)
        drawing = first_hit_figure(calibrator, dark=dark, simulated=simulated)
        figure(f"first-hits-{key}", "When the first hit comes", drawing, said, frame, stem)
    quality = calibrator.quality
    if quality is None:
        if calibrator.kind != "first-hit":
            note(
                "How well it does on lists it was not fitted on is not known: there was no second list to judge it on."
            )
        return
    note(quality_sentence(quality))
    if quality.reliability:
        frame = pd.DataFrame(quality.reliability, columns=["mean_chance", "share_relevant", "documents"])
        figure(
            f"reliability-{key}",
            "Did the chances come true?",
            reliability_figure(quality.reliability, simulated, dark),
            reliability_sentence(quality.reliability),
            frame,
            stem,
        )


def overview(there: list[Listed]) -> pd.DataFrame:
    """A row each, as text."""
    rows = []
    for each in there:
        seen, quality = each.calibrator.fitted_on, each.calibrator.quality
        rows.append(
            {
                "name": each.name,
                "kind": KIND_WORDS[each.calibrator.kind],
                "data": "simulated" if seen.simulated else f"your {seen.own}" if seen.own else "real",
                "lists": f"{seen.topics:,}",
                "documents": f"{seen.documents:,}",
                "relevant": f"{seen.relevant:,}",
                "Brier": "–" if quality is None else number(quality.brier),
                "ECE": "–" if quality is None else number(quality.ece),
            }
        )
    return pd.DataFrame(rows)


# --- keeping order --------------------------------------------------------------------------------------


def _actions(store: Store, chosen: Listed) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.download_button(
            "Download (JSON)",
            chosen.calibrator.to_json(),
            f"{file_stem(chosen.name)}-{chosen.calibrator.kind}.json",
            "application/json",
            key=f"{PREFIX}/download",
            on_click="ignore",
            icon=":material/download:",
        )
        if chosen.own:
            st.button(
                "Delete",
                key=f"{PREFIX}/delete",
                icon=":material/delete:",
                on_click=_delete,
                args=(store, chosen),
                help="Takes it off the list; sessions that use it keep it, and it can be brought back.",
            )
    if chosen.own:
        st.text_input(
            "Name",
            chosen.name,
            max_chars=120,
            key=f"{PREFIX}/name/{chosen.key}",
            on_change=_rename,
            args=(store, chosen),
        )


def _rename(store: Store, chosen: Listed) -> None:
    name = str(st.session_state[f"{PREFIX}/name/{chosen.key}"]).strip()
    if name:
        attempt(lambda: store.rename_calibrator(chosen.calibrator.digest, name))


def _delete(store: Store, chosen: Listed) -> None:
    attempt(lambda: store.delete_calibrator(chosen.calibrator.digest))
    st.session_state[UNDO] = (chosen.calibrator.digest, chosen.name)


def _undo(store: Store) -> None:
    last: tuple[str, str] | None = st.session_state.get(UNDO)
    if last is None:
        return
    digest, name = last
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="undo-row"):
        st.html(
            f'<div role="status">“{html.escape(name)}” was deleted. Nothing of it is lost.</div>',
            width="stretch",
        )
        st.button("Undo", key=f"{PREFIX}/take_back", on_click=_restore, args=(store, digest, name))


def _restore(store: Store, digest: str, name: str) -> None:
    attempt(lambda: store.restore_calibrator(digest))
    st.session_state.pop(UNDO, None)
    say(f"{name} is back.")


def _put_away(store: Store) -> None:
    gone = listed(store, deleted=True)
    if not gone:
        return
    with st.expander(f"Deleted ({len(gone):,})", icon=":material/delete:"):
        for each in gone.values():
            with st.container(horizontal=True, vertical_alignment="center", key=f"gone-{each.key}"):
                st.html(html.escape(title(each)), width="stretch")
                st.button(
                    "Bring back",
                    key=f"back-{each.key}",
                    on_click=_restore,
                    args=(store, each.calibrator.digest, each.name),
                )


def _upload(store: Store) -> None:
    with st.expander("Upload a calibrator", icon=":material/upload:"):
        st.file_uploader(
            "A JSON file that “tarstop calibrate” or this page wrote",
            type=["json"],
            key=f"{PREFIX}/upload",
            on_change=_take_in,
            args=(store,),
        )
        problem = st.session_state.get(f"{PREFIX}/upload_problem")
        if problem:
            shell.problem_box(problem)


def _take_in(store: Store) -> None:
    state = st.session_state
    state[f"{PREFIX}/upload_problem"] = ""
    upload = state[f"{PREFIX}/upload"]
    if upload is None:
        return
    try:
        taken = read(upload.name, upload.getvalue())
        state[CHOSEN] = keep(store, taken)
        state[SCENARIO] = taken.scenario
        say(f"Kept: {taken.fitted_on.name}.")
    except InputProblem as problem:
        state[f"{PREFIX}/upload_problem"] = str(problem)
