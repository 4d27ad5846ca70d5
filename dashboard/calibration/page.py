"""The Calibration page: where chances come from, how well they did, and what other ones would change."""

import html
from collections.abc import Iterable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.calibration import compare as calibration_compare
from dashboard.calibration import fit as calibration_fit
from dashboard.calibration.fit import CHOSEN, SCENARIO, keep_and_show
from dashboard.frame import shell
from dashboard.frame.drawing import all_figures, beside_title, figure, note, offered, table
from dashboard.frame.markup import badges, lines
from dashboard.frame.widgets import (
    bound,
    bring_back,
    lasting,
    name_box,
    put_away,
    save_button,
    switch,
    tabs,
    undo_row,
    upload,
)
from dashboard.frame.work import button, clock, flash
from dashboard.parts.chances import first_hits, read, reliability, which
from dashboard.parts.sessions import file_stem
from tarstop_core.calibration.calibration_plot import (
    AHEAD,
    JUDGED,
    calibration_plot,
    calibration_plot_sentence,
    intervals_held,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.coverage import COMPLETE, DEPTH, share_without_hit
from tarstop_core.evaluation.reranking import READ
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, number, percent
from tarstop_core.samples.shipped import default_calibrator, reranked_calibration
from tarstop_core.sessions import calibrator_library
from tarstop_core.sessions.calibrator_library import CHANCE_OF, KIND_WORDS, ListedCalibrator
from tarstop_core.sessions.store.store import Store

PREFIX = "calibration"
UNDO = f"{PREFIX}/undo"
LEAD = "Calibrators turn a list’s scores or ranks into chances. Did such chances come true?"


def calibration_page() -> None:
    shell.opening("Calibration", LEAD)
    beside_title()
    flash()
    drawn = {
        "Calibrators": _calibrators,
        "Fit one": calibration_fit.part,
        "Compare two": calibration_compare.two,
        "In a finished session": calibration_compare.switched,
        "Lists that learn": _reranked_calibration,
    }
    tabs(drawn, shell.store(), **bound("part"))
    all_figures("tarstop-calibration")


def _calibrators(store: Store) -> None:
    undo_row(UNDO, named=True)
    scenario = switch("Chances for", calibrator_library.NAMES, **lasting(SCENARIO))
    there = calibrator_library.fitting_calibrators(store, scenario)
    usual = default_calibrator(True, scenario=scenario)
    _detail(store, which("Calibrator", there, usual, **lasting(CHOSEN)))
    with st.expander(f"All that give the chance {CHANCE_OF[scenario]}"):
        table(overview(there.values()), "Lower is better for Brier score and ECE; 0 is best.")
    _put_away(store)
    with st.expander("Upload a calibrator", icon=":material/upload:"):
        words = "A JSON file that “tarstop calibrate” or this page wrote"
        upload(words, lambda file: keep_and_show(store, read(file)), key=f"{PREFIX}/upload")


def _detail(store: Store, chosen: ListedCalibrator) -> None:
    calibrator = chosen.calibrator
    st.html(badges(calibrator.fitted_on.badge))
    places = list(st.columns(2, gap="large"))
    _drawn(calibrator, chosen.name, places)
    with places[0] if places else st.container():
        with st.expander("What it was fitted on"):
            body = lines(facts(chosen), linked=True)
            st.html(f'<div class="tar-others"><table><tbody>{body}</tbody></table></div>')
        _actions(store, chosen)


def facts(chosen: ListedCalibrator) -> list[tuple[str, str]]:
    """What a calibrator is and what it was fitted on: name and value."""
    calibrator, seen = chosen.calibrator, chosen.calibrator.fitted_on
    lists = f"{seen.topics:,} {seen.own or 'topics'}"
    rows = [
        ("Chance", CHANCE_OF[calibrator.scenario]),
        ("Kind", KIND_WORDS[calibrator.kind]),
        ("Fitted on", f"{lists}, {seen.documents:,} documents, {seen.relevant:,} relevant"),
        ("Data", "simulated: illustrative" if seen.simulated else "real"),
        ("Source", seen.source or "not said"),
        ("Fitted", clock(chosen.created) if chosen.created else "comes with TARstop"),
    ]
    if calibrator.kind == "frailty":
        rows.append(("Frailty shape a", number(calibrator.frailty)))
    if share := share_without_hit(calibrator, DEPTH, COMPLETE):
        rows.append(("Collections vary", "95 % of them probably lie in the band of the figure"))
        between = f"{percent(share.low)} to {percent(share.high)} in {percent(INTERVAL_LEVEL)} of collections"
        rows.append(
            (
                f"Nothing in the first {DEPTH}, although it exists",
                f"{percent(share.mean)} of lists, {between}",
            )
        )
    elif calibrator.kind not in ("hazard", "first-hit"):
        varies = "no more than chance explains"
        if calibrator.dispersion != float("inf"):
            varies = f"by a factor with standard deviation {number(calibrator.dispersion**-0.5)}"
        rows.append(("Lists vary", varies))
    return rows


def _drawn(calibrator: Calibrator, name: str, places: list[DeltaGenerator]) -> None:
    """When the first hit comes, and whether the chances came true, each in one of the places, which it takes."""
    stem = f"tarstop-calibration-{file_stem(name)}"
    if of_first_hits := calibrator.by_rank and calibrator.first_hits:
        with places.pop(0):
            first_hits("first-hits-chosen", calibrator, stem)
    if calibrator.quality is not None:
        with places.pop(0):
            reliability("reliability-chosen", calibrator.quality, calibrator.fitted_on.simulated, stem)
    elif not of_first_hits:
        note("It is unknown how well it does on other lists: there was no second list to judge it on.")


def overview(there: Iterable[ListedCalibrator]) -> list[dict[str, str]]:
    rows = ((entry, entry.calibrator.fitted_on, entry.calibrator.quality) for entry in there)
    return [
        {
            "name": entry.name,
            "kind": KIND_WORDS[entry.calibrator.kind],
            "data": "simulated" if seen.simulated else f"your {seen.own}" if seen.own else "real",
            "lists": f"{seen.topics:,}",
            "documents": f"{seen.documents:,}",
            "relevant": f"{seen.relevant:,}",
            "Brier": "–" if quality is None else number(quality.brier),
            "ECE": "–" if quality is None else number(quality.ece),
        }
        for entry, seen, quality in rows
    ]


def _actions(store: Store, chosen: ListedCalibrator) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text, file = chosen.calibrator.to_json(), f"{file_stem(chosen.name)}-{chosen.calibrator.kind}.json"
        with offered("This calibrator", "calibrator"):
            save_button("JSON", text, file, key=f"{PREFIX}/download")
        if chosen.own:
            away = partial(store.delete_calibrator, chosen.calibrator.digest)
            back = partial(store.restore_calibrator, chosen.calibrator.digest)
            what = (put_away, UNDO, chosen.name, "deleted", away, back)
            hint = "Takes it off the list. Sessions that use it keep it, and you can bring it back."
            button("Delete", *what, key=f"{PREFIX}/delete", icon=":material/delete:", help=hint)
    if chosen.own:
        rename = partial(store.rename_calibrator, chosen.calibrator.digest)
        name_box(chosen.name, rename, key=f"{PREFIX}/name/{chosen.key}")


def _reranked_calibration(_: Store) -> None:
    """How chances came out on real lists that learned from their labels."""
    note(
        "In a list that learns from labels, chances follow from the finds so far. Each line is a labelled set: what was forecast, and what was found."
    )
    left, middle, right = st.columns([1.3, 1.3, 1], gap="medium")
    judged = switch("Relevant", JUDGED, at=left, **lasting(f"{PREFIX}/judged"))
    aheads = {name: name.capitalize() for name in AHEAD}
    what = switch("How many are left", aheads, at=middle, default="all left", **lasting(f"{PREFIX}/ahead"))
    depths = {each: f"{each:,}" for each in READ}
    read = switch("Documents read", depths, at=right, default=100, **lasting(f"{PREFIX}/read"))
    chances = reranked_calibration()
    every = chances[chances["judged"] == judged]
    rows = every[(every["what"] == what) & (every["read"] == read)]
    figure(
        "came-out",
        f"Relevant among {AHEAD[what]}, said after {read} documents: {intervals_held(rows).sum()} of {len(rows)} held",
        calibration_plot(rows, dark=shell.dark()),
        f"{calibration_plot_sentence(rows, every)} Learned and judged on {chances['set'].nunique()} labelled sets, each judged by chances learned on the others; "
        "shorter ones end earlier.",
        rows,
        "tarstop-re-ranked",
    )
    st.caption(f"[Rules, stops and other measures]({shell.guide('reranked_chances')})")


def _put_away(store: Store) -> None:
    gone = calibrator_library.all_calibrators(store, deleted=True)
    if not gone:
        return
    with st.expander(f"Deleted ({len(gone):,})", icon=":material/delete:"):
        for deleted in gone.values():
            with st.container(horizontal=True, vertical_alignment="center", key=f"gone-{deleted.key}"):
                st.html(html.escape(calibrator_library.title(deleted)), width="stretch")
                back = partial(store.restore_calibrator, deleted.calibrator.digest)
                button("Bring back", bring_back, UNDO, back, deleted.name, key=f"back-{deleted.key}")
