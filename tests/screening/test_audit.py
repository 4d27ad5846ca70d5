"""Audit draws in a session: recorded, folded, undone; what is said of recall because of them."""

import json

import numpy as np
import pytest

from tarstop_core.calibration.recall_bound import draws_at
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening import record_message
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import RecallFacts
from tarstop_core.screening.audit import (
    audit_protocol,
    drawn_in_words,
    price_sentence,
    recall_sentence,
    relevant_at_most,
    with_draws,
)
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event, check_event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import protocol_paragraph
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import INCLUSION as CALIBRATOR
from tests.spoken import Spoken, spoken

N, EVERY = 300, 2
START = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
RANKING = Ranking(np.arange(N), np.linspace(9, 1, N), "By likeness.")
OFFERED, AUDITED = with_draws(RANKING, (), EVERY, seed=4)
IDS = [f"d{at}" for at in OFFERED.order]


def label(doc: str, said: str = "irrelevant", kind: str = "label") -> Event:
    return Event(kind, {"doc": doc, "label": said})


def after(*events: Event, settings: Settings = START) -> State:
    return replay(settings, IDS, [AUDITED, *events])


def read(depth: int, relevant: int) -> list[Event]:
    """The first documents read; those of the highest rank are relevant."""
    top = {f"d{at}" for at in range(relevant)}
    return [label(doc, "relevant" if doc in top else "irrelevant") for doc in IDS[:depth]]


def test_draws_are_recorded_and_ranks_stay_what_they_were() -> None:
    state = after()
    assert state.ranks is not None and state.drawn is not None
    assert (state.ranks - 1).tolist() == OFFERED.order.tolist()
    assert state.drawn.tolist() == draws_at(N, EVERY).tolist() and state.audit_every == EVERY
    assert OFFERED.scores is not None and RANKING.scores is not None
    assert OFFERED.scores.tolist() == RANKING.scores[OFFERED.order].tolist()
    assert OFFERED.how.startswith("By likeness. One document in 2")
    # The log says which were drawn: folding it needs no random numbers, so no machine differs.
    kept = json.loads(json.dumps(dict(AUDITED.payload)))
    assert check_event(Event("audited", kept, 1, "2026-01-02T03:04:05+00:00")).payload == AUDITED.payload
    again, event = with_draws(RANKING, (), EVERY, seed=4)
    assert event == AUDITED and again.order.tolist() == OFFERED.order.tolist()
    assert with_draws(RANKING, (), EVERY, seed=5)[1] != AUDITED


def test_labels_that_came_along_are_before_the_first_draw() -> None:
    order, kept = [2, 0, 1, 3, 4, 5], {"doc2": "relevant"}
    ranking = Ranking(np.array(order), None, "As it stands.")
    offered, event = with_draws(ranking, [3], 2, seed=1)
    ids = [f"doc{at}" for at in offered.order]
    came = Event("kept", {"source": "f", "labels": kept, "ranks": [3], "notes": {}, "reasons": {}})
    state = replay(START, ids, [came, event])
    assert state.ranks is not None and state.drawn is not None
    assert (state.ranks - 1).tolist() == offered.order.tolist()
    assert state.drawn.tolist() == [False, False, True, False, True, False]
    assert relevant_at_most(state) == 6


@pytest.mark.parametrize(
    "payload",
    [
        {"ranks": AUDITED.payload["ranks"][:-1]},
        {"ranks": [*AUDITED.payload["ranks"][:-1], AUDITED.payload["ranks"][0]]},
        {"ranks": [*AUDITED.payload["ranks"][:-1], N + 1]},
        {"every": 0},
        {"every": 3},
    ],
)
def test_draws_that_do_not_fit_the_list_are_refused(payload: dict[str, object]) -> None:
    with pytest.raises(InputProblem, match="does not say which documents are drawn at random"):
        replay(START, IDS, [Event("audited", {**AUDITED.payload, **payload}, 1)])


def test_draws_are_switched_on_once_and_before_anything_is_read() -> None:
    for log in ([AUDITED, AUDITED], [label(IDS[0]), AUDITED]):
        with pytest.raises(InputProblem):
            replay(START, IDS, log)


def test_without_draws_nothing_is_said() -> None:
    state = replay(START, IDS, [label(IDS[0], "relevant")])
    assert (recall_sentence(state), relevant_at_most(state)) == ("", None)


def recall(relevant: int, most: int) -> Spoken:
    """The sentence on recall that the draws allow."""
    return Spoken("recall", {"sure": "95 %", "relevant": relevant, "most": most})


