"""Fitting: the five kinds, their quality on held-out topics, and one real collection after another."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from tarstop_core.calibration import fitting
from tarstop_core.calibration.calibrator import (
    KINDS,
    Calibrator,
    from_json,
    z_scores,
)
from tarstop_core.calibration.fitting import assess, cross_validate, fit
from tarstop_core.calibration.quality import ece, reliability
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files.trec import label_topics, read_qrels, read_run
from tests.calibration.cases import SCORES, labelled, simulated, topic


@given(labelled(), st.sampled_from(KINDS), st.sampled_from(["patent", "review"]), SCORES)
def test_every_kind_gives_monotone_probabilities(
    topics: list[Topic], kind: str, scenario: str, scores: list[float]
) -> None:
    if kind == "rank-frailty" and scenario != "patent":
        with pytest.raises(InputProblem, match="for searches that end at the first hit"):
            fit(topics, kind=kind, scenario=scenario)
        return
    fitted = fit(topics, kind=kind, scenario=scenario)
    scores = sorted(scores, reverse=True)
    p = fitted.probabilities(scores)
    assert p.shape == (len(scores),)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p) <= 1e-15).all()
    assert (fitted.frailty < math.inf) <= (kind == "frailty")
    again = from_json(fitted.to_json())
    assert again == fitted
    np.testing.assert_array_equal(again.probabilities(scores), p)


def pava(x: Sequence[float], y: Sequence[float]) -> dict[float, float]:
    """Isotonic means by pooling adjacent violators, value by value."""
    blocks: list[list[Any]] = []
    for value in sorted(set(x)):
        found = [b for a, b in zip(x, y, strict=True) if a == value]
        blocks.append([sum(found), len(found), [value]])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, count, values = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count, blocks[-1][2] + values]
    return {value: total / count for total, count, values in blocks for value in values}


@given(labelled())
def test_marginal_is_isotonic_regression_on_pooled_z_scores(topics: list[Topic]) -> None:
    x, y = [], []
    for one in topics:
        if one.omega:
            x += [float(z) for z in np.round(z_scores(one.scores), 9)]
            y += [float(label) for label in one.labels]
    expected = pava(x, y)
    fitted = fit(topics)
    for one in topics:
        if one.omega:
            want = [expected[float(z)] for z in np.round(z_scores(one.scores), 9)]
            np.testing.assert_allclose(fitted.probabilities(one.scores), want, atol=1e-6)


def test_patents_learn_from_topics_with_prior_art_only_and_reviews_from_all() -> None:
    found, empty = topic([2, 1], [True, False], "yes"), topic([2, 1], [False, False], "no")
    assert fit([found, empty]).probabilities([2, 1]).tolist() == [1, 0]
    assert fit([found, empty]).fitted_on.topics == 1
    assert fit([found, empty], scenario="review").probabilities([2, 1]).tolist() == [0.5, 0]
    # Relevant documents that were not ranked make the topic omega+ all the same.
    unranked = topic([2, 1], [False, False], "unranked", n_relevant=3)
    assert fit([found, unranked]).probabilities([2, 1]).tolist() == [0.5, 0]


def test_hazard_looks_no_further_than_the_first_hit() -> None:
    # Hits at 2 and 3; given none before, the second document is a hit in one of one.
    one = topic([3, 2, 1], [False, True, True])
    assert fit([one], kind="hazard").fitted_on.relevant == 2
    hazard = fit(
        [topic([3, 2, 1], [True, False, False]), topic([3, 2, 1], [False, True, True])], kind="hazard"
    )
    # At the top: 1 of 2. Below: 1 of 1, which isotonic regression pools with it: 2 of 3.
    assert hazard.probabilities([3, 2, 1]) == pytest.approx([2 / 3] * 3)
    marginal = fit([topic([3, 2, 1], [True, False, False]), topic([3, 2, 1], [False, True, True])])
    assert marginal.probabilities([3, 2, 1]) == pytest.approx([0.5] * 3)


def test_clustered_hits_make_the_hazard_smaller_than_the_marginal() -> None:
    topics = simulated(400, 60, seed=4, frailty=0.5)
    marginal, hazard = (
        fit(topics, kind=kind).probabilities(topics[0].scores) for kind in ("marginal", "hazard")
    )
    assert np.cumsum(hazard)[-1] < np.cumsum(marginal)[-1]
    assert (np.cumsum(hazard)[10:] < np.cumsum(marginal)[10:]).all()


def test_constant_scores_give_the_share_of_relevant_documents() -> None:
    fitted = fit([topic([5, 5, 5, 5], [True, False, False, False])])
    assert fitted.probabilities([9, 9]).tolist() == [0.25, 0.25]
    assert fitted.probabilities([9, 1]).tolist() == [0.25, 0.25]


def test_rank_calibrator_falls_with_rank_and_needs_no_scores() -> None:
    topics = [topic(None, one.labels, one.name, one.n_relevant) for one in simulated(100, 80, seed=3)]
    fitted = fit(topics, kind="rank")
    p = fitted.probabilities(None, 200)
    assert (np.diff(p) <= 0).all()
    assert p[0] > 0.05 > p[-1]
    assert p[79] == p[199]
    np.testing.assert_array_equal(fitted.probabilities(np.random.default_rng(1).random(200)), p)
    with pytest.raises(InputProblem):
        fitted.probabilities(None)
    with pytest.raises(InputProblem, match="no scores"):
        fit(simulated(5, 20, seed=1)).probabilities(None, 20)


def test_rank_counts_only_the_lists_that_reach_a_rank() -> None:
    fitted = fit([topic(None, [True, False]), topic(None, [False, False, True])], kind="rank")
    # Shares 1/2, 0/2, 1/1: the falling fit pools all but the first: (0 + 1) / (2 + 1).
    assert fitted.probabilities(None, 3) == pytest.approx([0.5, 1 / 3, 1 / 3])


def test_steps_are_drawn_towards_the_base_rate_by_hand() -> None:
    lists = [topic(None, [True, False]) for _ in range(4)]
    # Four documents a step beside four at the base rate of 1/2: (4 + 2) / 8 and (0 + 2) / 8.
    fitted = fit(lists, kind="rank", pseudo=4)
    assert fitted.probabilities(None, 2) == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize("a", [0.5, 1.5, 4.0])
def test_frailty_finds_the_shape_again(a: float) -> None:
    found = [fit(simulated(500, 120, seed, frailty=a), kind="frailty").frailty for seed in (1, 2, 3)]
    assert abs(float(np.mean(np.log(found))) - math.log(a)) < math.log(2)


def test_frailty_is_great_or_infinite_for_independent_documents() -> None:
    # 1/a is the variance of the topics' common factor; at 500 topics its standard error is about .08.
    variances = [1 / fit(simulated(500, 120, seed), kind="frailty").frailty for seed in range(1, 7)]
    assert np.mean(variances) < 0.1
    assert min(variances) < 0.01


def test_frailty_bends_the_curve_and_other_kinds_do_not() -> None:
    topics = simulated(200, 60, seed=5, frailty=0.7)
    bent, plain = fit(topics, kind="frailty"), fit(topics)
    assert (bent.x, bent.y) == (plain.x, plain.y)
    p = plain.probabilities(topics[0].scores)
    assert bent.curve(p).log_M[-1] > plain.curve(p).log_M[-1]
    np.testing.assert_array_equal(plain.curve(p).h, p)
    assert bent.curve(p, kappa=0.5).log_M[-1] > math.log(0.5)


@pytest.mark.parametrize(
    "topics, settings",
    [
        ([], {}),
        ([topic([2, 1], [False, False])], {}),
        ([topic([2, 1], [False, False], n_relevant=2)], {}),
        ([topic(None, [True, False])], {}),
        ([topic([2, 1], [True, False])], {"kind": "magic"}),
        ([topic([2, 1], [True, False])], {"scenario": "magic"}),
        ([topic([math.nan, 1], [True, False])], {}),
    ],
)
def test_nothing_to_learn_from_is_said(topics: list[Topic], settings: dict[str, str]) -> None:
    with pytest.raises(InputProblem) as problem:
        fit(topics, **settings)
    assert str(problem.value).endswith(".")
    assert "\n" not in str(problem.value)


# --- quality --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_assess_gives_sklearns_brier_score(kind: str) -> None:
    training, test = simulated(100, 50, seed=1, frailty=2), simulated(40, 70, seed=2, frailty=2)
    fitted = fit(training, kind=kind)
    p, y = [], []
    for one in test:
        chances = fitted.probabilities(one.scores)
        if kind == "frailty":
            total, M = 0.0, [1.0]
            for chance in chances:
                total -= math.log(1 - chance)
                M.append((1 + total / fitted.frailty) ** -fitted.frailty)
            chances = 1 - np.array(M[1:]) / np.array(M[:-1])
        elif kind == "rank-frailty":
            M = [first_passed(fitted, k) for k in range(len(one) + 1)]
            chances = 1 - np.array(M[1:]) / np.array(M[:-1])
        last = len(one) if kind in ("marginal", "rank") else (one.first_hit or len(one))
        p += chances[:last].tolist()
        y += one.labels[:last].tolist()
    quality = assess(fitted, test, "another set")
    assert quality.brier == pytest.approx(brier_score_loss(y, p), rel=1e-9)
    assert (quality.documents, quality.topics, quality.how) == (len(p), 40, "another set")
    assert quality.ece == pytest.approx(ece(reliability(p, y)), abs=1e-12)
    assert quality.ece < 0.02


def first_passed(fitted: Calibrator, k: int) -> float:
    """M(k) of kinds of lists, in a plain loop."""
    total = 0.0
    for weight, level, slope, variance in fitted.list_kinds:
        exposure = math.exp(level) * (k / 10) ** slope
        total += weight * ((1 + variance * exposure) ** (-1 / variance) if variance else math.exp(-exposure))
    return fitted.lacking + (1 - fitted.lacking) * total / sum(kind[0] for kind in fitted.list_kinds)


def test_no_topic_is_judged_by_a_fit_that_saw_it(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = simulated(23, 30, seed=6)
    fitted_with: dict[int, set[str]] = {}
    judged: list[str] = []
    real_fit, real_predictions = fitting.fit, fitting._predictions

    def watched_fit(training: Sequence[Topic], **options: Any) -> Calibrator:
        result = real_fit(training, **options)
        fitted_with[id(result.x)] = {one.name for one in training}
        kept.append(result)
        return result

    def watched_predictions(fitted: Calibrator, test: Sequence[Topic]) -> Any:
        names = {one.name for one in test}
        assert not names & fitted_with[id(fitted.x)]
        assert names | fitted_with[id(fitted.x)] == {one.name for one in topics}
        judged.extend(names)
        return real_predictions(fitted, test)

    kept: list[Calibrator] = []
    monkeypatch.setattr(fitting, "fit", watched_fit)
    monkeypatch.setattr(fitting, "_predictions", watched_predictions)
    quality = cross_validate(topics)
    assert len(kept) == 5
    assert sorted(judged) == sorted(one.name for one in topics)
    assert (quality.topics, quality.documents) == (23, 23 * 30)


def test_cross_validation_cannot_remember() -> None:
    # Two topics with opposite orders: each is judged by the other's fit, so everything is wrong.
    up, down = topic([2, 1], [True, False], "up"), topic([2, 1], [False, True], "down")
    assert cross_validate([up, down]).brier > 0.4
    assert assess(fit([up]), [up], "itself").brier == 0


@pytest.mark.parametrize("kind", KINDS)
def test_cross_validation_of_every_kind(kind: str) -> None:
    quality = cross_validate(simulated(30, 40, seed=8), kind=kind, folds=3)
    assert 0 < quality.brier < 0.2
    assert quality.how.startswith("3-fold")
    assert sum(count for _, _, count in quality.reliability) == quality.documents


def test_one_topic_cannot_be_held_out_of_itself() -> None:
    with pytest.raises(InputProblem, match="only one usable topic"):
        cross_validate([topic([2, 1], [True, False]), topic([2, 1], [False, False])])


# --- how much totals vary between lists ---------------------------------------------------------


def with_totals(shape: float, topics: int = 800, seed: int = 0, first: float = 0.1) -> list[Topic]:
    """Lists of 200 whose chances fall from the `first`, multiplied by a gamma variable of mean 1 in each list."""
    rng = np.random.default_rng(seed)
    p = np.linspace(first, 0.0, 200)
    factor = np.ones(topics) if math.isinf(shape) else rng.gamma(shape, 1 / shape, topics)
    ids = np.array([f"d{i}" for i in range(200)])
    lists = []
    for number in range(topics):
        labels = rng.random(200) < p * factor[number]
        lists.append(Topic(f"T{number}", ids, np.arange(200, 0, -1.0), labels, int(labels.sum())))
    return lists


@pytest.mark.parametrize("kind", ["marginal", "rank"])
@pytest.mark.parametrize("shape", [1.0, 4.0])
def test_dispersion_finds_the_shape_again(kind: str, shape: float) -> None:
    fitted = fit(with_totals(shape), kind=kind, scenario="inclusion")
    assert fitted.dispersion == pytest.approx(shape, rel=0.2)


def test_lists_that_hold_less_than_one_relevant_document_on_average_vary_too() -> None:
    fitted = fit(with_totals(0.5, 600, first=0.008), kind="marginal", scenario="inclusion")
    assert fitted.dispersion == pytest.approx(0.5, rel=0.3)


def test_dispersion_is_great_or_infinite_where_totals_vary_as_chance_has_it() -> None:
    assert fit(with_totals(math.inf), scenario="review").dispersion > 60


def test_totals_of_none_or_four_vary_more_than_chance_and_equal_ones_do_not() -> None:
    # Two are expected in every list; a Poisson count would be 2 ± 1.4.
    torn = [topic([4, 3, 2, 1], [number % 2] * 4, f"T{number}") for number in range(20)]
    assert fit(torn, kind="rank", scenario="inclusion").dispersion < 2
    alike = [topic([4, 3, 2, 1], [1, number % 2, 1 - number % 2, 0], f"T{number}") for number in range(20)]
    assert math.isinf(fit(alike, kind="rank", scenario="inclusion").dispersion)


def test_hazards_do_not_add_up_to_a_total() -> None:
    assert math.isinf(fit(with_totals(1.0, 100), kind="hazard").dispersion)


def test_what_it_was_fitted_on_is_recorded() -> None:
    seen = fit([topic([3, 2, 2, 1], [1, 0, 1, 0]), topic([2, 1], [0, 1]), topic([2, 1], [0, 0])]).fitted_on
    assert (seen.topics, seen.documents, seen.relevant) == (2, 6, 3)
    assert (seen.shortest_list, seen.longest_list, seen.tied_share) == (2, 4, 0.25)


# --- real rankings --------------------------------------------------------------------------------


def real_topics(run: Path, qrels: Path) -> list[Topic]:
    return list(label_topics(read_run(run), read_qrels(qrels))[0].values())


@pytest.mark.parametrize("kind", KINDS)
def test_from_one_real_collection_to_another(real_data: Path, kind: str) -> None:
    training = real_topics(real_data / "clef_dta/bm25.run", real_data / "clef_dta/content.qrels")
    test = real_topics(
        real_data / "clef2019/bm25_dta.run", real_data / "clef2019/full.test.dta.content.2019.qrels"
    )
    assert (len(training), len(test)) == (24, 8)
    fitted = fit(training, kind=kind, name="CLEF DTA")
    assert fitted.fitted_on.documents == sum(len(one) for one in training if one.omega)
    quality = assess(fitted, test, "CLEF 2019")
    held_out = cross_validate(training, kind=kind)
    for judged in (quality, held_out):
        base = sum(share * count for _, share, count in judged.reliability) / judged.documents
        # Two dozen topics are few for a first-hit hazard, and eight few to judge it by: it may travel badly.
        slack = 1.1 if kind in ("marginal", "rank") else 2
        assert judged.brier < slack * base * (1 - base)
        assert judged.ece < 0.05
    assert from_json(fitted.to_json()) == fitted


def test_what_is_judged_by_lists_is_kept_with_the_calibrator() -> None:
    fitted = fit(simulated(40, 60, seed=3))
    quality = assess(fitted, simulated(20, 60, seed=4), "other lists")
    assert len(quality.intervals) == len(quality.reliability)
    assert all(
        a <= share <= b for (a, b), (_, share, _) in zip(quality.intervals, quality.reliability, strict=True)
    )
    kept = from_json(replace(fitted, quality=quality).to_json())
    assert kept.quality == quality
    assert "intervals" not in replace(fitted, quality=replace(quality, intervals=())).to_json()
