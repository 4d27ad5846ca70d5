"""Expected and found: intervals, factors, what is offered, and what a rescaling does to a session."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma

from tarstop_core.calibration.calibration_monitor import PRIOR_SHAPE, factor
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.first_hit import first_hit_calibrator, fit_first_hits, read_cases
from tarstop_core.calibration.scores import scaled
from tarstop_core.documents.reports import Report, Row
from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import sample
from tarstop_core.policies import Optimal
from tarstop_core.screening.advice import advise
from tarstop_core.screening.events import settings_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.live_check import check_sentence, live_check, rescaled, scale_before
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import REVIEW, SEEN, START, a_collection, a_review, before_import, log

N = 80
IDS = [f"d{at}" for at in range(N)]
EVEN = Calibrator("rank", "inclusion", x=(0.0, 5.0), y=(0.25, 0.25), fitted_on=SEEN, dispersion=4.0)
SURE = replace(EVEN, scenario="patent")
P = np.full(N, 0.25)


def read(settings: Settings, verdicts: str) -> State:
    """A state after verdicts: "+" relevant, "-" irrelevant, "?" unsure."""
    names = {"+": "relevant", "-": "irrelevant", "?": "unsure"}
    events = [Event("label", {"doc": IDS[at], "label": names[each]}) for at, each in enumerate(verdicts)]
    return replay(settings, IDS, events)


def test_a_list_that_brings_what_was_said_is_left_alone() -> None:
    check = live_check(REVIEW, EVEN, P, read(REVIEW, "+---" * 10))
    assert check is not None and not check.outside and not check.offered
    assert (check.read, check.found, check.expected) == (40, 10, pytest.approx(10.0))
    assert "the chances fit this list so far" in check_sentence(check, REVIEW)


def test_far_fewer_than_expected_offers_a_factor_drawn_towards_one() -> None:
    check = live_check(REVIEW, EVEN, P, read(REVIEW, "+" + "-" * 59))
    assert check is not None and check.offered and not check.warned and check.factor_high < 1
    assert check.factor == pytest.approx((4 + 1) / (4 + 15))
    assert check.factor_low < check.factor < check.factor_high
    assert (
        f"Expected {check.low} to {check.high} included among the 60 documents read, found 1"
        in check_sentence(check, REVIEW)
    )
    settings, reason = rescaled(REVIEW, check)
    assert settings.scale == 0.26
    assert reason.startswith("Chances multiplied by 0.26: expected ") and reason.endswith("found 1.")


def test_asking_again_counts_nothing_twice() -> None:
    """The proposal rests on the chances as fitted, so scaling does not change it."""
    state = read(REVIEW, "+" + "-" * 59)
    first = live_check(REVIEW, EVEN, P, state)
    assert first is not None
    settings, _ = rescaled(REVIEW, first)
    again = live_check(settings, EVEN, P, state)
    assert again is not None and again.factor == first.factor and not again.outside
    assert rescaled(settings, again)[0] == settings


def test_what_is_still_unread_is_not_corrected_twice() -> None:
    state = read(REVIEW, "+" + "-" * 59)
    once = advise(REVIEW, EVEN, P, state).facts
    twice = advise(replace(REVIEW, scale=0.26), EVEN, P, state).facts
    assert once is not None and twice is not None and once.left == twice.left


def test_unsure_documents_are_left_out() -> None:
    with_unsure = live_check(REVIEW, EVEN, P, read(REVIEW, "+---????"))
    assert with_unsure is not None and with_unsure.read == 4 and with_unsure.expected == pytest.approx(1.0)
    assert "of the 1 document judged (1 unsure), found 0" in check_sentence(
        live_check(REVIEW, EVEN, P, read(REVIEW, "-?")), REVIEW
    )
    assert "among the 4 documents judged (4 unsure), found 1" in check_sentence(with_unsure, REVIEW)
    assert live_check(REVIEW, EVEN, P, read(REVIEW, "??")) is None
    assert "once documents are read" in check_sentence(None, REVIEW)


def test_misses_in_a_patent_speak_against_existence_and_are_not_counted_again() -> None:
    state = read(START, "-" * 40)
    check = live_check(START, SURE, P, state)
    assert check is not None and check.outside and not check.offered
    assert check.misses == pytest.approx(0.75**40)
    said = check_sentence(check, START)
    assert "If prior art exists" in said and "are not lowered as well" in said
    assert "still multiplied" not in said
    # A rescaling for a hit that was rejected since is not passed over.
    assert "still multiplied by 0.5" in check_sentence(check, replace(START, scale=0.5))


def test_kappa_and_reading_sensitivity_count_in_patents() -> None:
    state = read(START, "-" * 4)
    half = live_check(replace(START, s=0.5), SURE, P, state)
    assert half is not None and half.expected == pytest.approx(0.5)
    assert half.misses == pytest.approx(0.875**4)
    covered = live_check(replace(START, kappa=0.5), SURE, P, state)
    assert covered is not None and covered.misses == pytest.approx(1 - 0.5 * (1 - 0.75**4))


def test_once_something_was_found_the_chances_of_a_patent_can_be_scaled() -> None:
    at_once = replace(START, confirm_hits=False)
    check = live_check(at_once, SURE, P, read(at_once, "-" * 59 + "+"))
    assert check is not None and check.misses is None and check.offered


def test_chances_of_a_first_hit_do_not_add_up() -> None:
    memory = first_hit_calibrator(fit_first_hits(read_cases("2, 4, 9")), "mine")
    p = memory.probabilities(None, N)
    before = live_check(START, memory, p, read(START, "-" * 30))
    assert before is not None and not before.offered
    assert before.misses == pytest.approx(float(np.prod(1 - p[:30])))
    at_once = replace(START, confirm_hits=False)
    assert live_check(at_once, memory, p, read(at_once, "---+")) is None


@given(st.floats(0, 200), st.integers(0, 100), st.one_of(st.just(math.inf), st.floats(0.1, 50)))
def test_the_factor_lies_between_one_and_what_was_seen(
    expected: float, found: int, dispersion: float
) -> None:
    mean, low, high = factor(expected, found, dispersion)
    ends = sorted((1.0, found / expected)) if expected > 0 else [1.0, math.inf]
    assert ends[0] - 1e-9 <= mean <= ends[1] + 1e-9
    assert low < high


def test_factors_cover_in_simulation() -> None:
    """Lists whose chances are off by a gamma factor: 90 % intervals hold in about 90 %."""
    rng = np.random.default_rng(2)
    shape, expected, draws = PRIOR_SHAPE, 12.0, 4000
    true = rng.gamma(shape, 1 / shape, draws)
    found = rng.poisson(true * expected)
    ends = gamma.ppf([[0.05], [0.95]], shape + found, scale=1 / (shape + expected))
    assert np.mean((ends[0] <= true) & (true <= ends[1])) == pytest.approx(0.9, abs=0.015)
    assert factor(expected, int(found[0]), shape)[1:] == pytest.approx(ends[:, 0])


def test_a_scale_scales_every_path_as_explore_does() -> None:
    state = read(START, "---")
    p = np.linspace(0.9, 0.01, N)
    by_settings = screening_path(replace(START, scale=0.4), SURE, p, state)
    by_factor = screening_path(START, SURE, p, state, 0.4)
    assert np.array_equal(by_settings.b, by_factor.b) and np.array_equal(by_settings.p, scaled(p, 0.4))
    both = screening_path(replace(START, scale=0.4), SURE, p, state, 2.0)
    assert np.allclose(both.p, scaled(p, 0.8))
    assert replace(START, scale=0.4).paper_mode().scale == 1


def test_explore_plays_what_replay_says_under_a_scale() -> None:
    explored = sample("search:antenna-mount")
    settings = replace(explored.settings, scale=0.05)
    depth = int(Optimal().depths(explored.played(settings), [settings.cost])[0])
    assert depth == explored.replayed(Optimal(), settings).depth
    assert depth < explored.replayed(Optimal(), explored.settings).depth


def test_a_scale_is_a_positive_number() -> None:
    for wrong in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(InputProblem, match="multiplied by"):
            replace(START, scale=wrong)


def test_old_settings_are_read_with_a_scale_of_one_and_leave_as_they_came() -> None:
    old = START.to_dict()
    assert "scale" not in old and read_settings(old).scale == 1
    moved = replace(START, scale=0.3)
    assert read_settings(moved.to_dict()) == moved


def test_taking_back_returns_to_the_scale_before() -> None:
    events = [
        Event("settings", {"settings": replace(START, scale=value, cost=cost).to_dict()})
        for value, cost in ((0.5, 5.0), (0.5, 6.0), (0.3, 6.0))
    ]
    assert scale_before(START, events[:1]) == 1.0
    assert scale_before(START, events[:2]) == 1.0
    assert scale_before(START, events) == 0.5
    assert scale_before(START, []) == 1.0


def test_a_rescaling_is_logged_exported_and_reported(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("rescaled")
    with Store(f"sqlite:///{folder}/a.db") as store, Store(f"sqlite:///{folder}/b.db") as elsewhere:
        session = a_review(store)
        state = session_snapshot(store, session).state
        reason = "Chances multiplied by 0.31: expected 2 to 7 relevant among the 8 documents read, found 2."
        log(store, session, settings_event(state, replace(state.settings, scale=0.31), reason))
        whole = session_snapshot(store, session)
        assert whole.state.settings.scale == 0.31
        page = report_html(whole)
        assert reason in page and "Chances of the documents multiplied by: 1 → 0.31" in page
        assert "relevant among the 8 documents read" in page
        text = export_session(store, session)
        taken = import_session(elsewhere, text, "session.json")
        assert before_import(export_session(elsewhere, taken)) == text


def test_with_a_plan_it_is_a_deviation(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("planned")
    with Store(f"sqlite:///{folder}/a.db") as store:
        session = store.create_session(
            "Planned", a_collection(store), list(range(30)), None, REVIEW, "a test", "own order"
        )
        log(store, session, Event("plan", {"settings": REVIEW.to_dict(), "records": "x"}))
        state = session_snapshot(store, session).state
        log(store, session, settings_event(state, replace(REVIEW, scale=0.5), "Found 1, expected 4 to 9."))
        [deviation] = session_snapshot(store, session).state.deviations
        assert deviation.payload["reason"] == "Found 1, expected 4 to 9."


def test_in_one_stage_only_reports_with_data_come_true() -> None:
    """The chances there are of bringing a 2×2 table, whatever was thought of the abstract."""
    one_stage = replace(REVIEW, stages=1, full_cost=0.0)
    state = read(one_stage, "+++" + "-" * 5)
    assert live_check(one_stage, EVEN, P, state).found == 0  # type: ignore[union-attr]
    told = [Report("data", study="Lee", rows=(Row("Lee", 9, 1, 2, 4),)), Report("no data")]
    events = [Event("label", {"doc": IDS[at], "label": "relevant"}) for at in range(3)]
    events += [Event("report", {"doc": doc, **each.to_dict()}) for doc, each in zip(IDS, told, strict=False)]
    check = live_check(one_stage, EVEN, P, replay(one_stage, IDS, events))
    # The third waits: it is not known whether it brings data.
    assert check is not None and (check.read, check.found) == (2, 1)


def test_a_hit_that_waits_for_confirmation_settles_nothing_yet() -> None:
    waiting = read(START, "----+")
    check = live_check(START, SURE, P, waiting)
    assert (
        check is not None and (check.read, check.found) == (4, 0) and check.misses == pytest.approx(0.75**4)
    )
    said = check_sentence(check, START)
    assert "among the 4 documents judged (1 waits for confirmation); none is confirmed." in said
    confirmed = replay(
        START,
        IDS,
        [
            *(Event("label", {"doc": IDS[at], "label": "irrelevant"}) for at in range(4)),
            Event("label", {"doc": IDS[4], "label": "relevant"}),
            Event("confirm", {"doc": IDS[4], "holds": True}),
        ],
    )
    check = live_check(START, SURE, P, confirmed)
    assert check is not None and (check.read, check.found, check.misses) == (5, 1, None)
