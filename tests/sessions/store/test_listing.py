"""The list of sessions says what the logs say."""

from typing import Any

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import EXAMPLES, label, new_session, record


def test_a_new_session_has_done_nothing(store: Store) -> None:
    [row] = [store.sessions()[0] for _ in [new_session(store)]]
    assert (row.documents, row.labelled, row.stopped, row.decision) == (5, 0, False, None)
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
@hypothesis_settings(max_examples=EXAMPLES)
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
