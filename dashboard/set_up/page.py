"""The Set up page: two steps with sensible defaults."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import address, people, shell
from dashboard.frame.markup import block
from dashboard.frame.widgets import LASTING, LONGEST_NAME, bound, lasting, named, radio, switch
from dashboard.frame.work import REVIEWER, flash, go_to, kept, reviewer
from dashboard.parts import chances, documents, learning
from dashboard.set_up import order as listing
from dashboard.set_up import readers
from dashboard.set_up.forms.base import PREFIX, ScenarioForm
from dashboard.set_up.forms.effect import EffectForm
from dashboard.set_up.forms.enough import EnoughForm
from dashboard.set_up.forms.patent import PatentForm
from dashboard.set_up.forms.review import TAKEN, ReviewForm
from dashboard.set_up.order import Arranged
from tarstop_core.belief.prior import from_json
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem
from tarstop_core.files import FORMATS
from tarstop_core.presentation.numbers import amount, percent, unbroken
from tarstop_core.ranking.order import Order, Ranking
from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.paths import chances as path_chances
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.scenarios.named import FIRST, SCENARIOS, scenario_of
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import Verdict, best_between, question, verdict
from tarstop_core.sessions.create import ChosenDocuments, NewSession, create
from tarstop_core.value.stakes import Stakes

SCENARIO = f"{PREFIX}/scenario"
STEP = "step"
FIRST_STEP = "1 Documents"
SECOND_STEP = {True: "2 What is at stake", False: "2 When to stop"}
NEXT = {True: "Next: what is at stake", False: "Next: when to stop"}
"""Label of the button to the second step, by whether a decision is weighed."""
OWN_WORDS = "In my own words"
NOT_REPLAYED = "Where rules would have stopped will stand here. {}"
"""Said in place of a replay, with the first problem."""
DRAFT = "draft"
"""Parameter of the address with the name of the draft: the entries, which the store keeps so that they survive a reload."""
HELD = "_draft"
"""State: the name of this tab's draft, "" while nothing was entered, and the entries that were stored last."""
OPENED = "_second_step"
"""State: whether the second step was opened in this tab; until then nobody sees it."""
STAKES = "/stakes/truth"
"""End of the keys that hold stakes."""
UNANSWERED = "/stakes/unanswered"
"""End of the keys that hold the unanswered questions about stakes."""
FORMS: dict[str, type[ScenarioForm[Any]]] = {
    PATENT.name: PatentForm,
    REVIEW.name: ReviewForm,
    EFFECT.name: EffectForm,
    ENOUGH.name: EnoughForm,
}
"""Forms by scenario; a scenario without a line uses :class:`ScenarioForm`."""


def set_up_page() -> None:
    _take_up()
    try:
        _steps()
    finally:
        _keep()


