"""A session is a pure function of its settings and its log."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.topic import records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.screening.events import label_event, plan_event, settings_event
from tarstop_core.screening.fold import LogReplay, replay
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.value.payoffs import Payoffs

IDS = [f"d{i}" for i in range(6)]
START = PatentSettings(Payoffs.from_q_star(0.5), cost=0.001)


def log(*events: Event) -> list[Event]:
    return [
        replace(event, seq=i, time=f"2026-01-01T00:00:{i:02d}+00:00") for i, event in enumerate(events, 1)
    ]


def label(doc: str, verdict: str) -> Event:
    return Event("label", {"doc": doc, "label": verdict})


def test_labels_follow_the_order_of_the_list() -> None:
    state = replay(START, IDS, log(label("d0", "irrelevant"), label("d1", "unsure"), label("d2", "relevant")))
    assert state.labels.tolist() == [IRRELEVANT, UNSURE, RELEVANT, UNSEEN, UNSEEN, UNSEEN]
    assert (state.depth, state.relevant, state.unsure.tolist(), state.seq) == (3, 1, [1], 3)


def test_a_skipped_or_unknown_document_is_refused() -> None:
    with pytest.raises(InputProblem, match="document 1 comes next"):
        replay(START, IDS, log(label("d1", "irrelevant")))
    with pytest.raises(InputProblem, match="not in the list"):
        replay(START, IDS, log(label("x", "irrelevant")))
    with pytest.raises(InputProblem, match="has not been read yet"):
        replay(START, IDS, log(Event("relabel", {"doc": "d3", "label": "relevant"})))
    with pytest.raises(InputProblem, match="no label 'maybe'"):
        replay(START, IDS, log(label("d0", "maybe")))
    with pytest.raises(InputProblem, match="unknown kind"):
        replay(START, IDS, log(Event("dance")))


def test_a_hit_counts_once_confirmed_and_can_fall() -> None:
    found = [label("d0", "irrelevant"), label("d1", "relevant")]
    waiting = replay(START, IDS, log(*found))
    assert (
        waiting.hit is None
        and waiting.pending.tolist() == [1]
        and waiting.uninformative.tolist()[:2] == [False, True]
    )
    holds = replay(START, IDS, log(*found, Event("confirm", {"doc": "d1", "holds": True})))
    assert holds.hit == 2 and not len(holds.pending) and not holds.uninformative.any()
    fails = replay(START, IDS, log(*found, Event("confirm", {"doc": "d1", "holds": False})))
    assert fails.hit is None and fails.labels[1] == IRRELEVANT and not fails.uninformative.any()


def test_without_confirmation_a_hit_counts_at_once() -> None:
    state = replay(START.paper_mode(), IDS, log(label("d0", "relevant")))
    assert state.hit == 1 and not len(state.pending)


def test_undo_takes_back_the_last_verdict_whatever_it_was() -> None:
    events = log(
        label("d0", "relevant"),
        Event("confirm", {"doc": "d0", "holds": True}),
        Event("note", {"doc": "d0", "text": "fig. 3"}),
        Event("undo"),
    )
    state = replay(START, IDS, events)
    assert state.hit is None and state.pending.tolist() == [0] and state.notes == {"d0": "fig. 3"}
    state = replay(START, IDS, [*events, Event("undo", seq=5)])
    assert state.depth == 0 and not state.can_undo and state.seq == 5


def test_undo_of_nothing_changes_nothing() -> None:
    assert replay(START, IDS, log(Event("undo"), label("d0", "unsure"))).depth == 1


def test_notes_can_be_replaced_and_removed() -> None:
    events = log(
        label("d0", "unsure"),
        Event("note", {"doc": "d0", "text": "a"}),
        Event("note", {"doc": "d0", "text": "b"}),
    )
    assert replay(START, IDS, events).notes == {"d0": "b"}
    assert replay(START, IDS, [*events, Event("note", {"doc": "d0", "text": ""}, 4)]).notes == {}


def test_a_plan_is_registered_before_the_first_label_and_once() -> None:
    state = replay(START, IDS, [])
    planned = replay(START, IDS, log(plan_event(state, "abc")))
    assert planned.plan == START and planned.plan_records == "abc"
    with pytest.raises(InputProblem, match="already registered"):
        plan_event(planned, "abc")
    for read in (log(label("d0", "unsure")), log(label("d0", "unsure"), Event("undo"))):
        with pytest.raises(InputProblem, match="before the first document"):
            plan_event(replay(START, IDS, read), "abc")


def test_after_a_plan_other_settings_are_a_deviation_with_a_reason() -> None:
    planned = replay(START, IDS, log(plan_event(replay(START, IDS, []), "abc")))
    other = replace(START, cost=0.002)
    with pytest.raises(InputProblem, match="say why"):
        settings_event(planned, other)
    events = log(plan_event(replay(START, IDS, []), "abc"), settings_event(planned, other, "fees rose"))
    state = replay(START, IDS, events)
    assert state.settings == other and state.plan == START
    assert [event.payload["reason"] for event in state.deviations] == ["fees rose"]


def test_without_a_plan_settings_change_freely_and_are_recorded() -> None:
    other = replace(START, b_0=0.3, policy="smooth:K=10")
    event = settings_event(replay(START, IDS, []), other)
    state = replay(START, IDS, log(event))
    assert state.settings == other and not state.deviations


@pytest.mark.parametrize(
    "event",
    [
        Event("label", {"doc": "d0"}),
        Event("settings", {"reason": ""}),
        Event("decided", {}),
        Event("plan", {"settings": {"policy": 3}, "records": "x"}),
    ],
)
def test_a_damaged_log_is_one_sentence(event: Event) -> None:
    with pytest.raises(InputProblem, match=r"cannot be read|damaged \(\w+: "):
        replay(START, IDS, log(event))


def test_what_was_spent_is_counted_at_the_cost_of_the_time() -> None:
    dearer = replace(START, cost=0.01)
    change = settings_event(replay(START, IDS, []), dearer)
    events = log(
        label("d0", "irrelevant"), change, label("d1", "unsure"), label("d2", "unsure"), Event("undo")
    )
    assert replay(START, IDS, events).spent == pytest.approx(0.011)


def test_a_verdict_changed_after_the_decision_is_noticed() -> None:
    events = log(label("d0", "irrelevant"), Event("decided", {"plus": False}))
    assert not replay(START, IDS, events).decision.outdated  # type: ignore[union-attr]
    events += [Event("relabel", {"doc": "d0", "label": "relevant"}, 3)]
    assert replay(START, IDS, events).decision.outdated  # type: ignore[union-attr]


def test_stopping_deciding_and_going_on() -> None:
    decided = log(Event("stopped", {"advice": "stop"}), Event("decided", {"plus": False, "reason": "enough"}))
    state = replay(START, IDS, decided)
    assert state.stopped and state.decision is not None and not state.decision.plus
    with pytest.raises(InputProblem, match="Keep screening"):
        label_event(state, IDS, "d0", "unsure")
    state = replay(START, IDS, [*decided, Event("continued", seq=3)])
    assert not state.stopped and state.decision is None
    assert state.former is not None and state.former.payload["reason"] == "enough"


def test_a_press_on_a_document_no_longer_shown_is_refused() -> None:
    state = replay(START, IDS, log(label("d0", "irrelevant")))
    with pytest.raises(InputProblem, match="already labelled"):
        label_event(state, IDS, "d0", "irrelevant")
    assert label_event(state, IDS, "d1", "relevant").payload == {"doc": "d1", "label": "relevant"}
    everything = log(*(label(doc, "irrelevant") for doc in IDS))
    with pytest.raises(InputProblem, match="already read"):
        label_event(replay(START, IDS, everything), IDS, "d5", "relevant")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cost": -1.0}, "cost per document"),
        ({"b_0": 1.0}, "starting belief"),
        ({"policy": "luck"}, "no policy 'luck'"),
        ({"kappa": 0.0}, "coverage"),
        ({"s": 1.2}, "reading sensitivity"),
    ],
)
def test_unusable_settings_are_one_sentence(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputProblem, match=sentence):
        replace(START, **change)  # type: ignore[arg-type]


def test_settings_survive_json() -> None:
    assert read_settings(START.to_dict()) == START
    with pytest.raises(InputProblem, match="damaged \\(payoffs: missing\\)"):
        read_settings({"cost": 1})


def test_the_digest_knows_documents_order_and_scores() -> None:
    digests = {
        records_digest(IDS, None),
        records_digest(IDS[::-1], None),
        records_digest(IDS, [1.0] * 6),
        records_digest(IDS[:5], None),
    }
    assert len(digests) == 4
    long, scores = [f"é{i}" for i in range(2_001)], [i / 7 for i in range(2_001)]
    whole = json.dumps([long, scores]).encode()  # as they have been made from the first
    assert records_digest(long, scores) == hashlib.sha256(whole).hexdigest()[:16]


moves = st.lists(
    st.sampled_from(["irrelevant", "relevant", "unsure", "undo", "confirm", "refuse", "relabel"])
)


@given(moves)
def test_folding_the_standing_events_passes_through_what_was_seen(choices: list[str]) -> None:
    """Any legal play: the state after each event equals that of the whole log so far."""
    events: list[Event] = []
    for seq, choice in enumerate(choices, 1):
        state = replay(START, IDS, events)
        if choice == "undo":
            event = Event("undo")
        elif choice in ("confirm", "refuse"):
            if not len(state.pending):
                continue
            event = Event("confirm", {"doc": IDS[state.pending[0]], "holds": choice == "confirm"})
        elif choice == "relabel":
            if not state.depth:
                continue
            event = Event("relabel", {"doc": IDS[0], "label": "unsure"})
        elif state.depth < len(IDS):
            event = label(IDS[state.depth], choice)
        else:
            continue
        events.append(replace(event, seq=seq))
    final = replay(START, IDS, events)
    assert (final.labels[: final.depth] != UNSEEN).all() and (final.labels[final.depth :] == UNSEEN).all()

    fold = LogReplay(START, IDS)
    for event in standing(events):
        if event.kind == "label":
            seen = replay(START, IDS, [earlier for earlier in events if earlier.seq < event.seq])
            assert np.array_equal(fold.state.labels, seen.labels)
            assert np.array_equal(fold.state.confirmed, seen.confirmed)
        fold.apply(event)
    assert np.array_equal(fold.state.labels, final.labels)
