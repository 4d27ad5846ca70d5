"""Ways of reading: what is expected of each is what comes of it, and a lesson is worth what it changes."""

from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.readers.played import ReadList, advised, always, play, read, strategies_on
from tarstop_core.readers.strategies import (
    Prices,
    Rate,
    ReaderKnowledge,
    ReadingOption,
    Strategy,
    Stretch,
    compare,
    expected,
)

PRICES = Prices(person=1.0, machine=0.02, follow_up=3.0)
SHARES = ReaderKnowledge(Rate(4000, 10_000), Rate(300, 10_000), sensitivity=0.8, false_inclusions=0.1)


def drawn(seed: int, records: int = 400) -> ReadList:
    """A list as `SHARES` says that lists are: 40 % of what the machine includes and 3 % of what it excludes is relevant."""
    rng = np.random.default_rng(seed)
    machine = np.arange(records) % 4 == 0
    relevant = rng.random(records) < np.where(machine, 0.4, 0.03)
    return ReadList(machine, rng.random(records) < np.where(relevant, 0.8, 0.1), relevant)


@pytest.mark.parametrize("way", Strategy)
def test_what_is_expected_is_what_comes_on_average(way: Strategy) -> None:
    lists = [drawn(seed) for seed in range(300)]
    readings = [read(way, each, PRICES, np.random.default_rng(at)) for at, each in enumerate(lists)]
    found, cost = expected(way, lists[0].stretch, SHARES, PRICES)
    assert np.mean([reading.hits for reading in readings]) == pytest.approx(found, rel=0.03)
    assert np.mean([reading.cost for reading in readings]) == pytest.approx(cost, rel=0.02)


@pytest.mark.parametrize("way", Strategy)
def test_reading_learns_the_rates(way: Strategy) -> None:
    learned = replace(ReaderKnowledge(), sensitivity=0.8, false_inclusions=0.1)
    for seed in range(60):
        reading = read(way, drawn(seed), PRICES, np.random.default_rng(seed))
        learned = learned.after(way, reading.included, reading.excluded)
    assert learned.included.mean == pytest.approx(0.4, abs=0.03)
    teaches = way in (Strategy.PERSON, Strategy.BOTH, Strategy.AUDIT)
    assert learned.excluded.mean == pytest.approx(0.03 if teaches else 0.05, abs=0.006)


def value_of(options: tuple[ReadingOption, ...], way: Strategy) -> ReadingOption:
    return next(option for option in options if option.way is way)


def test_a_lesson_is_worth_what_it_changes_on_average() -> None:
    """By simulation: draw θ₀, read the stretch, choose for the rest by what was found."""
    learned, prices = ReaderKnowledge(Rate(20, 40), Rate(1, 20)), Prices(1.0, 0.01)
    stretch, rest, worth = Stretch(10, 50), Stretch(60, 300), 25.0

    def best(now: ReaderKnowledge) -> float:
        return max(
            worth * found - cost for found, cost in (expected(way, rest, now, prices) for way in Strategy)
        )

    rng = np.random.default_rng(4)
    exposure = learned.sensitivity * 50
    hits = rng.poisson(rng.gamma(1, 1 / 20, 20_000) * exposure)
    values = {
        at: best(replace(learned, excluded=learned.excluded.after(at, exposure))) for at in set(hits.tolist())
    }
    lesson = np.mean([values[at] for at in hits.tolist()]) - best(learned)
    options = compare(stretch, rest, learned, prices, worth)
    assert value_of(options, Strategy.BOTH).teaches == pytest.approx(lesson, rel=0.05) and lesson > 1
    assert value_of(options, Strategy.MACHINE).teaches == 0
    assert 0 < value_of(options, Strategy.AUDIT).teaches < value_of(options, Strategy.PERSON).teaches
    assert [option.value for option in options] == sorted((option.value for option in options), reverse=True)


def test_nothing_is_learned_for_an_empty_rest() -> None:
    assert all(
        option.teaches == 0
        for option in compare(Stretch(5, 20), Stretch(0, 0), ReaderKnowledge(), PRICES, 9.0)
    )


