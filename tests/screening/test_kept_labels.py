"""Labels that a list came with: kept and counted, or replayed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_records
from tarstop_core.policies import Budget, Consecutive, DecideNow, Greedy, Optimal
from tarstop_core.ranking.order import Ranking, prepare
from tarstop_core.screening import record_message
from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.kept_labels import kept_event, kept_first, labels_found, replayed
from tarstop_core.screening.labels import PENDING, UNSEEN
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.several_readers import Readers
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import trace
from tarstop_core.sessions.compare import outcome
from tarstop_core.sessions.export import document_rows, to_ris
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import before_import

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
BY_SCORE = Calibrator("marginal", "patent", x=(-2.0, 0.0, 2.0), y=(0.01, 0.1, 0.4), fitted_on=SEEN)
BY_RANK = Calibrator("rank", "patent", x=(0.0, 3.0), y=(0.4, 0.01), fitted_on=SEEN)
START = PatentSettings(Payoffs.from_q_star(0.5), 0.001, calibrator=BY_SCORE.digest)
N = 12
FRAME = as_records(
    {
        "id": [f"d{at}" for at in range(N)],
        "title": [f"Title {at}" for at in range(N)],
        "label": [
            "",
            "not relevant",
            "",
            "Maybe",
            "",
            "not relevant",
            "",
            "",
            "Included / Excluded",
            "",
            "new",
            "",
        ],
        "reason": ["", "animals", *[""] * 10],
        "remark": ["", "", "", "ask", *[""] * 8],
    }
)
RANKING = Ranking(np.arange(N)[::-1].copy(), np.linspace(9, 1, N), "By likeness.")


def started(calibrator: Calibrator = BY_SCORE) -> tuple[Ranking, State]:
    labels = labels_found(FRAME)
    screened, ranks = kept_first(RANKING, labels)
    ids = FRAME["id"].to_numpy()[screened.order].tolist()
    event = replace(kept_event(FRAME, screened, labels, ranks), seq=1, time="2026-11-21T14:00:00.000+00:00")
    return screened, replay(replace(START, calibrator=calibrator.digest), ids, [event])


def test_labels_are_understood_or_named() -> None:
    labels = labels_found(
        FRAME, [{"source": "a.csv", "understood": {"label_included": "label", "t": "title"}}]
    )
    assert (labels.count, labels.relevant, labels.undecided, labels.unknown) == (4, 0, 2, ("new",))
    assert labels.sentence.startswith("4 of 12 documents ")
    assert labels.sentence.endswith("(0 relevant, 2 undecided).")
    assert labels.source.startswith("a.csv (label_included, as ASReview")


def test_a_family_has_the_label_of_any_member() -> None:
    frame = as_records({"id": list("abcd"), "label": ["not relevant", "relevant", "", "not relevant"]})
    assert labels_found(frame, (), [[0, 1, 2]]).codes.tolist() == [1, 1, 1, 0]


def test_kept_documents_stand_first_and_cost_nothing() -> None:
    screened, state = started()
    assert screened.order.tolist() == [8, 5, 3, 1, 11, 10, 9, 7, 6, 4, 2, 0]
    assert (state.depth, state.kept, state.spent, state.touched, state.can_undo) == (4, 4, 0.0, False, False)
    assert state.labels[:4].tolist() == [2, 0, 2, 0]
    assert state.notes == {"d3": "ask"} and state.excluded_for == {3: "animals"}
    assert isinstance(state.ranked, np.ndarray)
    assert state.ranked.tolist() == [4, 7, 9, 11, 1, 2, 3, 5, 6, 8, 10, 12]


@pytest.mark.parametrize("calibrator", [BY_SCORE, BY_RANK])
def test_belief_counts_each_kept_document_with_its_own_chance(calibrator: Calibrator) -> None:
    screened, state = started(calibrator)
    p = calibrator.probabilities(screened.scores, state.ranked)
    of_the_list = calibrator.probabilities(RANKING.scores, N)
    assert p == pytest.approx(of_the_list[[3, 6, 8, 10, 0, 1, 2, 4, 5, 7, 9, 11]])
    missed = np.prod(1 - p[[1, 3]])  # those that are unsure say nothing
    assert advise(state.settings, calibrator, p, state).b == pytest.approx(missed / (missed + 1))


@given(st.lists(st.sampled_from(["", "relevant", "not relevant"]), min_size=1, max_size=20))
def test_the_order_in_which_labels_were_given_does_not_matter(given_labels: list[str]) -> None:
    count = len(given_labels)
    frame = as_records({"id": [str(at) for at in range(count)], "label": given_labels})
    order = np.random.default_rng(count).permutation(count)
    labels = labels_found(frame)
    screened, ranks = kept_first(Ranking(order, None, "By hand."), labels)
    assert sorted(screened.order.tolist()) == list(range(count))
    assert ranks == sorted(ranks) and len(ranks) == labels.count
    state = replay(
        START, frame["id"].to_numpy()[screened.order].tolist(), [kept_event(frame, screened, labels, ranks)]
    )
    assert state.depth == labels.count and state.relevant == labels.relevant
    ranked = np.asarray(state.ranked)
    # Put back by rank, the list is the ranking.
    assert screened.order[np.argsort(ranked)].tolist() == order.tolist()


def test_kept_labels_can_be_changed_but_not_undone() -> None:
    screened, _ = started()
    labels = labels_found(FRAME)
    ids = FRAME["id"].to_numpy()[screened.order].tolist()
    _, ranks = kept_first(RANKING, labels)
    kept = kept_event(FRAME, screened, labels, ranks)
    log = [kept, Event("undo"), Event("relabel", {"doc": "d5", "label": "relevant"})]
    state = replay(START, ids, log)
    assert state.labels[1] == 1 and state.pending.tolist() == [1]
    assert replay(START, ids, [*log, Event("undo")]).labels[1] == 0
    after = replay(START, ids, [kept, Event("label", {"doc": "d11", "label": "irrelevant"})])
    assert (after.depth, after.spent) == (5, START.cost)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"labels": {"d0": "relevant"}, "ranks": [1]}, "not the first of the list"),
        ({"labels": {"gone": "relevant"}, "ranks": [1]}, "not the first of the list"),
        ({"ranks": [1, 1, 2, 3]}, "which rank"),
        ({"ranks": [1, 2, 3]}, "which rank"),
        ({"labels": {"d8": "splendid"}}, "no label 'splendid'"),
        ({"labels": None}, "cannot be read"),
        ({"ranks": ["first", 2, 3, 4]}, "cannot be read"),
        ({"ranks": [0, 1, 2, 3]}, "which rank"),
    ],
)
def test_an_event_that_does_not_fit_is_refused(changed: dict[str, object], words: str) -> None:
    labels = labels_found(FRAME)
    screened, ranks = kept_first(RANKING, labels)
    event = kept_event(FRAME, screened, labels, ranks)
    ids = FRAME["id"].to_numpy()[screened.order].tolist()
    with pytest.raises(InputProblem, match=words):
        replay(START, ids, [Event("kept", {**event.payload, **changed}, 1)])


def test_exports_reports_and_files_carry_what_was_kept(tmp_path: Path) -> None:
    labels = labels_found(FRAME)
    screened, ranks = kept_first(RANKING, labels)
    kept = replace(kept_event(FRAME, screened, labels, ranks), seq=1, time="2026-11-21T14:00:00.000+00:00")
    with Store(f"sqlite:///{tmp_path}/t.db") as store, Store(f"sqlite:///{tmp_path}/u.db") as other:
        store.save_calibrator(BY_SCORE)
        files = [
            {"source": "a.csv", "records": N},
            {"merging": {"same": 0, "apart": 1, "together": 0, "near": 2}},
        ]
        collection = store.save_collection("a.csv", FRAME, files, 0)
        session = store.create_session(
            "Kept", collection, screened.order, screened.scores, START, "", screened.how, events=[kept]
        )
        store.append(
            session, Event("label", {"doc": "d11", "label": "irrelevant"}, reviewer="Ann"), expected=1
        )
        (summary,) = store.sessions()
        assert summary.labelled == 5
        whole = session_snapshot(store, session)
        rows = document_rows(whole)
        assert [row["label"] for row in rows[:6]] == [
            "unsure", "not relevant", "unsure", "not relevant", "not relevant", "not read",
        ]  # fmt: skip
        assert [row["kept_from"] != "" for row in rows[:6]] == [True] * 4 + [False] * 2
        assert (rows[2]["note"], rows[4]["reviewer"], rows[3]["excluded_for"]) == ("ask", "Ann", "animals")
        assert to_ris(whole).count("ASReview_irrelevant") == 3
        report = report_html(whole)
        assert "4, from the list" in report and record_message("merged", apart=1, near=2) in report
        assert (whole.prisma.screened, whole.prisma.unscreened) == (5, N - 5)
        text = export_session(store, session)
        again = import_session(other, text)
        assert before_import(export_session(other, again)) == text
        steps = trace(START, {BY_SCORE.digest: BY_SCORE}, whole.row.ids, whole.row.scores, whole.events)
        assert len(steps) == 5 and "b" not in steps[3] and 0 < steps[4]["b"] < 0.5


def test_a_session_file_holds_what_readers_entered_on_documents_that_came_with_labels(tmp_path: Path) -> None:
    screened, ranks = kept_first(RANKING, labels := labels_found(FRAME))
    kept = replace(kept_event(FRAME, screened, labels, ranks), seq=1, time="2026-11-21T14:00:00.000+00:00")
    settings = ReviewSettings(
        START.payoffs, START.cost, calibrator=BY_SCORE.digest, readers=Readers(("Rita", "Sam"))
    )
    entries = [
        Event("note", {"doc": "d5", "text": "page 3"}, reviewer="Rita"),
        Event("relabel", {"doc": "d1", "label": "unsure"}, reviewer="Rita"),
        Event("label", {"doc": "d11", "label": "relevant"}, reviewer="Sam"),
    ]
    with Store(f"sqlite:///{tmp_path}/t.db") as store, Store(f"sqlite:///{tmp_path}/u.db") as other:
        store.save_calibrator(BY_SCORE)
        collection = store.save_collection("a.csv", FRAME, [], 0)
        listed = (collection, screened.order, screened.scores, settings, "", screened.how)
        session = store.create_session("Kept", *listed, events=[kept])
        for seen, entry in enumerate(entries, start=1):
            store.append(session, entry, expected=seen)
        text = export_session(store, session)
        assert '"d11"' not in text.split('"log"')[1], "Rita has not judged it"
        here = session_snapshot(store, session).state
        there = session_snapshot(other, import_session(other, text)).state
    assert here.notes["d5"] == there.notes["d5"] == "Rita: page 3"
    assert here.labels.tolist() == there.labels.tolist() and there.labels[3] == 2


def test_replaying_reads_labelled_documents_in_rank_order() -> None:
    frame = as_records(
        {"id": list("abcdef"), "label": ["", "relevant", "not relevant", "", "relevant", "not relevant"]}
    )
    ranking = Ranking(np.array([2, 0, 5, 4, 3, 1]), None, "By hand.")
    patent = replace(START, calibrator=BY_RANK.digest)
    rules = [Budget(3), Consecutive(2), DecideNow(), Greedy()]
    found = replayed(ranking, labels_found(frame), patent, BY_RANK, rules)
    # Labelled, in rank order: not relevant, not relevant, relevant, relevant.
    assert [(each.depth, each.relevant_read, each.plus) for each in found[:3]] == [
        (3, 1, True),
        (2, 0, False),
        (0, 0, False),
    ]
    assert found[3].depth <= 3
    review = replayed(
        ranking,
        labels_found(frame),
        ReviewSettings(patent.payoffs, patent.cost, policy="optimal", calibrator=BY_RANK.digest),
        BY_RANK,
        rules,
    )
    assert [(each.depth, each.relevant_read, each.plus) for each in review[:2]] == [
        (3, 1, None),
        (2, 0, None),
    ]


@pytest.mark.parametrize(("name", "documents", "relevant"), [("ADHD", 851, 20), ("Triptans", 671, 24)])
def test_labels_of_published_reviews(real_data: Path, name: str, documents: int, relevant: int) -> None:
    frame = read_records(real_data / "records" / f"{name}.csv").frame
    labels = labels_found(frame)
    assert (labels.count, labels.relevant, labels.unknown) == (documents, relevant, ())
    ranking = prepare(frame, "text", "a randomised trial of the drug in children and adults")
    screened, ranks = kept_first(ranking, labels)
    assert screened.order.tolist() == ranking.order.tolist()
    ids = frame["id"].to_numpy()[screened.order].tolist()
    state = replay(START, ids, [kept_event(frame, screened, labels, ranks)])
    assert (state.depth, state.relevant, len(state.pending)) == (documents, relevant, relevant)
    assert (state.confirmed == PENDING).all() and not (state.labels == UNSEEN).any()
    optimal, budget = replayed(ranking, labels, START, BY_SCORE, [Optimal(), Budget(100)])
    first = int(np.flatnonzero(labels.codes[ranking.order] == 1)[0]) + 1
    assert optimal.depth <= first and optimal.plus == (optimal.depth == first) == (optimal.relevant_read == 1)
    assert budget.depth == 100 and 0 < budget.relevant_read < relevant


def test_a_replay_stops_where_the_finished_session_does(tmp_path: Path) -> None:
    """For rules that go by labels alone, on a list whose labels are all known."""
    labels = np.random.default_rng(3).random(60) < 0.1
    frame = as_records(
        {
            "id": [f"d{at}" for at in range(60)],
            "label": ["relevant" if each else "not relevant" for each in labels],
        }
    )
    ranking = Ranking(np.random.default_rng(4).permutation(60), None, "By hand.")
    found = labels_found(frame)
    screened, ranks = kept_first(ranking, found)
    kept = replace(kept_event(frame, screened, found, ranks), seq=1, time="2026-11-21T14:00:00.000+00:00")
    review = ReviewSettings(START.payoffs, START.cost, policy="optimal", calibrator=BY_RANK.digest)
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        store.save_calibrator(BY_RANK)
        collection = store.save_collection("a.csv", frame, [], 0)
        session = session_snapshot(
            store,
            store.create_session("Kept", collection, screened.order, None, review, "", "", events=[kept]),
        )
        for rule in (Budget(20), Consecutive(5), Consecutive(12)):
            (told,) = replayed(ranking, found, review, BY_RANK, [rule])
            assert told.depth == outcome(session, replace(review, policy=rule.spec)).depth < 60
