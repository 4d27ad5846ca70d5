"""Files with the verdicts of several readers, and what is said of them."""

from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.readers.agreement import agreement, in_stretches
from tarstop_core.readers.overlooked import overlooked
from tarstop_core.readers.table import Columns, ReadersTable, read_readers
from tarstop_core.readers.words import message, readers_report
from tests.branches import every_branch

HEAD = "id,reader_1,reader_2,resolved,audit\n"
BOTH = "".join(f"b{at},1,1,1,\n" for at in range(6))
ONE = "o1,include,exclude,1,\no2,excluded,included,0,\n"
NEITHER = "".join(f"n{at},0,0,,\n" for at in range(9))
DRAWN = "d1,no,no,0,2\nd2,no,no,1,1\n"


def table(tmp_path: Path, text: str, columns: Columns | None = None, name: str = "list.csv") -> ReadersTable:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_readers(file, columns)


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    found = table(tmp_path, HEAD + BOTH + ONE + NEITHER + DRAWN)
    assert found.readers == ("reader_1", "reader_2") and len(found.names) == 19
    assert found.verdicts.included[6:8].tolist() == [[1, 0], [0, 1]]
    assert found.verdicts.relevant[:8].tolist() == [1, 1, 1, 1, 1, 1, 1, 0]
    assert np.isnan(found.verdicts.relevant[8:17]).all()
    assert found.verdicts.drawn[-2:].tolist() == [2, 1] and found.verdicts.ordered
    assert (found.disagreements, found.taken_as_relevant, found.notes) == ([], 0, [])


def test_columns_may_be_chosen(tmp_path: Path) -> None:
    text = "title;Ann;machine;truth;sampled\nA;3;5;yes;\nB;1;2;;no\nC;2;1;no;yes\nD;;;;\nE;5;1;;\n"
    columns = Columns(("Ann", "machine"), "truth", "sampled", include_from=3)
    found = table(tmp_path, text, columns)
    assert found.verdicts.included.tolist() == [[1, 1], [0, 0], [0, 0], [1, 0]]
    assert found.verdicts.drawn.tolist() == [0, 0, 1, 0] and not found.verdicts.ordered
    assert [found.names[at] for at in found.disagreements] == ["E"]
    assert len(found.notes) == 1


def test_what_everybody_included_counts_as_relevant(tmp_path: Path) -> None:
    found = table(tmp_path, "reader_a,reader_b\n1,1\n0,0\n1,0\n1,\n")
    assert found.taken_as_relevant == 1 and found.verdicts.relevant[0] == 1
    assert np.isnan(found.verdicts.relevant[1:]).all() and found.names[0] == "line 2"


