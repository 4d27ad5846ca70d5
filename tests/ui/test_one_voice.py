"""Hundreds of random sessions: Screen, the report, Explore and Evidence speak with one voice, every number in its place."""

from typing import Any

import numpy as np
import pytest

from tarstop_core.explore import figures, plans, sensitivity
from tarstop_core.explore.lists import LabelledList
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.paths import session_paths
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import (
    WORDS,
    Explanation,
    Verdict,
    chance_in_words,
    explain,
    in_brief,
    verdict,
)
from tarstop_core.sessions.report import SAYS_STOP
from tarstop_core.value.path import ListPath
from tests.cli.conftest import tarstop as tarstop
from tests.stated import about, in_explore, too_long, under_other_assumptions, unexplained
from tests.ui.drawn_sessions import Drawn, drawn

SESSIONS = {"patent": 200, "review": 100}
MORE = 5  # times as many by `make deep`
DISAGREES = "expected loss"  # what advice says where to go on is expected to lose


def explorable(settings: Settings) -> bool:
    return isinstance(settings.rule, plans.EXPECTABLE)


@pytest.mark.parametrize("times", [1, pytest.param(MORE, marks=pytest.mark.deep)])
@pytest.mark.parametrize("scenario", ["patent", "review"])
def test_explore_and_evidence_compute_what_screen_says(scenario: str, times: int) -> None:
    rng = np.random.default_rng(11)
    seen = {"go on": 0, "held": 0, "settled": 0, "waiting": 0, "not open": 0, "tables": 0, "varied": 0}
    seen |= {"disagrees": 0, "dearer": 0}
    for _ in range(times * SESSIONS[scenario]):
        session = drawn(rng, scenario)
        at = settings, calibrator, p, state = session.at(session.state)
        paths = session_paths(*at)
        advice = advise(*at, paths)
        listing = LabelledList("mine", settings, calibrator, p, state)
        path, rule = listing.planned(settings), settings.rule
        glance, told = one_voice(advice, settings)
        the_decision_now(advice, plans.decide(path, state.depth, settings.cost, rule.acts_on_belief))
        ((stop, plus),) = stopping_outcomes(*at, [rule], paths, start=state.depth)
        assert stop == state.depth + advice.more
        assert sensitivity.goes_on(settings, path, rule, settings.cost, state.depth) == (advice.more > 0)
        if explorable(settings):
            plan = plans.cell_of(listing, settings, rule, "planned")
            the_plan(advice, plan, plus)
            explore_says_the_same(advice, settings, plan, listing)
            seen["disagrees"] += disagrees(advice, settings, path, glance, told)
        if advice.variations and explorable(settings) and seen["varied"] < 8:
            the_variations(advice, sensitivity.tornado(listing, settings, rule))
            seen["varied"] += 1
        if isinstance(settings, ReviewSettings):
            the_evidence(advice, settings, state)
            seen["tables"] += advice.facts is not None and advice.facts.studies > 2
            seen["waiting"] += advice.facts is not None and advice.facts.waiting > 0
        if seen["dearer"] < 20:
            seen["dearer"] += the_advice_at_other_stakes(advice, session, at)
        seen["go on"] += advice.go_on
        seen["held"] += advice.held_by is not None
        seen["settled"] += path.settled(state.depth)
        seen["not open"] += not path.plus_open(state.depth) and bool(settings.payoffs.chooses_plus(advice.b))
    expected = {"go on", "varied", "not open", "disagrees", "dearer"}
    expected |= {"settled"} if scenario == "patent" else {"held", "waiting", "tables"}
    assert all(seen[what] >= 5 for what in expected), seen


def the_advice_at_other_stakes(advice: Advice, session: Drawn, at: Any) -> int:
    """What is said of other stakes is what a session would say that began with them; in how many cases something else."""
    settings, calibrator, p, state = at
    others = 0
    for other in advice.at_other_costs[:1]:
        stakes = settings.stakes.with_costs_times(other.assumption.cost_factor)
        own = advise(settings.with_stakes(stakes), calibrator, p, state)
        assert (other.go_on, other.more, other.option) == (own.go_on, own.more, own.option)
        assert other.reports == own.reports and (other.reports > 0) == (own.headline == "reports")
        others += other.go_on != advice.go_on
    return others


