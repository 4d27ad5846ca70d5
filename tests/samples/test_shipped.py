"""What is shipped to start from, and what is said of it."""

import math
from itertools import product
from pathlib import Path

import pytest

from tarstop_core.calibration.calibrator import SCENARIOS
from tarstop_core.calibration.extraction_rate import fit_extraction_rate
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_qrels
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
    assert (
        real.topics == 24 and 0.3 < real.mean < 0.4 and "full-text relevance stands for data" in real.source
    )
    assert 0.4 < simulated.mean < 0.5 and "simulated" in simulated.source
    (low, high), (lower, higher) = simulated.interval(), real.interval()
    assert lower < low < high < higher, "reviews differ more than the sample's do"


def test_the_shipped_share_is_what_the_judgments_give(real_data: Path) -> None:
    abstracts, full = (read_qrels(real_data / "clef_dta" / f"{which}.qrels") for which in ("abs", "content"))
    pairs = [
        (len(judged), len(judged.keys() & full.get(topic, {}).keys())) for topic, judged in abstracts.items()
    ]
    learned = fit_extraction_rate(pairs, extraction_rate(simulated=False).source)
    assert learned.alpha == pytest.approx(extraction_rate(simulated=False).alpha, rel=1e-3)
    assert learned.beta == pytest.approx(extraction_rate(simulated=False).beta, rel=1e-3)
