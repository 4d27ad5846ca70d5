"""Where a rule that forecasts stops is found by few looks, and by few new ones when it is asked again after every label."""

import numpy as np

from tarstop_core.policies.forecast import first_by_halving


def test_the_first_is_found_as_by_looking_at_each() -> None:
    rng = np.random.default_rng(7)
    for _ in range(500):
        low, high = sorted(rng.integers(0, 300, 2).tolist())
        first = int(rng.integers(0, 320))
        asked: list[int] = []

        def holds(number: int, first: int = first, asked: list[int] = asked) -> bool:
            asked.append(number)
            return number >= first

        expected = next((n for n in range(low, high) if n >= first), high)
        assert first_by_halving(low, high, holds) == expected
        assert len(asked) == len(set(asked)) <= 2 * (high - low + 1).bit_length()
        assert all(low <= number < high for number in asked)


def test_whoever_looks_again_from_later_asks_for_little_that_is_new() -> None:
    asked: set[int] = set()

    def holds(number: int) -> bool:
        asked.add(number)
        return number >= 700

    assert all(first_by_halving(begin, 2000, holds) == 700 for begin in range(600))
    # Of the 600 searches, each of some eleven looks.
    assert len(asked) < 100