def one_voice(advice: Advice, settings: Settings) -> tuple[Verdict, Explanation]:
    """Headline, small print and reasons: every number in its place, and nothing orders what the headline does not."""
    told, glance, scenario = explain(advice, settings), verdict(advice, settings), scenario_of(settings)
    phrases = about(advice, settings)
    at_other_stakes = [] if advice.go_on else under_other_assumptions(advice, settings)
    assert not unexplained(glance.says, [*phrases, *at_other_stakes])
    chance = chance_in_words(advice, settings)
    brief = in_brief(advice, settings)[-1]
    for text in (told.sentence, told.stopping, glance.now, glance.rests, brief, chance):
        assert not unexplained(text, phrases), unexplained(text, phrases)
    assert not unexplained(scenario.incomplete(advice, settings), phrases)
    for text in told.robustness:
        assert not unexplained(text, under_other_assumptions(advice, settings)), text
    assert told.word == glance.word == WORDS[advice.headline] and not too_long(glance)
    assert glance.now.startswith("Stop now") == (advice.headline in (*SAYS_STOP, "all read"))
    assert glance.now.startswith("If you stopped") == (advice.headline in ("continue", "reports"))
    rows = dict(scenario.rows(advice, settings))
    assert next(iter(rows.values())) == percent(advice.b)
    assert [*rows.values()][3:4] in ([], [percent(advice.right)])
    return glance, told


def explore_says_the_same(
    advice: Advice, settings: Settings, plan: plans.Cell, listing: LabelledList
) -> None:
    """Explore's sentences about the session as it is, by the numbers of its advice."""
    phrases = in_explore(advice, settings)
    now = plans.decide(listing.planned(settings), advice.depth, settings.cost, settings.rule.acts_on_belief)
    said = figures.stakes_sentence(now, settings, plan)
    assert not unexplained(said, phrases), said
    said = figures.plan_sentence(plan, listing)
    if not (plan.settled or (advice.facts and advice.facts.waiting)):  # reports first; or a hit, at its place
        assert not unexplained(said, phrases), (said, phrases)
    assert plan.settled or ("nothing more" in said or "reads nothing" in said) == (advice.more == 0)


def the_decision_now(advice: Advice, now: plans.Now) -> None:
    """Belief, chance of the next document, EVPI, score, cost and action of *At stake now*."""
    assert (now.b, now.rho, now.evpi, now.cost) == (advice.b, advice.rho, advice.evpi, advice.cost)
    assert now.value == (advice.score or 0.0)
    assert now.option == advice.option


def the_plan(advice: Advice, cell: plans.Cell, plus: bool) -> None:
    """How many more, the action there, and what following the rule brings, beside stopping now."""
    assert (cell.depth, cell.option) == (advice.depth + advice.more, plus)
    how = {"acts_on_belief": cell.policy.acts_on_belief, "looks_every": 1}
    now = cell.path.expected_utility(np.array([advice.depth]), np.zeros(1), advice.depth, **how)
    waiting = advice.facts.waiting if advice.facts else 0
    assert waiting or now[0] == pytest.approx(advice.utility)
    if advice.more and advice.headline == "continue":
        assert cell.net_utility - now[0] == pytest.approx(advice.gain, abs=1e-9 * cell.path.payoffs.K)


def disagrees(advice: Advice, settings: Settings, path: ListPath, glance: Verdict, told: Explanation) -> bool:
    """Whether what the rule asks for is expected to lose, which the advice says wherever it is and nowhere else."""
    loses = advice.headline == "continue" and advice.gain < 0
    assert loses == (DISAGREES in glance.says) == (DISAGREES in told.sentence)
    if loses and advice.held_by is None:
        assert settings.policy != "optimal"
        assert ("would read less" in glance.says) == path.pays(advice.depth, settings.cost)
    return loses


def the_variations(advice: Advice, tornado: sensitivity.Tornado) -> None:
    """Depths under other chances of documents and other starting chances, on Screen and in *Sensitivity*."""
    of_chances = [other.more for other in advice.variations if other.assumption.chance_factor != 1]
    of_b_0 = [other.more for other in advice.variations if other.assumption.b_0 is not None]
    swings = {swing.name: [depth - advice.depth for depth in swing.depth] for swing in tornado.swings}
    assert swings["p"] == of_chances and swings.get("b_0", []) == of_b_0
    assert tornado.depth == advice.depth + advice.more


def the_evidence(advice: Advice, settings: ReviewSettings, state: State) -> None:
    """Belief, action and tables of *Evidence* on this session."""
    scenario, facts = scenario_of(settings), advice.facts
    summary = scenario.evidence(settings, state)
    assert summary is not None and facts is not None
    not_identified = summary.belief is None and settings.engine == "reml"
    assert not_identified or summary.belief == pytest.approx(advice.b, abs=1e-12)
    assert advice.b == settings.b_0 if not_identified else percent(summary.belief or 0) == percent(advice.b)
    assert len(summary) == facts.studies
    lacking = scenario.lacking(settings, state)
    assert bool(lacking) == (facts.needed > 0)
    if not not_identified:
        assert advice.plus == (bool(settings.payoffs.chooses_plus(summary.belief)) and not lacking)
