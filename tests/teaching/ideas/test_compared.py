"""Three rules along a list stop where a replay does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tarstop_core.policies import Greedy, LookAhead, Optimal
from tarstop_core.teaching.ideas import compared
from tarstop_core.teaching.ideas.shared import at_stake, search
from tests.teaching.ideas.printed import replayed


@pytest.mark.parametrize("topic", ["prosthetic-foot", "battery-pack"])
def test_rules_along_a_list_stop_where_replay_does(tmp_path: Path, topic: str) -> None:
    explored = search(topic)
    found = compared.compared(explored, at_stake(explored, 0.3, 0.001))
    assert found.rules == (Greedy(), LookAhead(1), Optimal())
    for rule, depth in zip(found.rules, found.depth, strict=True):
        # Nothing relevant lies above where they stop, so the plan is what comes of it.
        said = replayed(explored, tmp_path, rule.spec, 0.3, 0.001)
        assert depth == said["depth"]
    assert f"stops at {found.depth[0]}" in str(compared.compared_figure(found)["layout"]["annotations"])


def test_the_sentence_is_one() -> None:
    explored = search("prosthetic-foot")
    sentence = compared.compared_sentence(compared.compared(explored, at_stake(explored, 0.3, 0.001)))
    assert sentence.endswith(".") and "nan" not in sentence
