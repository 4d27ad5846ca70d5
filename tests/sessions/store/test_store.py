"""What is saved comes back, and what is acknowledged stays, whoever else writes or dies."""

from __future__ import annotations

import os
import random
import signal
import string
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from sqlalchemy import create_engine

from tarstop_core.calibration.calibrator import Calibrator, FittedOn, Quality
from tarstop_core.documents.records import TEXT_COLUMNS, as_records, records_hash
from tarstop_core.documents.topic import records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.database import METADATA
from tarstop_core.sessions.store.store import Conflict, Store
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import PATENT

SETTINGS = Settings(Payoffs(B=4000, L_r=1000, L_g=4000, G=1000, unit="£"), cost=2.5, policy="batch:K=20")
# A PostgreSQL URL; its TARstop tables are emptied before every test.
POSTGRES = os.environ.get("TARSTOP_TEST_POSTGRES", "")


@pytest.fixture(params=["sqlite", *(["postgres"] if POSTGRES else [])])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return fresh_url(request.param, tmp_path)


@pytest.fixture(scope="module", params=["sqlite", *(["postgres"] if POSTGRES else [])])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A database for all examples of a property."""
    with Store(fresh_url(request.param, tmp_path_factory.mktemp("kept"))) as opened:
        yield opened


def fresh_url(kind: str, folder: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{folder / 't.db'}"
    engine = create_engine(POSTGRES)
    METADATA.drop_all(engine)
    engine.dispose()
    return POSTGRES


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as opened:
        yield opened


def some_records(n: int = 5) -> pd.DataFrame:
    return as_records(
        {
            "id": [f"EP{i}" for i in range(n)],
            "title": [f"Hinge {i}" for i in range(n)],
            "abstract": ["A «hinge» costing $5, x < 3."] * n,
            "score": [np.nan if i == 1 else 10.0 / (i + 1) for i in range(n)],
        }
    )


def new_session(store: Store, n: int = 5, name: str = "s") -> str:
    collection = store.save_collection("c", some_records(n), [], 0)
    return store.create_session(name, collection, np.arange(n), None, SETTINGS, "", "own order")


def label(number: int, text: str = "irrelevant") -> Event:
    return Event("label", {"doc": f"EP{number}", "label": text})


def record(store: Store, session: str, *events: Event) -> list[Event]:
    start = len(store.events(session))
    return [store.append(session, event, start + i) for i, event in enumerate(events)]


# --- collections ----------------------------------------------------------------------------------


def test_a_collection_comes_back_as_it_was_saved(store: Store) -> None:
    frame = some_records()
    files = [{"file": "a.csv", "rows": 6, "columns": {"title": "Title"}}]
    key = store.save_collection("Hinges", frame, files, duplicates=1, simulated=True, query="a hinge")
    row = store.collection(key)
    assert (row.name, row.documents, row.files, row.duplicates) == ("Hinges", 5, tuple(files), 1)
    assert (row.simulated, row.query, row.digest) == (True, "a hinge", records_hash(frame))
    assert store.collections() == [row]
    assert_frame_equal(store.records(key), frame)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(data=st.data(), ids=st.lists(CELLS.filter(bool), min_size=1, max_size=6, unique=True))
@hypothesis_settings(max_examples=30, deadline=None)
def test_any_table_of_records_comes_back(kept: Store, data: st.DataObject, ids: list[str]) -> None:
    n = len(ids)
    columns: dict[str, Any] = {
        name: data.draw(st.lists(CELLS, min_size=n, max_size=n)) for name in TEXT_COLUMNS if name != "id"
    }
    columns["score"] = data.draw(st.lists(st.floats(allow_infinity=True), min_size=n, max_size=n))
    frame = as_records({"id": ids, **columns})
    key = kept.save_collection("any", frame, [], 0)
    assert_frame_equal(kept.records(key), frame, check_exact=True)
    assert kept.collection(key).digest == records_hash(frame)
    assert [found.id for found in kept.record_texts(key, range(n))] == ids


def test_text_that_not_every_database_holds_is_mended(store: Store) -> None:
    frame = as_records({"id": ["a\0", "a\ufffd", "b"], "title": ["x\0y", "🦆", ""]})
    key = store.save_collection("odd\0 \ud800", frame, [], 0)
    saved = store.records(key)
    assert saved["id"].tolist() == ["a\ufffd", "a\ufffd (2)", "b"]
    assert saved["title"].tolist() == ["x\ufffdy", "🦆", ""]
    assert store.collection(key).name == "odd\ufffd \ufffd"
    assert store.collection(key).digest == records_hash(saved)


def test_a_few_texts_come_in_the_order_asked_for(store: Store) -> None:
    key = store.save_collection("c", some_records(1200), [], 0)
    wanted = [700, 3, 3, *range(1199, 0, -1)]
    found = store.record_texts(key, wanted)
    assert [one.position for one in found] == wanted
    assert (found[1].id, found[1].title, found[1].score) == ("EP3", "Hinge 3", 2.5)
    assert found[-1].score is None
    assert store.record_texts(key, []) == []
    with pytest.raises(InputProblem, match="no document at position 1200; positions run from 0 to 1199"):
        store.record_texts(key, np.array([0, 1200]))


def test_a_cancelled_import_leaves_nothing(store: Store) -> None:
    seen = []

    def cancel(done: int, total: int) -> None:
        seen.append((done, total))
        if done > 5000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.save_collection("c", some_records(12_000), [], 0, progress=cancel)
    assert seen == [(5000, 12_000), (10_000, 12_000)]
    assert store.collections() == []
    with store._database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM record").scalar() == 0


@pytest.mark.parametrize("n", [10_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_many_records_are_saved_piece_by_piece(store: Store, n: int) -> None:
    frame = as_records(
        {"id": np.arange(n).astype(str), "title": ["Hinge"] * n, "abstract": ["word " * 200] * n}
    )
    seen = []
    key = store.save_collection("large", frame, [], 0, progress=lambda done, total: seen.append(done))
    assert seen == list(range(5000, n + 1, 5000))
    assert store.record_texts(key, [n - 1])[0].id == str(n - 1)


def test_no_records_are_no_collection(store: Store) -> None:
    with pytest.raises(InputProblem, match="no records to save"):
        store.save_collection("c", as_records({"id": []}), [], 0)


def test_only_unused_collections_can_be_deleted(store: Store) -> None:
    session = new_session(store, name="Mine")
    used = store.session(session).collection_id
    spare = store.save_collection("spare", some_records(), [], 0)
    store.archive(session)
    with pytest.raises(InputProblem, match="the session 'Mine' uses them"):
        store.delete_collection(used)
    store.delete_collection(spare)
    assert [row.id for row in store.collections()] == [used]
    assert len(store.records(used)) == 5
    for ask in (store.delete_collection, store.collection, store.records):
        with pytest.raises(InputProblem, match=f"no collection '{spare}'"):
            ask(spare)


# --- calibrators ----------------------------------------------------------------------------------


def test_calibrators_are_kept_once(store: Store) -> None:
    seen = FittedOn("Überprüfung", 3, 300, 9, False, "somewhere", 90, 110, (1.5, 4.0), 0.1)
    quality = Quality("5-fold", 3, 300, 0.01, 0.002, ((0.05, 0.04, 290), (0.3, 0.25, 10)))
    first = Calibrator("marginal", "patent", (-1.0, 0.1 + 0.2), (0.0, 1 / 3), seen, quality=quality)
    second = replace(first, kind="frailty", frailty=2.5)
    for calibrator in (first, second, first):
        assert store.save_calibrator(calibrator) == calibrator.digest
    assert store.calibrator(first.digest) == first
    assert {found.digest for found in store.kept_calibrators()} == {first.digest, second.digest}
    assert len(store.kept_calibrators()) == 2
    with pytest.raises(InputProblem, match="no calibrator 'nowhere'"):
        store.calibrator("nowhere")


# --- sessions -------------------------------------------------------------------------------------


def test_a_session_comes_back_in_screening_order(url: str) -> None:
    with Store(url) as store:
        collection = store.save_collection("c", some_records(), [], 0)
        order, scores = [3, 0, 4, 1], np.array([9.5, 1 / 3, -2.0, -1e300])
        key = store.create_session("Mine", collection, order, scores, SETTINGS, "hinge?", "BM25 against …")
    with Store(url) as store:
        row = store.session(key)
    assert (row.name, row.collection_id, row.query, row.ranking) == (
        "Mine",
        collection,
        "hinge?",
        "BM25 against …",
    )
    assert row.ids == ("EP3", "EP0", "EP4", "EP1")
    assert row.order.tolist() == order
    assert row.scores is not None
    assert row.scores.tolist() == scores.tolist()
    assert row.settings == SETTINGS
    assert row.digest == records_digest(row.ids, scores.tolist())
    assert not row.archived


def test_a_list_with_only_its_order_has_no_scores(store: Store) -> None:
    row = store.session(new_session(store))
    assert row.scores is None
    assert row.digest == records_digest(row.ids, None)


PAYOFF = st.floats(1e-9, 1e12)


@given(
    payoffs=st.builds(Payoffs, PAYOFF, PAYOFF, PAYOFF, PAYOFF, unit=st.sampled_from(["", "£", "hours"])),
    cost=st.floats(0, 1e9),
    b_0=st.floats(0.001, 0.999),
    chances=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)),
    flags=st.tuples(st.booleans(), st.booleans()),
    plus=st.text(max_size=10),
)
@hypothesis_settings(max_examples=30, deadline=None)
def test_settings_come_back_exactly(
    kept: Store,
    payoffs: Payoffs,
    cost: float,
    b_0: float,
    chances: tuple[float, float],
    flags: tuple[bool, bool],
    plus: str,
) -> None:
    given_settings = Settings(
        payoffs,
        cost,
        b_0,
        policy="smooth:K=5",
        needs_citation=flags[0],
        confirm_hits=flags[1],
        kappa=chances[0],
        s=chances[1],
        plus=plus,
    )
    collection = kept.save_collection("c", some_records(2), [], 0)
    key = kept.create_session("s", collection, [1, 0], None, given_settings, "", "")
    assert kept.session(key).settings == given_settings


@pytest.mark.parametrize(
    ("order", "scores", "words"),
    [
        ([], None, "at least one document"),
        ([[0, 1]], None, "at least one document"),
        ([0.0, 1.0], None, "whole numbers"),
        ([0, 5], None, "position 5; the collection has positions 0 to 4"),
        ([0, -1], None, "position -1"),
        ([0, 1, 0], None, "twice"),
        ([0, 1], [1.0], "1 scores for 2 documents"),
        ([0, 1], [1.0, np.nan], "score of document 2 is missing or infinite"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(store: Store, order: Any, scores: Any, words: str) -> None:
    collection = store.save_collection("c", some_records(), [], 0)
    with pytest.raises(InputProblem, match=words):
        store.create_session("s", collection, order, scores, SETTINGS, "", "")
    assert store.sessions() == []


def test_unknown_ids_are_named(store: Store) -> None:
    asks = (
        lambda: store.session("nix"),
        lambda: store.events("nix"),
        lambda: store.append("nix", Event("undo"), 0),
        lambda: store.rename("nix", "x"),
        lambda: store.archive("nix"),
    )
    for ask in asks:
        with pytest.raises(InputProblem, match=r"There is no session 'nix' here; choose one") as caught:
            ask()
        assert not isinstance(caught.value, Conflict)
    with pytest.raises(InputProblem, match="no collection 'nix'"):
        store.create_session("s", "nix", [0], None, SETTINGS, "", "")


def test_sessions_can_be_renamed_and_put_away(store: Store) -> None:
    first, second = new_session(store, name="first"), new_session(store, name="second")
    store.rename(first, "better")
    store.archive(second)
    assert [(row.id, row.name) for row in store.sessions()] == [(first, "better")]
    assert [row.id for row in store.sessions(archived=True)] == [second]
    assert store.session(second).archived
    store.archive(second, archived=False)
    assert {row.id for row in store.sessions()} == {first, second}


def test_a_deleted_session_keeps_everything_until_it_is_brought_back(store: Store) -> None:
    kept, gone = new_session(store, name="kept"), new_session(store, name="gone")
    store.append(gone, Event("label", {"doc": store.session(gone).ids[0], "label": "unsure"}), expected=0)
    before = store.events(gone)
    store.delete_session(gone)
    store.delete_session(gone)
    store.archive(gone)
    assert [row.id for row in store.sessions()] == [kept] and not store.sessions(archived=True)
    [row] = store.sessions(deleted=True)
    assert (row.id, row.labelled) == (gone, 1)
    assert store.events(gone) == before
    with pytest.raises(InputProblem, match="cannot be deleted, because the session"):
        store.delete_collection(store.session(gone).collection_id)
    store.restore_session(gone)
    store.restore_session(kept)
    assert [row.id for row in store.sessions(archived=True)] == [gone] and not store.sessions(deleted=True)
    for ask in (store.delete_session, store.restore_session):
        with pytest.raises(InputProblem, match="no session 'nix'"):
            ask("nix")


def test_a_calibrator_is_renamed_put_away_and_brought_back(store: Store) -> None:
    digest = store.save_calibrator(PATENT)
    [kept] = store.kept_calibrators()
    assert (kept.name, kept.deleted, kept.calibrator, kept.digest) == ("tests", False, PATENT, digest)
    store.rename_calibrator(digest, "Mine \0")
    store.delete_calibrator(digest)
    [kept] = store.kept_calibrators()
    assert (kept.name, kept.deleted) == ("Mine \ufffd", True)
    # What a session uses stays within its reach.
    assert store.calibrator(digest) == PATENT
    store.restore_calibrator(digest)
    [kept] = store.kept_calibrators()
    assert (kept.name, kept.deleted) == ("Mine \ufffd", False)
    for ask in (store.delete_calibrator, store.restore_calibrator):
        with pytest.raises(InputProblem, match="no calibrator 'nix'"):
            ask("nix")


# --- summaries ------------------------------------------------------------------------------------


def test_a_new_session_has_done_nothing(store: Store) -> None:
    [row] = [store.sessions()[0] for _ in [new_session(store)]]
    assert (row.documents, row.labelled, row.stopped, row.decided) == (5, 0, False, False)
    assert row.last_activity == row.created


def test_summaries_count_what_stands(store: Store) -> None:
    session = new_session(store)
    record(store, session, label(0), label(1, "relevant"), Event("confirm", {"doc": "EP1", "holds": True}))
    assert store.sessions()[0].labelled == 2
    record(store, session, Event("undo"))  # takes the confirmation back, not a label
    assert store.sessions()[0].labelled == 2
    record(store, session, Event("undo"), Event("undo"), Event("undo"))  # the last has nothing to take back
    assert store.sessions()[0].labelled == 0
    last = record(store, session, label(0))[-1]
    assert store.sessions()[0].labelled == 1
    assert store.sessions()[0].last_activity == last.time


STEPS = st.lists(
    st.sampled_from(["label", "relabel", "confirm", "undo", "note", "stopped", "decided", "continued"]),
    max_size=25,
)


@given(steps=STEPS)
@hypothesis_settings(max_examples=40, deadline=None)
def test_summaries_agree_with_replaying_the_log(kept: Store, steps: list[str]) -> None:
    session = new_session(kept, n=30)
    row = kept.session(session)
    for step in steps:
        state = replay(row.settings, row.ids, kept.events(session))
        doc = row.ids[max(0, state.depth - 1)]
        if step in ("relabel", "confirm") and not state.depth:
            continue
        payload: dict[str, Any] = {
            "label": {"doc": row.ids[state.depth], "label": "relevant"},
            "relabel": {"doc": doc, "label": "unsure"},
            "confirm": {"doc": doc, "holds": False},
            "note": {"doc": doc, "text": "seen"},
            "decided": {"plus": True, "utility": 3.5},
        }.get(step, {})
        kept.append(session, Event(step, payload), state.seq)
    state = replay(row.settings, row.ids, kept.events(session))
    summary = next(one for one in kept.sessions() if one.id == session)
    assert summary.labelled == state.depth
    assert summary.stopped == state.stopped
    assert summary.decision == (state.decision and state.decision.payload)
    assert summary.last_activity == (state.last_time or row.created)


# --- events ---------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(
    log=st.lists(
        st.builds(
            Event,
            st.sampled_from(["note", "settings", "decided"]),
            st.dictionaries(st.text(), JSON),
            reviewer=NAMES,
        ),
        max_size=5,
    )
)
@hypothesis_settings(max_examples=40, deadline=None)
def test_any_log_comes_back(kept: Store, log: list[Event]) -> None:
    session = new_session(kept)
    stored = record(kept, session, *log)
    assert kept.events(session) == stored
    assert [replace(event, seq=0, time="") for event in stored] == log
    assert [event.seq for event in stored] == list(range(1, len(log) + 1))
    assert kept.events(session, after=2) == stored[2:]


def test_events_carry_the_time_and_the_reviewer(store: Store) -> None:
    before = datetime.now(UTC)
    given_event = replace(label(0), seq=99, time="yesterday", reviewer="Zoë")
    event = store.append(new_session(store), given_event, 0)
    stamp = datetime.fromisoformat(event.time)
    assert event.time == stamp.isoformat(timespec="milliseconds")
    assert event.time.endswith("+00:00")
    # Stored times are cut to whole milliseconds.
    assert before - timedelta(milliseconds=1) <= stamp <= datetime.now(UTC)
    assert (event.seq, event.reviewer) == (1, "Zoë")


def test_numpy_values_are_stored_as_plain_ones(store: Store) -> None:
    session = new_session(store)
    payload = {"plus": np.bool_(True), "depth": np.int64(7), "b": np.float64(0.25)}
    stored = store.append(session, Event("decided", payload), 0)
    assert stored.payload == {"plus": True, "depth": 7, "b": 0.25}
    assert store.events(session) == [stored]


def test_what_cannot_be_stored_is_refused_whole(store: Store) -> None:
    session = new_session(store)
    with pytest.raises(InputProblem, match="missing or infinite"):
        store.append(session, Event("decided", {"utility": float("nan")}), 0)
    with pytest.raises(InputProblem, match="no event 'guess'"):
        store.append(session, Event("guess"), 0)
    assert store.events(session) == []


@pytest.mark.parametrize("expected", [0, 1, 3, 7, -1])
def test_only_the_next_number_is_given_out(store: Store, expected: int) -> None:
    session = new_session(store)
    stored = record(store, session, label(0), label(1))
    with pytest.raises(Conflict, match="in another tab or window; your last press was not"):
        store.append(session, label(2), expected)
    assert store.events(session) == stored
    assert store.append(session, label(2), 2).seq == 3


def test_of_many_threads_at_one_number_one_wins(store: Store) -> None:
    session = new_session(store)
    for round_ in range(5):
        barrier = threading.Barrier(6)

        def race(who: int, round_: int = round_, barrier: threading.Barrier = barrier) -> int | None:
            barrier.wait()
            try:
                store.append(session, Event("note", {"doc": "EP0", "text": str(who)}), round_)
            except Conflict:
                return None
            return who

        with ThreadPoolExecutor(6) as pool:
            winners = [who for who in pool.map(race, range(6)) if who is not None]
        assert len(winners) == 1
        events = store.events(session)
        assert [event.seq for event in events] == list(range(1, round_ + 2))
        assert events[-1].payload["text"] == str(winners[0])


# --- several processes ----------------------------------------------------------------------------

# Loading the libraries takes longer than any test here, so one process loads them and forks writers.
NURSERY = """
import os, sys
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.store import Conflict, Store
from tests.session_cases import PATENT