def _steps() -> None:
    """Draw both steps, each with the Start button.

    Before the second step is opened it is not sent to the browser, and it is drawn only if its values are enough to start:
    those of a sample or a draft are, while a person's own documents leave questions open that only the person can answer.
    """
    st.title("Set up a session")
    flash()
    first, last = st.tabs((FIRST_STEP, SECOND_STEP[_chosen().settings_class.weighs]), **bound(STEP))
    st.session_state[OPENED] = st.session_state.get(OPENED, False) or last.open
    # A container without a root is not sent; its widgets have values and keep them when they are drawn.
    second = last if st.session_state[OPENED] else DeltaGenerator(root_container=None)
    problems: list[str] = []
    left, titles = first.columns([1.2, 1], gap="large")
    with left:
        scenario = _scenario()
        form = FORMS.get(scenario.name, ScenarioForm)(scenario)
        chosen = documents.choose(scenario, form.judges_abstracts())
    if chosen is None:
        guide = f"[Which files, and what is read in them?]({shell.guide('own_data')})"
        titles.info(f"Choose files to go on. {guide}", icon=":material/upload_file:")
        second.info("Choose documents first.", icon=":material/info:")
        return
    preview, aside = titles.container(), titles.container()
    with left:
        asked = form.application(chosen, problems, aside)
        more = st.expander("More", key=f"{PREFIX}/more/documents")
    with second:
        left, right = st.columns([1.2, 1], gap="large")
        goal, draws = left.container(), left.container()
    with preview:  # Beside the files, so that the question is in sight however many notes there are on files
        query = listing.looked_for(chosen, scenario, more)
        listing.announce(chosen)
        order = listing.chosen_order(chosen)
        ready = listing.arranged(chosen, order, query, scenario, problems, asked)
        if ready is not None:
            ready = listing.with_audit(ready, more if scenario.settings_class.weighs else draws)
            listing.first_titles(chosen, ready, asked)
    where = dict.fromkeys(problems, FIRST_STEP)
    ranked = None if ready is None else ready.screened
    unanswered = form.unanswered(chosen.simulated)
    if unanswered and not st.session_state[OPENED]:
        weighs = scenario.settings_class.weighs
        where |= dict.fromkeys(unanswered, SECOND_STEP[weighs])
        if ready is not None and ready.choice == "replay":
            preview.caption(NOT_REPLAYED.format(*where))
        _bar(_summary(chosen, None, ranked), weighs, None, where, "")
        return
    with second:
        more = st.expander("More", key=f"{PREFIX}/more/stakes")
    with goal:
        plus, minus = _actions(form, problems) if scenario.settings_class.weighs else scenario.first_actions
        own: dict[str, Any] = {"plus": plus, "minus": minus}
        if asked is not None and issubclass(scenario.settings_class, PatentSettings):
            own["application"] = asked.application
        start = scenario.settings_class.beginning(**own)
        before = len(problems)
        settings = form.stakes(start, chosen.simulated, problems)
        answered = len(problems) == before
    with right:
        settings = form.beside(settings)
        coverage = st.container()
        first_advice = st.container()
        name, reviewer = _names(chosen, problems)
    with more:
        drawn = ready is not None and ready.every > 0
        ids = chosen.frame["id"].tolist()
        settings, elsewhere = readers.ask(settings, f"{PREFIX}/readers", drawn, ids, problems)
        settings, calibrator = _chances(form, settings, ready, order, chosen)
        scored = bool(chosen.frame["score"].notna().any())
        settings = learning.ask(settings, PREFIX, chosen.simulated, scored, order == "scores")
        register = st.checkbox("Register this as my plan", **lasting(f"{PREFIX}/register"))
        st.caption(
            f"A registered plan freezes {scenario_of(settings).frozen[0]} and the list of documents; from then on, moving a slider only shows what would follow, until you confirm "
            "it as a deviation and say why."
        )
    with coverage:
        settings = form.coverage(
            settings, calibrator, chosen, len(chosen.frame if ready is None else ready.ranked)
        )
    if calibrator is None and ready is not None:
        problems.append("Choose or upload a calibrator that fits this list under More.")
    plan = None
    if ready is not None and calibrator is not None:
        if not problems:
            with first_advice:
                _first_advice(chosen, ready, settings, calibrator)
            if ready.choice == "replay":
                with preview:
                    listing.show_replay(ready, settings, calibrator)
        elif ready.choice == "replay":
            preview.caption(NOT_REPLAYED.format(*problems))
        ranking, events = ready.screened, (*ready.events, *elsewhere)
        plan = NewSession(
            name, reviewer, chosen, ranking, query, calibrator, settings, register, events, ready.aside
        )
    summary = _summary(chosen, settings if answered else None, ranked)
    unusable: dict[str, str] = st.session_state.get(f"{form.stakes_key(chosen.simulated)}/problems", {})
    steps = {problem: where.get(problem, SECOND_STEP[settings.weighs]) for problem in problems}
    _bar(summary, settings.weighs, plan, steps, next(iter(unusable.values()), ""))


def _scenario() -> Scenario:
    """Ask which kind of question it is; a link can choose it by a parameter."""
    titles = {name: offered.title for name, offered in SCENARIOS.items()}
    scenario = radio("What do you decide?", titles, horizontal=True, **lasting(SCENARIO))
    address.write({"scenario": scenario if scenario != FIRST else ""})
    if belongs := SCENARIOS[scenario].belongs:
        shell.caption(belongs)
    return SCENARIOS[scenario]


def _chosen() -> Scenario:
    """The kind of question before it is asked: the tab's last answer, or that of a link."""
    linked = st.query_params.get("scenario")
    if SCENARIO not in st.session_state and linked in SCENARIOS:
        st.session_state[SCENARIO] = linked
    return SCENARIOS[st.session_state.get(SCENARIO, FIRST)]


