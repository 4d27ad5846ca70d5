"""A review in progress: its log, its path, and the advice that comes of both."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import LearnedFrom, Prior
from tarstop_core.belief.question import Question
from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.documents.tables import Tables
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files import trace_to_csv
from tarstop_core.policies import Budget, Greedy, LookAhead, Optimal
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.advised import Floor
from tarstop_core.screening.events import report_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import paths_key, session_paths
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.scenarios.review import REVIEW as REVIEWING
from tarstop_core.screening.scenarios.studies import extraction_rate
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import trace
from tarstop_core.screening.wording import explain
from tarstop_core.value import outcomes
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.outcomes import is_plus, outcome_path, states_of
from tarstop_core.value.payoffs import Payoffs

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
CALIBRATOR = Calibrator("rank", "inclusion", x=(0.0, 4.0), y=(0.6, 0.02), fitted_on=SEEN)
N = 80
IDS = [f"d{i}" for i in range(N)]
P = CALIBRATOR.probabilities(None, N)
START = ReviewSettings(
    Payoffs.from_q_star(0.5), 0.001, full_cost=0.01, calibrator=CALIBRATOR.digest,
    data_share=ExtractionRate(2, 2), plus="Adopt", minus="Don’t adopt")  # fmt: skip
GOOD, POOR = (38, 4, 3, 60), (12, 9, 22, 44)


def label(at: int, verdict: str) -> Event:
    return Event("label", {"doc": IDS[at], "label": verdict})


def table(at: int, counts: tuple[int, int, int, int], study: str = "") -> Event:
    name = study or f"Study {at}"
    return Event(
        "report", {"doc": IDS[at], **Report("data", study=name, rows=(AccuracyRow(name, *counts),)).to_dict()}
    )


def outcome(at: int, what: str, reason: str = "") -> Event:
    return Event("report", {"doc": IDS[at], **Report(what, reason).to_dict()})  # type: ignore[arg-type]


def stored(events: Sequence[Event]) -> list[Event]:
    return [replace(event, seq=seq) for seq, event in enumerate(events, start=1)]


def state(events: Sequence[Event], start: Settings = START) -> State:
    return replay(start, IDS, stored(events))


# --- settings and log -----------------------------------------------------------------------------


def test_settings_survive_json() -> None:
    learned = Prior(s=0.8, learned_from=LearnedFrom("CLEF", 0.75, 16, 63, 742, 0.4))
    for each in (
        START,
        replace(START, prior=learned, engine="reml", truth="full_evidence", stages=1, floor=0.9),
    ):
        assert read_settings(json.loads(json.dumps(each.to_dict()))) == each
    old = {
        name: value for name, value in START.to_dict().items() if name not in ("prior", "theta", "data_share")
    }
    assert read_settings(old).prior == Prior()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"truth": "?"}, "truth is"),
        ({"stages": 3}, "stages is '3'; choose 1 or 2"),
        ({"theta": 1.0}, "1"),
        ({"engine": "magic"}, "no engine 'magic'"),
        ({"full_cost": -1}, "report in full is -1"),
        ({"floor": 1}, "floor"),
    ],
)
def test_unusable_settings_are_one_sentence(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        replace(START, **changes)  # type: ignore[arg-type]


def test_a_prior_of_your_own_is_not_called_the_weak_one() -> None:
    weak = replace(START, b_0=0.3)
    own = replace(weak, prior=replace(START.prior, tau=2 * START.prior.tau))
    assert [("weak" in badges[1], "own" in badges[1]) for badges in map(REVIEWING.badges, (weak, own))] == [
        (True, False),
        (False, True),
    ]


def test_only_a_table_moves_the_belief() -> None:
    events = [label(0, "relevant"), label(1, "relevant"), label(2, "relevant"), label(3, "irrelevant")]
    events += [outcome(0, "excluded", "wrong test"), outcome(1, "no data"), outcome(2, "not retrieved")]
    here = state(events)
    assert here.waiting.tolist() == [] and len(here.evidence.tables) == 0
    assert REVIEWING.path(START, CALIBRATOR, P, here).belief_at(4) == pytest.approx(0.5)
    moved = state([*events, table(2, GOOD)])
    assert REVIEWING.path(START, CALIBRATOR, P, moved).belief_at(4) == pytest.approx(
        bivariate_belief(moved.evidence.tables, 0.75), abs=1e-9
    )
    assert REVIEWING.path(START, CALIBRATOR, P, moved).belief_at(2) == pytest.approx(0.5)


def test_waiting_reports_and_what_reading_costs() -> None:
    events = [
        label(0, "relevant"),
        label(1, "relevant"),
        table(0, GOOD),
        table(0, POOR),
        outcome(1, "not retrieved"),
    ]
    here = state(events)
    assert state(events[:2]).waiting.tolist() == [0, 1] and state(events[:3]).waiting.tolist() == [1]
    assert here.spent == pytest.approx(2 * 0.001 + 0.01), (
        "changing a table, or not getting a report, costs no reading"
    )
    again = [outcome(0, "not retrieved"), table(0, GOOD)]
    assert state([*events, *again]).spent == pytest.approx(here.spent), "it was read before"
    assert here.evidence.tables.TP.tolist() == [12]
    assert state(events, replace(START, stages=1)).spent == pytest.approx(0.002)
    undone = state([*events[:3], Event("undo")])
    assert undone.waiting.tolist() == [0, 1] and undone.can_undo


def test_a_document_excluded_after_all_takes_its_table_along() -> None:
    events = [label(0, "relevant"), table(0, GOOD), Event("relabel", {"doc": IDS[0], "label": "irrelevant"})]
    assert len(state(events).evidence.tables) == 0
    with pytest.raises(InputProblem, match="no longer included"):
        report_event(state(events), IDS, IDS[0], Report("no data"))
    assert report_event(state(events[:1]), IDS, IDS[0], Report("no data")).payload["outcome"] == "no data"


def test_a_report_before_its_document_is_refused() -> None:
    with pytest.raises(InputProblem, match="has not been read yet"):
        state([table(4, GOOD)])


def test_no_document_decides_a_review() -> None:
    here = state([label(0, "relevant"), Event("confirm", {"doc": IDS[0], "holds": True})])
    assert here.hit is None and len(here.pending) == 0


# --- the path -------------------------------------------------------------------------------------


def test_the_share_with_data_is_learned_from_reports_read() -> None:
    events = [label(at, "relevant") for at in range(4)]
    events += [table(0, GOOD), outcome(1, "no data"), outcome(2, "not retrieved")]
    share = extraction_rate(START, state(events))
    assert (share.alpha, share.beta) == (3, 3)
    path = REVIEWING.path(START, CALIBRATOR, P, state(events))
    assert path.share == 0.5 and path.waiting == 0.5 and path.full_cost == 0.01
    told = REVIEWING.rows(advise(START, CALIBRATOR, P, state(events)), START)
    assert [text[:4] for name, text in told if "bring data" in name] == ["50 %"]
    at_once = REVIEWING.path(replace(START, stages=1), CALIBRATOR, P, state(events))
    assert at_once.share == 1.0 and at_once.full_cost == 0.0


def test_the_path_is_that_of_an_experiment() -> None:
    """One stage, paper mode: a session that met the studies has the path of the whole list's experiment."""
    at_once = replace(START, stages=1)
    events = [label(at, "relevant" if at in (1, 4) else "irrelevant") for at in range(10)]
    events += [table(1, GOOD), table(4, POOR)]
    live = REVIEWING.path(at_once, CALIBRATOR, P, state(events, at_once))
    labels = np.isin(np.arange(N), [1, 4])
    cells = np.array([GOOD, POOR], dtype=float).T
    known = Outcome(
        Topic("T", np.array(IDS), None, labels, 2), "R", Tables(("a", "b"), *cells), np.array([1, 4])
    )
    experiment = outcome_path(known, P, at_once.payoffs)
    np.testing.assert_array_equal(live.b, experiment.b)
    np.testing.assert_array_equal(live.value_rate(), experiment.value_rate())
    assert experiment.labels.sum() == 2


