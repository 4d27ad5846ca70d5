"""What is shipped to start from, and what is said of it."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from scripts.make_calibrators import question_rate, thinning
from scripts.real_lists import questions_by_review
from tarstop_core.calibration.calibrator import SCENARIOS
from tarstop_core.calibration.extraction_rate import for_one_question
from tarstop_core.errors import InputProblem
from tarstop_core.samples.shipped import calibrators, default_calibrator, extraction_rate


@pytest.mark.parametrize(
    ("has_scores", "sample", "scenario"), list(product((True, False), (True, False), SCENARIOS))
)
def test_there_is_a_default_for_every_list(has_scores: bool, sample: bool, scenario: str) -> None:
    chosen = calibrators()[default_calibrator(has_scores, sample, scenario)]
    assert chosen.scenario == scenario
    if not sample:
        # Nobody's list is like the training lists: by rank, learned on several collections.
        assert chosen.kind == ("rank-frailty" if scenario == "patent" else "rank")
        assert "four collections" in chosen.fitted_on.name and chosen.fitted_on.topics == 82
    else:
        assert chosen.kind == ("marginal" if has_scores else "rank")
    assert chosen.fitted_on.simulated == sample


def test_an_unknown_scenario_is_refused() -> None:
    with pytest.raises(InputProblem, match="no scenario 'magic'"):
        default_calibrator(True, scenario="magic")


def test_every_calibrator_was_judged_on_other_topics() -> None:
    for name, each in calibrators().items():
        assert each.quality is not None and each.quality.brier < 0.1 and each.quality.ece < 0.04, name
        assert each.dispersion > 0 and (each.kind != "hazard" or math.isinf(each.dispersion))


def test_the_real_ones_for_reviews_say_what_stands_for_data() -> None:
    for name in ("review-data", "review-data-rank", "review-data-elsewhere"):
        about = calibrators()[name].fitted_on
        assert "full-text relevance stands for data" in about.name and not about.simulated
    assert "title and abstract" in calibrators()["review-inclusion"].fitted_on.source


def test_inclusion_is_likelier_than_data() -> None:
    for data, inclusion in (
        ("review-data", "review-inclusion"),
        ("sample-reviews", "sample-reviews-inclusion"),
    ):
        relevant = [calibrators()[name].fitted_on.relevant for name in (data, inclusion)]
        assert relevant[0] < relevant[1]


def test_the_share_of_reports_with_data() -> None:
    real, simulated = extraction_rate(simulated=False), extraction_rate(simulated=True)
    assert real.topics == 16 and 0.15 < real.mean < 0.25 and "41 with fewer than five studies" in real.source
    assert 0.4 < simulated.mean < 0.5 and "simulated" in simulated.source
    (low, high), (lower, higher) = simulated.interval(), real.interval()
    assert higher - lower > 2 * (high - low), "questions differ more than the sample's do"


def test_the_shipped_share_is_what_the_judgments_give(real_data: Path) -> None:
    learned, shipped = question_rate(real_data, "abs"), extraction_rate(simulated=False)
    assert (learned.alpha, learned.beta) == pytest.approx((shipped.alpha, shipped.beta), rel=1e-3)
    reviews = questions_by_review(real_data, "abs")
    assert (sum(len(each.with_data) for each in reviews.values()), len(reviews)) == (63, 16)
    assert reviews["CD010632"].few == 0 and reviews["CD010772"].few == 10
    assert all(max(each.with_data) <= each.included for each in reviews.values())


@pytest.mark.parametrize("name", ["review-data-elsewhere", "review-data", "review-data-rank"])
def test_shipped_curves_of_data_are_those_of_one_question(real_data: Path, name: str) -> None:
    curves = for_one_question(thinning(real_data, "content"), question_rate(real_data, "content"))
    shipped = calibrators()[name].thinning
    assert shipped is not None and shipped.lists == 82
    assert np.array(shipped.mean) == pytest.approx(np.array(curves.mean), abs=1e-3)
    assert np.array(shipped.spread) == pytest.approx(np.array(curves.spread), abs=1e-3)
