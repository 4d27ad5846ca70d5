"""2×2 tables from files."""

import contextlib
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.files import read_tables
from tarstop_core.files.tables import same_studies


def read(text: str, name: str = "t.csv"):
    return read_tables(io.BytesIO(text.encode()), name)


@pytest.mark.parametrize(
    "header", ["TP,FP,FN,TN", "tn;fn;fp;tp", "Study ID\tTrue positives\tFALSE_NEGATIVES\tfp\ttn", "fn,tp"]
)
def test_any_order_case_and_delimiter(header: str) -> None:
    cells = {"tp": "5", "fp": "6", "fn": "7", "tn": "8"}
    short = {"truepositives": "tp", "falsenegatives": "fn", "studyid": "s"}
    delimiter = next(each for each in ",;\t" if each in header)
    plain = [name.lower().replace("_", "").replace(" ", "") for name in header.split(delimiter)]
    line = delimiter.join(cells.get(short.get(name, name), "Smith 2004") for name in plain)
    tables = read(f"{header}\n{line}\n").tables
    assert (tables.TP[0], tables.FN[0]) == (5, 7)
    if "fp" in plain:
        assert (tables.FP[0], tables.TN[0]) == (6, 8)
    else:
        assert np.isnan(tables.FP[0]) and np.isnan(tables.TN[0])
    assert tables.study == (("Smith 2004",) if "studyid" in plain else ("study 1",))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("TP,FN\n", "t.csv holds no studies"),
        ("TP,FP\n1,2\n", "no column FN"),
        ("TP,tp,FN\n1,2,3\n", "two columns for TP"),
        ("TP,FN\n-1,3\n", "line 2: TP is '-1'"),
        ("TP,FN\n1,3\n1.5,3\n", "line 3: TP is '1.5'"),
        ("TP,FN\n1,1_0\n", "line 2: FN is '1_0'"),
        ("TP,FN\n1,many\n", "line 2: FN is 'many'"),
        ("TP,FN\n1,\n", "line 2 has no FN"),
        ("TP,FN\n1,2,3\n", "line 2 has 3 cells and the header 2"),
    ],
)
def test_bad_tables_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        read(text)
    assert sentence in str(problem.value)


def test_the_same_study_twice_is_noted_and_missing_cells_are_kept() -> None:
    file = read("study,TP,FP,FN,TN\nA,1,2,3,4\nA,1,2,3,4\nA,2,NA,3,\n")
    assert file.notes == (
        "Study 2 (A) has the name and the counts of study 1, and both count here; remove one if they are the same.",
        "Studies 1 and 3 share the name A with different counts, and each counts here; "
        "keep one if they are of the same patients.",
    )
    assert same_studies(file.tables, (2, 3, 7)) == (
        "Row 3 (A) has the name and the counts of row 2, and both count here; remove one if they are the same.",
        "Rows 2 and 7 share the name A with different counts, and each counts here; "
        "keep one if they are of the same patients.",
    )
    assert np.isnan(file.tables.FP[2]) and np.isnan(file.tables.TN[2])


def test_gzipped_tables() -> None:
    packed = gzip.compress(b"TP,FN\n1,2\n")
    assert len(read_tables(io.BytesIO(packed), "t.csv.gz").tables) == 1


@given(st.lists(st.tuples(*[st.integers(0, 10**6)] * 4), min_size=1, max_size=30))
def test_what_is_written_is_read_back(rows: list[tuple[int, int, int, int]]) -> None:
    text = "TP,FP,FN,TN\n" + "\n".join(",".join(map(str, row)) for row in rows)
    tables = read(text).tables
    assert np.array_equal(np.column_stack([tables.TP, tables.FP, tables.FN, tables.TN]), rows)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_raise_anything_else(content: bytes) -> None:
    with contextlib.suppress(InputProblem):
        read_tables(io.BytesIO(content), "t.csv")


def test_every_real_review_is_read(real_data: Path) -> None:
    for path in sorted((real_data / "dta_reviews").glob("CD*.csv")):
        assert len(read_tables(path).tables) >= 3
