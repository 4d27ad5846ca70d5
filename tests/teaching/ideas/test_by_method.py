"""Rules on real rankings."""

from __future__ import annotations

from tarstop_core.teaching.ideas import by_method


def test_rules_on_real_rankings_are_those_of_the_shipped_results() -> None:
    found = by_method.by_method(0.47, 0.0012)
    assert (found.q_star, found.cost, found.cases) == (0.5, 0.001, 48)
    own = found.rows.set_index("approach")
    assert "Oracle" not in own.index and own.loc["Screen everything", "recall"] == found.rows["recall"].max()
    assert found.together < -0.5
    assert "the more a rule finds, the less it brings" in by_method.by_method_sentence(found)
    assert len(by_method.by_method_rows(found)) == len(own)
