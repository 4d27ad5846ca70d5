"""The tables of results say what the shipped figures say, counted by hand; the variations are whole."""

import numpy as np
import pandas as pd
import pytest

from scripts import make_variations, study
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS
from tarstop_core.evaluation.findings.paper import PAPER_NAMES, spread, variation_of, variations
from tarstop_core.evaluation.jobs import ResultCache
from tarstop_core.evaluation.results import Results, load, shipped
from tarstop_core.value.payoffs import Payoffs


def results_of(stem: str) -> Results:
    return load(next(listed.path for listed in shipped() if listed.path.stem == stem))


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return study.kept_tables(study.load("results"))


def utilities(results: Results, method: str, q_star: float, cost: float) -> np.ndarray:
    """Net utility of each case, from actions and depths."""
    m, q, c = results.method(method), results.q(q_star), results.c(cost)
    payoffs = Payoffs.from_q_star(q_star)
    plus, read = results.plus[:, m, q, c] > 0.5, results.screened[:, m, q, c]
    return np.array(
        [
            payoffs.outcome(bool(p), bool(w)) - cost * n
            for p, w, n in zip(plus, results.omega[:, q], read, strict=True)
        ]
    )


def test_the_papers_table_is_beside_figures_counted_by_hand(tables: dict[str, pd.DataFrame]) -> None:
    results = results_of("patent")
    paper = tables["results_paper"]
    row = paper[(paper["method"] == "greedy") & (paper["q_star"] == 0.8) & (paper["cost"] == 0.001)].iloc[0]
    assert row["net_utility"] == pytest.approx(utilities(results, "greedy", 0.8, 0.001).mean(), abs=1e-6)
    m, q, c = results.method("greedy"), results.q(0.8), results.c(0.001)
    assert row["screened"] == pytest.approx(results.screened[:, m, q, c].mean(), abs=1e-6)
    assert row["net_utility_paper"] == 0.2248


def test_a_claim_is_counted_by_hand(tables: dict[str, pd.DataFrame]) -> None:
    results = results_of("clef")
    gains = [
        (utilities(results, "optimal", q, c) - utilities(results, "greedy", q, c)).mean()
        for q in results.q_stars
        for c in results.costs
    ]
    claims = tables["results_claims"]
    own = claims["benchmark"] == results.settings["title"]
    row = claims[own & (claims["one"] == "optimal") & (claims["other"] == "greedy")].iloc[0]
    assert (row["cells"], row["better"], row["worse"]) == (
        len(gains),
        sum(gain > 1e-12 for gain in gains),
        sum(gain < -1e-12 for gain in gains),
    )
    assert row["difference"] == pytest.approx(np.mean(gains), abs=1e-6)
    assert row["low"] < row["difference"] < row["high"]


def test_every_shipped_experiment_is_there(tables: dict[str, pd.DataFrame]) -> None:
    named = {(listed.title, listed.truth) for listed in shipped()}
    for name in ("results_claims", "results_baselines", "results_rules"):
        assert set(tables[name][["benchmark", "truth"]].itertuples(index=False, name=None)) == named


def test_the_agent_of_the_reviews_is_one_of_those_whose_training_is_compared() -> None:
    results = results_of("review-full_evidence")
    own = variation_of("review", "agent")
    at = own[(own["value"] == "1000000 choices, seed 0") & (own["q_star"] == 0.5)]["net_utility"].iloc[0]
    assert at == pytest.approx(utilities(results, "grlstop", 0.5, 0.0001).mean(), abs=1e-6)


def test_twenty_draws_of_every_method_are_kept() -> None:
    for name in ("patent", "review"):
        found = spread(name)
        assert len(found) == 3 * len(PAPER_NAMES) and (found["draws"] == 20).all()
        assert (found["net_utility_min"] <= found["net_utility_mean"]).all()
        assert (found["net_utility_mean"] <= found["net_utility_max"]).all()


def test_tuning_in_parts_is_measured_on_every_shipped_benchmark() -> None:
    found = variations()
    found = found[found["variation"] == "tuning"]
    assert set(found["benchmark"]) == {each.name for each in BENCHMARKS.values() if not each.variant}
    assert set(found["method"]) == set(make_variations.BY_CHANCES)
    assert (found["low"] <= found["difference"]).all() and (found["difference"] <= found["high"]).all()


@pytest.mark.deep
def test_run_again_it_writes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_variations, "ResultCache", lambda _: ResultCache(None))
    again = pd.DataFrame(make_variations.of_samples(0)).set_index("q_star")
    kept = variation_of("patent", "samples")
    kept = kept[kept["value"] == "expectation"].set_index("q_star")
    for column in ("net_utility", "screened", "recall"):
        pd.testing.assert_series_equal(again[column], kept[column], rtol=1e-5, check_dtype=False)
