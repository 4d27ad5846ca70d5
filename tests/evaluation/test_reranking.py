"""A list that learns: the order it is read in, how its forecasts come out, and rankers that look ahead."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.reranking import (
    adaptive_chances,
    check_ranker,
    forecast_quality,
    mean_log_loss,
    order_quality,
    simulate,
)
from tarstop_core.ranking.features import Features, make_features
from tarstop_core.ranking.learning import RANKERS, Feedback, Floats, Label, Ranker, StaticRanker
from tarstop_core.samples.shipped import reranked_chances

TOPICS = ("ultrasound of the liver", "statin trial", "soil bacteria", "knee surgery", "bird migration")


def a_list(N: int = 120) -> tuple[list[str], np.ndarray]:
    """Documents of five topics with words of their own; those on the liver are relevant."""
    rng = np.random.default_rng(4)
    topic = rng.integers(0, len(TOPICS), N)
    own = [[f"term{t}x{i}" for i in range(12)] for t in range(len(TOPICS))]
    texts = [" ".join([TOPICS[t] if rng.random() < 0.5 else "", *rng.choice(own[t], 5)]) for t in topic]
    return texts, topic == 0


def test_a_list_that_learns_is_better_read_than_one_that_does_not() -> None:
    texts, labels = a_list()
    learned, static = (
        simulate(texts, "ultrasound", labels, ranker=RANKERS[name]) for name in ("linear", "unmoved")
    )
    assert order_quality(labels[learned.order])["loss"] < 0.05 < order_quality(labels[static.order])["loss"]
    for each in (learned, static):
        assert sorted(each.order.tolist()) == list(range(len(labels)))
    assert learned.fitted_at[:52].tolist() == [*range(51), 52]
    assert len(learned.seconds) == len(learned.fitted_at)
    assert learned.fit[:3].tolist() == [0, 1, 2] and learned.fit[-1] == len(learned.fitted_at) - 1


def test_the_same_labels_give_the_same_order_and_nothing_looks_ahead() -> None:
    texts, labels = a_list()
    features, start = make_features(texts), np.zeros(len(texts))
    first, again = (simulate(features, "ultrasound", labels, start=start, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.order, again.order)
    np.testing.assert_array_equal(first.scores, again.scores)
    for read in (1, 5, 40):
        other = labels.copy()
        other[first.order[read:]] ^= True
        changed = simulate(features, "ultrasound", other, start=start, seed=3)
        np.testing.assert_array_equal(changed.order[: read + 1], first.order[: read + 1])
    drawn = simulate(features, "ultrasound", labels, start=start, seed=4)
    assert drawn.order[0] != first.order[0]


def test_learning_can_end_with_the_last_relevant_document_and_labels_can_say_more() -> None:
    texts, labels = a_list()
    short, whole = (simulate(texts, "ultrasound", labels, to_the_end=end) for end in (False, True))
    last = int(np.flatnonzero(labels[whole.order])[-1])
    assert (
        short.fitted_at[-1] <= last < whole.fitted_at[-1] and (np.diff(short.scores[last + 1 :]) <= 0).all()
    )
    assert order_quality(labels[short.order]) == order_quality(labels[whole.order])
    said = np.where(labels, Label.INCLUDED, Label.NOT_RELEVANT)
    assert order_quality(labels[simulate(texts, "ultrasound", said).order])["loss"] < 0.05


def test_loss_is_the_chance_of_a_wrong_pair_and_recall_what_was_found() -> None:
    for hits in product([False, True], repeat=7):
        hits_, R = np.array(hits), sum(hits)
        if R in (0, 7):
            with pytest.raises(InputProblem, match="no order is better"):
                order_quality(hits_)
            continue
        pairs = [not hits[i] and hits[j] for i in range(7) for j in range(i + 1, 7)]
        found = order_quality(hits_)
        assert found["loss"] == pytest.approx(sum(pairs) / (R * (7 - R)))
        assert found["recall_at"] == {
            name: pytest.approx(sum(hits[:read]) / R)
            for name, read in (("0.05", 1), ("0.1", 1), ("0.2", 2), ("0.5", 4))
        }
        depth = next(read for read in range(1, 8) if sum(hits[:read]) >= 0.95 * R)
        assert found["wss_95"] == pytest.approx(1 - depth / 7 - 0.05)


def test_simulate_by_example() -> None:
    texts = ["a kettle", "steel mast", "mast of steel and wire", "a lid", "wire mast", "a cup"]
    assert simulate(texts, "steel", [False, True, True, False, True, False]).order[:3].tolist() == [1, 2, 4]


def test_quality_by_example() -> None:
    found = order_quality([True, False, True, False, False])
    assert (round(found["loss"], 4), round(found["wss_95"], 2), found["recall_at"]["0.2"]) == (
        0.1667,
        0.35,
        0.5,
    )


RELEVANT = np.random.default_rng(1).random(300) < 0.6 * np.exp(-np.arange(300) / 30)


def test_what_is_said_of_a_session() -> None:
    found = forecast_quality(reranked_chances(), RELEVANT)
    assert 0 < found["log_loss"] < 0.3 and 0 <= found["ece"] < 0.1
    assert list(found["left"]) == ["20", "50", "100"]
    for read, left in found["left"].items():
        assert 0 <= left["low"] <= left["mean"] <= left["high"] <= 300 - int(read)
        assert left["true"] == RELEVANT[int(read) :].sum()


def test_chances_know_nothing_of_what_comes() -> None:
    other = RELEVANT.copy()
    other[100:] = ~other[100:]
    one, two = (
        adaptive_chances(reranked_chances(), np.arange(300), each)["chance"] for each in (RELEVANT, other)
    )
    assert one[:101].tolist() == pytest.approx(two[:101].tolist())
    assert one[101] != pytest.approx(two[101])


def test_log_loss_by_example() -> None:
    assert (round(mean_log_loss(np.array([0.5, 0.9]), np.array([True, True])), 3)) == 0.399


remembered: dict[int, np.ndarray] = {}


@dataclass(frozen=True)
class Remembers(Ranker):
    """Keeps what it was told of a list, and uses it when that list is read again."""

    name, summary = "remembers", "Keeps what it was told."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        known = remembered.setdefault(len(features), np.zeros(len(features), dtype=np.int8))
        np.maximum(known, told.labels, out=known)
        return np.where(known == Label.RELEVANT, 2.0, told.start)


@dataclass(frozen=True)
class Draws(Ranker):
    name, summary = "draws", "Draws at random, without the seed."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        return np.random.default_rng().random(len(features))


@dataclass(frozen=True)
class Spoils(Ranker):
    name, summary = "spoils", "Writes into the labels."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        told.labels[:] = Label.RELEVANT
        return told.start


@dataclass(frozen=True)
class Short(Ranker):
    name, summary = "short", "Leaves some documents out."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        return told.start[:3]


@pytest.mark.parametrize("name", RANKERS)
def test_what_is_included_never_looks_ahead(name: str) -> None:
    assert check_ranker(RANKERS[name]).findings == ()


@pytest.mark.parametrize(
    ("ranker", "said"),
    [
        (Remembers(), "it looks ahead"),
        (Draws(), "the same input"),
        (Spoils(), "changes the labels"),
        (Short(), "one number for each document"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_what_is_wrong_with_a_ranker_is_said(ranker: Ranker, said: str) -> None:
    report = check_ranker(ranker)
    assert not report.ok and any(said in finding for finding in report.findings)


def test_check_ranker_by_example() -> None:
    assert check_ranker(StaticRanker(), lists=5).ok
