"""Numbers as typed: read exactly, or refused in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.screening.typed_numbers import TypedTable, parse_count

counts = st.integers(0, 10**6)


@given(counts, counts, counts, counts)
def test_counts_are_read_as_typed(TP: int, FP: int, FN: int, TN: int) -> None:
    typed = TypedTable(TP=f" {TP}", FP=str(FP), FN=f"{FN} ", TN=str(TN))
    assert typed.counts() == (TP, FP, FN, TN)


@given(st.text(max_size=8))
def test_anything_else_is_refused_in_a_sentence(text: str) -> None:
    plain = text.strip()
    if plain.isascii() and plain.isdigit():
        assert parse_count(text, "TP") == int(plain)
        return
    with pytest.raises(InputProblem, match=r"(?s)TP is .*whole number"):
        parse_count(text, "TP")