def test_many_expected_hits_are_grouped_without_bias() -> None:
    learned = ReaderKnowledge(excluded=Rate(40, 100))
    options = compare(Stretch(0, 900), Stretch(0, 5), learned, Prices(1e-9, 0), 1.0)
    # Whatever is found, everything is read: nothing is gained by knowing.
    assert value_of(options, Strategy.BOTH).teaches == pytest.approx(0, abs=0.03)


def test_a_machine_that_finds_nothing_is_found_out() -> None:
    rng, records = np.random.default_rng(1), 1000
    relevant = rng.random(records) < 0.1
    machine = rng.random(records) < 0.01
    whole = ReadList(machine & ~relevant, relevant & (rng.random(records) < 0.9), relevant)
    prices = Prices(0.1 / records, 0.001 / records)
    by_advice = play(advised, whole, prices, seed=1)
    alone = play(lambda *_: Strategy.MACHINE, whole, prices, seed=1)
    assert alone.share_found == 0 and by_advice.share_found > 0.85
    assert by_advice.utility == by_advice.share_found - by_advice.cost > alone.utility


def test_what_nobody_audits_costs_the_machine_alone() -> None:
    whole = drawn(1)
    alone = play(lambda *_: Strategy.MACHINE, whole, Prices(1, 0.02), seed=1)
    assert alone.cost == pytest.approx(400 * 0.02) and alone.ways == (Strategy.MACHINE,) * 10
    assert alone.share_found == (whole.machine & whole.relevant).sum() / whole.relevant.sum()


def test_a_relevant_record_is_worth_its_share_of_all_expected() -> None:
    part, rest, whole = Stretch(6, 14), Stretch(0, 40), Stretch(6, 54)
    expected_in_all = 6 * 0.5 + 54 * 0.05
    for price in (0.002, 0.005, 0.01, 0.015, 0.02, 0.03):
        prices = Prices(price, price / 100)
        best = compare(part, rest, ReaderKnowledge(), prices, 1 / expected_in_all)[0].way
        assert advised(part, rest, whole, ReaderKnowledge(), prices) is best
    ways = {advised(part, rest, whole, ReaderKnowledge(), Prices(price, 0)) for price in (0.002, 0.02)}
    assert len(ways) == 2


def test_a_price_below_nothing_is_refused() -> None:
    with pytest.raises(InputProblem, match="0 or more"):
        Prices(-1, 0)


def test_strategies_on_a_whole_list_find_and_cost_what_can_be_counted() -> None:
    whole, worth = drawn(5), 20.0
    machine, person, relevant = whole.machine, whole.person, whole.relevant
    by_way = {one.way: one for one in strategies_on(whole, PRICES, worth)}
    final = {
        Strategy.PERSON: (person, len(person)),
        Strategy.MACHINE: (machine, 0),
        Strategy.MACHINE_THEN_PERSON: (machine & person, machine.sum()),
        Strategy.BOTH: (
            np.where(machine != person, relevant, machine),
            len(person) + (machine != person).sum(),
        ),
    }
    for way, (included, reads) in final.items():
        one = by_way[way]
        by_machine = 0.0 if way is Strategy.PERSON else 0.02 * len(machine)
        assert one.hits == pytest.approx((included & relevant).sum())
        assert one.cost == pytest.approx(reads * 1.0 + by_machine + 3.0 * included.sum())
        assert one.net == pytest.approx(worth * one.hits - one.cost)
    nets = [one.net for one in strategies_on(whole, PRICES, worth)]
    assert set(by_way) == {None, *Strategy} and nets == sorted(nets, reverse=True)
    of_all = worth * int(relevant.sum())
    shares = Prices(1.0 / of_all, 0.02 / of_all, 3.0 / of_all)
    once = play(always(Strategy.PERSON), whole, shares, 0)
    assert by_way[Strategy.PERSON].net == pytest.approx(of_all * once.utility)


def test_a_list_without_a_relevant_record_compares_nothing() -> None:
    nothing = np.zeros(20, dtype=bool)
    with pytest.raises(InputProblem, match="No record is relevant"):
        strategies_on(ReadList(~nothing, nothing, nothing), PRICES, 20.0)
