"""What comes in as JSON is checked, and who is let in."""

import pytest

from tarstop_core.envelope import check_time, read_json
from tarstop_core.errors import InputProblem
from tarstop_core.places import is_loopback


def test_numbers_are_finite() -> None:
    assert read_json('{"a": [1, 2.5]}') == {"a": [1, 2.5]}
    with pytest.raises(ValueError, match="it holds the number inf"):
        read_json("[1e999]")


def test_times_are_of_this_century_or_the_next() -> None:
    assert check_time("2026-11-22T08:00:00.000+00:00") == "2026-11-22T08:00:00.000+00:00"
    with pytest.raises(InputProblem) as problem:
        check_time("9999-12-31T23:59:59.999-14:00")
    assert str(problem.value) == (
        "'9999-12-31T23:59:59.999-14:00' is not a time from 2000 to 2199 such as 2026-11-22T08:00:00+00:00."
    )


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "localhost", "0.0.0.0", "10.0.0.7", ""])
def test_which_addresses_are_this_machine(address: str) -> None:
    assert is_loopback(address) == (address in ("127.0.0.1", "::1", "localhost"))
