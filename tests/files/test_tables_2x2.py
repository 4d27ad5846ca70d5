"""2×2 tables from files."""

import contextlib
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from tarstop_core.documents.tables import CELLS
from tarstop_core.errors import InputProblem
from tarstop_core.files import UnrecognisedColumns, read_tables
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
        ("TP,FN\n", "t.csv contains no studies"),
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
        "Studies 1 and 3 share the name A with different counts, and each counts here; keep one if "
        "they have the same patients.",
    )
    assert same_studies(file.tables, (2, 3, 7)) == (
        "Row 3 (A) has the name and the counts of row 2, and both count here; remove one if they are the same.",
        "Rows 2 and 7 share the name A with different counts, and each counts here; keep one if "
        "they have the same patients.",
    )
    assert np.isnan(file.tables.FP[2]) and np.isnan(file.tables.TN[2])


@pytest.mark.parametrize(
    "row", ["Total,19,6,9,97", "Zusammen,19,6,9,97", ",19,6,9,97", "Total,,,,", "Heterogeneity: I² = 10%,,,,"]
)
def test_a_row_of_totals_is_no_study_and_is_named(row: str) -> None:
    studies = "study,TP,FP,FN,TN\nA 2001,9,1,2,40\nB 2002,7,2,3,30\nC 2003,3,3,4,27\n"
    file = read(studies + row + "\n")
    assert file.tables.study == ("A 2001", "B 2002", "C 2003") and "(line 5" in file.notes[0]
    stays = read(studies + "Totally 1998,5,6,7,8\n")
    assert len(stays.tables) == 4 and not stays.notes


def test_a_line_of_groups_above_the_header_is_passed_over_and_thousands_are_read() -> None:
    file = read(',Index test +,,Index test -,\nStudy,TP,FP,FN,TN\nA,9,1,2,"1,040"\n')
    assert counts(file) == [[9, 1, 2, 1040]]


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


@given(st.text(alphabet="0123456789.,·%()[]/–- CItoper", max_size=20))
def test_arbitrary_rates_never_raise_anything_else(cell: str) -> None:
    with contextlib.suppress(InputProblem):
        read(f"sens\tn diseased\n{cell}\t47\n", "t.tsv")


def test_every_real_review_is_read(real_data: Path) -> None:
    for path in sorted((real_data / "dta_reviews").glob("CD*.csv")):
        assert len(read_tables(path).tables) >= 3


def counts(file) -> list[list[float]]:
    return np.column_stack([getattr(file.tables, cell) for cell in CELLS]).tolist()


def test_a_workbook_is_read_as_the_same_rows_in_a_csv_below_its_title() -> None:
    rows = [["Study", "TP", "FP", "FN", "TN"], ["Lee 2004", 9, 1, 2, 40], ["Kim 2006", 12.0, None, 3, None]]
    book = Workbook()
    book.create_sheet("empty", 0)
    for row in (["Table 2. Accuracy of the test"], *rows):
        book["Sheet"].append(row)
    kept = io.BytesIO()
    book.save(kept)
    found = read_tables(kept, "t.xlsx")
    text = "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows)
    np.testing.assert_array_equal(counts(found), counts(read(text)))
    assert found.tables.study == ("Lee 2004", "Kim 2006") and 'sheet "Sheet" of 2' in found.notes[0]
    with pytest.raises(InputProblem, match="not a readable Excel workbook"):
        read("study,TP,FN", "t.xlsx")


@pytest.mark.parametrize(
    "text",
    [
        "sens,spec,n diseased,n healthy\n0.83,0.925,47,80\n",
        "Sensitivity (%);Specificity (%);Diseased;Healthy\n83,0;92,5;47;80\n",
        "study\tSens (95% CI)\tSpec (95% CI)\tcases\tcontrols\nA\t0.83 (0.69–0.92)\t0.925 [0.844, 0.972]\t47\t80\n",
        "sens,spec,n diseased,n healthy\n83% (69 to 92%),92·5 % (84·4–97·2),47,80\n",
        "sens,spec\n83 % (39/47),74/80\n",
    ],
)
def test_rates_with_group_sizes_become_the_counts_that_round_to_them(text: str) -> None:
    found = read(text)
    assert counts(found) == [[39, 6, 8, 74]] and "recovered by rounding" in found.notes[0]


def test_rates_say_what_was_chosen_and_may_lack_the_healthy() -> None:
    found = read("study,sens,n diseased\nA,0.9,400\n")
    np.testing.assert_array_equal(counts(found), [[360, np.nan, 40, np.nan]])
    assert found.notes[1].startswith("A: Sensitivity 0.9 fits every number from 340 to 380 of 400")


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ("0.85,5", "t.csv, line 2: Sensitivity 0.85 with 5 diseased patients is not a whole number of them"),
        ("0.85 (0.90–0.94),47", "line 2: In '0.85 (0.90–0.94)' the interval does not contain the rate"),
        ("good,47", "line 2: 'good' is not a rate"),
        ("0.85,many", "line 2: The number of diseased patients is 'many'"),
        ("0.85,", "line 2: There is no number of diseased patients"),
        (",47", "line 2: Sensitivity is ''"),
        ("850,1000", "line 2: Sensitivity is '850 %'"),
    ],
)
def test_rates_that_cannot_be_counts_are_one_sentence(cells: str, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        read(f"sens,n diseased\n{cells}\n")
    assert sentence in str(problem.value)


def test_odd_names_are_asked_for_and_then_read() -> None:
    text = "Who,a,b,n,n\nLee,9,1,2,40\n"
    with pytest.raises(UnrecognisedColumns) as problem:
        read(text)
    assert problem.value.columns == ["Who", "a", "b", "n (column 4)", "n (column 5)"]
    assert problem.value.preview.to_numpy().tolist() == [["Lee", "9", "1", "2", "40"]]
    chosen = {"Who": "study", "a": "TP", "b": "FP", "n (column 4)": "FN", "n (column 5)": "TN"}
    found = read_tables(io.BytesIO(text.encode()), "t.csv", chosen)
    assert found.tables.study == ("Lee",) and counts(found) == [[9, 1, 2, 40]]
