"""The simulated benchmark: reproducible, near its six targets, and hard to read the truth from."""

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, R, nDCG

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.samples.simulate.rankings import TARGETS, ranking_statistics, simulate_patent_rankings

TOLERANCE = {"n_relevant": 0.2} | dict.fromkeys(
    ("map", "ndcg", "recall_100", "hit_within_31", "hit_within_100"), 0.02
)


@pytest.fixture(scope="module")
def benchmark() -> list[Topic]:
    return simulate_patent_rankings()


def test_half_the_topics_have_prior_art(benchmark: list[Topic]) -> None:
    assert [topic.omega for topic in benchmark] == [True] * 500 + [False] * 500
    assert all(bool(topic.labels.any()) == topic.omega for topic in benchmark if topic.labels is not None)


def test_names_say_simulated_and_ids_are_unique(benchmark: list[Topic]) -> None:
    assert len({topic.name for topic in benchmark}) == 1000
    assert all(topic.name.startswith("SIM-") for topic in benchmark)
    assert all(len(np.unique(topic.ids)) == len(topic) for topic in benchmark[::100])


def test_pools_are_about_as_large_as_in_the_paper(benchmark: list[Topic]) -> None:
    sizes = np.array([len(topic) for topic in benchmark])
    assert abs(sizes.mean() - 3110) < 30
    assert 200 < sizes.std() < 400


@pytest.mark.parametrize("figure", TARGETS)
def test_statistics_are_near_their_targets(benchmark: list[Topic], figure: str) -> None:
    assert ranking_statistics(benchmark)[figure] == pytest.approx(TARGETS[figure], abs=TOLERANCE[figure])


def test_another_seed_is_near_the_targets_too() -> None:
    achieved = ranking_statistics(simulate_patent_rankings(seed=77))
    for figure, target in TARGETS.items():
        assert achieved[figure] == pytest.approx(target, abs=2 * TOLERANCE[figure]), figure


def test_statistics_equal_trec_eval() -> None:
    topics = simulate_patent_rankings(topics=24, seed=3)
    qrels = [
        ir_measures.Qrel(t.name, str(i), 1)
        for t in topics
        for i, hit in zip(t.ids, t.labels, strict=True)
        if hit
    ]
    run = [
        ir_measures.ScoredDoc(t.name, str(i), float(s))
        for t in topics
        for i, s in zip(t.ids, t.scores, strict=True)
    ]
    theirs = ir_measures.calc_aggregate([AP, nDCG, R @ 100], qrels, run)
    ours = ranking_statistics(topics)
    assert ours["map"] == pytest.approx(theirs[AP], abs=1e-9)
    assert ours["ndcg"] == pytest.approx(theirs[nDCG], abs=1e-9)
    assert ours["recall_100"] == pytest.approx(theirs[R @ 100], abs=1e-9)


def test_equal_seeds_give_equal_rankings() -> None:
    first, second = simulate_patent_rankings(20, seed=5), simulate_patent_rankings(20, seed=5)
    other = simulate_patent_rankings(20, seed=6)
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a.ids, b.ids) and np.array_equal(a.scores, b.scores)
        assert np.array_equal(a.labels, b.labels)
    assert any(
        len(a) != len(b) or not np.array_equal(a.scores, b.scores) for a, b in zip(first, other, strict=True)
    )


def test_scores_fall_are_skewed_and_differ_between_topics(benchmark: list[Topic]) -> None:
    scores = [topic.scores for topic in benchmark]
    assert all((np.diff(s) <= 0).all() and np.isfinite(s).all() and s.min() >= 0 for s in scores)
    skewness = [(((s - s.mean()) / s.std()) ** 3).mean() for s in scores]
    assert min(skewness) > 0.3
    means = np.array([s.mean() for s in scores])
    assert means.std() > 0.3 * means.mean()


def test_hits_within_a_topic_go_together(benchmark: list[Topic]) -> None:
    """Topics without an early hit are half as common again, or more, as if documents were found independently."""
    positive = [topic for topic in benchmark if topic.omega]
    achieved = ranking_statistics(benchmark)
    independent = np.mean([(1 - achieved["recall_100"]) ** topic.n_relevant for topic in positive])
    assert 1 - achieved["hit_within_100"] > 1.5 * independent


def test_top_scores_do_not_give_the_truth_away(benchmark: list[Topic]) -> None:
    top = np.array([(t.scores[0] - t.scores.mean()) / t.scores.std() for t in benchmark])
    omega = np.array([t.omega for t in benchmark])
    wins = (top[omega][:, None] > top[~omega][None, :]).mean()
    assert 0.5 < wins < 0.9  # area under the ROC curve


def test_too_small_a_benchmark_is_refused() -> None:
    with pytest.raises(InputProblem, match="at least 2 topics"):
        simulate_patent_rankings(topics=1)
    with pytest.raises(InputProblem, match="at least 50 documents"):
        simulate_patent_rankings(topics=2, pool_mean=10)
    with pytest.raises(InputProblem, match="nothing to average"):
        ranking_statistics([Topic("t", np.array(["a"]), labels=np.array([False]), n_relevant=0)])