@pytest.mark.parametrize(
    "text, columns, words",
    [
        ("id,title\na,b\n", None, "no readers"),
        ("id,reader_1\na,1\n", None, "1 reader;"),
        (HEAD + BOTH, Columns(("reader_1", "Bob")), "no column 'Bob'"),
        (HEAD + BOTH, Columns(("reader_1", "reader_1")), "two readers"),
        ("reader_1,reader_2,reader_2\n1,1,1\n", Columns(("reader_1", "reader_2")), "several columns"),
        ("reader_1,reader_2\n1,maybe\n", None, "Line 2 of list.csv has 'maybe' in the column reader_2"),
        ("reader_1,reader_2\n4,high\n", Columns(include_from=3), "Line 2 of list.csv has 'high'"),
        ("reader_1,reader_2\n4,inf\n", Columns(include_from=3), "has 'inf'"),
        ("reader_1,reader_2\n,\n,?\n", None, "no verdict"),
        (HEAD + "a,1,0,1,1\n", None, "Line 2 of list.csv was drawn for the audit although"),
        (HEAD + BOTH + "a,0,0,,1\n", None, "Line 8 of list.csv was drawn for the audit and has no answer"),
        ("id,reader_1,reader_2\n", None, "no table"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(
    tmp_path: Path, text: str, columns: Columns | None, words: str
) -> None:
    with pytest.raises(InputProblem) as problem:
        table(tmp_path, text, columns)
    assert words in str(problem.value)


def test_only_so_many_disagreements_are_listed_and_who_gave_which_verdict(tmp_path: Path) -> None:
    read = table(tmp_path, HEAD + BOTH + "w1,1,0,,\nw2,0,1,,\n")
    found, agree = overlooked(read.verdicts), agreement(read.verdicts.included)

    def lines(most: int) -> list[str]:
        lines = readers_report(read, agree, [None], found, most)
        return [line.strip() for line in lines if line.startswith(" ")]

    first, second = (
        message("waits", record=name, included=[yes], excluded=[no])
        for name, yes, no in (
            ("w1", "reader_1", "reader_2"),
            ("w2", "reader_2", "reader_1"),
        )
    )
    assert lines(2) == [first, second]
    assert lines(1) == [first, message("more", number=1)]


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["", "1", "0", "yes", "no", "3", "-1", "1e999", "nan", "\x00", '"', "é", "99999999999"]
            ),
            max_size=6,
        ),
        max_size=6,
    ),
    st.sampled_from([None, 3.0]),
)
def test_whatever_stands_in_a_table_is_read_or_refused_in_a_sentence(
    rows: list[list[str]], include_from: float | None
) -> None:
    text = HEAD + "\n".join(map(",".join, rows))
    with suppress(InputProblem):
        read = read_readers(BytesIO(text.encode()), Columns(include_from=include_from))
        found = overlooked(read.verdicts, limit=5)
        assert found.missed.low <= found.missed.high <= found.excluded
        lines = list(readers_report(read, agreement(read.verdicts.included), [None], found, most=2))
        assert all(lines)


def test_every_sentence_reads_well(tmp_path: Path) -> None:
    waiting = "w1,1,0,,\nw2,0,1,,\n"
    third = "".join(f"x{at},1,1,0,1,\n" for at in range(4))
    cases = [
        HEAD + BOTH + ONE + NEITHER + DRAWN,
        HEAD + BOTH + ONE + NEITHER + "d1,0,0,0,1\n" + "d2,0,0,0,2\n",
        HEAD + BOTH + ONE + NEITHER + waiting,
        HEAD + BOTH + waiting.splitlines()[0] + "\nn,0,0,1,\n",
        HEAD + BOTH + "m1,0,0,1,\nm2,0,0,1,\n",
        HEAD + "n1,0,0,,\nn2,0,0,,\n",
        HEAD + "n1,0,0,,\nn2,0,,,\n",
        "reader_1,reader_2\n1,1\n" + "0,0\n" * 3,
        "reader_1,reader_2\n1,1\n1,1\n" + "0,0\n" * 3,
        "id,reader_1,reader_2,reader_3,resolved,audit\n" + third,
        HEAD + BOTH + "".join(f"d{at},0,0,{at % 2},{at + 1}\n" for at in range(8)) + NEITHER,
        HEAD + BOTH * 40 + "".join(f"d{at},0,0,0,1\n" for at in range(1)) + "e,0,0,,\n",
        HEAD + BOTH + "".join(f"d{at},0,0,1,{at + 1}\n" for at in range(1)) + NEITHER,
        HEAD + "n1,0,0,0,\nn2,0,1,0,\n",
        HEAD + BOTH * 30 + "".join(f"d{at},0,0,{int(at == 3)},{at + 1}\n" for at in range(20)) + NEITHER * 20,
        HEAD + BOTH * 30 + "n,0,0,,\n",
        HEAD + BOTH * 40 + "".join(f"d{at},0,0,0,{at + 1}\n" for at in range(60)) + NEITHER,
        HEAD + BOTH + "q,1,0,0,\nr,0,0,,\n",
    ]
    with every_branch(message):
        for text in cases:
            read = table(tmp_path, text)
            found = overlooked(read.verdicts, limit=10)
            included = read.verdicts.included
            course = [part and part.ac1.value for part in in_stretches(included, 2)]
            lines = list(readers_report(read, agreement(included), course, found, most=1))
            assert len(lines) >= 4 and all(lines)
