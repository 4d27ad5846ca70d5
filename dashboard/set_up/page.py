"""The Set up page: five steps from top to bottom, each with something sensible in it already."""

import html
from dataclasses import replace
from pathlib import Path

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import FRAME
from dashboard.frame.widgets import explained, lasting, switch
from dashboard.frame.work import REVIEWER, flash, go_to, kept
from dashboard.parts import chances, documents
from dashboard.set_up import auditing, came_along
from dashboard.set_up.came_along import Arranged
from dashboard.set_up.forms.base import Form
from dashboard.set_up.forms.named import form_of
from dashboard.set_up.order import PREFIX, _ranking, chosen_order
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.files import FORMATS
from tarstop_core.presentation.numbers import amount
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.advice import advise
from tarstop_core.screening.explain import Explanation, explain
from tarstop_core.screening.fold import replay
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.named import SCENARIOS, scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.create import Documents, Plan, create
from tarstop_core.value.stakes import START

SCENARIO = f"{PREFIX}/scenario"
OWN_WORDS = "In my own words"


def set_up_page() -> None:
    st.html(FRAME / "forms.css")
    st.title("Set up a session")
    flash()
    scenario = _scenario()
    form, sample = form_of(scenario), f"sample {scenario.sample}"
    lead = st.empty()
    problems: list[str] = []

    _step(1, "Documents")
    chosen = documents.choose(scenario, form.judges_abstracts())
    ready = (
        f"The {sample} is ready to start; for your own documents, go" if chosen and chosen.simulated else "Go"
    )
    lead.caption(
        f"{ready} from top to bottom. [Which files, and what is read in them?]({shell.guide('own_data')})"
    )
    if chosen is None:
        instead = f", or take a {sample}" if scenario.sample else ""
        st.info(f"Choose files above to go on{instead}.", icon=":material/arrow_upward:")
        return

    came_along.announce(chosen)
    asked = form.application(chosen, problems)

    _step(2, "Order")
    order = chosen_order(chosen)
    arranged, query = _ranking(chosen, order, scenario, problems, asked)
    ranking = None if arranged is None else arranged.ranked
    if arranged is not None:
        arranged = auditing.ask(arranged)

    _step(3, "What is at stake")
    plus, minus = _actions(form, problems)
    start = Settings(
        START.payoffs,
        START.cost,
        plus=plus,
        minus=minus,
        scenario=scenario.name,
        needs_citation=scenario.one_decides,
        confirm_hits=scenario.one_decides,
    )
    if asked is not None:
        start = replace(start, application=asked.application)
    settings = form.stakes(start, problems)

    _step(4, "Chances")
    settings, calibrator = _chances(
        form, settings, ranking, has_scores=order != "own", sample=chosen.simulated
    )

    _step(5, "Start")
    _start(chosen, arranged, query, settings, calibrator, problems)


def _step(number: int, words: str) -> None:
    st.html('<div class="tar-step"></div>')
    st.header(f"{number} · {words}")


def _scenario() -> Scenario:
    """Ask which kind of question it is; the URL carries it, so that a link can."""
    linked = st.query_params.get("scenario")
    if SCENARIO not in st.session_state and linked in SCENARIOS:
        st.session_state[SCENARIO] = linked
    titles = {name: (each.title, each.caption) for name, each in SCENARIOS.items()}
    scenario = explained("What do you screen for?", titles, horizontal=True, **lasting(SCENARIO))
    if scenario != Settings.scenario:
        st.query_params["scenario"] = scenario
    else:
        st.query_params.pop("scenario", None)
    return SCENARIOS[scenario]


def _actions(form: Form, problems: list[str]) -> tuple[str, str]:
    scenario, prefix, names = form.scenario, form.prefix, form.scenario.actions
    st.markdown(f"**{scenario.title}: {scenario.decides}** What are the two actions called?")
    chosen = switch(
        "The two actions",
        {name: name for name in (*names, OWN_WORDS)},
        **lasting(f"{prefix}/actions"),
        label_visibility="collapsed",
    )
    if chosen != OWN_WORDS:
        return names[chosen]
    left, right = st.columns(2, gap="medium")
    typed = []
    for column, when, name, word in zip(
        (left, right), scenario.when, ("plus", "minus"), scenario.first_actions, strict=True
    ):
        words = column.text_input(
            f"{when.capitalize()}, you would", word, max_chars=40, **lasting(f"{prefix}/{name}")
        ).strip()
        if not words:
            problems.append(f"The action {when} has no name; give it one.")
        typed.append(words)
    return typed[0] or "a⁺", typed[1] or "a⁻"


def _chances(
    form: Form, settings: Settings, ranking: Ranking | None, has_scores: bool, sample: bool
) -> tuple[Settings, Calibrator | None]:
    left, right = st.columns(2, gap="large")
    with left:
        settings = form.starting_chance(settings, simulated=sample)
        policy = chances.policy(
            form.scenario.first_rule, form.scenario.plans_approximately, form.scenario.first_because
        )
    with right:
        calibrator = chances.calibrator(ranking, has_scores, sample, form.scenario.chance_of(settings))
    settings = replace(settings, policy=policy.spec)
    if calibrator is not None:
        settings = replace(settings, calibrator=calibrator.digest)
    if form.more_assumptions:
        with st.expander("More assumptions"):
            settings = form.more(settings)
    return settings, calibrator


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
        **lasting(f"{PREFIX}/name/{chosen.key}"),
    )
    state[REVIEWER] = right.text_input(
        "Your name, recorded with every label",
        state.get(REVIEWER, ""),
        max_chars=80,
        **lasting(f"{PREFIX}/reviewer"),
        placeholder="May stay empty",
    )
    register = st.checkbox("Register this as my plan", **lasting(f"{PREFIX}/register"))
    frozen = scenario_of(settings).frozen[0]
    st.caption(
        f"A registered plan freezes {frozen} and the list of documents; from then on a moved slider is a what-if, until "
        "you confirm it as a deviation and say why."
    )
    if not name.strip():
        problems.append("The session has no name; give it one.")
    if calibrator is None and ranking is not None:
        problems.append("No calibrator that fits this list is chosen; choose or upload one under Chances.")
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
            # The next session begins anew; what a person is called and screens for stays.
            for key in map(str, list(state)):
                if key.startswith(f"{PREFIX}/") and key not in (SCENARIO, f"{PREFIX}/reviewer"):
                    del state[key]
            go_to(session)


def session_name(documents_name: str) -> str:
    """What a session on these documents is called to begin with.

    >>> session_name("CD008691.jsonl.gz"), session_name("a.csv and 2 more"), session_name("Door lock")
    ('CD008691', 'a.csv and 2 more', 'Door lock')
    """
    stem = documents_name.removesuffix(".gz")
    suffixes = {suffix for each in FORMATS for suffix in each.suffixes} | {".txt"}
    return Path(stem).stem if Path(stem).suffix.lower() in suffixes else documents_name


def _summary(chosen: Documents, settings: Settings, ranking: Ranking | None) -> str:
    cost = amount(settings.cost, settings.payoffs.unit)
    own = form_of(scenario_of(settings)).in_short(settings)
    q_star = f"q* {settings.payoffs.q_star:.2f}"
    count = len(chosen.frame) if ranking is None else len(ranking)
    return f"{chosen.name} · {count:,} documents · {own}{q_star} · cost {cost}"


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
