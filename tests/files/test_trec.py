"""TREC runs and qrels: irregular files, ties, duplicates, and every line that must be refused."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files import label_topics, read_qrels, read_run, write_run
from tarstop_core.files.trec import is_qrels


def run_of(text: str) -> dict[str, list[tuple[str, float]]]:
    run = read_run(io.BytesIO(text.encode()), "a.run")
    return {
        name: [(str(i), float(s)) for i, s in zip(t.ids, t.scores, strict=True)]  # type: ignore[arg-type]
        for name, t in run.items()
    }


def notes_of(text: str) -> tuple[str, ...]:
    return read_run(io.BytesIO(text.encode()), "a.run").notes


def test_spaces_tabs_line_ends_and_header_do_not_matter() -> None:
    plain = "T1 Q0 a 0 2.5 x\nT1 Q0 b 1 1.5 x\nT2 Q0 a 0 9 x\n"
    odd = (
        "qid\tQ0\tdocno\trank\tscore\ttag\r\n\r\n T1\tQ0  a 0   2.5\tx  \r\nT1 Q0 b 1 1.5 x\r\nT2 Q0 a 0 9 x"
    )
    assert run_of(plain) == run_of(odd) == {"T1": [("a", 2.5), ("b", 1.5)], "T2": [("a", 9.0)]}
    assert notes_of(odd) == ("Skipped a header line.",)
    assert run_of("# made today\n" + plain) == run_of(plain)
    assert notes_of("# made today\n" + plain) == ()
    packed = io.BytesIO(gzip.compress(plain.encode()))
    assert list(read_run(packed, "a.run.gz")) == ["T1", "T2"]


def test_a_broken_first_line_is_no_header() -> None:
    with pytest.raises(InputProblem, match=r"Line 1 of a\.run has the score \"high\""):
        run_of("T1 Q0 a 1 high x\nT1 Q0 b 2 1.0 x\n")


def test_headers_are_skipped_wherever_runs_were_joined() -> None:
    amc = "TOPIC-ID INTERACTION PID RANK SCORE RUN-ID\n"
    worded = "TOPIC INTERACTION PID RANK BM25 RUN\n"
    text = amc + "T NF a 1 2.5 x\nT NF b 2 1 x\n" + worded + "U AF a 1 9 x\n\n" + amc + "V NF c 1 1 x\n"
    assert run_of(text) == {"T": [("a", 2.5), ("b", 1.0)], "U": [("a", 9.0)], "V": [("c", 1.0)]}
    assert notes_of(text) == ("Skipped 3 header lines.",)
    with pytest.raises(InputProblem, match=r"Line 3 of a\.run has the score \"high\""):
        run_of(amc + "T NF a 1 2.5 x\nT NF b 2 high x\n")


def test_ties_keep_the_written_rank_then_the_line() -> None:
    text = "T Q0 a 3 1 x\nT Q0 b 1 1 x\nT Q0 c 2 1 x\nT Q0 d 2 1 x\n"
    assert [document for document, _ in run_of(text)["T"]] == ["b", "c", "d", "a"]
    assert notes_of(text) == ()


def test_scores_rule_over_ranks() -> None:
    text = "T Q0 a 1 1 x\nT Q0 b 2 5 x\nU Q0 a 1 1 x\n"
    assert [document for document, _ in run_of(text)["T"]] == ["b", "a"]
    assert notes_of(text) == ("In 1 of 2 topics the ranks contradict the scores; the scores were followed.",)


def test_duplicates() -> None:
    text = "T Q0 a 1 5 x\nT Q0 b 2 4 x\nT Q0 a 3 5 x\nT Q0 b 4 4.5 x\nU Q0 a 1 1 x\n"
    assert run_of(text) == {"T": [("a", 5.0), ("b", 4.5)], "U": [("a", 1.0)]}
    notes = notes_of(text)
    assert "1 line repeats a document; the first was kept." in notes
    assert "1 line lists a document again with another score; the better score was kept." in notes


def test_topics_may_be_interleaved_and_called_na() -> None:
    assert run_of("NA Q0 a 1 2 x\nnull Q0 a 1 3 x\nNA Q0 nan 2 1 x\n") == {
        "NA": [("a", 2.0), ("nan", 1.0)],
        "null": [("a", 3.0)],
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("T Q0 a 1 2 x\nT Q0 b 2 NaN x\n", 'Line 2 of a.run has the score "NaN" in column 5'),
        ("T Q0 a 1 2 x\n\nT Q0 b 2 inf x\n", 'Line 3 of a.run has the score "inf"'),
        ("T Q0 a 1 2 x\nT Q0 b two 1 x\n", 'Line 2 of a.run has the rank "two" in column 4'),
        ("T Q0 a 1 2 x\nT Q0 b 2 1\n", "Line 2 of a.run has 5 columns instead of 6"),
        ("T Q0 a 1 2 x\nT Q0 b 2 1 x y\n", "Line 2 of a.run has 7 columns instead of 6"),
        ("T Q0 a 1 2 x\nT Q0 b 2 1 x y z\n", "Line 2 of a.run has 8 columns instead of 6"),
        ("T 0 a 1\n", "it looks like qrels"),
        ("qid Q0 docno rank score tag\n", "header but no lines"),
        ("", "a.run is empty"),
        ("  \n", "a.run is empty"),
    ],
)
def test_refused_runs(text: str, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        run_of(text)
    assert sentence in str(problem.value)


def test_qrels() -> None:
    text = "topic iter docid rel\nT  0  a  1 \r\nT\t0\tb\t-1\nU 0 a 2\nT 0 a 1\n"
    qrels = read_qrels(io.BytesIO(text.encode()), "a.qrels")
    assert qrels == {"T": {"a": 1, "b": -1}, "U": {"a": 2}}
    assert qrels.notes == ("Skipped a header line.", "1 judgment is repeated.")


def test_qrels_of_three_columns_have_a_header() -> None:
    head = "query-id\tcorpus-id\tscore\n"
    qrels = read_qrels(io.BytesIO(f"{head}1\ta\t2\n1\tb\t0\n{head}2\ta\t1\n".encode()), "test.tsv")
    assert qrels == {"1": {"a": 2, "b": 0}, "2": {"a": 1}} and qrels.notes == ("Skipped 2 header lines.",)
    with pytest.raises(
        InputProblem, match=r"Lines 2 and 3 of test\.tsv judge document a of topic 1 differently"
    ):
        read_qrels(io.BytesIO(f"{head}1\ta\t2\n1\ta\t0\n".encode()), "test.tsv")


def test_judgments_are_told_from_tables_by_what_they_hold(tmp_path: Path) -> None:
    for text, wanted in (
        ("query-id\tcorpus-id\tscore\n1\ta\t2\n", True),
        ("T 0 a 1\n", True),
        ("topic\toutcome\tstudy\tdocid\tTP\tFP\tFN\tTN\nT\tO\tS\td\t1\t2\t3\t4\n", False),
        ("study,docid,TP,FN\nS 1,d,1,2\n", False),
    ):
        (tmp_path / "a.tsv").write_text(text, encoding="utf-8")
        assert is_qrels(tmp_path / "a.tsv") == wanted


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("T 0 a 1\nT 0 b 1.5\n", 'Line 2 of a.qrels has the relevance "1.5"'),
        ("T 0 a 1\nT 0 b\n", "Line 2 of a.qrels has 3 columns instead of 4"),
        ("T Q0 a 1 2 x\n", "it looks like a run"),
        ("T 0 a 1\nU 0 a 0\n\nT 0 a 0\n", "Lines 1 and 4 of a.qrels judge document a of topic T differently"),
    ],
)
def test_refused_qrels(text: str, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        read_qrels(io.BytesIO(text.encode()), "a.qrels")
    assert sentence in str(problem.value)


def test_missing_file() -> None:
    with pytest.raises(InputProblem, match=r"There is no file nowhere\.run"):
        read_run(Path("nowhere.run"))


def test_labels_follow_the_ranking_and_r_the_judgments() -> None:
    run = {name: Topic(name, np.array(["a", "b"]), np.array([2.0, 1.0])) for name in ("T", "U", "V")}
    topics, notes = label_topics(run, {"T": {"b": 1, "z": 2, "a": 0}, "V": {"a": -1}, "W": {}})
    assert list(topics) == ["T", "V"]
    assert topics["T"].labels is not None and topics["T"].labels.tolist() == [False, True]
    assert topics["T"].n_relevant == 2 and topics["T"].omega
    assert topics["V"].n_relevant == 0 and not topics["V"].omega
    assert notes == (
        "Left out because the qrels do not have them: U.",
        "Judged but not in the run: W.",
    )
    with pytest.raises(InputProblem, match=r"share no topic \(the run has T, U, V, the qrels W\)"):
        label_topics(run, {"W": {"a": 1}})


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_written_scores_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    path = tmp_path_factory.mktemp("run") / "a.run.gz"
    ids = [f"row {number}" for number in range(len(scores))]
    write_run(path, "my topic", ids, scores)
    run = read_run(path)
    order = np.argsort(-np.array(scores), kind="stable")
    assert run["my_topic"].scores.tolist() == [scores[at] for at in order]  # type: ignore[union-attr]
    assert run["my_topic"].ids.tolist() == [f"row_{at}" for at in order]
    assert run.notes == ()


@pytest.mark.parametrize(
    ("ids", "scores", "sentence"),
    [
        (["a"], [1.0, 2.0], "1 ids but 2 scores"),
        (["a", "b"], [1.0, np.nan], "The score of b is not a finite number"),
        (["a b", "a_b"], [1.0, 2.0], "must be different"),
    ],
)
def test_refused_writes(tmp_path: Path, ids: list[str], scores: list[float], sentence: str) -> None:
    with pytest.raises(InputProblem, match=sentence):
        write_run(tmp_path / "a.run", "T", ids, scores)
    assert not (tmp_path / "a.run").exists()


@given(st.binary(max_size=300) | st.text(alphabet="T Q0a1.\n\t", max_size=120).map(str.encode))
def test_random_bytes_are_read_or_refused(data: bytes) -> None:
    for reader in (read_run, read_qrels):
        message = ""
        try:
            count = len(reader(io.BytesIO(data), "a.txt"))
        except InputProblem as problem:
            count, message = 0, str(problem)
        assert bool(count) != ("a.txt" in message)


@pytest.mark.parametrize(
    ("path", "topics", "documents"),
    [
        ("clef2019/bm25_dta.run", 8, 30_521),
        ("clef2019/bm25_intervention.run", 20, 41_996),
        ("clef_dta/bm25.run", 24, 38_860),
        ("clef2017/es_bool.run", 30, 69_951),
    ],
)
def test_real_runs(real_data: Path, path: str, topics: int, documents: int) -> None:
    run = read_run(real_data / path)
    assert (len(run), sum(map(len, run.values()))) == (topics, documents)
    for topic in run.values():
        assert topic.scores is not None and (np.diff(topic.scores) <= 0).all()


@pytest.mark.parametrize(
    ("path", "topics", "judgments"),
    [
        ("clef2017/qrel_abs_test.txt", 30, 117_562),
        ("clef2017/qrel_content_test.txt", 30, 117_562),
        ("clef2019/full.test.dta.abs.2019.qrels", 8, 30_521),
        ("clef2019/full.test.intervention.content.2019.qrels", 20, 41_996),
        ("clef_dta/abs.qrels", 24, 1_746),
        ("records/qrels_abs.txt", 13, 771),
    ],
)
def test_real_qrels(real_data: Path, path: str, topics: int, judgments: int) -> None:
    qrels = read_qrels(real_data / path)
    assert (len(qrels), sum(map(len, qrels.values()))) == (topics, judgments)
    assert qrels.notes == ()


def test_unranked_relevant_documents_stay_known(real_data: Path) -> None:
    run = read_run(real_data / "clef2017/es_bool.run")
    topics, notes = label_topics(run, read_qrels(real_data / "clef2017/qrel_content_test.txt"))
    assert len(topics) == 30 and notes == ()
    ranked = sum(int(topic.labels.sum()) for topic in topics.values() if topic.labels is not None)
    assert (ranked, sum(topic.n_relevant or 0 for topic in topics.values())) == (465, 607)
    assert topics["CD010542"].first_hit is None and topics["CD010542"].omega
