"""Documents that join a session: what was read stays, counts follow, and a list that learns ranks them by what it knows."""

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE
from tarstop_core.ranking.order import prepare
from tarstop_core.screening import record_message
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import UNSEEN
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.compare import duplicate
from tarstop_core.sessions.export import about_rows, document_rows
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.joining import join, may_part, part, preview
from tarstop_core.sessions.learning import prepare_features
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.listing import progress
from tarstop_core.sessions.store.store import Conflict, Store
from tests.session_cases import INCLUSION, PATENT, REVIEW, START, before_import
from tests.sessions.store.cases import on_both

N = 24
TITLES = [
    f"hip ultrasound in infants {at}" if at % 4 == 0 else f"fracture surgery {at} cost" for at in range(N)
]
LATER = "id,title,score,doi\n" + "\n".join(
    (
        "n0,Fracture surgery in adults,2.5,",
        "d4,hip ultrasound in infants 4,9,",  # there already
        "n1,Ultrasound of the hip in newborn infants,0.5,",
        "n2,Hip ultrasound: a study of infants,7,10.1000/n2",
        "n2b,Hip ultrasound of infants,7,10.1000/n2",
    )
)
NEW = {"n0", "n1", "n2"}
LEARNS = replace(REVIEW, learns=True)
OWN_SCORES = np.linspace(8, 2, N)
OTHERS = (("text", False), ("own", True), ("scores", False))


in_each_order = pytest.mark.parametrize(
    ("order", "learns"),
    [
        *(("text", True), ("own", False), ("scores", True)),
        *(pytest.param(order, learns, marks=pytest.mark.deep) for order, learns in OTHERS),
    ],
    ids=lambda value: value if isinstance(value, str) else "by labels" if value else "as listed",
)
"""Each order once, learning from labels and not; `make deep` has every pair."""