def write(url, session, count, path):
    store = Store(url)
    out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    last = done = 0
    while done != count:
        try:
            last = store.append(session, Event("note", {"doc": "EP0", "text": str(last)}), last).seq
        except Conflict:
            last = len(store.events(session))
            continue
        os.write(out, f"{last}\\n".encode())
        done += 1

for line in sys.stdin:
    command, *rest = line.split()
    if command == "start":
        child = os.fork()
        if not child:
            try:
                write(rest[0], rest[1], int(rest[2]), rest[3])
                os._exit(0)
            finally:
                os._exit(1)
        print(child, flush=True)
    else:
        print(os.waitstatus_to_exitcode(os.waitpid(int(rest[0]), 0)[1]), flush=True)
"""


class Nursery:
    """Starts writers: processes that append events and put down the number of each acknowledged one."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, *words: object) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(*words, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def start(self, url: str, session: str, count: int, path: Path) -> int:
        return self.ask("start", url, session, count, path)

    def wait(self, pid: int) -> int:
        """Exit code; negative: the signal that ended it."""
        return self.ask("wait", pid)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork or kill a process outright")
    started = Nursery()
    yield started
    started.process.communicate(timeout=120)


def acknowledged(path: Path) -> list[int]:
    return [int(line) for line in path.read_text(encoding="utf-8").split()] if path.exists() else []


