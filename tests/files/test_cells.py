"""The header of a table, of one line or two."""

from pathlib import Path

import pytest

from tarstop_core.files.cells import read_cells

NUMBERS = "1,2,.3,.4\n5,6,.7,.8\n"


@pytest.mark.parametrize(
    "header, titles, lines",
    [
        ("costs,costs,effects,effects\nA,B,A,B\n", ["costs A", "costs B", "effects A", "effects B"], [3, 4]),
        ("costs,,effects,\nA,B,A,B\n", ["costs A", "costs B", "effects A", "effects B"], [3, 4]),
        ("costs,,chance,\nA,B,p,q\n", ["A", "B", "p", "q"], [3, 4]),
        ("A,B,p,q\n", ["A", "B", "p", "q"], [2, 3]),
        ("A,A,p,q\n", ["A", "A", "p", "q"], [2, 3]),
    ],
)
def test_groups_above_the_header_name_what_it_has_twice(
    header: str, titles: list[str], lines: list[int], tmp_path: Path
) -> None:
    file = tmp_path / "draws.csv"
    file.write_text(header + NUMBERS, encoding="utf-8")
    cells = read_cells(file)
    assert cells.titles == titles and [line for line, _ in cells.rows] == lines


def test_verdicts_in_words_are_no_header(tmp_path: Path) -> None:
    file = tmp_path / "readers.csv"
    file.write_text("record,ann,bob\nfirst,included,excluded\nsecond,excluded,excluded\n", encoding="utf-8")
    assert read_cells(file).titles == ["record", "ann", "bob"] and len(read_cells(file).rows) == 2
