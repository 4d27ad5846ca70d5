"""What one document is worth: what it claims, and what the command line prints; three rules stop where a replay does."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.policies import Greedy, LookAhead, Optimal
from tarstop_core.teaching.ideas import at_stake, sample_search, value
from tarstop_core.teaching.ideas.value import BELIEFS
from tarstop_core.value.payoffs import Payoffs
from tests.teaching.ideas.printed import printed, replayed

PROBABILITY = st.floats(0.02, 0.98)


@settings(max_examples=25, deadline=None)
@given(PROBABILITY, st.floats(0.01, 0.9))
def test_one_document_is_worth_at_most_p_evpi_and_more_than_the_score_up_to_q_star(
    q_star: float, p: float
) -> None:
    found = value.one_document(Payoffs.from_q_star(q_star), p)
    assert (found.evsi <= found.bound + 1e-12).all()
    below = q_star >= BELIEFS
    assert (found.evsi[below] >= found.score[below] - 1e-12).all()
    assert np.allclose(found.evsi[below], found.bound[below])
    # The best plan is at least as good as one document.
    assert (found.value_rate >= found.evsi - 1e-12).all()


def test_one_document_is_what_decide_prints() -> None:
    found = value.one_document(Payoffs.from_q_star(0.3), 0.05)
    for at in (10, 40, 80):
        b = float(BELIEFS[at])
        said = printed("decide", "--q-star=0.3", f"--belief={b}", f"--rho={b * 0.05}", "--cost=0.001")
        assert found.score[at] == pytest.approx(said["value"], abs=1e-12)


def test_the_sentence_is_one() -> None:
    sentence = value.one_document_picture(value.one_document(Payoffs.from_q_star(0.3), 0.05)).sentence
    assert sentence.endswith(".") and "nan" not in sentence


@pytest.mark.parametrize("topic", ["prosthetic-foot", "battery-pack"])
def test_rules_along_a_list_stop_where_replay_does(tmp_path: Path, topic: str) -> None:
    explored = sample_search(topic)
    found = value.three_rules(explored, at_stake(explored, 0.3, 0.001))
    assert (Greedy(), LookAhead(1), Optimal()) == value.COMPARED
    for rule, depth in zip(value.COMPARED, found.depth, strict=True):
        # Nothing relevant lies above where they stop, so the plan is what comes of it.
        said = replayed(explored, tmp_path, rule.spec, 0.3, 0.001)
        assert depth == said["depth"]
    assert f"stops at {found.depth[0]}" in str(
        value.three_rules_picture(found).drawing["layout"]["annotations"]
    )


def test_the_sentence_about_three_rules_is_one() -> None:
    explored = sample_search("prosthetic-foot")
    sentence = value.three_rules_picture(value.three_rules(explored, at_stake(explored, 0.3, 0.001))).sentence
    assert sentence.endswith(".") and "nan" not in sentence
