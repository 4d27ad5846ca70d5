"""Rankers that look ahead, forget the seed or spoil what they are given are found out."""

from dataclasses import dataclass

import numpy as np
import pytest

from tarstop_core.evaluation.check_ranker import check_ranker
from tarstop_core.ranking.features import Features
from tarstop_core.ranking.learning import RANKERS, Feedback, Floats, Label, Ranker, StaticRanker

remembered: dict[int, np.ndarray] = {}


@dataclass(frozen=True)
class Remembers(Ranker):
    """Keeps what it was told of a list, and uses it when that list is read again."""

    name, said = "remembers", "Keeps what it was told."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        known = remembered.setdefault(len(features), np.zeros(len(features), dtype=np.int8))
        np.maximum(known, told.labels, out=known)
        return np.where(known == Label.RELEVANT, 2.0, told.start)


@dataclass(frozen=True)
class Draws(Ranker):
    name, said = "draws", "Draws at random, without the seed."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        return np.random.default_rng().random(len(features))


@dataclass(frozen=True)
class Spoils(Ranker):
    name, said = "spoils", "Writes into the labels."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        told.labels[:] = Label.RELEVANT
        return told.start


@dataclass(frozen=True)
class Short(Ranker):
    name, said = "short", "Leaves some documents out."

    def scores(self, features: Features, told: Feedback, seed: int) -> Floats:
        return told.start[:3]


@pytest.mark.parametrize("name", RANKERS)
def test_what_is_included_never_looks_ahead(name: str) -> None:
    assert check_ranker(RANKERS[name]).findings == ()


@pytest.mark.parametrize(
    ("ranker", "said"),
    [
        (Remembers(), "it looks ahead"),
        (Draws(), "told the same again"),
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
