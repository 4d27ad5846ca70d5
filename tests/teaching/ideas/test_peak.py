"""Certainty is worth what the command line prints, most at q*."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.explore.figures import stakes_rows
from tarstop_core.explore.plans import Now
from tarstop_core.teaching.ideas.value import peak_picture
from tarstop_core.value.payoffs import Payoffs
from tests.teaching.ideas.printed import printed

PROBABILITY = st.floats(0.02, 0.98)


@pytest.mark.parametrize(("q_star", "b"), [(0.5, 0.3), (0.8, 0.9), (0.2, 0.2)])
def test_evpi_is_what_decide_prints(q_star: float, b: float) -> None:
    said = printed("decide", f"--q-star={q_star}", f"--belief={b}", "--rho=0.1", "--cost=0.001")
    payoffs = Payoffs.from_q_star(q_star)
    (row,) = [each for each in peak_picture(payoffs, b).rows if abs(each["belief"] - b) < 1e-9]
    assert row["evpi"] == pytest.approx(said["evpi"], abs=1e-12)
    picture = peak_picture(payoffs, b)
    assert picture.drawing["data"][-1]["y"][0] == pytest.approx(said["evpi"], abs=1e-12)
    assert ("better action is a⁺" in picture.sentence) == (said["action"] == "a+")


@given(PROBABILITY, PROBABILITY)
def test_evpi_is_greatest_at_q_star(q_star: float, b: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    assert payoffs.evpi(b) <= payoffs.evpi(q_star) + 1e-12


def test_the_numbers_beside_the_figure_are_what_is_drawn_on_explore_too() -> None:
    payoffs = Payoffs.from_q_star(0.8)
    now = Now(0.5, 0.1, 0.8, float(payoffs.evpi(0.5)), 0.01, False, True, 0.001, 0.01)
    own, other = peak_picture(payoffs, 0.5).rows, stakes_rows(now, payoffs)
    assert [(row["belief"], row["evpi"]) for row in own] == [(row["belief"], row["evpi"]) for row in other]


def test_peak_sentence_by_example() -> None:
    sentence = peak_picture(Payoffs.from_q_star(0.8), 0.5).sentence
    assert re.findall(r"[\d.]*\d", sentence) == ["50", "0.1", "0.4", "0.1", "0.16", "80"]
