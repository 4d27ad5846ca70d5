"""What readers overlook: intervals against enumeration, and their coverage by exact sums."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom, nchypergeom_fisher

from tarstop_core.errors import InputProblem
from tarstop_core.readers.overlooked import (
    Interval,
    Within,
    draws_needed,
    missed_in_audit,
    missed_within,
    overlooked,
)
from tarstop_core.readers.verdicts import Verdicts

NAN = float("nan")
# Verdicts of two readers, the answer, the place among the draws.
ROWS = [
    *[(1, 1, 1, 0)] * 6,
    *[(1, 0, 1, 0)] * 3,
    *[(0, 1, 0, 0)] * 4,
    *[(0, 1, 1, 0)] * 2,
    *[(0, 0, NAN, 0)] * 12,
    *[(0, 0, 0, 1)] * 4,
    (0, 0, 1, 1),
]


def verdicts(rows: list[tuple[float, ...]], ordered: bool = False) -> Verdicts:
    table = np.array(rows, dtype=float)
    return Verdicts(table[:, :-2], table[:, -2], table[:, -1].astype(int), ordered)


@pytest.mark.parametrize("excluded, drawn", [(12, 4), (15, 15), (9, 0), (20, 11)])
def test_audit_intervals_invert_both_tails_and_cover(excluded: int, drawn: int) -> None:
    intervals = {hits: missed_in_audit(excluded, drawn, hits) for hits in range(drawn + 1)}
    for total in range(excluded + 1):
        chance = [
            comb(total, h) * comb(excluded - total, drawn - h) / comb(excluded, drawn)
            for h in range(drawn + 1)
        ]
        covered = 0.0
        for hits, interval in intervals.items():
            if not chance[hits]:
                continue
            inside = sum(chance[hits:]) > 0.05 and sum(chance[: hits + 1]) > 0.05
            assert inside == (interval.low <= total <= interval.high)
            covered += chance[hits] * inside
        assert covered >= 0.9


@pytest.mark.parametrize("limit", [1.0, 3.0, 30.0])
def test_limited_dependence_covers_up_to_its_limit(limit: float) -> None:
    """Given the margins, exactly: for every odds ratio from 1 to the limit, and not for much stronger dependence."""
    by_first, by_second, relevant, excluded = 60, 55, 80, 40
    beyond = []
    for odds in (*np.geomspace(1, limit, 4), 100 * limit):
        covered = 0.0
        for both in range(max(0, by_first + by_second - relevant), by_first + 1):
            missed = relevant - by_first - by_second + both
            interval = missed_within(both, by_first - both, by_second - both, excluded, limit)
            chance = nchypergeom_fisher.pmf(both, relevant, by_first, by_second, odds)
            covered += chance * (interval.low <= missed <= interval.high)
        beyond.append(covered)
    assert min(beyond[:-1]) >= 0.9 and beyond[-1] < 0.9


def test_without_a_common_find_dependence_says_nothing() -> None:
    assert missed_within(0, 0, 16, excluded=1154, limit=1) == (0, 1154)


def test_draws_needed_are_the_least_that_do() -> None:
    for excluded, found, hits in ((300, 95, 0), (300, 40, 0), (60, 200, 1)):
        needed = draws_needed(excluded, found, hits=hits)

        def shows(drawn: int, excluded: int = excluded, found: int = found, hits: int = hits) -> bool:
            high = missed_in_audit(excluded, drawn, hits).high
            return bool((high - hits) / (found + high) <= 0.05)

        assert shows(needed) and not shows(needed - 1)


def test_more_draws_are_needed_where_some_are_relevant() -> None:
    least, likely = draws_needed(1000, 400), draws_needed(1000, 400, rate=0.01)
    assert least < likely < 1000
    hits = round(0.01 * likely)
    assert hypergeom.cdf(hits, 1000, int((0.05 * 400 + hits) / 0.95) + 1, likely) <= 0.05


@pytest.mark.parametrize("rate", [0.0, 0.004, 0.03, 0.2])
@pytest.mark.parametrize("excluded, relevant_found, hits", [(300, 200, 0), (120, 30, 2), (80, 900, 1)])
def test_draws_expected_are_the_first_that_do_by_trying_each_number_of_hits(
    rate: float, excluded: int, relevant_found: int, hits: int
) -> None:
    for relevant in range(hits, excluded + 1):
        needed = draws_needed(excluded, relevant_found, hits=relevant)
        if rate * needed <= relevant + 1e-9 or needed == excluded:
            break
    assert draws_needed(excluded, relevant_found, hits=hits, rate=rate) == needed


def test_sensitivity_and_specificity_follow_what_was_missed() -> None:
    found = overlooked(verdicts(ROWS))
    assert (found.excluded, found.drawn, found.hits, found.relevant_found, found.unresolved) == (
        17,
        5,
        1,
        12,
        0,
    )
    low, high = found.missed
    assert found.missed == missed_in_audit(17, 5, 1) and found.remaining == (low - 1, high - 1)
    first, second = found.readers
    assert first.sensitivity == (9 / (11 + high), 9 / (11 + low))
    assert second.sensitivity == (8 / (11 + high), 8 / (11 + low))
    assert first.sensitivity_estimate == pytest.approx(9 / (11 + 17 / 5))
    assert second.sensitivity_estimate == pytest.approx(8 / (11 + 17 / 5))
    assert first.specificity == (1.0, 1.0)
    assert second.specificity == ((17 - high) / (21 - high), (17 - low) / (21 - low))
    assert found.share_found == (12 / (11 + high), 12 / (11 + low))


def test_open_answers_are_taken_at_their_worst_and_best() -> None:
    """The bounds are the least and the largest over every way in which the open answers may come out."""
    rows = [
        (1, 1, 1, 0),
        (1, 0, NAN, 0),
        (0, 1, NAN, 0),
        (0, 1, NAN, 0),
        (1, 0, 0, 0),
        (0, 0, NAN, 0),
        (0, 0, NAN, 0),
    ]
    found = overlooked(verdicts(rows))
    table = np.array(rows)
    at = np.flatnonzero(np.isnan(table[:, 2]))
    sensitivities, specificities = [], []
    for answers in product((0, 1), repeat=len(at)):
        truth = table[:, 2].copy()
        truth[at] = answers
        sensitivities.append(table[truth == 1, :2].mean(axis=0))
        specificities.append(1 - table[truth == 0, :2].mean(axis=0))
    assert found.unresolved == 3 and found.missed == (0, 2)
    assert [reader.sensitivity_estimate for reader in found.readers] == [None, None]
    for reader, given in enumerate(found.readers):
        for interval, values in ((given.sensitivity, sensitivities), (given.specificity, specificities)):
            one = np.array(values)[:, reader]
            assert interval == pytest.approx((one.min(), one.max()))


def test_what_came_to_light_otherwise_is_no_draw() -> None:
    found = overlooked(verdicts([*ROWS, (0, 0, 1, 0), (0, 0, 0, 0)]))
    drawn = missed_in_audit(17, 5, 1)
    assert found.missed == Interval(1 + drawn.low, 1 + drawn.high)
    assert (found.excluded, found.relevant_found, found.remaining) == (
        19,
        13,
        (drawn.low - 1, drawn.high - 1),
    )


def test_the_estimate_is_right_on_average() -> None:
    """Over all audits of two of six excluded records: the estimated number of missed records is unbiased."""
    truth, estimates = (1, 1, 0, 0, 0, 0), []
    for drawn in combinations(range(6), 2):
        out = [(0, 0, truth[at] if at in drawn else NAN, int(at in drawn)) for at in range(6)]
        sensitivity = overlooked(verdicts([(1, 1, 1, 0)] * 8 + out)).readers[0].sensitivity_estimate
        assert sensitivity is not None
        estimates.append(8 / sensitivity - 8)
    assert np.mean(estimates) == pytest.approx(2)


def test_a_limit_on_dependence_needs_two_readers_and_every_answer() -> None:
    within = (missed_within(6, 3, 2, 17, odds) for odds in (4, 1))
    assert overlooked(verdicts(ROWS), limit=4).within == Within(4, *within)
    assert overlooked(verdicts(ROWS), limit=1).within == Within(1, *[missed_within(6, 3, 2, 17, 1)] * 2)
    assert overlooked(verdicts(ROWS)).within is None
    assert overlooked(verdicts([*ROWS, (1, 0, NAN, 0)]), limit=4).within is None
    assert overlooked(verdicts([*ROWS, (1, NAN, 1, 0)]), limit=4).within is None
    with pytest.raises(InputProblem, match="1 or more"):
        overlooked(verdicts(ROWS), limit=0.5)


def test_a_reader_who_did_not_read_what_all_excluded_has_no_sensitivity() -> None:
    found = overlooked(verdicts([*ROWS, (0, NAN, NAN, 0)]))
    assert found.readers[0].sensitivity is not None and found.readers[1].sensitivity is None


def test_a_second_reader_of_what_the_first_excluded() -> None:
    rows = [(1, NAN, 1, 0)] * 8 + [(0, 1, 1, 0)] * 2 + [(0, 0, NAN, 0)] * 5
    first, second = overlooked(verdicts(rows)).readers
    assert first.sensitivity == (8 / 15, 8 / 10)
    assert second.sensitivity == (2 / 7, 1.0), "of what was left to him"


def test_the_bound_at_every_look_is_seldom_wrong() -> None:
    rng, wrong = np.random.default_rng(2), 0
    rows = [(1, 1, 1, 0)] * 30
    for _ in range(80):
        labels, too_low = rng.permutation(np.arange(80) < 10), False
        for drawn in range(20, 80, 20):
            audited = [(0, 0, label, at + 1) for at, label in enumerate(labels[:drawn].astype(int).tolist())]
            rest = [(0, 0, NAN, 0)] * (80 - drawn)
            bound = overlooked(verdicts([*rows, *audited, *rest], ordered=True)).at_every_look
            assert bound is not None
            too_low |= bound < 10
        wrong += too_low
    assert wrong <= 8
    assert overlooked(verdicts(ROWS)).at_every_look is None


@pytest.mark.parametrize(
    "row, words",
    [
        ((NAN, NAN, 1, 0), "no verdict"),
        ((1, 0, 1, 3), "although a reader included it"),
        ((0, 0, NAN, 3), "has no answer"),
    ],
)
def test_what_cannot_be_is_refused(row: tuple[float, ...], words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        verdicts([*ROWS, row])


def test_a_long_list_is_no_trouble() -> None:
    rng, records = np.random.default_rng(1), 100_000
    included = (rng.random((records, 2)) < 0.1).astype(float)
    excluded = np.flatnonzero((included == 0).all(axis=1))
    relevant, drawn = np.where((included == 1).any(axis=1), 1.0, NAN), np.zeros(records, dtype=int)
    order = rng.permutation(excluded)[:5000]
    relevant[order], drawn[order] = np.arange(5000) % 10 == 0, np.arange(1, 5001)
    found = overlooked(Verdicts(included, relevant, drawn, ordered=True), limit=10)
    assert found.missed.low < len(excluded) * 0.1 < found.missed.high
    assert found.at_every_look is not None and found.at_every_look >= found.missed.high
    assert found.draws_needed < found.draws_expected < len(excluded)
