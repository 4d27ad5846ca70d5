"""Sessions and their logs come back as they were stored, in the order of their numbers."""

import string
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tarstop_core.documents.topic import records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.sessions.store.store import Conflict, Store
from tarstop_core.value.payoffs import Payoffs
from tests.sessions.store.cases import EXAMPLES, SETTINGS, label, new_session, record, some_records


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
@hypothesis_settings(max_examples=EXAMPLES)
def test_settings_come_back_exactly(
    kept: Store,
    payoffs: Payoffs,
    cost: float,
    b_0: float,
    chances: tuple[float, float],
    flags: tuple[bool, bool],
    plus: str,
) -> None:
    given_settings = PatentSettings(
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


def test_ids_fit_into_an_address(store: Store) -> None:
    allowed = set(string.ascii_letters + string.digits + "-_")
    keys = [new_session(store) for _ in range(20)]
    assert len(set(keys)) == 20
    assert all(set(key) <= allowed and len(key) == 8 for key in keys)


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
            st.just("decided"),
            st.builds(
                lambda more, plus: {**more, "plus": plus}, st.dictionaries(st.text(), JSON), st.booleans()
            ),
            reviewer=NAMES,
        ),
        max_size=5,
    )
)
@hypothesis_settings(max_examples=EXAMPLES)
def test_any_log_comes_back(kept: Store, log: list[Event]) -> None:
    session = new_session(kept)
    stored = record(kept, session, *log)
    assert kept.events(session) == stored
    assert [replace(event, seq=0, time="") for event in stored] == log
    assert [event.seq for event in stored] == list(range(1, len(log) + 1))
    assert kept.news(session, after=2) == (stored[2:], False)


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


def test_threads_that_write_queue_and_none_is_turned_away(url: str) -> None:
    with Store(url, busy_seconds=0.0) as store:
        sessions = [new_session(store) for _ in range(6)]
        barrier = threading.Barrier(6)

        def work(session: str) -> int:
            barrier.wait()
            return [store.append(session, label(i), i).seq for i in range(20)][-1]

        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(work, sessions)) == [20] * 6
