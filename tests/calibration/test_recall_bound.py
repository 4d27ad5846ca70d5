"""The bound on recall: a fair game under the true total, monotone, and seldom wrong however often one looks."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.studies.recall import constructed, false_stops
from tarstop_core.calibration.recall_bound import (
    ALPHA,
    BETS,
    draws_at,
    first_bounded,
    interleaved,
    largest_total,
    log_stakes,
    price,
)

lists = st.lists(st.booleans(), min_size=1, max_size=24)


def plain_total(relevant: list[bool], drawn: list[bool], documents: int, alpha: float, draws: int) -> int:
    """Every total looked at, each by its own stake."""
    found = sum(relevant)
    kept = []
    for total in range(found, found + documents - len(relevant) + 1):
        at = np.flatnonzero(drawn)
        before = np.array([sum(relevant[:place]) for place in at])
        chance = (total - before) / (documents - at)
        hits = np.array(relevant, dtype=bool)[at]
        if not len(at) or log_stakes(hits, chance, draws).max() < -math.log(alpha):
            kept.append(total)
    return max(kept, default=found)  # as many are there, whatever the draws say


@pytest.mark.parametrize("relevant", [{0}, {5}, {0, 5}, {2, 3, 4}, set(), set(range(6))])
@pytest.mark.parametrize("every", [1, 2, 3])
def test_the_stake_on_the_true_total_is_a_fair_game(relevant: set[int], every: int) -> None:
    # All random orders of six documents: the mean stake is 1 at every draw, exactly.
    labels, drawn = np.isin(np.arange(6), list(relevant)), np.flatnonzero(draws_at(6, every))
    stakes = []
    for shuffled in permutations(range(6)):
        hits = labels[interleaved(every, np.array(shuffled))]
        found = np.cumsum(hits) - hits
        chance = (labels.sum() - found[drawn]) / (6 - drawn)
        stakes.append(np.exp(log_stakes(hits[drawn], chance, len(drawn))))
    assert np.mean(stakes, axis=0).tolist() == pytest.approx([1.0] * len(drawn), rel=1e-12)


@given(st.permutations(range(12)), st.integers(1, 14))
def test_every_document_is_offered_once_and_the_rest_keeps_its_order(shuffled: list[int], every: int) -> None:
    offered, drawn = interleaved(every, np.array(shuffled)), draws_at(12, every)
    assert sorted(offered.tolist()) == list(range(12))
    assert (np.diff(offered[~drawn]) > 0).all()
    assert int(drawn.sum()) == 12 // every


@given(lists, st.integers(1, 5), st.integers(0, 30), st.sampled_from([0.05, 0.3]))
def test_bisection_finds_what_looking_at_every_total_does(
    relevant: list[bool], every: int, unread: int, alpha: float
) -> None:
    drawn, documents = draws_at(len(relevant), every), len(relevant) + unread
    draws = max(1, documents // every)
    wanted = plain_total(relevant, drawn.tolist(), documents, alpha, draws)
    assert largest_total(np.array(relevant), drawn, documents, alpha, draws) == wanted


@given(lists, st.integers(1, 4), st.integers(0, 30), st.data())
def test_a_document_that_becomes_relevant_never_lowers_the_most_there_can_be(
    relevant: list[bool], every: int, unread: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(relevant) - 1))
    drawn, documents = draws_at(len(relevant), every), len(relevant) + unread
    most = [
        largest_total(np.array(labels), drawn, documents, 0.3, documents)
        for labels in (
            [*relevant[:at], False, *relevant[at + 1 :]],
            [*relevant[:at], True, *relevant[at + 1 :]],
        )
    ]
    assert most[0] <= most[1]


@given(lists, st.integers(1, 3), st.sampled_from([0.5, 0.8, 1.0]))
def test_the_first_depth_is_the_first_and_the_bound_does_not_fall(
    relevant: list[bool], every: int, recall: float
) -> None:
    labels, drawn = np.array(relevant), draws_at(len(relevant), every)
    draws = int(drawn.sum())
    found = np.append(0, np.cumsum(labels))
    most = [
        largest_total(labels[:depth], drawn[:depth], len(labels), 0.3, draws)
        for depth in range(len(labels) + 1)
    ]
    enough = [found[depth] >= recall * most[depth] - 1e-9 for depth in range(len(labels) + 1)]
    assert sorted(enough) == enough
    # More than was ruled out can be found, where the statement is wrong; else the most there can be only falls.
    assert most == np.maximum(np.minimum.accumulate(most), found).tolist()
    assert first_bounded(labels, drawn, recall, 0.3) == enough.index(True)


@pytest.mark.parametrize("every", [10, 2])
def test_looking_after_every_document_is_seldom_wrong_on_the_worst_list(every: int) -> None:
    worst = {name: false_stops(labels, every, 1_000)["ever"] for name, labels in constructed().items()}
    assert max(worst.values()) <= ALPHA, worst
    # Not because nothing is ever ruled out.
    assert worst["hits last"] > 0.01


def test_a_draw_moves_the_bets_that_have_begun_by_hand() -> None:
    # Of three draws the bets begin with weights 1, 1/2 and 1/3: at the first draw 6/11 of every stake is on it.
    for hit in (True, False):
        moved = [gamma if hit else (1 - 0.5 * gamma) / (1 - 0.5) for gamma in BETS]
        stake = np.mean([6 / 11 * factor + 5 / 11 for factor in moved])
        assert log_stakes(np.array([hit]), np.array([0.5]), 3) == pytest.approx([math.log(stake)])


def test_the_price_falls_with_the_share_and_rises_with_the_recall() -> None:
    depths = [[price(1000, every, 50, recall) for recall in (0.7, 0.9, 0.95)] for every in (20, 5, 2)]
    assert all(sorted(row) == row for row in depths)
    assert [row[1] for row in depths] == sorted((row[1] for row in depths), reverse=True)
    # 50 found, 3 unread to be ruled out: most of the list, even with every other document drawn.
    assert depths[-1][-1] > 800
