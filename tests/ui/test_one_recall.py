"""A session in which nothing is weighed has one set of numbers too: of what was found and what is probably unread."""

import numpy as np
import pytest

from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.adaptive_chances import still_unread
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.advised import RecallFacts
from tarstop_core.screening.paths import session_paths
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.wording import explain, verdict
from tests.stated import plain, too_long
from tests.ui.drawn_sessions import drawn
from tests.ui.test_one_voice import DISAGREES

SESSIONS = 100


def test_where_nothing_is_weighed_one_number_is_said_of_what_was_found() -> None:
    rng, seen = np.random.default_rng(12), {"go on": 0, "stop": 0, "open": 0, "told": 0}
    for _ in range(SESSIONS):
        at = (session := drawn(rng, "enough")).at(session.state)
        settings, _, _, state = at
        paths = session_paths(*at)
        advice, facts, scenario = advise(*at, paths), advise(*at, paths).facts, scenario_of(settings)
        assert isinstance(facts, RecallFacts)
        ((stop, _),) = stopping_outcomes(*at, [settings.rule], paths, start=state.depth)
        assert stop == state.depth + advice.more and advice.go_on is (advice.more > 0) is not advice.plus
        left = still_unread(*at)
        assert facts.left == (left.mean, *left.interval()) and facts.relevant == int(state.came_true.sum())
        assert facts.recall[0] == pytest.approx(facts.relevant / max(facts.relevant + left.mean, 1e-300))
        rows, kept = (
            dict(scenario.rows(advice, settings)),
            scenario.decision_basis(advice, settings, True, 0.0),
        )
        assert (kept["relevant"], kept["unseen_expected"], kept["recall"]) == (
            *(facts.relevant, facts.left[0], None if facts.left_is_open else facts.recall[0]),
        )
        # An interval that tells nobody anything is nowhere printed.
        glance = verdict(advice, settings)
        said = [explain(advice, settings).sentence, glance.says, *rows.values()]
        assert not too_long(glance)
        told = percent(facts.recall[0], settings.target) in rows["Recall so far, estimated"]
        assert told != facts.left_is_open == ("too early" in rows["Recall so far, estimated"])
        assert told or not any(
            f"({percent(facts.recall[1], settings.target)} to" in plain(text) for text in said
        )
        assert not any(DISAGREES in text for text in said) and advice.gain == 0
        seen["go on" if advice.go_on else "stop"] += 1
        seen["told" if told else "open"] += 1
    assert min(seen.values()) >= 5, seen
