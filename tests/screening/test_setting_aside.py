"""Documents that cannot be held against the application are no evidence: the belief is that of the list without them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.application import Flag
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.order import Ranking
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening import record_message
from tarstop_core.screening.advice import advise
from tarstop_core.screening.audit import with_draws
from tarstop_core.screening.events import label_event
from tarstop_core.screening.fold import LogReplay, replay
from tarstop_core.screening.live_check import live_check
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.paths import chances
from tarstop_core.screening.setting_aside import (
    aside_in_words,
    return_event,
    set_aside_event,
    set_aside_first,
    with_set_aside,
)
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import trace
from tarstop_core.value.payoffs import Floats, Payoffs
from tests.spoken import spoken

N = 12
IDS = [f"d{at}" for at in range(N)]
SCORES = np.linspace(4, 1, N) ** 2
SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
CALIBRATORS = {
    "scores": Calibrator("marginal", "patent", x=(-1.5, 2.0), y=(0.01, 0.3), fitted_on=SEEN),
    "rank": Calibrator("rank", "patent", x=(0.0, 3.0), y=(0.3, 0.02), fitted_on=SEEN),
    "rank-frailty": calibrators()[default_calibrator(False)],
}
START = PatentSettings(Payoffs.from_q_star(0.5), cost=0.001)
LATE, OWN = Flag("late", "published after it: too late"), Flag("own", "of your own family")


def label(doc: str, verdict: str = "irrelevant", **more: int) -> Event:
    return Event("label", {"doc": doc, "label": verdict, **more})


def aside(*docs: str, flag: Flag = LATE) -> Event:
    return Event(
        "set_aside", {"documents": [{"doc": doc, "kind": flag.kind, "words": flag.words} for doc in docs]}
    )


def returned(*docs: str) -> Event:
    return Event("returned", {"docs": list(docs)})


def read(state: State, ids: Sequence[str] = IDS) -> list[str]:
    return list(state.ids_as_read(ids))


def begun(docs: Sequence[str], scores: Floats | None = SCORES) -> tuple[list[str], Floats | None, Event]:
    """A list as it is stored where these documents are set aside before it begins, its scores, and its first event."""
    at = [IDS.index(doc) for doc in docs]
    whole = Ranking(np.arange(N), scores, "By hand.")
    left = np.setdiff1d(np.arange(N), at)
    ranked = Ranking(left, None if scores is None else scores[left], "By hand.")
    found = set_aside_first(whole, ranked, IDS, dict.fromkeys(at, OWN))
    assert found is not None
    stored, event = with_set_aside(ranked, found)
    return [IDS[at] for at in stored.order.tolist()], stored.scores, event


def belief(calibrator: Calibrator, scores: Floats | None, state: State) -> float:
    return advise(START, calibrator, chances(START, calibrator, scores, state), state).b


@pytest.mark.parametrize("kind", CALIBRATORS)
def test_dismissing_four_of_the_own_family_and_setting_them_aside_leaves_the_chance_as_it_was(
    kind: str,
) -> None:
    calibrator, own = CALIBRATORS[kind], IDS[:4]
    dismissed = [label(doc) for doc in own]
    before, after = belief(calibrator, SCORES, replay(START, IDS, [])), replay(START, IDS, dismissed)
    assert belief(calibrator, SCORES, after) < before - 0.02, "as evidence they would move it"
    state = replay(START, IDS, [*dismissed, aside(*own, flag=OWN)])
    assert belief(calibrator, SCORES, state) == pytest.approx(before, abs=1e-12)
    assert (state.depth, len(state.labels), state.spent) == (4, N, 4 * START.cost), (
        "they were read all the same"
    )
    p = chances(START, calibrator, SCORES, state)
    assert live_check(START, calibrator, p, state) is None, (
        "nothing was read that says whether the chances fit"
    )


@pytest.mark.parametrize("kind", CALIBRATORS)
@given(data=st.data())
def test_the_belief_is_that_of_the_list_without_them_whenever_they_were_set_aside(
    kind: str, data: st.DataObject
) -> None:
    calibrator = CALIBRATORS[kind]
    out = data.draw(st.lists(st.sampled_from(IDS), max_size=N - 1, unique=True))
    first = data.draw(st.integers(0, len(out)))
    rest, depth = [doc for doc in IDS if doc not in out], data.draw(st.integers(0, N - len(out)))
    without = replay(START, rest, [label(doc) for doc in rest[:depth]])
    left = [IDS.index(doc) for doc in rest]
    expected = chances(START, calibrator, SCORES[left], without), belief(calibrator, SCORES[left], without)

    ids, scores, event = begun(out[:first]) if first else (IDS, SCORES, None)
    fold, later = LogReplay(START, ids), set(out[first:])
    if event is not None:
        fold.apply(event)
    for doc in read(fold.state, ids):
        if doc in later and data.draw(st.booleans()):  # set aside unread
            fold.apply(aside(doc))
            later.discard(doc)
        elif len(set(read(fold.state, ids)[: fold.state.depth]) & set(rest)) == depth:
            continue
        else:
            fold.apply(label(doc))
    if later:
        fold.apply(aside(*later))
    state = fold.state
    assert {*state.aside} | {each["doc"] for each in state.aside_read.values()} == set(out)
    got, counts = chances(START, calibrator, scores, state), state.counts
    np.testing.assert_allclose(got[counts], expected[0], atol=1e-12)
    assert not got[~counts].any()
    assert belief(calibrator, scores, state) == pytest.approx(expected[1], abs=1e-12)


def test_a_list_that_begins_without_them_is_read_as_if_they_had_never_been_there() -> None:
    ids, scores, event = begun(["d1", "d4"])
    assert ids[-2:] == ["d1", "d4"] and event.payload["ranks"] == [2, 5]
    rest = ids[:-2]
    labels = [label("d0"), label("d2", "unsure"), label("d3")]
    state, without = replay(START, ids, [event, *labels]), replay(START, rest, labels)
    assert read(state, ids) == rest and not state.reordered and state.ranks is None
    assert list(state.aside) == ["d1", "d4"] and state.labels.tolist() == without.labels.tolist()
    calibrators = {START.calibrator: CALIBRATORS["scores"]}
    assert scores is not None
    assert trace(START, calibrators, ids, scores, [event, *labels]) == trace(
        START, calibrators, rest, scores[:-2], labels
    )


def test_one_that_is_returned_is_read_at_its_rank_or_next_where_that_is_passed() -> None:
    ids, _, event = begun(["d1", "d8"])
    events = [event, label("d0"), label("d2"), returned("d1", "d8")]
    state = replay(START, ids, events)
    assert read(state, ids) == ["d0", "d2", "d1", *IDS[3:]] and not state.aside
    assert state.ranks is not None and state.ranks.tolist() == [1, 3, 2, *range(4, N + 1)]
    state = replay(START, ids, [*events, label("d1"), label("d3")])
    assert state.depth == 4
    with pytest.raises(InputProblem, match="comes next"):
        replay(START, ids, [*events, label("d3")])


def test_what_was_taken_back_comes_before_what_is_returned() -> None:
    ids, _, event = begun(["d1"])
    events = [event, label("d0"), label("d2"), returned("d1"), Event("undo")]
    state = replay(START, ids, events)
    assert read(state, ids)[:3] == ["d0", "d2", "d1"]
    again = label_event(state, read(state, ids), "d2", "irrelevant")
    assert replay(START, ids, [*events, again]).depth == 2


def test_set_aside_and_returned_in_a_running_session_everything_is_as_before() -> None:
    labels = [label("d0"), label("d1"), label("d2")]
    state = replay(START, IDS, [*labels, aside("d1", "d5")])
    assert read(state) == [doc for doc in IDS if doc != "d5"]
    assert list(state.aside_read) == [1] and list(state.aside) == ["d5"]
    again = replay(START, IDS, [*labels, aside("d1", "d5"), returned("d1", "d5")])
    plain = replay(START, IDS, labels)
    assert read(again) == IDS and again.labels.tolist() == plain.labels.tolist()
    for calibrator in CALIBRATORS.values():
        assert belief(calibrator, SCORES, again) == belief(calibrator, SCORES, plain)


def test_whoever_says_that_one_settles_the_question_takes_it_as_evidence() -> None:
    events = [label("d0"), aside("d0"), Event("relabel", {"doc": "d0", "label": "relevant"})]
    state = replay(START, IDS, events)
    assert not state.aside_read and state.pending.tolist() == [0]
    state = replay(START, IDS, [label("d0", "relevant")])
    with pytest.raises(InputProblem, match="#1 settles the question by your own verdict"):
        set_aside_event(state, IDS, {"d0": OWN})


def test_a_document_that_joined_and_was_read_first_is_not_taken_back() -> None:
    joined = {"source": "b.csv", "docs": ["new"], "positions": [N], "ranks": [1], "duplicates": 0}
    log = [Event("joined", joined), Event("label", {"doc": "new", "label": "irrelevant"})]
    state = replay(START, IDS, log)
    assert state.depth == 1 and state.ids_as_read(IDS)[0] == "new"
    with pytest.raises(InputProblem, match="did not join last or are read"):
        replay(START, IDS, [*log, Event("parted", {"source": "b.csv", "docs": ["new"]})])


def test_ranks_with_kept_labels_draws_and_documents_that_join() -> None:
    ids, _, event = begun(["d1", "d4"])
    rest = ids[:-2]  # d0 d2 d3 d5 …, of which d5 (rank 4 of those left) came with a label
    shuffled = ["d5", *(doc for doc in rest if doc != "d5"), "d1", "d4"]
    kept = {"source": "a.csv", "labels": {"d5": "irrelevant"}, "notes": {}, "reasons": {}, "ranks": [4]}
    state = replay(START, shuffled, [event, Event("kept", kept), returned("d1", "d4")])
    assert read(state, shuffled) == ["d5", "d0", "d1", "d2", "d3", "d4", *IDS[6:]]
    assert state.ranks is not None and state.ranks[0] == 6

    joined = {"source": "b.csv", "docs": ["new"], "positions": [N], "ranks": [2], "duplicates": 0}
    state = replay(START, ids, [event, Event("joined", joined), returned("d1")])
    assert [*state.ids_as_read(ids)][:4] == ["d0", "d1", "new", "d2"]
    parted = Event("parted", {"source": "b.csv", "docs": ["new"]})
    state = replay(START, ids, [event, Event("joined", joined), aside("new"), parted])
    assert read(state, ids) == rest and list(state.aside) == ["d1", "d4"]

    screened, audited = with_draws(Ranking(np.arange(10), None, ""), (), 2, 7)
    drawn = [rest[at] for at in screened.order.tolist()]
    state, without = (
        replay(START, listed, log)
        for listed, log in (([*drawn, "d1", "d4"], [event, audited]), (drawn, [audited]))
    )
    assert read(state, [*drawn, "d1", "d4"]) == drawn
    assert state.ranks is not None and without.ranks is not None
    assert state.ranks.tolist() == without.ranks.tolist()
    for asked in (
        lambda: set_aside_event(state, drawn, {drawn[3]: LATE}),
        lambda: return_event(state, ["d1"]),
    ):
        with pytest.raises(InputProblem, match="documents drawn at random"):
            asked()


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        (
            [aside("d1"), aside("d1")],
            "that are set aside already",
        ),
        ([returned("d1")], "that are not set aside"),
        ([aside("elsewhere")], "not in the list"),
        ([aside("d0"), label("d0", fit=0)], "comes next"),
        ([Event("set_aside", {**aside("d1").payload, "ranks": [2]})], "which rank"),
        ([Event("set_aside", {**aside("d11").payload, "ranks": [99]})], "which rank"),
    ],
    ids=["twice", "returned", "unknown", "labelled", "not the last", "no rank"],
)
def test_a_log_that_cannot_be_is_refused(events: list[Event], problem: str) -> None:
    with pytest.raises(InputProblem, match=problem):
        replay(START, IDS, events)


@given(data=st.data())
def test_whatever_is_pressed_the_log_folds_and_its_tabs_agree(data: st.DataObject) -> None:
    """Labels, undos, documents set aside and returned in any order, in a session that learns or does not."""
    settings = replace(START, learns=data.draw(st.booleans()))
    first = data.draw(st.lists(st.sampled_from(IDS), max_size=4, unique=True))
    ids, _, event = begun(first) if first else (IDS, None, None)
    events = [] if event is None else [event]
    for _ in range(data.draw(st.integers(0, 14))):
        state = replay(settings, ids, events)
        order, held = read(state, ids), [*state.aside, *(each["doc"] for each in state.aside_read.values())]
        press = data.draw(st.sampled_from(["label", "label", "undo", "aside", "return", "fit"]))
        if press == "label" and state.depth < len(order):
            events.append(label_event(state, order, order[state.depth], "irrelevant"))
        elif press == "undo" and state.can_undo:
            events.append(Event("undo"))
        elif press == "aside" and (free := [doc for doc in order if doc not in held]):
            events.append(set_aside_event(state, order, {data.draw(st.sampled_from(free)): LATE}))
        elif press == "return" and held:
            events.append(return_event(state, [data.draw(st.sampled_from(held))]))
        elif press == "fit" and settings.learns:
            following = data.draw(st.permutations(order[state.depth :]))[:3]
            told = {"number": 1, "after": 0, "ranker": "r 1", "seed": 0, "settings": {}, "next": following}
            events.append(Event("fit", told))
        events = [replace(each, seq=number) for number, each in enumerate(events, start=1)]
    state, fold = replay(settings, ids, events), LogReplay(settings, ids)
    for each in standing(events):
        fold.apply(each)
    order = read(state, ids)
    assert sorted([*order, *state.aside]) == sorted(IDS) and len(order) == len(state.labels)
    grown = fold.after(events)
    assert read(grown, ids) == order and grown.labels.tolist() == state.labels.tolist()
    if state.ranks is not None:
        counts = state.counts
        assert sorted(state.ranks[counts].tolist()) == list(range(1, int(counts.sum()) + 1))


def test_how_many_and_why() -> None:
    _, _, event = begun(["d1"])
    own, late = event.payload["documents"], aside("d2", "d3").payload["documents"]
    assert spoken(record_message, aside_in_words, own) == ("set_aside", {"late": 0, "own": 1})
    assert spoken(record_message, aside_in_words, [*own, *late]) == ("set_aside", {"late": 2, "own": 1})
    assert aside_in_words(()) == "0 documents"
