"""What is read in an order that labels teach: the order follows from the log alone, whatever was taken back or switched."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.audit import with_draws
from tarstop_core.screening.events import label_event, settings_event
from tarstop_core.screening.fold import LogReplay, replay
from tarstop_core.screening.labels import UNSEEN
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Payoffs

IDS = [f"d{i}" for i in range(12)]
START = PatentSettings(Payoffs.from_q_star(0.5), cost=0.001, learns=True)


def label(doc: str, verdict: str = "irrelevant", **more: int) -> Event:
    return Event("label", {"doc": doc, "label": verdict, **more})


def fit(number: int, *following: str) -> Event:
    told = {"number": number, "after": 0, "ranker": "r 1", "seed": 0, "settings": {}, "next": list(following)}
    return Event("fit", told)


def order(state: State, ids: list[str] = IDS) -> list[str]:
    return ids if state.sequence is None else [ids[at] for at in state.sequence]


def test_a_fit_says_what_comes_next_and_a_label_where_it_was_read() -> None:
    events = [label("d0", fit=0), fit(1, "d7", "d3"), label("d7", "relevant", fit=1)]
    assert order(replay(START, IDS, events[:1])) == IDS
    assert order(replay(START, IDS, events[:2]))[:4] == ["d0", "d7", "d3", "d1"]
    state = replay(START, IDS, events)
    assert order(state)[:4] == ["d0", "d7", "d3", "d1"]
    assert state.labels[:3].tolist() == [0, 1, UNSEEN]
    assert state.ranks is not None and state.ranks[:4].tolist() == [1, 8, 4, 2]
    again = fit(2, "d5")
    assert order(replay(START, IDS, [*events, again]))[:4] == ["d0", "d7", "d5", "d1"], "history stays"


def test_what_is_taken_back_comes_next_by_the_fit_that_had_put_it_there() -> None:
    events = [label("d0", fit=0), fit(1, "d7", "d3"), label("d7", fit=1), fit(2, "d5"), label("d5", fit=2)]
    state = replay(START, IDS, [*events, Event("undo"), Event("undo")])
    assert order(state)[:4] == ["d0", "d7", "d5", "d1"]
    event = label_event(state, order(state), "d7", "relevant")
    assert event.payload == {"doc": "d7", "label": "relevant", "fit": 1}
    state = replay(START, IDS, [*events, Event("undo"), Event("undo"), event])
    assert order(state)[:3] == ["d0", "d7", "d5"] and list(state.put_back) == ["d5"]


def test_switched_off_the_rest_comes_in_the_order_of_the_list() -> None:
    events = [label("d0", fit=0), fit(1, "d7", "d3"), label("d7", fit=1)]
    off = settings_event(replay(START, IDS, events), replace(START, learns=False))
    state = replay(START, IDS, [*events, off])
    assert order(state)[:4] == ["d0", "d7", "d1", "d2"]
    assert label_event(state, order(state), "d1", "unsure").payload == {"doc": "d1", "label": "unsure"}
    replay(START, IDS, [*events, off, label("d1")])
    with pytest.raises(InputProblem, match="document 2 comes next"):
        replay(START, IDS, [*events, off, label("d3")])


def test_a_log_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputProblem, match="not in the list"):
        replay(START, IDS, [fit(1, "x")])
    with pytest.raises(InputProblem, match="labels document 1"):
        replay(START, IDS, [label("d0", fit=0), label("d0", fit=1)])
    with pytest.raises(InputProblem, match="has not been read"):
        replay(START, IDS, [label("d5", fit=1), Event("relabel", {"doc": "d0", "label": "relevant"})])


moves = st.lists(
    st.one_of(
        st.sampled_from(["irrelevant", "relevant", "unsure", "undo", "relabel", "switch"]),
        st.permutations(IDS).map(lambda each: each[:5]),
    ),
    max_size=40,
)


@given(moves=moves, every=st.sampled_from([0, 3]), seed=st.integers(0, 99), learns=st.booleans())
def test_the_order_read_is_the_one_recorded(
    moves: list[str | list[str]], every: int, seed: int, learns: bool
) -> None:
    """Any play, held against a person who writes down what was shown: the log alone gives the same, always."""
    settings, ids, events, fits = replace(START, learns=learns), list(IDS), list[Event](), 0
    random = [IDS[at] for at in np.random.default_rng(seed).permutation(len(IDS))]
    if every:
        ranking, audited = with_draws(Ranking(np.arange(len(IDS)), None, ""), [], every, seed)
        ids, events = [IDS[at] for at in ranking.order], [audited]
    written: list[str] = []
    for move in moves:
        state = replay(settings, ids, events)
        now = order(state, ids)
        assert sorted(now) == sorted(IDS), "every document exactly once"
        assert now[: state.depth] == written
        assert (state.labels != UNSEEN).tolist() == [at < len(written) for at in range(len(IDS))]
        left = [doc for doc in random if doc not in written]
        if every and left and len(written) % every == every - 1:
            assert now[len(written)] == left[0], (
                "draws keep their places, and are drawn from all that are unread"
            )
        if isinstance(move, list):
            fits += 1
            event = fit(fits, *(doc for doc in move if doc not in written))
        elif move == "undo":
            event = Event("undo")
        elif move == "switch":
            event = settings_event(state, replace(state.settings, learns=not state.settings.learns))
        elif move == "relabel":
            if not written:
                continue
            event = Event("relabel", {"doc": written[-1], "label": "unsure"})
        elif len(written) < len(ids):
            event = label_event(state, now, now[len(written)], move)  # type: ignore[arg-type]
            written.append(now[len(written)])
        else:
            continue
        taken = standing(events)
        events.append(replace(event, seq=len(events) + 1))
        if move == "undo":
            stand = standing(events)
            gone = [each for each in taken if each.seq not in {one.seq for one in stand}]
            if gone and gone[0].kind == "label":
                assert gone[0].payload["doc"] == written.pop()
                assert order(replay(settings, ids, events), ids)[len(written)] == gone[0].payload["doc"]
    final, fold = replay(settings, ids, events), LogReplay(settings, ids)
    for event in standing(events):
        fold.apply(event)
        read = fold.state.depth
        assert order(fold.state, ids)[:read] == order(final, ids)[:read]
    if final.sequence is not None:
        ranks = np.array([int(doc[1:]) + 1 for doc in order(final, ids)])
        assert final.ranks is not None and np.array_equal(final.ranks, ranks)
