"""One question to five engines."""

import math

import numpy as np
import pytest

from tarstop_core.effects.beliefs import Target, belief_of_effect
from tarstop_core.effects.measures import ENGINES, Engine, Measure
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem
from tests.effects.golden import sets, studies_of

BELOW = Target(Measure.OR, math.exp(-0.22), above=False, ratio=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_both_directions_share_the_chance(engine: Engine) -> None:
    below = belief_of_effect(studies_of("bcg"), BELOW, engine)
    above = belief_of_effect(
        studies_of("bcg"), Target(Measure.OR, BELOW.delta, above=True, ratio=True), engine
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
        belief_of_effect(studies_of("bcg"), Target(Measure.RR, 1.0, above=False, ratio=True)).engine
        == "normal"
    )
    with pytest.raises(InputProblem, match="exact"):
        belief_of_effect(studies_of("bcg"), Target(Measure.RD, 0.0, above=False, ratio=False), "exact")


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
        Target(Measure.OR, -1.0, above=True, ratio=True)
    with pytest.raises(InputProblem, match="between 0 and 1"):
        belief_of_effect(studies_of("bcg"), BELOW, b_0=1.0)


@pytest.mark.parametrize("engine", ["exact", "normal", "reml"])
def test_the_order_of_studies_does_not_move_what_all_of_them_say(engine: Engine) -> None:
    studies, target = studies_of("nielweise2007"), Target(Measure.OR, 0.8, above=False, ratio=True)
    shuffled = studies.only(np.random.default_rng(3).permutation(len(studies)).tolist())
    ours, theirs = (belief_of_effect(each, target, engine) for each in (studies, shuffled))
    assert ours.beliefs[-1] == pytest.approx(theirs.beliefs[-1], abs=1e-9)
    assert (ours.mu, ours.se) == pytest.approx((theirs.mu, theirs.se), rel=1e-7)