def _actions(form: ScenarioForm, problems: list[str]) -> tuple[str, str]:
    scenario, prefix, names = form.scenario, form.prefix, form.scenario.actions
    options = {name: name for name in (*names, OWN_WORDS)}
    chosen = switch("What will you decide?", options, **lasting(f"{prefix}/actions"))
    if chosen != OWN_WORDS:
        return names[chosen]
    left, right = st.columns(2, gap="medium")
    typed = []
    asked = zip((left, right), scenario.when, ("plus", "minus"), scenario.first_actions, strict=True)
    for column, when, name, word in asked:
        how = lasting(f"{prefix}/{name}")
        words = column.text_input(f"{when.capitalize()}, you would", word, max_chars=40, **how).strip()
        if not words:
            problems.append(f"The action {when} has no name; give it one.")
        typed.append(words)
    return typed[0] or "a⁺", typed[1] or "a⁻"


def _names(chosen: ChosenDocuments, problems: list[str]) -> tuple[str, str]:
    """Ask for the name of the session and the names of its readers."""
    state = st.session_state
    left, right = st.columns([1.7, 1], gap="medium")
    called = session_name(chosen.name)[:LONGEST_NAME]
    typed = left.text_input("Name of the session", called, **lasting(f"{PREFIX}/name/{chosen.key}"))
    how = lasting(f"{PREFIX}/reviewer") | {"max_chars": 80, "placeholder": "Kept with every label"}
    reader = people.person() or right.text_input("Your name", reviewer(), **how)
    if reader or reviewer():
        state[REVIEWER] = reader
    if not typed.strip():
        problems.append("The session has no name; give it one.")
    try:
        return named(typed), reader
    except InputProblem as problem:
        problems.append(str(problem))
        shell.problem_box(problem)
        return "", ""


def _chances(
    form: ScenarioForm, settings: Settings, ready: Arranged | None, order: Order, chosen: ChosenDocuments
) -> tuple[Settings, Calibrator | None]:
    """Ask for the rule, the calibrator and further settings that most people do not change."""
    left, right = st.columns(2, gap="large")
    scenario = form.scenario
    with left:
        policy = form.policy(0 if ready is None else ready.every)
    with right:
        calibrator = chances.calibrator(
            None if ready is None else ready.ranked,
            has_scores=order != "own",
            sample=chosen.simulated,
            scenario=scenario.chance_of(settings),
            merged=form.is_merged(chosen, order),
        )
    digest = settings.calibrator if calibrator is None else calibrator.digest
    settings = replace(settings, policy=policy.spec, calibrator=digest)
    return form.more(settings, simulated=chosen.simulated), calibrator


def _bar(
    summary: str, weighs: bool, plan: NewSession | None, problems: dict[str, str], unusable: str
) -> None:
    """The bar at the bottom of the window, with the next step and the start.

    `problems` has the step of each problem. `unusable` says which amount cannot be used, which disables the start.
    """
    here = st.session_state.get(STEP)
    last = here == SECOND_STEP[weighs]
    with st.bottom:
        with st.container(horizontal=True, vertical_alignment="center", key=f"{PREFIX}/bar"):
            st.html(block("meta", summary))
            if last:
                st.button("Back", key=f"{PREFIX}/back", on_click=_go, args=(FIRST_STEP,))
            kind: Literal["primary", "secondary"] = "primary" if last else "secondary"
            shut: dict[str, Any] = {"disabled": bool(unusable), "help": unusable or None}
            pressed = st.button("Start", type=kind, key=f"{PREFIX}/start", **shut)
            if not last:
                how: dict[str, Any] = {"type": "primary", "on_click": _go, "args": (SECOND_STEP[weighs],)}
                st.button(NEXT[weighs], key=f"{PREFIX}/next", **how)
        if pressed and problems:
            problem, step = next(iter(problems.items()))
            shell.problem_box(problem)
            if step != (here or FIRST_STEP):
                st.button(f"Go to {step}", key=f"{PREFIX}/there", on_click=_go, args=(step,))
    if pressed and not problems and plan is not None:
        with shell.problems_shown():
            session = create(shell.store(), plan)
            draft, _ = st.session_state.pop(HELD, ("", {}))
            if draft:
                shell.store().delete_draft(draft)
            # The next session starts with empty entries; only the scenario and the person's name stay.
            for key in map(str, list(st.session_state)):
                if key.startswith(f"{PREFIX}/") and key not in (SCENARIO, f"{PREFIX}/reviewer"):
                    del st.session_state[key]
            go_to(session)