@pytest.fixture(autouse=True)
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Features lie beside the database that the environment names."""
    monkeypatch.setenv(URL_VARIABLE, f"sqlite:///{tmp_path}/t.db")


def begun(
    store: Store, order: str = "text", settings: Settings = REVIEW, events: tuple[Event, ...] = ()
) -> str:
    frame = as_records({"id": [f"d{at}" for at in range(N)], "title": TITLES, "score": OWN_SCORES})
    for each in (INCLUSION, PATENT):
        store.save_calibrator(each)
    files = [{"source": "a.csv", "records": N + 1, "database": "PubMed"}]
    collection = store.save_collection("Hips", frame, files, 1)
    ranked = prepare(frame, order, "hip ultrasound")
    listed = (collection, ranked.order, ranked.scores, settings, "hip ultrasound", "In words.")
    return store.create_session("Hips", *listed, events=events, recipe=ranked.recipe)


def read(session: OpenSession, documents: int) -> list[str]:
    for _ in range(documents):
        session.learn()
        doc = session.row.ids[session.state.depth]
        found = "hip" in session.document(session.state.depth).title.lower()
        session.label(doc, "relevant" if found else "irrelevant", seen=session.state.seq)
    session.learn()
    return list(session.row.ids[:documents])


def added(store: Store, key: str, text: str = LATER, name: str = "b.csv") -> Event:
    return join(store, key, text.encode(), name, "Embase", "Ann")


def test_likely_ones_come_next_and_what_was_read_stays(store: Store) -> None:
    key = begun(store)
    session = OpenSession.load(store, key)
    before, steps = read(session, 5), session_snapshot(store, key).steps
    event = added(store, key)
    assert (event.payload["duplicates"], set(event.payload["docs"]), event.reviewer) == (
        2,
        NEW,
        "Ann",
    )
    assert session.refresh() and session.state.labels[5:].tolist() == [UNSEEN] * (N + 3 - 5)
    assert list(session.row.ids[:5]) == before
    assert {"n1", "n2"} <= set(session.row.ids[5:8]), "as likely as those at the top"
    assert session.row.ids[-1] not in NEW or session.row.ids[-1] == "n0"
    assert len({*session.row.ids}) == len(session.paths(session.state.settings).path.p) == N + 3
    for was, now in zip(steps, session_snapshot(store, key).steps, strict=True):
        assert was.items() <= now.items(), "what was advised then is as it was"
    read(session, 2)
    assert "infants" in session.document(6).title and store.sessions()[0].documents == N + 3


def test_records_repeated_in_the_file_count_as_duplicates(store: Store) -> None:
    key = begun(store)
    event = added(store, key, LATER + "\nn0,Fracture surgery in adults,2.5,")
    assert event.payload["duplicates"] == 3
    whole = session_snapshot(store, key)
    assert whole.prisma.duplicates == 1 + 3
    identified = sum(count for _, count in whole.prisma.identified)
    assert identified - whole.prisma.duplicates == len(whole.row.ids)
    part(store, key)
    assert session_snapshot(store, key).prisma.duplicates == 1


def test_counts_follow(store: Store) -> None:
    key = begun(store)
    read(OpenSession.load(store, key), 5)
    added(store, key)
    whole = session_snapshot(store, key)
    counts = dict(whole.prisma.rows())
    assert counts["Records identified: PubMed"] == N + 1 and counts["Records identified: Embase"] == 5
    assert whole.prisma.duplicates == 3
    assert counts["Records not screened yet"] == N + 3 - 5
    assert len(document_rows(whole)) == N + 3 and len(whole.steps) == 5
    joined = record_message("joined", documents=3, source="b.csv", duplicates=2, alike=0)
    assert dict(about_rows(whole))["Joined later"].startswith(f"{joined}, 20")
    report = report_html(whole)
    assert joined in report
    assert "<strong>Looking for</strong> hip ultrasound</p>" in report
    assert progress(store.sessions()[0], store.events)[0] == f"5 of {N + 3} screened"
    other = duplicate(store, key, replace(REVIEW, cost=50.0), "dearer")
    assert OpenSession.load(store, other).row.ids == OpenSession.load(store, key).row.ids
    assert {each.documents for each in store.sessions()} == {N + 3}


def test_what_is_perhaps_there_already_joins_and_is_counted(store: Store) -> None:
    key = begun(store)
    title = "Sound and sight of the infant hip"
    added(store, key, f"id,title,date,score\nm1,{title},2001,3\nm2,Another matter,2001,2")
    event = added(store, key, f"id,title,date,score\ne1,{title},2002,4", "c.csv")
    assert (event.payload["docs"], event.payload["alike"]) == (["e1"], {"e1": "m1"})
    assert OpenSession.load(store, key).state.alike == {"e1": "m1"}
    joined = record_message("joined", documents=1, source="c.csv", duplicates=0, alike=1)
    assert joined in report_html(session_snapshot(store, key))


def test_what_would_join_is_said_before_it_does(store: Store) -> None:
    key = begun(store)
    title = "Sound and sight of the infant hip"
    added(store, key, f"id,title,date,score\nm1,{title},2001,3")
    text = f"id,title,date,score,label\nd4,{TITLES[4]},,,\ny,Knee,2001,1,relevant\ne1,{title},2002,4,"
    told = preview(store, key, text.encode(), "c.csv")
    same = f"perhaps the same as “{title}”, which is not read yet"
    assert told.titles == (f"{title}, {same}", "Knee")
    assert (told.labelled, told.payload["duplicates"]) == (1, 1)
    assert told.file["unread"] == [] and len(store.events(key)) == 1 and len(store.collections()) == 1
    session = OpenSession.load(store, key)
    read(session, session.row.ids.index("m1") + 1)
    number = f"#{session.row.ids.index('m1') + 1} “{title}”"
    assert preview(store, key, text.encode(), "c.csv").titles[0].endswith(f"perhaps the same as {number}")


def collections_in(store: Store) -> list[tuple[object, ...]]:
    return [(row.id, row.name, row.documents, row.files, row.digest) for row in store.collections()]


@in_each_order
def test_what_joined_is_taken_back_until_one_of_them_is_read(
    store: Store, tmp_path: Path, order: str, learns: bool
) -> None:
    key = begun(store, order, LEARNS if learns else REVIEW)
    session, held = OpenSession.load(store, key), store.session(key).collection_id
    with pytest.raises(InputProblem, match="Nothing was taken back"):
        part(store, key)
    prepare_features(store, held)
    before, whole = read(session, 5), session_snapshot(store, key)
    coming, frame, counts = session.row.ids, store.records(held), whole.prisma.rows()
    added(store, key)
    session.refresh()
    prepare_features(store, session.collection.id)
    session.learn()
    first = session.row.ids[5]
    if first in NEW:
        session.label(first, "unsure", seen=session.state.seq)
        with pytest.raises(InputProblem, match="of it has been read"):
            part(store, key)
        session.record(Event("undo"), seen=session.state.seq)
    event = part(store, key, "Ann")
    assert ({*event.payload["docs"]}, event.reviewer) == (NEW, "Ann")
    assert session.refresh() and sorted(session.row.ids) == sorted(coming) and list(coming[:5]) == before
    assert learns or session.row.ids == coming
    assert store.records(session.collection.id).equals(frame) and len(store.collections()) == 1
    assert store.sessions()[0].documents == N and session_snapshot(store, key).prisma.rows() == counts
    for was, now in zip(whole.steps, session_snapshot(store, key).steps, strict=True):
        assert was.items() <= now.items()
    assert [
        dict(about_rows(session_snapshot(store, key)))[name][:11] for name in ("Joined later", "Taken back")
    ] == [
        "3 documents",
        "3 documents",
    ]
    prepare_features(store, session.collection.id)
    read(session, 6)
    assert set(added(store, key).payload["docs"]) == NEW, "they may join again"
    sent = export_session(store, key)
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        there = OpenSession.load(elsewhere, import_session(elsewhere, sent))
        assert there.row.ids == OpenSession.load(store, key).row.ids
        assert before_import(export_session(elsewhere, there.row.id)) == sent


@on_both
def test_an_open_session_shows_the_documents_that_joined_last(store: Store) -> None:
    """Others take the places of those that were taken back; none of their texts is shown any more."""
    key = begun(store, "own")
    session = OpenSession.load(store, key)
    for name, title in (("b.csv", "Wrong file"), ("c.csv", "Right file")):
        added(store, key, f"id,title\n{name}-1,{title} one\n{name}-2,{title} two\n", name)
        session.refresh()
        texts = [session.document(at) for at in range(len(session.row.ids))]
        assert [text.id for text in texts] == list(session.row.ids)
        assert sum(text.title.startswith(title) for text in texts) == 2
        if name == "b.csv":
            part(store, key)
            session.refresh()


def test_what_was_set_aside_is_not_counted_when_it_is_taken_back(store: Store) -> None:
    key = begun(store)
    added(store, key)
    session = OpenSession.load(store, key)
    aside = {"doc": session.row.ids[-1], "kind": "late", "words": "published after it"}
    assert aside["doc"] in NEW
    session.record(Event("set_aside", {"documents": [aside]}), session.state.seq)
    assert store.sessions()[0].documents == N + 2
    part(store, key)
    assert store.sessions()[0].documents == N == len(OpenSession.load(store, key).state.labels)


@on_both
def test_documents_that_are_read_meanwhile_are_not_taken_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = begun(store, "own")
    added(store, key)
    keep = store.arriving

    def meanwhile(*about: Any, **more: Any) -> AbstractContextManager[str]:
        store.append(key, Event("label", {"doc": store.session(key).ids[0], "label": "unsure"}), expected=1)
        return keep(*about, **more)

    with monkeypatch.context() as another:
        another.setattr(store, "arriving", meanwhile)
        with pytest.raises(Conflict):
            part(store, key)
    assert len(OpenSession.load(store, key).row.ids) == N + 3 and len(store.collections()) == 1
    state = OpenSession.load(store, key).state
    for docs in (["n1"], ["n0", "n1"], []):
        with pytest.raises(InputProblem, match="did not join last"):
            replay(REVIEW, store.session(key).ids, [*store.events(key), Event("parted", {"docs": docs}, 3)])
    assert state.depth == 1


@on_both
def test_an_import_that_another_session_uses_stays_when_others_join(store: Store) -> None:
    key = begun(store)
    other = duplicate(store, key, replace(REVIEW, cost=50.0), "dearer")
    added(store, key)
    assert [row.documents for row in store.collections()] == [N + 3, N]
    added(store, other)
    assert [row.documents for row in store.collections()] == [N + 3, N + 3]
    assert part(store, other).payload["docs"] and len(OpenSession.load(store, other).row.ids) == N


def test_a_list_that_learns_ranks_them_by_its_labels(store: Store, tmp_path: Path) -> None:
    key = begun(store, "own", LEARNS)
    prepare_features(store, store.session(key).collection_id)
    session, tab = OpenSession.load(store, key), OpenSession.load(store, key)
    before = read(session, 8)
    tab.refresh()
    added(store, key)
    for each in (session, tab):
        each.refresh()
        assert each.features is None or len(each.features) == N + 3, "those of before are of other documents"
    prepare_features(store, session.collection.id)
    session.learn()
    tab.learn()
    assert [event.kind for event in session.events][-2:] == ["joined", "fit"] and tab.events == session.events
    assert list(session.row.ids[:8]) == before and {"n1", "n2"} <= set(session.row.ids[8:12])
    assert session.row.ids.index("n0") > 9 and session.why_next(session.document(8))
    after = read(session, 10)
    again = OpenSession.load(store, key)
    assert list(again.row.ids[:10]) == after and again.events == session.events
    sent = export_session(store, key)
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        there = OpenSession.load(elsewhere, import_session(elsewhere, sent))
        assert there.row.ids == session.row.ids
        assert before_import(export_session(elsewhere, there.row.id)) == sent
        assert there.advice(there.state.settings) == session.advice(session.state.settings)
        assert elsewhere.sessions()[0].documents == N + 3


def test_lists_of_other_orders_take_them_in_by_score_or_at_the_end(store: Store) -> None:
    own, scored = begun(store, "own"), begun(store, "scores")
    for key in (own, scored):
        read(OpenSession.load(store, key), 4)
        added(store, key)
    assert OpenSession.load(store, own).row.ids[-3:] == ("n0", "n1", "n2")
    session = OpenSession.load(store, scored)
    assert (session.row.ids[4], session.row.ids[-1]) == ("n2", "n1") and session.row.scores is not None
    assert (np.diff(session.row.scores[4:]) <= 0).all() and session.row.scores[4] == 7
    with pytest.raises(InputProblem, match="2 of the 3 documents that"):
        added(store, scored, "id,title,score\nm0,Other,1\nm1,Another,\nm2,Third,\n", "c.csv")
    added(store, scored, "id,title,score\nm0,Other,7.5\n", "c.csv")
    session.refresh()
    assert session.row.ids[4:6] == ("m0", "n2") and session.row.ids[-1] == "n1"


def test_taken_back_before_they_joined_it_is_still_next(store: Store) -> None:
    key = begun(store)
    session = OpenSession.load(store, key)
    last = read(session, 5)[4]
    session.record(Event("undo"), seen=session.state.seq)
    added(store, key)
    session.refresh()
    assert session.row.ids[4] == last
    session.label(last, "unsure", seen=session.state.seq)
    session.record(Event("undo"), seen=session.state.seq)
    session.record(Event("undo"), seen=session.state.seq)
    assert (session.state.depth, session.row.ids[4]) == (3, last)
    read(session, 3)
    assert replay(REVIEW, session.stored.ids, session.events).depth == len(
        OpenSession.load(store, key).row.ids[:6]
    )


def test_a_search_that_brings_nothing_new_is_counted(store: Store) -> None:
    key = begun(store)
    ids = OpenSession.load(store, key).row.ids
    assert added(store, key, f"id,title\nd4,{TITLES[4]}\n").payload["docs"] == []
    session = OpenSession.load(store, key)
    assert session.row.ids == ids and session.state.sequence is None
    assert session.collection.duplicates == 2 and len(session.collection.files) == 2


@on_both
def test_labels_that_came_along_and_a_plan_stay(store: Store) -> None:
    doc = f"d{int(prepare(as_records({'id': range(N), 'title': TITLES}), 'text', 'hip ultrasound').order[0])}"
    kept = Event(
        "kept", {"source": "a", "labels": {doc: "relevant"}, "ranks": [1], "notes": {}, "reasons": {}}
    )
    moment = "2026-01-01T00:00:00.000+00:00"
    key = begun(store, events=(replace(kept, seq=1, time=moment),))
    session = OpenSession.load(store, key)
    session.register_plan(seen=1)
    added(store, key)
    session.refresh()
    assert session.state.kept == 1 and session.row.ids[0] == doc and len(session.row.ids) == N + 3
    assert "3 joined it later." in report_html(session_snapshot(store, key))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "empty"),
        ('{"id"', "b.jsonl"),
        ("\x00\x01\x02", "b.jsonl"),
    ],
    ids=["nothing", "cut short", "no text"],
)
def test_a_file_that_cannot_be_read_leaves_everything_as_it_was(
    store: Store, text: str, sentence: str
) -> None:
    key = begun(store)
    rows, ids = collections_in(store), store.session(key).ids
    with pytest.raises(InputProblem, match=sentence):
        added(store, key, text, "b.jsonl")
    assert (collections_in(store), store.events(key), store.session(key).ids) == (rows, [], ids)


def test_what_fails_late_leaves_everything_as_it_was(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    key = begun(store)
    rows, after = collections_in(store), store.session(key).collection_id
    many = "id,title\n" + "\n".join(f"m{at},Hip {at}" for at in range(700))

    def fails(*_: object) -> Event:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(Store, "append", fails)
        with pytest.raises(RuntimeError):
            added(store, key, many)
    assert (collections_in(store), store.events(key), store.session(key).collection_id) == (rows, [], after)
    assert len(added(store, key, many).payload["docs"]) == 700
    assert [row.documents for row in store.collections()] == [N + 700], "it holds the import of before"


def test_a_decision_from_before_is_outdated(store: Store) -> None:
    key = begun(store)
    store.append(key, Event("decided", {"plus": False}), expected=0)
    added(store, key, "id,title\nm1,Hip of a child\n")
    decision = OpenSession.load(store, key).state.decision
    assert decision is not None and decision.outdated


@on_both
def test_who_comes_second_adds_to_what_the_first_added(store: Store) -> None:
    key = begun(store)
    before = store.collection(store.session(key).collection_id)
    frame, event = store.records(before.id), added(store, key)
    later = Event(
        "joined", {**event.payload, "docs": ["x"], "positions": [N + 3], "ranks": [1], "scores": [1.0]}
    )
    with pytest.raises(Conflict, match="joined this session meanwhile"):
        store.grow(key, later, before, frame, before.files, 0)
    assert len(store.events(key)) == 1 and len(store.session(key).ids) == N
    assert len(store.collections()) == 1


def test_lists_that_cannot_grow_say_so(store: Store) -> None:
    moment = "2026-01-01T00:00:00.000+00:00"
    drawn = Event("audited", {"every": 5, "seed": 1, "ranks": [1, 2, 3, 4]}, 1, moment)
    with pytest.raises(InputProblem, match="drawn from it at random"):
        added(store, begun(store, events=(drawn,)))
    simulated = store.save_collection(
        "Demo", as_records({"id": ["s"], "title": ["S"]}), [], 0, simulated=True
    )
    demo = store.create_session("Demo", simulated, [0], None, START, "", "own order")
    with pytest.raises(InputProblem, match="its documents are simulated"):
        added(store, demo)


@pytest.mark.parametrize(
    ("damage", "value"),
    [("docs", ["x", "n1", "n2"]), ("positions", [0, 1, 2]), ("scores", [1.0]), ("ranks", [1, 1, 2])],
)
def test_a_file_of_a_session_that_does_not_fit_together_is_refused(
    store: Store, damage: str, value: object
) -> None:
    key = begun(store)
    added(store, key)
    sent = json.loads(export_session(store, key))
    sent["log"][-1]["payload"][damage] = value
    with pytest.raises(InputProblem):
        import_session(store, json.dumps(sent))
    assert len(store.sessions()) == 1


@in_each_order
def test_whatever_was_done_in_whichever_order_the_log_tells_it_again(
    store: Store, tmp_path: Path, order: str, learns: bool
) -> None:
    key, rng, files = begun(store, order, LEARNS if learns else REVIEW), Random(order), 0
    prepare_features(store, store.session(key).collection_id)
    session = OpenSession.load(store, key)
    for _ in range(30):
        what = rng.choice(["join", "join", "part", "undo", "undo", "read", "read", "read", "read"])
        if what == "join" and files < 3:
            files += 1
            titles = (rng.choice(["hip ultrasound", "fracture cost"]) for _ in range(3))
            rows = (
                f"j{files}{at},{title} {files} {at},{rng.random() * 9}" for at, title in enumerate(titles)
            )
            added(store, key, "\n".join(("id,title,score", *rows)), f"{files}.csv")
            session.refresh()
            prepare_features(store, session.collection.id)
        elif what == "part" and may_part(session.row.ids, session.state):
            part(store, key)
            files -= 1
            session.refresh()
            prepare_features(store, session.collection.id)
        elif what == "undo" and session.state.can_undo:
            session.record(Event("undo"), seen=session.state.seq)
        else:
            read(session, 1)
        again = OpenSession.load(store, key)
        assert again.row.ids == session.row.ids and len({*again.row.ids}) == N + 3 * files
        assert again.state.labels.tolist() == session.state.labels.tolist()
    assert files
    sent = export_session(store, key)
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        assert before_import(export_session(elsewhere, import_session(elsewhere, sent))) == sent
