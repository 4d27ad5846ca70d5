"""Typed tables: what is refused, what is kept, and the way through an address and back."""

import re
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.evidence.manual_tables import LONGEST, MOST_ROWS, manual_tables, pack, rows_of, unpack

EMPTY = ("", "", "", "", "")
CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ROWS = st.lists(st.tuples(CELL, CELL, CELL, CELL, CELL), max_size=8)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            ("Lee", "-1", "1", "2", "3"),
            "Row 2 (Lee) is left out: TP is '-1'; give a whole number, 0 or more.",
        ),
        (("", "1", "1", "7.5", "3"), "Row 2 is left out: FN is '7.5'; give a whole number, 0 or more."),
        (
            ("Lee", "", "1", "2", "3"),
            "Row 2 (Lee) is left out: it has no TP; give a whole number, 0 or more.",
        ),
        (
            ("Lee", "", "", "", ""),
            "Row 2 (Lee) is left out: it has no TP and no FN; give whole numbers, 0 or more.",
        ),
        (
            ("Lee", "1", "x", "-", "3"),
            "Row 2 (Lee) is left out: FP is 'x' and it has no FN; give whole numbers, 0 or more.",
        ),
    ],
)
def test_a_row_that_is_not_complete_is_left_out_with_its_cell_and_the_others_stay(
    row: tuple[str, ...], sentence: str
) -> None:
    tables, left_out, _ = manual_tables([("A", "8", "", "2", ""), row, EMPTY, ("", "5", "1", "0", "30")])
    assert left_out == (sentence,)
    assert tables.study == ("A", "row 4") and tables.TP.tolist() == [8, 5] and np.isnan(tables.FP[0])


def test_nothing_typed_is_no_study() -> None:
    tables, left_out, _ = manual_tables([EMPTY, (" ", "", "", "", "")])
    assert len(tables) == 0 and not left_out and pack([EMPTY]) == ""


HEADS = ("Study", "TP", "FP", "FN", "TN")
LEE = {"study": "Lee", "TP": "8", "FP": "1", "FN": "2", "TN": "30"}


def test_names_copied_along_are_no_study() -> None:
    for heads in (HEADS, ("", "true positives", "False-Pos", "fn", "tn")):
        tables, left_out, places = manual_tables([heads, EMPTY, ("A", "8", "1", "2", "30")])
        assert tables.study == ("A",) and not left_out and places == (3,)


@pytest.mark.parametrize("order", list(permutations(LEE)), ids=",".join)
def test_names_of_columns_decide_their_order(order: tuple[str, ...]) -> None:
    for names in (
        {name: name for name in LEE},
        {"study": "Author", "TP": "True positives", "FP": "false pos.", "FN": "fn", "TN": "TRUE-NEG"},
    ):
        rows = [tuple(names[name] for name in order), EMPTY, tuple(LEE[name] for name in order)]
        tables, left_out, _ = manual_tables(rows)
        assert not left_out and rows_of(tables) == [tuple(LEE.values())]


