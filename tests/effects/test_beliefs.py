"""One question to five engines."""

import math

import numpy as np
import pytest

from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import ENGINES, Engine, Measure
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem
from tests.effects.golden import sets, studies_of

BELOW = EffectTarget(Measure.OR, math.exp(-0.22), above=False, ratio=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_both_directions_share_the_chance(engine: Engine) -> None:
    below = belief_of_effect(studies_of("bcg"), BELOW, engine)
    above = belief_of_effect(
        studies_of("bcg"), EffectTarget(Measure.OR, BELOW.delta, above=True, ratio=True), engine
    )
    assert len(below.beliefs) == 14
    for one, other in zip(below.beliefs, above.beliefs, strict=True):
        assert (one is None) == (other is None) and (
            one is None or other is None or one + other == pytest.approx(1)
        )
    assert below.new_setting is not None and above.new_setting is not None
    assert below.new_setting + above.new_setting == pytest.approx(1, abs=1e-6)


def test_exact_is_usual_for_odds_ratios_and_normal_elsewhere() -> None:
    assert belief_of_effect(studies_of("bcg"), BELOW).engine == "exact"
    assert (
        belief_of_effect(studies_of("bcg"), EffectTarget(Measure.RR, 1.0, above=False, ratio=True)).engine
        == "normal"
    )
    with pytest.raises(InputProblem, match="exact"):
        belief_of_effect(studies_of("bcg"), EffectTarget(Measure.RD, 0.0, above=False, ratio=False), "exact")


def test_the_belief_is_the_published_one_under_a_recentred_prior() -> None:
    row = sets()["bcg"]["exact"]["conditional"]["rows"][-1]
    found = belief_of_effect(studies_of("bcg"), BELOW)
    assert found.beliefs[-1] == pytest.approx(1 - row["P_mu_gt_recentred"][1], abs=1e-5) and found.beliefs[
        0
    ] == pytest.approx(0.5)


def test_no_study_and_one_study() -> None:
    none = Studies((), Form.EVENTS, np.empty((0, 4)))
    assert belief_of_effect(none, BELOW, b_0=0.3).beliefs == pytest.approx((0.3,), abs=1e-6)
    assert belief_of_effect(none, BELOW, "reml").beliefs == (None,)
    one = studies_of("bcg").first(1)
    assert belief_of_effect(one, BELOW, "reml").beliefs == (None, None)
    fixed = belief_of_effect(one, BELOW, "fe")
    assert fixed.beliefs[0] is None and fixed.beliefs[1] is not None and fixed.prediction is None


def test_a_silent_study_leaves_a_pooled_belief_as_it_was() -> None:
    path = belief_of_effect(studies_of("nielweise2007"), BELOW, "reml").beliefs
    says = studies_of("nielweise2007").sizes(Measure.OR).says_something
    for at in np.flatnonzero(~says):
        assert path[at + 1] == path[at]


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputProblem, match="above 0"):
        EffectTarget(Measure.OR, -1.0, above=True, ratio=True)
    with pytest.raises(InputProblem, match="between 0 and 1"):
        belief_of_effect(studies_of("bcg"), BELOW, b_0=1.0)


@pytest.mark.parametrize("engine", ["exact", "normal", "reml"])
def test_the_order_of_studies_does_not_move_what_all_of_them_say(engine: Engine) -> None:
    studies, target = studies_of("nielweise2007"), EffectTarget(Measure.OR, 0.8, above=False, ratio=True)
    shuffled = studies.only(np.random.default_rng(3).permutation(len(studies)).tolist())
    ours, theirs = (belief_of_effect(each, target, engine) for each in (studies, shuffled))
    assert ours.beliefs[-1] == pytest.approx(theirs.beliefs[-1], abs=1e-9)
    assert (ours.mu, ours.se) == pytest.approx((theirs.mu, theirs.se), rel=1e-7)


def arms(*rows: tuple[float, ...]) -> Studies:
    """Events and people of the treated and of the control arm, a study a row."""
    return Studies(tuple(f"S {at}" for at in range(len(rows))), Form.EVENTS, np.array(rows, dtype=float))


FEW = ((12, 120, 21, 118), (7, 95, 16, 101), (30, 210, 44, 205), (9, 88, 11, 90))


def test_of_endless_people_counts_and_estimates_say_the_same() -> None:
    apart = []
    for factor in (1, 1000):
        studies = arms(*(tuple(factor * count for count in row) for row in FEW))
        exact, normal = (
            belief_of_effect(studies, BELOW, engine).beliefs[-1] for engine in ("exact", "normal")
        )
        apart.append(abs(float(exact or 0) - float(normal or 0)))
    assert apart[1] < apart[0] and apart[1] < 1e-3


@pytest.mark.parametrize("engine", ["exact", "normal", "reml", "dl", "fe"])
def test_of_endless_studies_the_belief_is_whether_it_is_so(engine: Engine) -> None:
    average = float(np.exp(belief_of_effect(arms(*FEW), BELOW, "normal").mu or 0.0))
    for delta, so in ((1.25 * average, 1.0), (average / 1.25, 0.0)):
        target = EffectTarget(Measure.OR, delta, above=False, ratio=True)
        beliefs = [belief_of_effect(arms(*FEW * many), target, engine).beliefs[-1] for many in (1, 4, 16)]
        away = [abs(float(b or 0) - so) for b in beliefs]
        assert away[0] > away[1] > away[2] and away[2] < 0.01


@pytest.mark.parametrize("engine", ["exact", "normal", "reml", "dl", "fe"])
def test_arms_exchanged_ask_whether_the_inverse_is_above(engine: Engine) -> None:
    ours = belief_of_effect(arms(*FEW), BELOW, engine)
    turned = arms(*((c, d, a, b) for a, b, c, d in FEW))
    theirs = belief_of_effect(
        turned, EffectTarget(Measure.OR, 1 / BELOW.delta, above=True, ratio=True), engine
    )
    for one, other in zip(ours.beliefs, theirs.beliefs, strict=True):
        assert (one is None and other is None) or one == pytest.approx(other, abs=1e-6)