def test_truth_is_asked_of_all_studies() -> None:
    tables = Tables(("a", "b"), *np.array([GOOD, POOR], dtype=float).T)
    b = bivariate_belief(tables, 0.75)
    assert is_plus(tables, 0.75, "pooled", 0.2) == (b > 0.5)
    assert is_plus(tables, 0.75, "full_evidence", b - 0.01) and not is_plus(
        tables, 0.75, "full_evidence", b + 0.01
    )


def test_states_in_short_are_the_last_of_all() -> None:
    tables = Tables(("a", "b"), *np.array([GOOD, POOR], dtype=float).T)
    for engine in ("bivariate", "univariate"):
        whole, last = (
            states_of(tables, Question(0.75, engine, Prior()), last_only=only) for only in (False, True)
        )
        assert (
            len(last) == 1
            and last[0].b == pytest.approx(whole[-1].b)
            and last[0].n_0 == pytest.approx(whole[-1].n_0)
        )
        assert [each.b for each in whole] == pytest.approx(
            beliefs(tables, Question(0.75, engine, Prior())).tolist()
        )


@pytest.mark.parametrize("engine", ["bivariate", "univariate", "reml"])
def test_a_growing_review_comes_to_the_states_of_a_whole_one(engine: str) -> None:
    # The fifth study is far from the others: from there on all is computed on a larger lattice.
    rows = np.array([GOOD, POOR, GOOD, POOR, (200, 5, 0, 90), GOOD, (3, 1, 40, 60)], dtype=float)
    tables = Tables(tuple("abcdefg"), *rows.T)
    grown = [states_of(tables.first(n), Question(0.75, engine, Prior())) for n in range(len(rows) + 1)]
    outcomes._cached_states.clear()
    for n, states in enumerate(grown):
        whole = states_of(tables.first(n), Question(0.75, engine, Prior()))
        assert len(states) == len(whole) == n + 1
        for one, other in zip(states, whole, strict=True):
            assert one.b == pytest.approx(other.b, rel=1e-12)
            assert one.n_0 == pytest.approx(other.n_0, rel=1e-9)
            np.testing.assert_allclose(one.given_plus, other.given_plus, rtol=1e-9, atol=1e-15)
            np.testing.assert_allclose(one.given_minus, other.given_minus, rtol=1e-9, atol=1e-15)
        outcomes._cached_states.clear()


