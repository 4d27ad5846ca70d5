"""Labelled lists from files and from sessions: what is known counts, and nothing else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.calibration.first_hit import DEEPEST, PastCase
from tarstop_core.calibration.fitting import _fit_frailty, assess, cross_validate, fit, has_label, predicted
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files import source
from tarstop_core.files.labelled_lists import kind_of, list_digest, read_labelled, seen_before
from tarstop_core.sessions.calibrator_library import session_case, session_list, session_scenario
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import N, a_patent_session, a_review

TABLE = b"id,title,label\na,Hinge,1\nb,Lid,0\nc,Cup,\nd,Mug,maybe\n"
RUN = b"T1 Q0 a 1 3 x\nT1 Q0 b 2 2 x\nT2 Q0 c 1 1 x\n"
QRELS = b"T1 0 b 1\nT2 0 z 0\n"


def test_rows_without_a_verdict_are_unknown_not_irrelevant() -> None:
    found = read_labelled([("past.csv", TABLE)])
    [topic] = found.topics
    assert topic.labels is not None and topic.labelled is not None
    assert topic.labels.tolist() == [True, False, False, False]
    assert topic.labelled.tolist() == [True, True, False, False]
    assert "1 relevant of 2 labelled (by “label”), 4 documents" in found.notes[0]


def test_so_many_records_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "BUDGET", replace(source.BUDGET, held=4))
    assert len(read_labelled([("past.csv", TABLE)]).topics) == 1
    with pytest.raises(
        InputProblem, match="With these lists this browser tab would have more than 4 records"
    ):
        read_labelled([("past.csv", TABLE), ("a.run", RUN), ("b.qrels", QRELS)])


def test_runs_and_qrels_are_joined_whatever_their_order() -> None:
    for files in ([("a.run", RUN), ("b.qrels", QRELS)], [("qrels.txt", QRELS), ("ranking.txt", RUN)]):
        topics = read_labelled(files).topics
        assert [(topic.name, topic.n_relevant) for topic in topics] == [("T1", 1), ("T2", 0)]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "no file to learn from"),
        ([("a.run", RUN)], "add the qrels"),
        ([("a.qrels", QRELS)], "add the run"),
        ([("a.run", RUN), ("b.run", RUN), ("q.qrels", QRELS)], "b.run contains the topic T1, which another"),
        ([("past.csv", b"id,title\na,Hinge\n")], "past.csv has no labels"),
        ([("past.csv", b"id,title,label\na,Hinge,perhaps\n")], "past.csv has no labels"),
    ],
)
def test_what_cannot_teach_is_refused(files: list[tuple[str, bytes]], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        read_labelled(files)


def test_unknown_labels_change_no_fit() -> None:
    """Appending documents that nobody read leaves a rank-based fit as it is."""
    rng = np.random.default_rng(1)
    short = [a_topic(rng, 40) for _ in range(6)]
    longer = [
        replace(
            topic,
            ids=np.array([f"d{at}" for at in range(90)]),
            labels=np.concatenate((topic.labels, np.zeros(50, dtype=bool))),  # type: ignore[arg-type]
            labelled=np.arange(90) < 40,
        )
        for topic in short
    ]
    one, other = (fit(topics, kind="rank", scenario="inclusion") for topics in (short, longer))
    assert (one.x, one.y, one.dispersion) == (other.x, other.y, other.dispersion)
    assert one.fitted_on.documents == other.fitted_on.documents == 240
    assert assess(one, short, "x") == assess(other, longer, "x")
    assert cross_validate(longer, kind="rank", scenario="inclusion").documents == 240


def test_scores_of_unread_documents_place_the_read_ones() -> None:
    """z-scores come from the whole list; only what was read is learned from."""
    scores = np.linspace(5, 0, 50)
    labels = np.arange(50) < 5
    read = Topic("t", np.array([f"d{at}" for at in range(50)]), scores, labels, 5, np.arange(50) < 20)
    calibrator = fit([read], scenario="inclusion")
    assert calibrator.fitted_on.documents == 20 and has_label(read).sum() == 20
    p = calibrator.probabilities(scores)
    assert p[0] == 1.0 and p[30] == 0.0


def test_what_nobody_read_was_not_passed_without_a_hit() -> None:
    """Under equal chances, unread documents among the others leave frailty and its judgement as they are."""
    even = Calibrator("frailty", "patent", (-1.0, 1.0), (0.1, 0.1), FittedOn("t", 1, 1, 1, True), frailty=0.8)
    rng = np.random.default_rng(2)
    whole, gaps = [], []
    for _ in range(40):
        labels = rng.random(30) < 0.1 * rng.gamma(1.0)
        labels[29] = True
        labelled = np.zeros(60, dtype=bool)
        labelled[rng.permutation(60)[:30]] = True
        spread = np.zeros(60, dtype=bool)
        spread[labelled] = labels
        for lists, marks, read in ((whole, labels, None), (gaps, spread, labelled)):
            ids = np.array([f"d{at}" for at in range(len(marks))])
            lists.append(Topic("t", ids, np.arange(len(marks), 0.0, -1), marks, int(labels.sum()), read))
    shapes = [_fit_frailty(even, lists) for lists in (whole, gaps)]
    assert shapes[0] == pytest.approx(shapes[1]) and shapes[0] < 50
    for one, other in zip(whole, gaps, strict=True):
        np.testing.assert_allclose(predicted(even, one, True)[0], predicted(even, other, True)[0])


def a_topic(rng: np.random.Generator, n: int) -> Topic:
    labels = rng.random(n) < 0.5 / np.sqrt(np.arange(1, n + 1))
    labels[0] = True
    return Topic("t", np.array([f"d{at}" for at in range(n)]), None, labels, int(labels.sum()))


def test_sessions_give_what_was_read(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        review = session_snapshot(store, a_review(store))
        topic = session_list(review.row, review.state)
        assert session_scenario(review.state) == "inclusion"
        assert topic.labels is not None and topic.labelled is not None and len(topic) == N
        assert topic.labels.nonzero()[0].tolist() == [0, 1, 7] and topic.labelled.sum() == 8
        assert list_digest(topic) == review.row.digest

        patent = session_snapshot(store, a_patent_session(store))
        assert session_scenario(patent.state) == "patent"
        assert session_case(patent.state) == PastCase("hit", 12)
        # The unsure document at rank 11 is not known.
        assert not has_label(session_list(patent.row, patent.state))[10]
        stopped = replace(patent.state, labels=np.where(patent.state.labels == 1, 0, patent.state.labels))
        assert session_case(stopped) == PastCase("stopped", 12)
        unread = replace(patent.state, labels=np.full(N, -1, dtype=np.int8))
        assert session_case(unread) is None
        none = np.zeros(DEEPEST + 1, dtype=np.int8)
        for depth, case in ((DEEPEST, PastCase("stopped", DEEPEST)), (DEEPEST + 1, None)):
            assert session_case(replace(patent.state, labels=none[:depth], confirmed=none[:depth])) == case


def test_lists_are_recognised_again() -> None:
    [topic] = read_labelled([("past.csv", TABLE)]).topics
    renamed = replace(topic, name="other")
    assert seen_before([list_digest(topic)], [list_digest(renamed), "x"]) == 1


def test_real_tables_and_rankings(real_data: Path) -> None:
    def file(path: str) -> tuple[str, bytes]:
        return Path(path).name, (real_data / path).read_bytes()

    tables = [file("records/ADHD.csv"), file("records/Triptans.csv")]
    found = read_labelled(tables, abstracts=True)
    assert [topic.n_relevant for topic in found.topics] == [84, 218]
    assert "sorted by PMID" in found.notes[0] or "order" in found.notes[0]
    final = read_labelled(tables, {"ADHD.csv": "attention deficit hyperactivity disorder"})
    assert [topic.n_relevant for topic in final.topics] == [20, 24]
    assert final.topics[0].scores is not None and final.topics[1].scores is None
    judged = cross_validate(found.topics, kind="rank", scenario="inclusion", pseudo=1.0)
    assert judged.topics == 2 and judged.documents == 851 + 671

    clef = read_labelled([file("clef_dta/bm25.run"), file("clef_dta/content.qrels")])
    assert len(clef.topics) == 24
    calibrator = fit(clef.topics, lists=clef.digests, own="lists", pseudo=1.0)
    assert calibrator.fitted_on.badge.startswith("fitted on your ")
    assert seen_before(clef.digests, calibrator.fitted_on.lists) == 24


def test_a_file_is_known_by_its_name_or_its_first_line() -> None:
    files = {"a.run": b"", "qrels_abs.txt": b"T1 0 d1 1", "a.txt": b"T1 0 d1 1", "x.csv": b"id,title"}
    assert [kind_of(*each) for each in files.items()] == ["run", "qrels", "qrels", "records"]
