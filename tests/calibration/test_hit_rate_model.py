"""How hits thin out along lists: learned again from lists that were drawn, updated by what was read, never above what is left."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc
from scipy.stats import beta

from tarstop_core.calibration.calibrator import from_json
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.hit_rate_fit import fit_thinning
from tarstop_core.calibration.hit_rate_model import (
    PRIOR,
    SHARP,
    Thinning,
    chances_as_read,
    share_at,
    still_unread,
    thinning_of,
)
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import still_unread as at_depth
from tarstop_core.files import label_topics, read_qrels, read_run

STEEP = Thinning(
    mean=((np.log(0.5), 0.0), (np.log(2.0), 0.0), (np.log(30.0), 0.5)),
    spread=((0.05, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.5)),
)


def drawn(thinning: Thinning, lists: int, seed: int) -> list[np.ndarray]:
    """Labels of lists whose curves are drawn from it."""
    rng = np.random.default_rng(seed)
    found = []
    for length in rng.integers(200, 3000, lists):
        mean = np.array(thinning.mean) @ (1.0, np.log(length / 1000))
        alpha, beta, total = np.exp(rng.multivariate_normal(mean, thinning.spread))
        labels = np.zeros(length, dtype=bool)
        labels[(rng.beta(alpha, beta, rng.poisson(total)) * length).astype(int)] = True
        found.append(labels)
    return found


def test_what_lists_were_drawn_from_is_learned_again() -> None:
    found = fit_thinning([(np.ones(len(each), dtype=bool), each) for each in drawn(STEEP, 150, 1)])
    assert found.lists == 150 and found.usable
    assert np.array(found.mean)[:, 0] == pytest.approx(np.array(STEEP.mean)[:, 0], abs=0.3)
    assert found.mean[2][1] == pytest.approx(0.5, abs=0.25)
    assert found.spread[2][2] == pytest.approx(0.5, abs=0.35)


def test_intervals_cover_on_lists_that_were_drawn() -> None:
    inside, above = [], []
    for labels in drawn(STEEP, 80, 2):
        for share in (0.02, 0.1, 0.5):
            read = np.arange(len(labels)) < share * len(labels)
            low, high = still_unread(STEEP, read, labels & read, ~read).interval()
            true = labels[~read].sum()
            inside.append(low <= true <= high)
            above.append(true > high)
    assert np.mean(inside) > 0.88 and np.mean(above) < 0.07


def test_chances_that_thin_out_as_a_curve_give_that_curve() -> None:
    r = (np.arange(1000) + 0.5) / 1000
    mean = np.array(thinning_of(0.02 * beta.pdf(r, 1.2, 2.5)).mean)
    assert np.exp(mean[:2, 0]) == pytest.approx([1.2, 2.5], rel=1e-3)
    assert np.exp(mean[2] @ [1.0, 0.0]) < 20.0 < np.exp(mean[2, 0] + PRIOR.spread[2][2])


def test_head_and_tail_are_not_tied() -> None:
    """A list whose hits stand at the head alone leaves less than one with as many that are spread."""
    n, read = 1000, np.arange(1000) < 300
    crowded, even = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    crowded[:20], even[5:300:15] = True, True
    few, many = (still_unread(PRIOR, read, each, ~read) for each in (crowded, even))
    assert few.mean < many.mean / 3 and few.interval()[1] < many.interval()[1] / 2


def test_chances_follow_what_was_read() -> None:
    """They add up to the number still unread, fall with every miss, and what was said before stays said."""
    n, labels = 1500, np.zeros(1500, dtype=bool)
    labels[[0, 3, 10, 25, 60]] = True
    before: np.ndarray | None = None
    for depth in (0, 40, 200, 700):
        read = np.arange(n) < depth
        p = chances_as_read(STEEP, read, labels & read, ~read)
        # A document is a hit once, whatever its expected number of hits.
        assert p[depth:].sum() == pytest.approx(still_unread(STEEP, read, labels & read, ~read).mean, rel=0.2)
        assert ((p > 0) & (p < 1)).all()
        if before is not None:
            assert p[depth:].sum() < before[depth:].sum() or depth == 40
            assert p[:40] == pytest.approx(before[:40]) or depth == 40
        before = p
    read = np.arange(n) < 40
    found, vain = (chances_as_read(STEEP, read, each & read, ~read) for each in (labels, labels & ~labels))
    assert found[40] > 2 * vain[40] and found[0] == pytest.approx(vain[0])


def test_chances_as_read_are_true_on_lists_that_were_drawn() -> None:
    """Of documents about which the same is said, as many are relevant as was said."""
    said, true = [], []
    for labels in drawn(STEEP, 60, 7):
        every = np.ones(len(labels), dtype=bool)
        said.append(chances_as_read(STEEP, every, labels, ~every))
        true.append(labels)
    p, came = np.concatenate(said), np.concatenate(true)
    for low, high in ((0.0, 0.02), (0.02, 0.1), (0.1, 1.0)):
        here = (p >= low) & (p < high)
        assert came[here].mean() == pytest.approx(p[here].mean(), rel=0.3)


def test_of_a_nearly_perfect_ranking_little_may_be_left() -> None:
    """As in lists that learn: most of what there is stands among the first few hundred."""
    n, rng = 3000, np.random.default_rng(4)
    labels = np.zeros(n, dtype=bool)
    labels[np.minimum(rng.exponential(45, 60), n - 1).astype(int)] = True
    for depth in (150, 300):
        read = np.arange(n) < depth
        low, _ = still_unread(STEEP, read, labels & read, ~read).interval()
        assert low <= labels[~read].sum()


def test_a_hit_where_hardly_any_kind_has_one_does_not_break() -> None:
    n = 100_000
    read, last = np.arange(n) >= n // 2, np.arange(n) == n - 1
    left = still_unread(SHARP, read, last, ~read)
    assert math.isfinite(left.mean) and left.chance.sum() == pytest.approx(1)


@given(st.integers(1, 60), st.data())
def test_never_more_than_documents_left(length: int, data: st.DataObject) -> None:
    flags = st.lists(st.booleans(), min_size=length, max_size=length)
    judged, labels, late = (np.array(data.draw(flags)) for _ in range(3))
    unread = ~judged & late
    left = still_unread(PRIOR, judged, judged & labels, unread)
    low, high = left.interval()
    assert 0 <= low <= high <= unread.sum() and 0 <= left.mean <= unread.sum() + 1e-9
    assert left.chance.sum() == pytest.approx(1)


def test_labels_that_nobody_gave_say_nothing() -> None:
    n = 400
    labels = np.zeros(n, dtype=bool)
    labels[[1, 5, 9, 30]] = True
    read = np.arange(n) < 100
    whole, part = (fit_thinning([(known, labels)] * 8) for known in (np.ones(n, dtype=bool), read))
    # Nobody knows that the rest holds none.
    assert whole.mean[1][0] > part.mean[1][0]


CALIBRATOR = fit(
    [
        Topic(f"T{i}", np.arange(len(y)).astype(str), None, y, int(y.sum()))
        for i, y in enumerate(drawn(STEEP, 12, 3))
    ],
    kind="rank",
    scenario="review",
)


def test_a_calibrator_carries_it_and_files_without_it_keep_their_fingerprint() -> None:
    assert CALIBRATOR.thinning is not None and CALIBRATOR.thinning.lists == 12
    assert from_json(CALIBRATOR.to_json()) == CALIBRATOR
    content = json.loads(CALIBRATOR.to_json())
    del content["thinning"]
    old = from_json(json.dumps(content))
    assert old.thinning is None and "thinning" not in json.loads(old.to_json())
    assert fit([_topic(5)], kind="rank").thinning is None  # patents


def _topic(hits: int) -> Topic:
    labels = np.arange(40) < hits
    return Topic("T", labels.astype(str), None, labels, hits)


@pytest.mark.parametrize("wrong", [[[1, 0, 0], [0, 1, 0], [0, 0, -1]], [[1, 2, 0], [0, 1, 0], [0, 0, 1]]])
def test_what_is_no_distribution_is_refused(wrong: list[list[float]]) -> None:
    content = json.loads(CALIBRATOR.to_json())
    content["thinning"]["spread"] = wrong
    with pytest.raises(InputProblem, match="thinning"):
        from_json(json.dumps(content))


@pytest.mark.parametrize("total", [0.0, 3.0, 30.0])
def test_without_it_the_chances_say_where_and_how_many(total: float) -> None:
    """As wide as nobody knows, around what the chances expect."""
    p = np.linspace(2.0, 0.0, 500) * total / 500
    left = still_unread(thinning_of(p), p < -1, p < -1, p > -1)
    assert left.mean == pytest.approx(max(total, 0.2), rel=0.25)
    low, high = left.interval()
    assert low <= total / 3 and high >= 2 * total


@pytest.mark.parametrize("alpha, beta", [(0.6, 3.0), (1.0, 1.0), (2.0, 1.5)])
def test_the_share_at_each_position_is_what_it_adds_to_the_share_before(alpha: float, beta: float) -> None:
    at, length = np.arange(20, 180), 200
    [shares] = share_at(at, length, np.array([alpha]), np.array([beta]))
    before, after = betainc(alpha, beta, at / length), betainc(alpha, beta, (at + 1) / length)
    assert shares == pytest.approx(after - before, rel=1e-3)


def test_documents_that_stand_out_of_rank_are_put_back() -> None:
    labels = drawn(STEEP, 1, 4)[0]
    n = len(labels)
    read, p = np.arange(n) < n // 4, np.zeros(n)
    ranks = np.random.default_rng(5).permutation(n)
    there = CALIBRATOR.left(p, read, read & labels, ~read)
    mixed = CALIBRATOR.left(p, read[ranks], (read & labels)[ranks], ~read[ranks], ranks + 1)
    assert (there.mean, there.interval()) == (mixed.mean, mixed.interval())


@pytest.mark.parametrize("scenario", ["review", "inclusion"])
def test_on_reviews_that_were_not_learned_from(real_data: Path, scenario: str) -> None:
    """One collection teaches, another one is judged: nine intervals in ten hold, one in twenty is exceeded, by 26 reviews as near as they tell."""
    judgments = "content" if scenario == "review" else "abs"
    taught = _topics(real_data, "clef_dta/bm25.run", f"clef_dta/{judgments}.qrels")
    told = _topics(
        real_data, "clef2019/bm25_dta.run", f"clef2019/full.test.dta.{judgments}.2019.qrels"
    ) + _topics(real_data, "clef2017/es_bool.run", f"clef2017/qrel_{judgments}_test.txt")
    names = {topic.name for topic in taught}
    calibrator = fit(taught, kind="rank", scenario=scenario)
    inside, above = [], []
    for topic in told:
        if topic.name in names or not len(topic):
            continue
        for share in (0.02, 0.05, 0.1, 0.2, 0.5):
            said = at_depth(topic, calibrator, int(np.ceil(share * len(topic))))
            inside.append(said.low <= said.true <= said.high)
            above.append(said.true > said.high)
    assert len(inside) == 5 * 26 and np.mean(inside) >= 0.85 and np.mean(above) <= 0.08


def _topics(folder: Path, run: str, qrels: str) -> list[Topic]:
    return list(label_topics(read_run(folder / run), read_qrels(folder / qrels))[0].values())