def _go(step: str) -> None:
    st.session_state[STEP] = step


def session_name(documents_name: str) -> str:
    """Default name of a session on these documents.

    >>> session_name("CD008691.jsonl.gz"), session_name("a.csv and 2 more"), session_name("Door lock")
    ('CD008691', 'a.csv and 2 more', 'Door lock')
    """
    stem = Path(documents_name.removesuffix(".gz"))
    suffixes = {suffix for file_format in FORMATS for suffix in file_format.suffixes} | {".txt"}
    return stem.stem if stem.suffix.lower() in suffixes else documents_name


def _summary(chosen: ChosenDocuments, settings: Settings | None, ranking: Ranking | None) -> str:
    """Summarise the choices so far; `settings` are None until the stakes are answered."""
    count = len(chosen.frame) if ranking is None else len(ranking)
    if settings is None:
        return unbroken(f"{chosen.name} · {count:,} documents")
    if not settings.weighs:
        aim = scenario_of(settings).message("aim", settings=settings)
        return unbroken(f"{chosen.name} · {count:,} documents · {aim}")
    unit, sure = settings.payoffs.unit, percent(settings.payoffs.q_star)
    cost = f" · {amount(settings.cost, unit)}\u00a0a\u00a0document" if unit else ""
    acts = f"“{settings.plus}” when more than {sure} sure that {question(settings)}"
    if settings.payoffs.others:
        acts = f"by the chance that {question(settings)}: {best_between(settings)}"
    return unbroken(f"{chosen.name} · {count:,} documents · {acts}{cost}")


def _first_advice(
    chosen: ChosenDocuments, arranged: Arranged, settings: Settings, calibrator: Calibrator
) -> None:
    """Show the advice before any document is read, so that a person sees the effect of the settings."""
    ranking = arranged.screened

    def advised() -> Verdict:
        ids = chosen.frame["id"].to_numpy()[ranking.order].tolist()
        start = replay(settings, ids, arranged.events)
        p = path_chances(settings, calibrator, ranking.scores, start)
        return verdict(advise(settings, calibrator, p, start), settings)

    first = kept(f"{PREFIX}/told", (settings, ranking), advised)
    st.html(f'<div data-testid="first-advice">{block("verdict", first, "The first advice")}</div>')


def _take_up() -> None:
    """Restore the entries of a draft after a reload; called before anything is drawn."""
    state = st.session_state
    if HELD in state:
        return
    name = st.query_params.get(DRAFT, "")
    draft = shell.store().draft(name) if name else {}
    state[HELD] = (name if draft else "", draft)
    fields = draft.get("fields", {})
    state.update(fields)
    # They belong to the draft also while the step that asks for them is not drawn.
    state.setdefault(LASTING, set()).update(fields)
    for key, stakes in draft.get("stakes", {}).items():
        state[key] = validated(Stakes, stakes, "This draft", "begin it again")
        state[key.removesuffix("truth") + "problems"] = {}
    state.update(draft.get("unanswered", {}))
    if draft.get("imported"):
        documents.put_back(draft["imported"])
    if draft.get("prior"):
        state[TAKEN] = from_json(draft["prior"], "The prior of this draft")


def _keep() -> None:
    """Store the present entries as a draft if they changed."""
    state = st.session_state
    if HELD not in state:
        return
    (name, stored), now = state[HELD], _entered()
    if stored and now != stored:  # An untouched page is not a draft
        name = shell.store().save_draft(now, name)
    state[HELD] = (name, now)
    if name:
        st.query_params[DRAFT] = name


def _entered() -> dict[str, Any]:
    state, prior = st.session_state, st.session_state.get(TAKEN)
    ours = [key for key in map(str, state) if key.startswith(f"{PREFIX}/")]
    fields = {*state.get(LASTING, ())} & {*ours}
    return {
        "fields": {key: state[key] for key in sorted(fields)},
        "stakes": {key: asdict(state[key]) for key in ours if key.endswith(STAKES)},
        "unanswered": {key: list(state[key]) for key in ours if key.endswith(UNANSWERED)},
        "imported": documents.imported(),
        "prior": prior.to_json() if prior is not None else "",
    }
