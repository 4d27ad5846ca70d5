"""A session that learns: the same order after a kill, elsewhere and under other stakes, and fits only where they are due."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.documents.records import as_records
from tarstop_core.places import URL_VARIABLE
from tarstop_core.ranking.learning import ITS_SCORE
from tarstop_core.screening import record_message
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import protocol_paragraph
from tarstop_core.sessions import message
from tarstop_core.sessions.compare import duplicate, outcome
from tarstop_core.sessions.export import about_rows, document_rows
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.learning import (
    _HELD,
    features_of,
    forget_features,
    gain_sentence,
    prepare_features,
    why_sentence,
)
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import INCLUSION, REVIEW, before_import
from tests.spoken import spoken

N = 40
IDS = [f"d{at}" for at in range(N)]
WANTED = {f"d{at}" for at in range(3, N, 6)}
"""About the test in question; the list does not put them first."""
LEARNS = replace(REVIEW, learns=True)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv(URL_VARIABLE, f"sqlite:///{tmp_path}/t.db")
    return Store()


def begun(
    store: Store,
    settings: Settings = LEARNS,
    events: tuple[Event, ...] = (),
    features: bool = True,
    scores: dict[str, float] | None = None,
) -> str:
    texts = [
        f"ultrasound of the hip in infants, 12.5 mg {at}{'' if features else ' or not'}"
        if doc in WANTED
        else f"fracture surgery cost {at % 5} outcome {at}"
        for at, doc in enumerate(IDS)
    ]
    given = {"score": [scores.get(doc) for doc in IDS]} if scores else {}
    frame = as_records({"id": IDS, "title": texts, **given})
    store.save_calibrator(INCLUSION)
    files = [{"source": "a.csv", "records": N, "understood": {"Model’s answer": "score"}}] if scores else []
    collection = store.save_collection("Hips", frame, files, 0)
    if features:
        prepare_features(store, collection)
    else:
        _HELD.clear()  # what another test made of the same texts
    return store.create_session("Hips", collection, range(N), None, settings, "hip", "own", events=events)


def screen(session: OpenSession, documents: int) -> list[str]:
    """Read on as the page does; what was read."""
    session.learn()
    for _ in range(documents):
        doc = session.row.ids[session.state.depth]
        session.label(doc, "relevant" if doc in WANTED else "irrelevant", seen=session.state.seq)
        session.learn()
    return list(session.row.ids[: session.state.depth])


def test_labels_put_the_likeliest_first(store: Store) -> None:
    session = OpenSession.load(store, begun(store))
    read = screen(session, 12)
    assert read[0] == IDS[0], "the list's own order until something was said"
    assert set(read) >= WANTED
    assert session.state.labels[:12].sum() == len(WANTED)
    fits = [event for event in session.events if event.kind == "fit"]
    assert [event.payload["number"] for event in fits] == list(range(1, len(fits) + 1))
    assert next(event.payload["fit"] for event in session.events if event.kind == "label") == 0


def test_after_a_kill_the_same_document_is_next(store: Store) -> None:
    key = begun(store)
    session = OpenSession.load(store, key)
    screen(session, 8)
    again = OpenSession.load(store, key)
    again.learn()
    assert again.row.ids == session.row.ids and again.events == session.events
    # Killed after the label was stored and before the fit was.
    session.label(session.row.ids[8], "irrelevant", seen=session.state.seq)
    again = OpenSession.load(store, key)
    session.learn()
    again.learn()  # as another tab would
    assert again.events == session.events and again.row.ids == session.row.ids
    assert [event.kind for event in session.events][-2:] == ["label", "fit"]


def test_elsewhere_and_under_other_stakes_the_order_is_the_one_read(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = begun(store)
    session = OpenSession.load(store, key)
    read = screen(session, 15)
    sent = export_session(store, key)
    other = duplicate(store, key, replace(REVIEW, cost=50.0), "dearer")
    assert OpenSession.load(store, other).row.ids[:15] == tuple(read)
    whole = session_snapshot(store, other)
    assert outcome(whole, whole.state.settings).read == 15
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv(URL_VARIABLE, f"sqlite:///{tmp_path}/elsewhere/t.db")
    with Store() as elsewhere:
        there = OpenSession.load(elsewhere, import_session(elsewhere, sent))
        assert features_of(there.collection) is not None, "shared while somebody has it open"
        there.learn()
        assert there.row.ids == session.row.ids
        assert there.advice(there.state.settings) == session.advice(session.state.settings)
        assert before_import(export_session(elsewhere, there.row.id)) == sent
    rows = document_rows(session_snapshot(store, key))
    assert [row["id"] for row in rows] == list(session.row.ids)
    assert [row["rank_in_list"] for row in rows[:5]] == [IDS.index(doc) + 1 for doc in read[:5]]
    assert [row["fit"] for row in rows[:3]] == [0, 1, 2]


def test_without_features_the_list_goes_on_as_it_stood(store: Store) -> None:
    session = OpenSession.load(store, begun(store, features=False))
    assert screen(session, 9) == IDS[:9]
    assert {event.kind for event in session.events} == {"label"}


def test_a_changed_verdict_counts_with_the_next_label(store: Store) -> None:
    session = OpenSession.load(store, begun(store))
    screen(session, 6)
    number = session.state.fit["number"]  # type: ignore[index]
    session.record(Event("undo"), seen=session.state.seq)
    following = session.row.ids[5]
    session.learn()
    assert session.events[-1].kind == "undo" and session.row.ids[5] == following
    session.label(following, "unsure", seen=session.state.seq)
    session.learn()
    assert session.state.fit["number"] == number + 1  # type: ignore[index]
    session.label(session.row.ids[6], "unsure", seen=session.state.seq)
    session.learn()
    assert session.events[-1].kind == "label", "unsure ones teach nothing"


def test_a_batch_is_read_as_it_was_begun(store: Store) -> None:
    session = OpenSession.load(store, begun(store, replace(LEARNS, policy="batch:K=5")))
    screen(session, 14)
    kinds = [event.kind for event in session.events]
    assert kinds == [*["label"] * 5, "fit", *["label"] * 5, "fit", *["label"] * 4]


def test_labels_that_came_along_teach_before_the_first_press(store: Store) -> None:
    verdicts = {doc: "relevant" if doc in WANTED else "irrelevant" for doc in IDS[:5]}
    kept = {"source": "a.ris", "labels": verdicts, "notes": {}, "reasons": {}, "ranks": [1, 2, 3, 4, 5]}
    session = OpenSession.load(
        store, begun(store, events=(Event("kept", kept, 1, "2026-01-01T00:00:00+00:00"),))
    )
    session.learn()
    assert session.row.ids[5] in WANTED and session.row.ids[5] != IDS[5]


def test_switched_on_and_off_at_any_document(store: Store) -> None:
    session = OpenSession.load(store, begun(store, REVIEW))
    assert screen(session, 5) == IDS[:5]
    session.change_settings(LEARNS, seen=session.state.seq)
    session.learn()
    assert session.row.ids[5] in WANTED
    read = screen(session, 3)
    session.change_settings(REVIEW, seen=session.state.seq)
    rest = [doc for doc in IDS if doc not in read]
    assert screen(session, 3)[8:] == rest[:3]


def test_typed_words_put_documents_first_before_any_label(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = begun(store, replace(LEARNS, words_for="ultrasound infants", words_against="fracture"))
    session = OpenSession.load(store, key)
    assert session.row.ids[:3] == (*IDS[:3],)
    session.learn()
    assert {*session.row.ids[: len(WANTED)]} == WANTED
    assert session.events[-1].payload["words"] == ["ultrasound infants", "fracture"]
    assert session.events[-1].payload["after"] == 0
    words = session.why_next(session.document(0))
    assert "because of your words: " in why_sentence(session.state, session.row.ids, words)
    session.learn()
    assert len(session.events) == 1, "they are learned once"
    read = screen(session, 4)
    session.prefetch()
    session.change_settings(replace(LEARNS, words_for="surgery"), seen=session.state.seq)
    session.learn()
    assert session.events[-1].payload["words"] == ["surgery", ""], (
        "not the fit foreseen with the words of before"
    )
    session.change_settings(LEARNS, seen=session.state.seq)
    session.learn()
    assert session.events[-1].kind == "fit" and "words" not in session.events[-1].payload

    sent, ids = export_session(store, key), session.row.ids
    monkeypatch.setattr("tarstop_core.ranking.learning.SVMRanker.scores", None)
    again = OpenSession.load(store, key)
    assert again.row.ids == ids and again.row.ids[:4] == tuple(read), "folding the log asks no ranker"
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        there = import_session(elsewhere, sent)
        assert OpenSession.load(elsewhere, there).row.ids == ids
        assert before_import(export_session(elsewhere, there)) == sent


def test_report_and_protocol_name_the_words(store: Store) -> None:
    settings = replace(LEARNS, words_for="infants")
    session = OpenSession.load(store, begun(store, settings))
    session.learn()
    whole = session_snapshot(store, session.row.id)
    typed = record_message("by_words", settings=settings)
    assert "“infants”" in typed and typed in report_html(whole)
    assert f"{typed}." in protocol_paragraph(settings, INCLUSION, size=N)
    assert settings.paper_mode().words_for == "" and "words_for" not in LEARNS.to_dict()


def test_scores_of_the_file_count_as_far_as_labels_bear_them_out(store: Store, tmp_path: Path) -> None:
    told = {"d1", "d7", "d8", "d14", "d20", "d26", "d30", "d35"}
    scores = {doc: 0.9 if doc in told else 0.1 for doc in IDS[:-1]}  # the last has none

    def read(settings: Settings) -> tuple[str, list[str]]:
        session = OpenSession.load(store, begun(store, settings, scores=scores))
        for _ in range(14):
            doc = session.row.ids[session.state.depth]
            verdict = "relevant" if doc in told else "irrelevant"
            session.label(doc, verdict, seen=session.state.seq)
            session.learn()
        return session.row.id, list(session.row.ids[:14])

    (_, without), (key, weighed) = read(LEARNS), read(replace(LEARNS, weighs_scores=True))
    assert len(told.intersection(weighed)) > len(told.intersection(without)) + 2
    session = OpenSession.load(store, key)
    assert session.events[-1].payload["scores"] is True
    following = session.row.ids[14]
    words, put = session.why_next(session.document(14)), "its score in the file and your labels"
    assert (ITS_SCORE in words) == (following in told)
    assert why_sentence(session.state, session.row.ids, ["hip", ITS_SCORE]) == f"Next because of {put}: hip."
    assert spoken(message, why_sentence, session.state, session.row.ids, [ITS_SCORE]).values["by_score"]
    whole = session_snapshot(store, key)
    assert "“Model’s answer” of a.csv" in dict(about_rows(whole))["Scores weighed beside labels"]
    assert record_message("by_words", settings=session.row.settings) in report_html(whole)
    sent = export_session(store, key)
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        there = OpenSession.load(elsewhere, import_session(elsewhere, sent))
        assert there.row.ids == session.row.ids
        assert before_import(export_session(elsewhere, there.row.id)) == sent
        np.testing.assert_array_equal(there.scores_in_file, session.scores_in_file)
    session.change_settings(LEARNS, seen=session.state.seq)
    session.label(session.row.ids[14], "irrelevant", seen=session.state.seq)
    session.learn()
    assert "scores" not in session.events[-1].payload


def test_what_is_kept_goes_with_its_collection(store: Store, tmp_path: Path) -> None:
    session = OpenSession.load(store, begun(store))
    folder = tmp_path / "features"
    (folder / f"{'0' * 64}.npz").touch()
    forget_features(store)
    assert [file.stem for file in folder.iterdir()] == [session.collection.digest]
    store.purge_session(session.row.id)
    forget_features(store)
    assert not any(folder.iterdir())


def test_both_answers_fitted_in_advance_give_the_fit_that_would_be_made(store: Store) -> None:
    key = begun(store)
    one, other = OpenSession.load(store, key), OpenSession.load(store, duplicate(store, key, LEARNS, "same"))
    for at in range(10):
        one.prefetch()
        assert one.row.ids == other.row.ids
        verdict = "relevant" if one.row.ids[at] in WANTED else "irrelevant"
        one.label(one.row.ids[at], verdict, seen=one.state.seq)
        other.label(other.row.ids[at], verdict, seen=other.state.seq)
        one.learn()
        other.learn()
        assert [each.event for each in one._prefetched].count(replace_seq(one.events[-1])) == 1
    assert [each.payload for each in one.events] == [each.payload for each in other.events]


def replace_seq(event: Event) -> Event:
    return Event(event.kind, event.payload)


def test_it_is_said_which_words_put_a_document_first(store: Store) -> None:
    session = OpenSession.load(store, begun(store))
    assert session.why_next(session.document(0)) == [], "the list put it there"
    screen(session, 1)
    words = session.why_next(session.document(1))
    assert "because of your question: " in why_sentence(session.state, session.row.ids, words)
    assert words[0] == "hip"
    screen(session, 3)
    words = session.why_next(session.document(4))
    assert words and set(" ".join(words).split()) <= {"hip", "ultrasound", "infants"}
    again = OpenSession.load(store, session.row.id)
    assert again.why_next(again.document(4)) == words
    assert "because of your labels: " in why_sentence(session.state, session.row.ids, words)
    session.record(Event("undo"), seen=session.state.seq)
    assert session.why_next(session.document(3)) == []
    assert spoken(message, why_sentence, session.state, session.row.ids, []).values["put_back"]


def test_what_was_found_is_set_beside_what_the_list_would_have_shown(store: Store) -> None:
    session = OpenSession.load(store, begun(store))
    assert gain_sentence(session.state) == ""
    screen(session, 8)
    read, first = set(session.row.ids[:8]), set(IDS[:8])
    same, unread = len(read & first & WANTED), len(first - read)
    assert same < 4 and unread, "other documents than the list's first were read"
    assert spoken(message, gain_sentence, session.state) == (
        "gain",
        {
            "found": len(read & WANTED),
            "documents": 8,
            "kept": 0,
            "included": True,
            "same": same,
            "unread": unread,
        },
    )
    static = OpenSession.load(store, begun(store, REVIEW))
    screen(static, 8)
    assert gain_sentence(static.state) == ""


def test_report_and_protocol_say_how_the_order_came_about(store: Store) -> None:
    session = OpenSession.load(store, begun(store))
    screen(session, 8)
    whole = session_snapshot(store, session.row.id)
    rows = dict(about_rows(whole))
    assert re.match(r"8 fits, .* 8 labels; ranker ", rows["Learned from labels"])
    assert f"seed {session.state.fit['seed']}" in rows["Learned from labels"]  # type: ignore[index]
    assert rows["Compared with the list’s own order"] == gain_sentence(session.state)
    assert dict(whole.in_words(session.row.settings))["Chances of the documents"].startswith(
        "of lists that learn: "
    )
    page = report_html(whole)
    assert "<th" in page and "In the list" in page and "By fit" in page
    said = protocol_paragraph(LEARNS, INCLUSION, size=N, ranking="By hand.", digest=session.row.digest)
    assert "in a learned order" in said and "(by hand)" in said
    assert f"with the seed {session.state.fit['seed']}" in said  # type: ignore[index]
    assert "fixed order (by hand)" in protocol_paragraph(REVIEW, INCLUSION, size=N, ranking="By hand.")