@pytest.mark.parametrize("rounds", [2, pytest.param(25, marks=pytest.mark.deep)])
def test_processes_may_create_a_database_at_once(nursery: Nursery, tmp_path: Path, rounds: int) -> None:
    for round_ in range(rounds):
        folder = tmp_path / str(round_)
        folder.mkdir()
        new = fresh_url("sqlite", folder)
        writers = [nursery.start(new, "-", 0, folder / "out") for _ in range(4)]
        assert [nursery.wait(pid) for pid in writers] == [0, 0, 0, 0]
        Store(new).close()


def test_processes_share_a_log_without_gap_or_loss(url: str, nursery: Nursery, tmp_path: Path) -> None:
    with Store(url) as store:
        session = new_session(store)
        paths = [tmp_path / f"out{i}" for i in range(3)]
        writers = [nursery.start(url, session, 40, path) for path in paths]
        assert [nursery.wait(pid) for pid in writers] == [0, 0, 0]
        assert sorted(seq for path in paths for seq in acknowledged(path)) == list(range(1, 121))
        assert [event.seq for event in store.events(session)] == list(range(1, 121))


@pytest.mark.parametrize("kills", [5, pytest.param(200, marks=pytest.mark.deep)])
def test_a_killed_writer_loses_no_acknowledged_event(
    url: str, nursery: Nursery, tmp_path: Path, kills: int
) -> None:
    chance = random.Random(7)
    with Store(url) as store:
        session = new_session(store)
    known = 0
    for round_ in range(kills):
        path = tmp_path / f"out{round_}"
        pid = nursery.start(url, session, -1, path)
        deadline = time.monotonic() + 120
        while not acknowledged(path):
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.1))
        os.kill(pid, signal.SIGKILL)
        assert nursery.wait(pid) == -signal.SIGKILL
        seen = acknowledged(path)
        with Store(url) as store:
            stored = [event.seq for event in store.events(session)]
        assert stored == list(range(1, len(stored) + 1))
        assert seen == list(range(known + 1, known + 1 + len(seen)))
        # Beyond what was acknowledged there may be the one event that was just being acknowledged.
        assert len(stored) - seen[-1] in (0, 1)
        known = len(stored)


# --- ids ------------------------------------------------------------------------------------------


def test_ids_fit_into_an_address(store: Store) -> None:
    allowed = set(string.ascii_letters + string.digits + "-_")
    keys = [new_session(store) for _ in range(20)]
    assert len(set(keys)) == 20
    assert all(set(key) <= allowed and len(key) == 8 for key in keys)
