"""The share of included reports that bring data: learned, saved, updated."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from tarstop_core.calibration.extraction_rate import (
    CLOSEST,
    FEW,
    SUREST,
    ExtractionRate,
    QuestionsOfReview,
    fit_extraction_rate,
    fit_question_rate,
    for_one_question,
    from_json,
    load,
)
from tarstop_core.calibration.hit_rate_model import PRIOR
from tarstop_core.errors import InputProblem


def drawn(alpha: float, beta: float, topics: int, seed: int = 0) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    n = rng.integers(5, 120, topics)
    return list(zip(n.tolist(), rng.binomial(n, rng.beta(alpha, beta, topics)).tolist(), strict=True))


@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 4.0), (0.8, 0.5), (12.0, 6.0)])
def test_the_spread_between_reviews_is_found_again(alpha: float, beta: float) -> None:
    share = fit_extraction_rate(drawn(alpha, beta, 3000), "drawn")
    assert share.mean == pytest.approx(alpha / (alpha + beta), abs=0.01)
    assert share.alpha + share.beta == pytest.approx(alpha + beta, rel=0.12)


def test_no_other_shapes_are_likelier() -> None:
    pairs = drawn(2, 3, 24, seed=4)
    n, k = np.array(pairs).T
    share = fit_extraction_rate(pairs, "drawn")
    best = betabinom.logpmf(k, n, share.alpha, share.beta).sum()
    for alpha, beta in np.random.default_rng(1).uniform(0.2, 12, (200, 2)):
        assert betabinom.logpmf(k, n, alpha, beta).sum() <= best + 1e-6


@given(
    st.lists(
        st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
        min_size=2,
        max_size=12,
    )
)
def test_any_reviews_give_a_usable_share(pairs: list[tuple[int, int]]) -> None:
    share = fit_extraction_rate(pairs, "any")
    assert CLOSEST / 2 < share.mean < 1 - CLOSEST / 2
    assert share.alpha + share.beta <= SUREST * 1.001
    low, high = share.interval()
    assert 0 <= low <= high <= 1


def test_reviews_that_included_nothing_say_nothing() -> None:
    pairs = [(50, 10), (20, 11)]
    assert fit_extraction_rate([*pairs, (0, 0)], "x") == fit_extraction_rate(pairs, "x")


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([(10, 4)], "give two or more"),
        ([(0, 0), (5, 1)], "give two or more"),
        ([(3, 4), (5, 1)], "3 included reports and 4"),
    ],
)
def test_what_cannot_be_learned_from_is_said(pairs: list[tuple[int, int]], sentence: str) -> None:
    with pytest.raises(InputProblem, match=sentence):
        fit_extraction_rate(pairs, "x")


def test_questions_with_few_studies_count_though_their_studies_are_not_known() -> None:
    """Leaving them out would say that every question has many."""
    rng = np.random.default_rng(6)
    counted, left_out = [], []
    for included in rng.integers(10, 100, 150).tolist():
        data = rng.binomial(included, rng.beta(1.0, 4.0, 20))
        enough = tuple(data[data >= FEW].tolist())
        counted.append(QuestionsOfReview(included, enough, few=20 - len(enough)))
        left_out.append(QuestionsOfReview(included, enough))
    rate = fit_question_rate(counted, "drawn")
    assert (rate.mean, rate.topics) == (pytest.approx(0.2, abs=0.02), 150)
    assert rate.alpha + rate.beta == pytest.approx(5, rel=0.2)
    assert fit_question_rate([each for each in left_out if each.with_data], "drawn").mean > 0.27


def test_no_other_shapes_are_likelier_where_questions_with_fewer_than_five_studies_are_only_counted() -> None:
    reviews = [
        QuestionsOfReview(40, (5, 9), few=3),
        QuestionsOfReview(12, (6,), 2),
        QuestionsOfReview(3, (), 1),
    ]
    rate = fit_question_rate(reviews, "made up")

    def log_likelihood(alpha: float, beta: float) -> float:
        return sum(
            (betabinom.logpmf(each.with_data, each.included, alpha, beta).sum()
            + each.few * betabinom.logcdf(min(4, each.included), each.included, alpha, beta))
            / (len(each.with_data) + each.few)
            for each in reviews
        )  # fmt: skip

    best = log_likelihood(rate.alpha, rate.beta)
    for a, b in ((1.02, 1), (0.98, 1), (1, 1.02), (1, 0.98), (1.05, 1.05), (0.95, 0.95)):
        assert log_likelihood(a * rate.alpha, b * rate.beta) < best


def test_of_what_a_review_includes_a_question_gets_its_share() -> None:
    rng, rate = np.random.default_rng(2), ExtractionRate(1.0, 4.0)
    log_share = np.log(rng.beta(1.0, 4.0, 200_000))
    own = for_one_question(PRIOR, rate)
    assert own.mean[2][0] - PRIOR.mean[2][0] == pytest.approx(log_share.mean(), abs=0.02)
    assert own.spread[2][2] - PRIOR.spread[2][2] == pytest.approx(log_share.var(), rel=0.02)
    assert own.usable and own.mean[:2] == PRIOR.mean[:2] and own.mean[2][1] == PRIOR.mean[2][1]


def test_reports_of_the_review_itself_move_it() -> None:
    share = ExtractionRate(2, 4, 24, "others").updated(5, 1)
    assert (share.alpha, share.beta, share.topics, share.source) == (7, 5, 24, "others")
    narrow, wide = share.interval(0.5), share.interval(0.95)
    assert wide[0] < narrow[0] < share.mean < narrow[1] < wide[1]


def test_it_is_read_back(tmp_path: Path) -> None:
    share = fit_extraction_rate(drawn(2, 4, 10), "drawn")
    path = tmp_path / "share.json"
    path.write_text(share.to_json(), encoding="utf-8")
    assert load(path) == share


@pytest.mark.parametrize("shapes", [(0, 1), (1, -1), (float("nan"), 1), (float("inf"), 1)])
def test_impossible_shapes_are_refused(shapes: tuple[float, float]) -> None:
    with pytest.raises(InputProblem, match="give two above 0"):
        ExtractionRate(*shapes)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"alpha": 0}, "is damaged"),
        ({"alpha": "many"}, "is damaged"),
        ({"topics": None}, "is damaged"),
        ({"version": 9}, "has version 9"),
        ({"format": "tarstop-prior"}, "is not a share"),
    ],
)
def test_damaged_files_are_refused(change: dict[str, object], sentence: str) -> None:
    content = {**json.loads(ExtractionRate(2, 3).to_json()), **change}
    with pytest.raises(InputProblem, match=sentence):
        from_json(json.dumps(content))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputProblem, match="cannot be read"):
        load(tmp_path / "none.json")