# --- advice ---------------------------------------------------------------------------------------


def told(events: Sequence[Event], start: Settings = START):  # type: ignore[no-untyped-def]
    return advise(start, CALIBRATOR, P, state(events, start))


def test_reports_that_pay_come_first() -> None:
    advice = told([label(0, "relevant"), label(1, "relevant")])
    assert advice.headline == "reports" and advice.go_on and advice.facts.reports_first
    assert advice.facts.waiting == 2
    assert advice.facts.reports_worth > advice.facts.reports_cost > 0
    assert told([label(0, "irrelevant")]).headline == "continue"


@pytest.mark.parametrize("policy", ["optimal", "greedy"])
def test_reports_that_cost_more_than_they_are_worth_keep_nobody_from_stopping(policy: str) -> None:
    dear = replace(START, cost=0.5, full_cost=0.5, policy=policy)
    waits = told([label(0, "relevant"), label(1, "irrelevant")], dear)
    assert waits.headline == "stop" and not waits.go_on
    assert waits.facts.waiting == 1 and waits.facts.reports_open and not waits.facts.reports_first


@pytest.mark.parametrize("full_cost", np.geomspace(1e-4, 0.3, 12))
def test_optimal_never_goes_on_where_deciding_without_the_waiting_reports_is_better(full_cost: float) -> None:
    start = replace(START, cost=1e-5, full_cost=float(full_cost), policy="optimal")
    events = [label(at, "relevant") for at in range(6)]
    advice = told(events, start)
    assert advice.facts.waiting == 6
    assert advice.headline == (
        "reports" if advice.facts.reports_first else "continue" if advice.go_on else "stop"
    )
    if advice.headline == "continue":
        assert advice.gain > 0, "over deciding now, with no report read"


def test_a_floor_keeps_a_rule_from_stopping() -> None:
    dear = replace(START, cost=0.5, engine="univariate")
    events = [label(at, "irrelevant") for at in range(3)]
    assert not told(events, dear).go_on
    held = told(events, replace(dear, floor=0.9))
    assert held.go_on and held.held_by is Floor.RIGHT and held.more == N - 3
    allowed = told(events, replace(dear, floor=0.4))
    assert not allowed.go_on and allowed.held_by is None


def test_a_floor_of_studies_keeps_a_rule_from_stopping_while_it_is_worth_it() -> None:
    events = [label(at, "irrelevant") for at in range(3)]
    stops = replace(START, cost=0.004, engine="univariate", policy="budget:d=3")
    assert not told(events, stops).go_on
    held = told(events, replace(stops, floor_studies=2))
    assert held.go_on and held.held_by is Floor.STUDIES and held.more > 0
    # More than the list probably holds, or dearer than certainty is worth: the floor gives way.
    for gives_way in (replace(stops, floor_studies=40), replace(stops, floor_studies=2, cost=0.5)):
        advice = told(events, gives_way)
        assert not advice.go_on and "does not hold you" in str(explain(advice, gives_way))
    assert "does not hold you" not in str(explain(told(events, stops), stops))


