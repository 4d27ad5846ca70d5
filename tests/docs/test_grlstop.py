"""The page on GRLStop and the variations of the experiments hold what the shipped files say."""

from pathlib import Path

import pandas as pd
import pytest

from scripts import make_variations, report_grlstop, report_results
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS
from tarstop_core.evaluation.findings import variations
from tarstop_core.evaluation.findings.aggregate import PAPER_NAMES
from tarstop_core.evaluation.finished import Finished

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "grlstop.md").read_text(encoding="utf-8")


def test_the_page_on_grlstop_says_what_was_measured() -> None:
    every = report_grlstop.as_measured()
    assert report_grlstop.trained() in PAGE
    assert report_grlstop.against_greedy(every) in PAGE
    (reviews,) = (each for each in every if each.settings["benchmark"] == "review")
    assert report_grlstop.of_choices(reviews) in PAGE
    assert report_grlstop.order(reviews) in PAGE
    assert report_grlstop.order_in_draws(reviews) in " ".join(PAGE.split("\n"))
    # The shipped agent of the reviews is one of those whose training is compared.
    own = variations.of("review", "agent")
    at = own[(own["value"] == "1000000 choices, seed 0") & (own["q_star"] == 0.5)]["net_utility"].iloc[0]
    m, q, c = reviews.method("grlstop"), reviews.q(0.5), reviews.c(0.0001)
    assert at == pytest.approx(float(reviews.net_utility[:, m, q, c].mean()), abs=1e-6)


def test_twenty_draws_of_every_method_are_kept() -> None:
    for name in ("patent", "review"):
        found = variations.spread(name)
        assert len(found) == 3 * len(PAPER_NAMES) and (found["draws"] == 20).all()
        assert (found["net_utility_min"] <= found["net_utility_mean"]).all()
        assert (found["net_utility_mean"] <= found["net_utility_max"]).all()


def test_tuning_in_parts_is_measured_on_every_shipped_benchmark() -> None:
    found = variations.variations()
    found = found[found["variation"] == "tuning"]
    assert set(found["benchmark"]) == {each.name for each in BENCHMARKS.values() if not each.variant}
    assert set(found["method"]) == set(make_variations.BY_CHANCES)
    assert (found["low"] <= found["difference"]).all() and (found["difference"] <= found["high"]).all()
    assert report_results.tuning() in (DOCS / "results.md").read_text(encoding="utf-8")


@pytest.mark.deep
def test_run_again_it_writes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_variations, "Finished", lambda _: Finished(None))
    again = pd.DataFrame(make_variations.of_samples(0)).set_index("q_star")
    kept = variations.of("patent", "samples")
    kept = kept[kept["value"] == "expectation"].set_index("q_star")
    for column in ("net_utility", "screened", "recall"):
        pd.testing.assert_series_equal(again[column], kept[column], rtol=1e-5, check_dtype=False)
