"""Review outcomes from files, found in a ranking."""

import contextlib
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcome_tables, read_outcomes, read_qrels, read_run

HEADER = "topic,outcome,study,docid,TP,FP,FN,TN\n"
RUN = {
    name: Topic(name, np.array([f"{name}{i}" for i in range(6)]), np.arange(6, 0, -1.0))
    for name in ("A", "B")
}


def write(folder: Path, text: str, name: str = "outcomes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_studies_are_in_the_order_in_which_screening_meets_them(tmp_path: Path) -> None:
    rows = [
        "A,x,Late 2001,A4,1,2,3,4",
        "A,x,Unranked 2002,zz,5,5,5,5",
        "A,x,Zeta 2000,A1,6,6,6,6",
        "A,x,Alpha 2000,A1,7,7,7,7",
        "A,y,Late 2001,A4,8,8,8,8",
        "A,x,Unnamed 1999,,9,9,9,9",
    ]
    (first, second), notes = read_outcomes(write(tmp_path, HEADER + "\n".join(rows)), RUN)
    assert (first.name, first.review, second.name) == ("A/x", "A", "A/y")
    assert first.tables.study == ("Alpha 2000", "Zeta 2000", "Late 2001", "Unnamed 1999", "Unranked 2002")
    assert first.positions.tolist() == [1, 1, 4, 6, 6]
    assert first.tables.TP.tolist() == [7, 6, 1, 9, 5]
    assert first.topic.labels.tolist() == [False, True, False, False, True, False]
    assert first.topic.n_relevant == 4 and second.topic.n_relevant == 1
    assert notes == ("Studies whose document is not ranked, so they are never found: 2 of 5 in A/x.",)


def test_a_document_names_a_study_without_a_name(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "A,x,S,A3,1,2,3,4\nA,x,T,A0,5,6,7,8\nA,x,,A1,9,1,2,3\nA,x,,,15,9,12,15\n")
    ((outcome,), notes) = read_outcomes(path, RUN)
    assert outcome.tables.study == ("T", "A1", "S") and outcome.positions.tolist() == [0, 1, 3]
    assert len(notes) == 1 and "(line 5, " in notes[0]


def test_a_folder_and_files_named_for_their_topic(tmp_path: Path) -> None:
    write(tmp_path, "TN;FN;FP;TP;PMID;Study ID\n1;2;3;4;B0;S\n", "B.csv")
    (tmp_path / "A.tsv.gz").write_bytes(gzip.compress(b"study\tdocid\ttp\tfn\nS\tA0\t4\t2\n"))
    write(tmp_path, "not a table", "notes.txt")
    (a, b), _ = read_outcomes(tmp_path, RUN)
    assert (a.name, b.name, a.positions[0]) == ("A", "B", 0)
    assert (b.tables.TP[0], b.tables.TN[0]) == (4, 1) and np.isnan(a.tables.FP[0])


def test_what_is_odd_is_noted(tmp_path: Path) -> None:
    text = HEADER + "A,x,S,A0,1,1,1,1\nA,x,S,A1,1,1,1,1\nC,x,S,C0,1,1,1,1\n"
    assert read_outcomes(write(tmp_path, text), RUN)[1] == (
        "A/x lists a study more than once: S; count it once.",
        "Left out because the run does not rank them: C.",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEADER, "o.csv contains no studies"),
        ("topic,study,TP,FN\nA,S,1,2\n", "o.csv has no column docid"),
        ("topic,study,docid,pmid,TP,FN\nA,S,A0,1,1,2\n", "two columns for docid ('docid' and 'pmid')"),
        (HEADER + "A,x,S,A0,1,2,3\n", "o.csv, line 2 has 7 cells and the header 8"),
        (HEADER + "A,x,S,A0,1,2,3,4\n\nA,x,T,A1,-1,2,3,4\n", "o.csv, line 4: TP is '-1'"),
        (HEADER + "A,x,S,A0,1,2,,4\n", "o.csv, line 2 has no FN"),
        (HEADER + ",x,S,A0,1,2,3,4\n", "o.csv, line 2 has no topic"),
        (HEADER + "A,x,,,1,2,3,4\n", "o.csv, line 2 has no study"),
        (HEADER + "C,x,S,A0,1,2,3,4\n", "o.csv and the run share no topic (the run has A, B"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        read_outcomes(write(tmp_path, text, "o.csv"), RUN)
    assert sentence in str(problem.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputProblem, match="contains no CSV or TSV"):
        read_outcomes(tmp_path, RUN)


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_bytes_never_raise_anything_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "o.csv"
    path.write_bytes(content)
    with contextlib.suppress(InputProblem):
        read_outcomes(path, RUN)


def test_the_real_outcomes_are_found_in_their_ranking(real_data: Path) -> None:
    folder = real_data / "clef_dta"
    outcomes, notes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run"))
    qrels = read_qrels(folder / "content.qrels")
    assert len(outcomes) == 63 and len({each.review for each in outcomes}) == 16
    assert notes == ()
    for each in outcomes:
        assert len(each.tables) >= 5 and each.positions[-1] < len(each.topic)
        hits = each.topic.ids[each.topic.labels].tolist()
        assert all(qrels[each.review].get(document, 0) > 0 for document in hits)


def test_tables_alone_need_neither_ranking_nor_documents(tmp_path: Path) -> None:
    write(tmp_path, "outcome,study,TP,FP,FN,TN\nx,Lee,1,2,3,4\ny,Lee,5,6,7,8\nx,Kim,2,2,2,2\n", "CD1.csv")
    write(tmp_path, "study,TP,FP,FN,TN\nLee,1,2,3,4\n", "CD2.csv")
    found = read_outcome_tables(tmp_path)
    assert [(review, name, tables.study) for review, name, tables in found] == [
        ("CD1", "CD1/x", ("Lee", "Kim")),
        ("CD1", "CD1/y", ("Lee",)),
        ("CD2", "CD2", ("Lee",)),
    ]
    with pytest.raises(InputProblem, match="no column docid"):
        read_outcomes(tmp_path, RUN)