def test_names_further_down_decide_the_order_of_what_is_below_them() -> None:
    rows = [
        ("A", "8", "1", "2", "30"),
        ("", "TP", "FN", "FP", "TN"),
        ("B", "8", "2", "1", "30"),
        ("FN", "TP", "", "", ""),
        ("5", "9", "", "", ""),
    ]
    tables, left_out, places = manual_tables(rows)
    assert not left_out and places == (1, 3, 5)
    assert rows_of(tables) == [
        ("A", "8", "1", "2", "30"),
        ("B", "8", "1", "2", "30"),
        ("row 5", "9", "", "5", ""),
    ]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (
            ("Study", "TP", "FN", "Year", "TN"),
            "Row 1 names the columns, and 'Year' is none of Study, TP, FP, FN, TN and Risk of bias; rename that column or leave it out.",
        ),
        (("Studie", "RP", "FN", "FP", "RN"), "'Studie' is none of"),
        (("Study", "a", "b", "c", "d"), "'a' is none of"),
        (("Study", "TP", "FN", "FN", "TN"), "Row 1 names two columns FN; keep one of them."),
        (("Study", "TP", "FN", "TN", ""), "but none is FP; give Study, TP, FP, FN and TN, in any order."),
        (("Study", "FP", "TN", "", ""), "but none is TP or FN;"),
        (
            ("Study", "TP", "FN", "", ""),
            "Row 2 has '2' in a column that has no name in row 1; name that column",
        ),
    ],
)
def test_names_that_leave_the_order_open_are_refused_with_the_mend(
    names: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(InputProblem, match=re.escape(sentence)):
        manual_tables([names, ("A", "8", "1", "2", "30")])


@pytest.mark.parametrize("text", ["1,020", "1 020", "1\u202f020", "12,345,678"])
def test_thousands_may_be_parted(text: str) -> None:
    tables, left_out, _ = manual_tables([("A", text, "", "2", "")])
    assert not left_out and tables.TP.tolist() == [float(re.sub(r"\D", "", text))]


@pytest.mark.parametrize(
    "text", ["1,02", "10,20", "0,123", "1,0200", "1,020 300", ",020", "1020,300", "1.020"]
)
def test_what_may_be_a_fraction_or_a_slip_is_refused(text: str) -> None:
    tables, left_out, _ = manual_tables([("A", text, "", "2", "")])
    assert not len(tables) and f"TP is '{text}'" in left_out[0]


@given(ROWS)
def test_every_row_is_used_unchanged_or_named(rows: list[tuple[str, ...]]) -> None:
    try:
        tables, left_out, _ = manual_tables(rows)
    except InputProblem:
        return  # the first row reads as names of columns
    filled = [row for row in rows if any(text.strip() for text in row)]
    assert len(tables) + len(left_out) == len(filled)


@given(ROWS)
def test_what_is_packed_is_unpacked(rows: list[tuple[str, ...]]) -> None:
    packed = pack(rows)
    assert packed is not None and len(packed) <= LONGEST
    if packed:
        back = unpack(packed)
        assert back == rows[: len(back)] and not any(
            text.strip() for row in rows[len(back) :] for text in row
        )


@given(st.text(max_size=60))
def test_an_address_that_was_changed_is_a_problem_and_nothing_else(text: str) -> None:
    with pytest.raises(InputProblem, match="cannot be read"):
        unpack(text)


def test_an_address_cut_short_is_a_problem() -> None:
    packed = pack([("A", "8", "1", "2", "30")]) or ""
    for length in range(len(packed)):
        with pytest.raises(InputProblem):
            unpack(packed[:length])


def test_tables_that_are_too_long_are_not_packed() -> None:
    counts = np.random.default_rng(1).integers(0, 10**6, (4, 1000)).astype(float)
    assert pack(rows_of(Tables(tuple("a" * 1000), *counts))) is None
    assert pack([("a", "1", "1", "1", "1")] * (MOST_ROWS + 1)) is None
    assert pack([("a" * 10**6, "1", "1", "1", "1")]) is None


def test_tables_as_rows_are_the_same_tables() -> None:
    tables = Tables(("A", "B"), *np.array([[8, np.nan, 2, np.nan], [10**6, 3, 0, 4]], dtype=float).T)
    again, left_out, _ = manual_tables(rows_of(tables))
    assert not left_out and again.study == tables.study
    assert all(
        np.array_equal(getattr(again, c), getattr(tables, c), equal_nan=True)
        for c in ("TP", "FP", "FN", "TN")
    )


def test_a_typed_row_of_totals_is_no_study() -> None:
    rows = [("A", "8", "1", "2", "30"), ("B", "9", "5", "4", "20"), ("Total", "17", "6", "6", "50")]
    tables, left_out, places = manual_tables(rows)
    assert tables.study == ("A", "B") and places == (1, 2)
    assert "“Total”" in left_out[0]