def test_nothing_read_is_said() -> None:
    assert told([], replace(START, cost=0.5)).headline == "prior alone"


def test_everything_read_is_said() -> None:
    assert told([label(at, "irrelevant") for at in range(N)]).headline == "all read"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["irrelevant", "unsure", "good", "poor", "no data", "waiting"]), max_size=25))
def test_every_situation_has_an_advice_that_keeps_its_paths(kinds: list[str]) -> None:
    events: list[Event] = []
    for at, kind in enumerate(kinds):
        events.append(label(at, kind if kind in ("irrelevant", "unsure") else "relevant"))
        if kind in ("good", "poor"):
            events.append(table(at, GOOD if kind == "good" else POOR))
        elif kind == "no data":
            events.append(outcome(at, kind))
    here = state(events)
    advice = advise(START, CALIBRATOR, P, here)
    assert advice == advise(START, CALIBRATOR, P, here, session_paths(START, CALIBRATOR, P, here))
    assert 0 < advice.b < 1 and 0 <= advice.facts.otherwise <= 1
    low, high = advice.facts.left[1:]
    assert 0 <= low <= high <= N and 0 <= advice.facts.left[0] <= N
    miss = state([*events, label(len(kinds), "irrelevant")])
    assert paths_key(START, miss) == paths_key(START, here)


def test_other_rules_stop_somewhere() -> None:
    here = state([label(0, "relevant"), table(0, GOOD)])
    stops = stopping_outcomes(START, CALIBRATOR, P, here, [Greedy(), Optimal(), LookAhead(2000), Budget(5)])
    path = REVIEWING.path(START, CALIBRATOR, P, here)
    assert [depth for depth, _ in stops][-1] == 5
    assert all(plus == path.chooses_plus(depth) for depth, plus in stops)


def test_the_trace_says_what_was_on_the_screen() -> None:
    events = stored([label(0, "relevant"), table(0, GOOD), label(1, "irrelevant"), label(2, "relevant")])
    rows = trace(START, {CALIBRATOR.digest: CALIBRATOR}, IDS, None, events)
    assert [row["studies"] for row in rows] == [0, 1, 1]
    assert rows[0]["report"] == "data" and rows[0]["tables"] == "Study 0: TP 38, FP 4, FN 3, TN 60"
    assert rows[2]["report"] == "waiting" and rows[1]["report"] == ""
    before = advise(START, CALIBRATOR, P, state(events[:2]))
    assert (rows[1]["b"], rows[1]["worth"], rows[1]["headline"]) == (before.b, before.worth, before.headline)
    assert "chance_otherwise" in trace_to_csv(rows).splitlines()[0]


def test_the_advice_follows_a_what_if() -> None:
    events = [label(0, "relevant"), table(0, GOOD)]
    here = state(events)
    strict = replace(START, theta=0.95)
    assert advise(strict, CALIBRATOR, P, here).b < advise(START, CALIBRATOR, P, here).b
    assert isinstance(session_paths(strict, CALIBRATOR, P, here).path, CumulativePath)


# --- what is still unread -------------------------------------------------------------------------


def test_in_one_stage_what_is_unread_is_told_from_the_tables_found() -> None:
    """A report without data was not what the chances are chances of, and one that waits says nothing yet."""
    one_stage = replace(START, stages=1, full_cost=0.0)
    here = state(
        [*(label(at, "relevant") for at in range(3)), table(0, GOOD), outcome(1, "no data")], one_stage
    )
    left = advise(one_stage, CALIBRATOR, P, here).facts.left
    read = np.arange(N) < 2
    told = CALIBRATOR.left(P, read, np.arange(N) < 1, np.arange(N) > 2)
    assert left == (told.mean, *told.interval())


def test_a_floor_counts_the_studies_found_also_from_another_starting_chance() -> None:
    floored = replace(START, engine="univariate", floor_studies=3)
    events = [event for at in range(4) for event in (label(at, "relevant"), table(at, GOOD))]
    standing = state([*events, label(4, "irrelevant")], floored)
    paths = session_paths(floored, CALIBRATOR, P, standing)
    others = [(changed, path) for assumption, changed, path in paths.others if assumption.b_0 is not None]
    assert len(others) == 2
    for changed, path in others:
        whole = session_paths(changed, CALIBRATOR, P, state([*events, label(4, "irrelevant")], changed)).path
        (allowed,) = REVIEWING.floors(changed, path).values()
        (expected,) = REVIEWING.floors(changed, whole).values()
        assert allowed[5] and (allowed[5:] == expected[5:]).all()
