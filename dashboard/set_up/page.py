"""The Set up page: five steps from top to bottom, each with something sensible in it already."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import FRAME
from dashboard.frame.widgets import explained, hundredths, switch
from dashboard.frame.work import REVIEWER, go_to, kept
from dashboard.parts import application as own_application
from dashboard.parts import chances, documents, review_settings, stakes
from dashboard.set_up import came_along
from dashboard.set_up.came_along import Arranged
from dashboard.set_up.order import PREFIX, _ranking, chosen_order
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.files import FORMATS
from tarstop_core.presentation.numbers import amount
from tarstop_core.ranking.order import Ranking
from tarstop_core.samples.shipped import data_share
from tarstop_core.screening.advice import advise
from tarstop_core.screening.explain import Explanation, explain
from tarstop_core.screening.fold import replay
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.create import Documents, Plan, create
from tarstop_core.value.stakes import START

SCENARIO = f"{PREFIX}/scenario"
SCENARIOS = {
    "patent": ("Patent prior art", "One document decides."),
    "review": ("Diagnostic-accuracy review", "2×2 tables of many studies add up."),
}
NAMES: dict[str, dict[str, tuple[str, str]]] = {
    "patent": {
        "Examiner: Reject or Grant": ("Reject", "Grant"),
        "Applicant: Don’t file or File": ("Don’t file", "File"),
    },
    "review": {"Adopt or Don’t adopt": ("Adopt", "Don’t adopt")},
}
OWN_WORDS = "In my own words"
DECIDES = {
    "patent": "Patent prior art: one document decides.",
    "review": "Diagnostic-accuracy review: 2×2 tables add up.",
}
WHEN = {
    "patent": ("if prior art exists", "if none exists"),
    "review": ("if sensitivity is high enough", "if it is not"),
}


def set_up_page() -> None:
    """Draw the page."""
    st.html(FRAME / "forms.css")
    st.title("Set up a session")
    scenario = _scenario()
    sample = documents.SAMPLE_WORDS[scenario].removeprefix("A ")
    lead = st.empty()
    problems: list[str] = []

    _step(1, "Documents")
    chosen = documents.choose(scenario, scenario == "review" and review_settings.stages_chosen() == 2)
    ready = (
        f"The {sample} is ready to start; for your own documents, go" if chosen and chosen.simulated else "Go"
    )
    lead.caption(
        f"{ready} from top to bottom. [Which files, and what is read in them?]({shell.guide('own_data')})"
    )
    if chosen is None:
        st.info(f"Choose files above to go on, or take a {sample}.", icon=":material/arrow_upward:")
        return

    came_along.announce(chosen)
    asked = own_application.ask(chosen, problems) if scenario == "patent" else None

    _step(2, "Order")
    order = chosen_order(chosen)
    arranged, query = _ranking(chosen, order, scenario, problems, asked)
    ranking = None if arranged is None else arranged.ranked

    _step(3, "What is at stake")
    plus, minus = _actions(scenario, problems)
    start = Settings(START.payoffs, START.cost, plus=plus, minus=minus)
    if asked is not None:
        start = replace(start, application=asked.application)
    settings = _review_stakes(start, problems) if scenario == "review" else _stakes(start, problems)

    _step(4, "Chances")
    settings, calibrator = _chances(settings, ranking, has_scores=order != "own", sample=chosen.simulated)

    _step(5, "Start")
    _start(chosen, arranged, query, settings, calibrator, problems)


def _step(number: int, words: str) -> None:
    st.html('<div class="tar-step"></div>')
    st.header(f"{number} · {words}")


def _scenario() -> str:
    """Ask which kind of question it is; the URL carries it, so that a link can."""
    linked = st.query_params.get("scenario")
    if SCENARIO not in st.session_state and linked in SCENARIOS:
        st.session_state[SCENARIO] = linked
    scenario = explained(
        "What do you screen for?", SCENARIOS, horizontal=True, key=SCENARIO, persist_state="session"
    )
    if scenario == "review":
        st.query_params["scenario"] = scenario
    else:
        st.query_params.pop("scenario", None)
    return scenario


# --- stakes and chances -------------------------------------------------------------------------


def _actions(scenario: str, problems: list[str]) -> tuple[str, str]:
    prefix, names = PREFIX if scenario == "patent" else review_settings.PREFIX, NAMES[scenario]
    st.markdown(f"**{DECIDES[scenario]}** What are the two actions called?")
    chosen = switch(
        "The two actions",
        {name: name for name in (*names, OWN_WORDS)},
        key=f"{prefix}/actions",
        persist_state="session",
        label_visibility="collapsed",
    )
    if chosen != OWN_WORDS:
        return names[chosen]
    left, right = st.columns(2, gap="medium")
    typed = []
    for column, when, name, word in zip(
        (left, right), WHEN[scenario], ("plus", "minus"), next(iter(names.values())), strict=True
    ):
        words = column.text_input(
            f"{when.capitalize()}, you would",
            word,
            max_chars=40,
            key=f"{prefix}/{name}",
            persist_state="session",
        ).strip()
        if not words:
            problems.append(f"The action {when} has no name; give it one.")
        typed.append(words)
    return typed[0] or "a⁺", typed[1] or "a⁻"


def _stakes(start: Settings, problems: list[str]) -> Settings:
    panel = stakes.panel(f"{PREFIX}/stakes", replace(start, needs_citation=_needs_citation()))
    problems += panel.problems
    return replace(start, payoffs=panel.stakes.payoffs, cost=panel.stakes.cost)


def _review_stakes(start: Settings, problems: list[str]) -> Settings:
    left, right = st.columns(2, gap="large")
    with left:
        theta = review_settings.theta(start.plus)
    with right:
        stages = review_settings.stages()
    start = replace(
        start, scenario="review", theta=theta, stages=stages, needs_citation=False, confirm_hits=False
    )
    panel = stakes.panel(f"{review_settings.PREFIX}/stakes", start)
    problems += panel.problems
    settings = replace(start, payoffs=panel.stakes.payoffs, cost=panel.stakes.cost)
    if stages == 2:
        settings = replace(settings, full_cost=review_settings.full_cost(settings))
    return settings


def _needs_citation() -> bool:
    """As it stands further down the page: it changes what follows from the stakes."""
    state = st.session_state
    paper = bool(state.get(f"{PREFIX}/paper", False))
    return bool(state.get(f"{PREFIX}/needs_citation", True)) and not paper


def _chances(
    settings: Settings, ranking: Ranking | None, has_scores: bool, sample: bool
) -> tuple[Settings, Calibrator | None]:
    left, right = st.columns(2, gap="large")
    with left:
        b_0 = (review_settings if settings.review else chances).starting_chance(settings)
        if settings.review and settings.stages == 2:
            share = review_settings.data_share(data_share(simulated=sample), simulated=sample)
            settings = replace(settings, data_share=share)
        policy = chances.policy(settings.review)
    with right:
        calibrator = chances.calibrator(ranking, has_scores, sample, _predicted(settings))
    settings = replace(settings, b_0=b_0, policy=policy.spec)
    if calibrator is not None:
        settings = replace(settings, calibrator=calibrator.digest)
    with st.expander("More assumptions"):
        settings = review_settings.more(settings) if settings.review else _more(settings)
    return settings, calibrator


def _predicted(settings: Settings) -> str:
    """What the chances of the documents are chances of."""
    if not settings.review:
        return "patent"
    return "inclusion" if settings.stages == 2 else "review"


def _more(settings: Settings) -> Settings:
    paper = st.toggle(
        "Paper mode: none of these",
        key=f"{PREFIX}/paper",
        persist_state="session",
        help=f"{shell.term('paper-mode', 'As in the published experiments')}: no citation needed, every hit counts at once, the list is "
        "complete and every relevant document is recognised.",
    )
    plus = shell.escape_label(settings.plus)
    left, right = st.columns(2, gap="large")

    def how(name: str) -> dict[str, Any]:
        return {"key": f"{PREFIX}/{name}", "persist_state": "session", "disabled": paper}

    needs_citation = left.toggle(
        f"“{plus}” needs a document to cite",
        value=True,
        **how("needs_citation"),
        help=f"Before such a document is found, only the other action is {shell.term('citation', 'open to you')}.",
    )
    confirm_hits = right.toggle(
        "A hit counts only once you confirm it",
        value=True,
        **how("confirm_hits"),
        help=f"Until a hit is {shell.term('confirmed', 'confirmed')} you are shown what follows if it holds and if it does not.",
    )
    kappa = hundredths(
        "Chance that it is in this list, if it exists",
        100,
        low=5,
        high=100,
        at=left,
        step=5,
        **how("kappa"),
        help=f"{shell.term('kappa', 'κ (coverage)')}: could the prior art be missing from this list?",
    )
    left.caption(
        f"κ = {kappa / 100:.2f}: of 100 existing documents of this kind the list would hold {kappa}."
    )
    s = hundredths(
        "Chance that you recognise it on reading",
        100,
        low=5,
        high=100,
        at=right,
        step=5,
        **how("s"),
        help=f"{shell.term('reading', 's (sensitivity of one reading)')}: would you recognise a relevant document?",
    )
    right.caption(f"s = {s / 100:.2f}: of 100 relevant documents you would recognise {s} on reading them.")
    if paper:
        return settings.paper_mode()
    return replace(
        settings, needs_citation=needs_citation, confirm_hits=confirm_hits, kappa=kappa / 100, s=s / 100
    )


# --- start --------------------------------------------------------------------------------------


def _start(
    chosen: Documents,
    arranged: Arranged | None,
    query: str,
    settings: Settings,
    calibrator: Calibrator | None,
    problems: list[str],
) -> None:
    state = st.session_state
    ranking = None if arranged is None else arranged.screened
    left, right = st.columns(2, gap="large")
    name = left.text_input(
        "Name of the session",
        session_name(chosen.name),
        max_chars=120,
        key=f"{PREFIX}/name/{chosen.key}",
        persist_state="session",
    )
    state[REVIEWER] = right.text_input(
        "Your name, recorded with every label",
        state.get(REVIEWER, ""),
        max_chars=80,
        key=f"{PREFIX}/reviewer",
        persist_state="session",
        placeholder="May stay empty",
    )
    register = st.checkbox(
        "Register this as my plan",
        key=f"{PREFIX}/register",
        persist_state="session",
    )
    frozen = "rule, q\\*, cost, starting chance, calibrator"
    if settings.review:
        frozen = "rule, θ, q\\*, costs, starting chance, prior, calibrator"
    st.caption(
        f"A registered plan freezes {frozen} and the list of documents; from then on a moved slider is a what-if, until "
        "you confirm it as a deviation and say why."
    )
    if not name.strip():
        problems.append("The session has no name; give it one.")
    if calibrator is None and ranking is not None:
        problems.append("No calibrator is chosen; upload one under Chances.")
    if arranged is not None and calibrator is not None and not problems:
        if arranged.choice == "replay":
            came_along.show_replay(arranged, settings, calibrator)
        _told_first(chosen, arranged, settings, calibrator)
    with st.bottom:
        said, button = st.columns([4, 1.2], vertical_alignment="center")
        said.html(
            f'<div class="tar-meta tar-summary">{html.escape(_summary(chosen, settings, ranking))}</div>'
        )
        pressed = button.button("Start", type="primary", key=f"{PREFIX}/start", width="stretch")
        if pressed and problems:
            shell.problem_box(problems[0])
    if pressed and not problems and arranged is not None and ranking is not None and calibrator is not None:
        plan = Plan(
            name.strip(),
            str(state[REVIEWER]),
            chosen,
            ranking,
            query,
            calibrator,
            settings,
            register,
            arranged.events,
        )
        with shell.problems_shown():
            session = create(shell.store(), plan)
            _forget()
            go_to(session)


def session_name(documents_name: str) -> str:
    """What a session on these documents is called to begin with.

    Examples
    --------
    >>> session_name("CD008691.jsonl.gz"), session_name("a.csv and 2 more"), session_name("Door lock")
    ('CD008691', 'a.csv and 2 more', 'Door lock')
    """
    stem = documents_name.removesuffix(".gz")
    suffixes = {suffix for each in FORMATS for suffix in each.suffixes} | {".txt"}
    return Path(stem).stem if Path(stem).suffix.lower() in suffixes else documents_name


def _summary(chosen: Documents, settings: Settings, ranking: Ranking | None) -> str:
    cost = amount(settings.cost, settings.payoffs.unit)
    theta = f"θ {settings.theta:.2f} · " if settings.review else ""
    q_star = f"q* {settings.payoffs.q_star:.2f}"
    count = len(chosen.frame) if ranking is None else len(ranking)
    return f"{chosen.name} · {count:,} documents · {theta}{q_star} · cost {cost}"


def _told_first(chosen: Documents, arranged: Arranged, settings: Settings, calibrator: Calibrator) -> None:
    """The first advice, so that a person sees what the settings come to."""
    ranking = arranged.screened

    def advised() -> Explanation:
        ids = chosen.frame["id"].to_numpy()[ranking.order].tolist()
        start = replay(settings, ids, arranged.events)
        p = calibrator.probabilities(ranking.scores, start.ranked)
        return explain(advise(settings, calibrator, p, start), settings)

    said = kept(f"{PREFIX}/told", (settings, ranking), advised)
    st.html(
        '<div class="tar-meta">With these settings the first advice is</div>'
        f'<div data-testid="first-advice"><strong>{html.escape(said.word)}</strong> · {html.escape(said.sentence)}</div>'
    )


def _forget() -> None:
    """The next session begins anew; what a person is called and screens for stays."""
    for key in list(st.session_state):
        if str(key).startswith(f"{PREFIX}/") and key not in (SCENARIO, f"{PREFIX}/reviewer"):
            del st.session_state[key]