def test_what_is_said_and_how_it_grows() -> None:
    assert spoken(record_message, recall_sentence, after()) == recall(relevant=0, most=300)
    states = [after(*read(depth, 60)) for depth in (100, 160, 220, 300)]
    most = [relevant_at_most(state) for state in states]
    assert most == sorted((each for each in most if each is not None), reverse=True) and most[-1] == 60
    assert spoken(record_message, recall_sentence, states[-1]) == recall(relevant=60, most=60)
    assert "at least 100 %" in recall_sentence(states[-1])
    # Never rounded up to what was not shown.
    found, bound = states[1].relevant, most[1]
    assert bound is not None and f"at least {found * 100 // bound} %" in recall_sentence(states[1])
    drawn = spoken(record_message, drawn_in_words, states[0])
    assert (drawn.values["every"], drawn.values["documents"]) == (2, 50)
    assert spoken(record_message, recall_sentence, after(*read(N, 0))) == recall(relevant=0, most=0)


def test_undone_and_changed_labels_say_what_the_log_then_says() -> None:
    log = read(160, 60)
    state = after(*log)
    assert recall_sentence(after(*log, label(IDS[160], "relevant"), Event("undo"))) == recall_sentence(state)
    missed = next(doc for at, doc in enumerate(IDS[:160]) if draws_at(N, EVERY)[at] and int(doc[1:]) >= 60)
    changed = after(*log, label(missed, "relevant", "relabel"))
    at = IDS.index(missed)
    from_the_start = after(*log[:at], label(missed, "relevant"), *log[at + 1 :])
    assert recall_sentence(changed) == recall_sentence(from_the_start) != recall_sentence(state)


def test_what_is_unsure_counts_against_the_statement_until_it_is_settled() -> None:
    log, at = read(160, 60), 101  # a draw
    wait = [*log[:at], label(IDS[at], "unsure"), *log[at + 1 :]]
    plain, unsure = (
        relevant_at_most(after(*each)) for each in ([*log[:at], label(IDS[at]), *log[at + 1 :]], wait)
    )
    settled = after(*wait, label(IDS[at], "irrelevant", "relabel"))
    relevant = after(*wait, label(IDS[at], "relevant", "relabel"))
    assert plain is not None and unsure is not None and plain < unsure
    assert relevant_at_most(settled) == plain and relevant_at_most(relevant) == unsure
    assert relevant.relevant == settled.relevant + 1


def test_a_hit_that_waits_for_confirmation_is_not_yet_found() -> None:
    patents = PatentSettings(START.payoffs, START.cost)
    state = after(*read(160, 60), settings=patents)
    assert recall_sentence(state).endswith("none is found.")
    assert relevant_at_most(state) == relevant_at_most(after(*read(160, 60)))


def test_a_protocol_says_it_beforehand() -> None:
    assert audit_protocol(10).startswith("One document in 10 ") and "95 %" in audit_protocol(10)


def test_the_statement_has_the_confidence_of_the_rule() -> None:
    events = read(160, 60)
    most = {}
    for confidence in (0.8, 0.95, 0.99):
        settings = EnoughSettings(policy=f"audit:confidence={confidence},every={EVERY}")
        state = after(*events, settings=settings)
        chance = np.full(N, 0.1)
        advice = advise(settings, CALIBRATOR, chance, state)
        assert isinstance(advice.facts, RecallFacts) and advice.facts.most is not None
        most[confidence] = advice.facts.most
        said = recall_sentence(state), ENOUGH.message("for_sure", facts=advice.facts, settings=settings)
        for sentence in said:
            bound = f"with {percent(confidence)} confidence at least {advice.facts.sure_percent} %"
            assert bound in sentence.lower()
        assert advice.facts.sure_percent == 100 * 60 // most[confidence]
        written = protocol_paragraph(settings, CALIBRATOR, size=N, audited=EVERY)
        assert f"that holds with {percent(confidence)} confidence" in written
    assert most[0.8] < most[0.95] == relevant_at_most(after(*events)) < most[0.99]


@pytest.mark.parametrize(
    ("left", "relevant", "recall"),
    [((20, 10, 60), 20, (1 / 2, 1 / 4, 2 / 3)), ((0.0, 0.0, 5.0), 0, (1, 0, 1)), ((0, 0, 0), 9, (1, 1, 1))],
)
def test_recall_is_what_is_found_of_that_and_what_is_left(
    left: tuple[float, float, float], relevant: int, recall: tuple[float, float, float]
) -> None:
    assert RecallFacts(left=left, relevant=relevant).recall == pytest.approx(recall)


@pytest.mark.parametrize(("documents", "relevant"), [(5, 1), (109, 10), (495, 49), (2_001, 50)])
def test_a_price_is_that_of_a_list_of_which_a_tenth_is_relevant_but_no_more_than_fifty(
    documents: int, relevant: int
) -> None:
    price_sentence.cache_clear()  # it is worded once in a process
    assert spoken(record_message, price_sentence, documents).values["relevant"] == relevant


@pytest.mark.parametrize(("every", "named"), [(0, 2), (20, 2), (10, 10), (5, 5), (2, 2)])
def test_the_price_is_that_of_the_draws_that_were_chosen(every: int, named: int) -> None:
    price_sentence.cache_clear()
    assert spoken(record_message, price_sentence, 671, every).values["most"] == named


def test_a_promised_share_is_rounded_down() -> None:
    assert RecallFacts(left=(0, 0, 0), relevant=199, most=200).sure_percent == 99
