"""Fit a calibrator of your own: from labelled lists, from finished sessions, or from memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.calibration.compare import Standing, no_sessions, some_sessions, teaching, uploaded
from dashboard.frame.drawing import note
from dashboard.frame.markup import badges
from dashboard.frame.widgets import lasting, named, one_of, radio, switch
from dashboard.frame.work import button, say
from dashboard.parts.chances import first_hits, reliability
from tarstop_core.calibration import first_hit
from tarstop_core.calibration.calibrator import BY_RANK, INCLUSION, KINDS, PATENT, REVIEW, Calibrator
from tarstop_core.calibration.figures import moved_sentence, share_sentence
from tarstop_core.calibration.fitting import cross_validate, fit, usable
from tarstop_core.calibration.rank_frailty import from_cases
from tarstop_core.documents.topic import Topic
from tarstop_core.files import labelled_lists
from tarstop_core.files.labelled_lists import fingerprint
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.sessions.calibrator_library import (
    CHANCE_OF,
    KIND_WORDS,
    keep,
    session_case,
    session_list,
    session_scenario,
)
from tarstop_core.sessions.store.store import Store

PREFIX = "calibration_fit"
SCENARIO, CHOSEN = "calibration/scenario", "calibration/chosen"
"""What the page looks at: patent searches or reviews, and which calibrator."""
ASIDE = " It is offered when you set up a session."
WAYS = {"files": "Labelled lists", "sessions": "My sessions", "memory": "Memory"}
SCENARIOS = {
    PATENT: "relevant patents (one decides)",
    INCLUSION: "included by title and abstract",
    REVIEW: "brings data for the outcome",
}
OF_SESSIONS = {PATENT: "patent searches", INCLUSION: "reviews in two stages", REVIEW: "reviews in one stage"}
EXAMPLE = "for example:\n4\n17\nnone in 60\n2"
GRAMMAR = """One case a line:
- “4”: the first relevant document stood at rank 4.
- “none in 60”: you stopped after 60 without one, and never learned whether there was any.
- “missed in 60”: there was one, but not among the first 60.
- “none at all”: there was nothing to find."""
ONE_LIST = (
    "With only one list, none could be held out: the calibrator fits this list by construction, and it is unknown how well it does "
    "on the next. Two or more lists are judged by leaving each out."
)
UPDATING = "what is included, updated by these"
DO = {"update": "Update what is included", "alone": "Stand alone"}
MODEL = Path(__file__).with_name("model.md")


@dataclass(frozen=True, eq=False)
class Fitted:
    calibrator: Calibrator
    remarks: tuple[str, ...] = ()
    posterior: first_hit.FirstHits | None = None
    cases: tuple[first_hit.PastCase, ...] = ()  # What the curve was learned from, to be drawn below it


def part(store: Store) -> None:
    usual = "memory" if st.session_state.get(SCENARIO, PATENT) == PATENT else "files"
    way = switch("From what?", WAYS, default=usual, **lasting(f"{PREFIX}/way"))
    fitted = {"files": _from_files, "sessions": _from_sessions, "memory": _from_memory}[way](store)
    if fitted is not None:
        _shown(store, fitted)


def _from_files(store: Store) -> Fitted | None:
    key = f"{PREFIX}/files/scenario"
    scenario = radio("What do the labels say?", SCENARIOS, horizontal=True, key=key)
    if (lists := uploaded(PREFIX, scenario)) is None:
        return None
    return _of_lists("files", "lists", "my labelled lists", lists.topics, scenario, lists.digests)


def _of_lists(
    way: str,
    own: str,
    suggested: str,
    topics: Sequence[Topic],
    scenario: str,
    digests: tuple[str, ...],
    simulated: bool = False,
) -> Fitted | None:
    """Fit when the button is pressed; what was fitted stays until something else is asked for."""
    scored = all(topic.scores is not None for topic in topics)
    kinds = [kind for kind in KINDS if (scored or kind in BY_RANK)]
    if scenario != PATENT:
        kinds = [kind for kind in kinds if kind in ("marginal", "rank")]
    # For searches first what is included, updated by these lists: few of your own are enough.
    kinds.sort(key=lambda kind: kind != "rank-frailty")
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    words = {kind: UPDATING if kind == "rank-frailty" else KIND_WORDS[kind] for kind in kinds}
    hint = "From scores where lists are ordered by the same kind of score; from ranks where they are not."
    kind = one_of("Kind", words, at=left, key=f"{PREFIX}/{way}/kind", help=hint)
    with right:
        name = _name(way, suggested)
    asked, key = (fingerprint(topics), kind, scenario, name), f"{PREFIX}/{way}/fitted"
    if st.button("Fit", type="primary", key=f"{PREFIX}/{way}/fit"):
        st.session_state[key] = asked, _fit(topics, kind, scenario, name, own, digests, simulated)
    held, fitted = st.session_state.get(key, (None, None))
    return fitted if held == asked else None


def _name(way: str, suggested: str) -> str:
    typed = st.text_input("Name of these cases", suggested, key=f"{PREFIX}/{way}/name")
    return named(typed) or suggested


def _fit(
    topics: Sequence[Topic],
    kind: str,
    scenario: str,
    name: str,
    own: str,
    lists: tuple[str, ...],
    simulated: bool,
) -> Fitted:
    """Fit on the lists, and judge by leaving lists out where there are two or more."""
    # As for those that are included: no step learned from a handful of documents may claim certainty.
    settings: dict[str, Any] = {"kind": kind, "scenario": scenario, "pseudo": 1.0}
    if kind == "rank-frailty":
        settings["start"] = included()
    more = f" and {len(topics) - 6:,} more" if len(topics) > 6 else ""
    source = ", ".join(topic.name for topic in topics[:6]) + more
    about: dict[str, Any] = {"name": name, "own": own, "lists": lists, "simulated": simulated}
    with st.spinner(f"Fitting on {len(topics):,} {'list' if len(topics) == 1 else 'lists'} …"):
        calibrator = fit(topics, **settings, **about, source=source)
        used = len(usable(topics, scenario, calibrator.kind))
        if used >= 2:
            calibrator = replace(calibrator, quality=cross_validate(topics, **settings))
    remarks, left = [], len(topics) - used
    if used == 1:
        remarks.append(ONE_LIST)
    elif used < 10:
        remarks.append(f"{used} lists are few: these figures may be quite different for the next ones.")
    if scenario == PATENT and left:
        were = f"{left:,} without anything relevant {'was' if left == 1 else 'were'} left out"
        remarks.append(f"{were}: these chances assume that there is something to find.")
    if kind == "rank-frailty":
        remarks.append(moved_sentence(included(), calibrator))
    return Fitted(calibrator, tuple(remarks))


def _from_sessions(store: Store) -> Fitted | None:
    sessions = teaching(store)
    if not sessions:
        no_sessions()
        return None
    taught = {session_scenario(standing.state) for standing in sessions}
    offered = {name: words for name, words in OF_SESSIONS.items() if name in taught}
    scenario = radio("Sessions", offered, horizontal=True, key=f"{PREFIX}/sessions/scenario")
    chosen = some_sessions(sessions, scenario, "Which of them?", PREFIX)
    if simulated := any(standing.session.simulated for standing in chosen):
        note("Documents of the samples are simulated, so a calibrator fitted on them is illustrative.")
    if not chosen:
        note("Choose at least one session.")
        return None
    if scenario == PATENT:
        return _of_patent_sessions(chosen, simulated)
    note(
        "A document counts if you gave a verdict. Documents you did not read are "
        "unlabelled, not irrelevant. Unsure ones are left out."
    )
    topics = [session_list(standing.row, standing.state) for standing in chosen]
    digests = tuple(map(labelled_lists.list_digest, topics))
    return _of_lists("sessions", "sessions", "my sessions", topics, scenario, digests, simulated)


def _of_patent_sessions(chosen: Sequence[Standing], simulated: bool) -> Fitted | None:
    """One relevant document ends a search, so a session says when the first hit came, or how long none did."""
    cases = [session_case(standing.state) for standing in chosen]
    used = [case for case in cases if case is not None]
    if len(used) < len(cases):
        note(
            f"{len(cases) - len(used):,} left out: not read in the order of the ranks, read beyond rank {first_hit.DEEPEST:,}, or a hit "
            "still waits for confirmation."
        )
    note(
        f"A search ends at its first hit, so each session counts as one case: {', '.join(map(str, used))}. A search that stopped without a hit is censored: none among the documents read, "
        "and it is unknown whether there was any."
    )
    lists = tuple(standing.row.digest for standing in chosen)
    return _of_cases(used, _name("sessions", "my sessions"), simulated, "sessions", lists)


def _from_memory(store: Store) -> Fitted | None:
    st.write(
        "Only for patent searches, which end at their first hit: what do you remember of past searches? "
        "Ranks are enough; every case sharpens the curve below."
    )
    left, right = st.columns([1, 1.2], gap="large")
    with left:
        st.text_area(
            "Past cases", key=f"{PREFIX}/cases", height=190, placeholder=EXAMPLE, persist_state="session"
        )
        st.caption(GRAMMAR)
    with right:
        outcome = one_of("Or add one", first_hit.MEANING, key=f"{PREFIX}/outcome")
        how: dict[str, Any] = {"key": f"{PREFIX}/rank", "disabled": outcome == "none"}
        rank = st.number_input("Rank, or documents read", 1, 100_000, 10, **how)

        def add() -> None:
            lines = str(st.session_state.get(f"{PREFIX}/cases") or "").rstrip()
            case = first_hit.SHORT[outcome].format(at=int(rank))
            st.session_state[f"{PREFIX}/cases"] = f"{lines}\n{case}" if lines else case

        button("Add this case", add, key=f"{PREFIX}/add", icon=":material/add:")
    name = _name("memory", "my past searches")
    text = str(st.session_state.get(f"{PREFIX}/cases") or "")
    if not text.strip():
        note("Before any case, anything is possible: enter two or three, and the curve appears.")
        return None
    return _of_cases(first_hit.read_cases(text), name, False, "cases", ())


def _of_cases(
    cases: Sequence[first_hit.PastCase], name: str, simulated: bool, own: str, lists: tuple[str, ...]
) -> Fitted:
    alone = switch("What do they do?", DO, default="update", **lasting(f"{PREFIX}/{own}/alone")) == "alone"
    hits = any(case.outcome == "hit" for case in cases)
    posterior = first_hit.fit_first_hits(cases) if alone or hits else None
    remarks = [share_sentence(posterior)] if posterior is not None else []
    if not alone:
        start = included()
        calibrator = from_cases(start, cases, name, simulated, own, lists)
        remarks.append(moved_sentence(start, calibrator))
        return Fitted(calibrator, tuple(remarks), cases=tuple(cases))
    assert posterior is not None
    calibrator = first_hit.first_hit_calibrator(posterior, name, simulated, own, lists)
    if len(cases) < 5:
        remarks.append(
            f"{len(cases)} {'case is' if len(cases) == 1 else 'cases are'} few: much of the curve is still the prior (a hit "
            "within the first ten, and how fast hits grow rarer, anything between nothing and all being equally likely)."
        )
    return Fitted(calibrator, tuple(remarks), posterior, posterior.cases)


def included() -> Calibrator:
    """What is known of searches before your own are looked at."""
    return calibrators()[default_calibrator(False)]


def _shown(store: Store, fitted: Fitted) -> None:
    calibrator = fitted.calibrator
    seen = calibrator.fitted_on
    st.html(badges(seen.badge))
    if fitted.cases or calibrator.list_kinds:
        first_hits("fitted-first-hits", calibrator, "tarstop-fitted", fitted.cases)
    if calibrator.quality is not None:
        reliability("fitted-reliability", calibrator.quality, seen.simulated, "tarstop-fitted")
    for remark in fitted.remarks:
        note(remark)
    note(
        f"It gives the chance {CHANCE_OF[calibrator.scenario]}, {KIND_WORDS[calibrator.kind]}; learned from "
        f"{seen.documents:,} documents, {seen.relevant:,} of them relevant."
    )
    if fitted.posterior is not None:
        with st.expander("The model and its prior"):
            st.markdown(MODEL.read_text(encoding="utf-8"))
    how: dict[str, Any] = {"icon": ":material/save:", "type": "primary" if fitted.cases else "secondary"}
    button("Keep this calibrator", keep_and_show, store, calibrator, ASIDE, key=f"{PREFIX}/keep", **how)


def keep_and_show(store: Store, calibrator: Calibrator, aside: str = "") -> None:
    """Keep it in the store, and choose it on the page."""
    st.session_state[CHOSEN] = keep(store, calibrator)
    st.session_state[SCENARIO] = calibrator.scenario
    say(f"Kept: {calibrator.fitted_on.name}.{aside}")
