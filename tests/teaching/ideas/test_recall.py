"""Recall and net utility of stopping are those of a replay, and of rules on real rankings those shipped."""

from pathlib import Path

import pytest

from tarstop_core.explore.lists import sample
from tarstop_core.policies import Budget
from tarstop_core.teaching.ideas import at_stake, message, recall
from tarstop_core.teaching.ideas.recall import CASES
from tests.spoken import spoken
from tests.teaching.ideas.printed import replayed


@pytest.mark.parametrize("case", ["settled", "nothing"])
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_recall_is_what_replay_prints(tmp_path: Path, case: str, q_star: float) -> None:
    explored = sample(CASES[case].key)
    found = recall.stops(explored, at_stake(explored, q_star, 0.001), 0.9)
    said = replayed(explored, tmp_path, "optimal", q_star, 0.001)
    assert found.at_optimal == said["depth"] and found.omega == said["omega"]
    assert found.net_utility[found.at_optimal] == pytest.approx(said["net_utility"], abs=1e-12)
    assert found.recall[found.at_optimal] == pytest.approx(said["recall"], abs=1e-12)


def test_every_depth_of_a_review_is_a_replay() -> None:
    case = CASES["missed"]
    explored = sample(case.key)
    asked = at_stake(explored, case.q_star, case.cost, case.theta)
    found = recall.stops(explored, asked, 0.95)
    for depth in (1, 60, found.at_target, len(explored)):
        one = explored.replayed(Budget(depth), asked)
        assert found.plus[depth] == (one.action == "a+")
        assert found.net_utility[depth] == pytest.approx(one.net_utility, abs=1e-12)


def test_the_cases_show_what_they_are_called() -> None:
    found = {}
    for name, case in CASES.items():
        explored = sample(case.key)
        found[name] = recall.stops(
            explored, at_stake(explored, case.q_star, case.cost, case.theta), target=0.95
        )
    settled, missed, nothing = found["settled"], found["missed"], found["nothing"]
    assert settled.settled < settled.at_target / 10 and settled.plus[settled.at_target] == settled.omega
    assert missed.recall[missed.at_target] >= 0.95 and missed.settled > missed.at_target
    assert missed.plus[missed.at_target] != missed.omega == bool(missed.plus[-1])
    assert nothing.relevant == 0 and nothing.at_target == len(nothing.listing)
    for each in found.values():
        assert each.recall[-1] == (1.0 if each.relevant else 0.0)
    for stops, right in ((settled, True), (missed, False)):
        kind, values = spoken(message, recall.recall_picture, stops)
        assert (kind, values["right"], values["stops"]) == ("recall", right, stops)
    assert spoken(message, recall.recall_picture, nothing).kind == "recall_of_none"


def test_rules_on_real_rankings_are_those_of_the_shipped_results() -> None:
    found = recall.real_rules(0.47, 0.0012)
    assert (found.q_star, found.cost, found.cases) == (0.5, 0.001, 48)
    own = found.rows.set_index("approach")
    assert "Oracle" not in own.index and own.loc["Screen everything", "recall"] == found.rows["recall"].max()
    assert found.together < -0.5
    kind, values = spoken(message, recall.real_rules_picture, found)
    assert (kind, values["best"]["net_utility"]) == ("rules", found.rows["net_utility"].max())
    assert values["most"]["recall"] == found.rows["recall"].max()
    assert len(recall.real_rules_picture(found).rows) == len(own)
