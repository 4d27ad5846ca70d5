"""Expected and found: intervals, what all sessions say, what is offered, and what a rescaling does to a session."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.first_hit import first_hit_calibrator, fit_first_hits, read_cases
from tarstop_core.calibration.scores import scaled
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import sample
from tarstop_core.policies import Optimal
from tarstop_core.screening.advice import advise
from tarstop_core.screening.events import settings_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.live_check import (
    check_sentence,
    evidence_so_far,
    live_check,
    rescaled,
    scale_before,
    session_ratios,
)
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
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


def ratios(settings: Settings, calibrator: Calibrator, verdicts: str) -> np.ndarray:
    """What one session says against its chances."""
    found = session_ratios(settings, calibrator, P, read(settings, verdicts))
    assert found is not None
    return found


def test_one_list_says_what_was_expected_and_no_more() -> None:
    for verdicts, found in (("+---" * 10, 10), ("+" + "-" * 59, 1)):
        check = live_check(REVIEW, EVEN, P, read(REVIEW, verdicts))
        assert check is not None and check.offered is None and check.evidence.lists == 1
        assert (check.read, check.relevant) == (len(verdicts), found)
        assert f"Expected {check.low} to {check.high} included" in check_sentence(check, REVIEW)


def test_many_lists_warn_and_only_then_multiplying_is_offered() -> None:
    thin = np.random.default_rng(1).random((30, 60)) < 0.25 / 4
    few = [ratios(REVIEW, EVEN, "".join("-+"[int(hit)] for hit in each)) for each in thin]
    state = read(REVIEW, "+" + "-" * 59)
    check = live_check(REVIEW, EVEN, P, state, few)
    assert check is not None and check.evidence.warned and check.evidence.lists == 31
    evidence = evidence_so_far(REVIEW, EVEN, P, state, few)
    again = live_check(REVIEW, EVEN, P, state, few, evidence)
    assert again is not None and again.evidence is evidence and again == check
    assert check.offered is not None and check.offered < 1
    settings, reason = rescaled(REVIEW, check)
    assert settings.scale == pytest.approx(check.offered, abs=0.006) and "31 sessions" in reason
    usual = [ratios(REVIEW, EVEN, "+---" * 10)] * 12
    fits = live_check(REVIEW, EVEN, P, state, usual)
    assert fits is not None and not fits.evidence.warned and fits.offered is None


@pytest.mark.parametrize("verdicts", ["-" * 30, "--?--?-", "----+"])
def test_the_path_of_the_advice_says_as_much_about_the_chances(verdicts: str) -> None:
    search = replace(START, s=0.9, kappa=0.8, confirm_hits=False)
    state = read(search, verdicts)
    anew = session_ratios(search, SURE, P, state)
    # The path under another coverage is not that of the forecasts, so it is not used.
    for settings in (search, replace(search, kappa=0.5)):
        path = screening_path(settings, SURE, P, state)
        assert anew is not None and np.array_equal(anew, session_ratios(settings, SURE, P, state, path))


def test_a_remedy_begins_anew_and_taking_it_back_goes_on_where_it_was() -> None:
    labels = [Event("label", {"doc": doc, "label": "irrelevant"}) for doc in IDS[:50]]
    half = replace(REVIEW, scale=0.5)
    changed = [*labels[:40], settings_event(read(REVIEW, ""), half, "too many")]
    state = replay(REVIEW, IDS, changed)
    assert session_ratios(half, EVEN, P, state) is None, "no label fell to the new chances yet"
    check = live_check(half, EVEN, P, state)
    assert check is not None and check.evidence.lists == 0 and check.evidence.e_value == 1
    before = session_ratios(REVIEW, EVEN, P, state)
    assert before == pytest.approx(ratios(REVIEW, EVEN, "-" * 40))
    since = session_ratios(half, EVEN, P, replay(REVIEW, IDS, [*changed, *labels[40:]]))
    whole = EVEN.ratios(P, np.arange(N) < 50, np.zeros(N, bool), np.zeros(N, bool), scale=0.5)
    first = EVEN.ratios(P, np.arange(N) < 40, np.zeros(N, bool), np.zeros(N, bool), scale=0.5)
    assert since == pytest.approx(whole - first)
    back = [*changed, settings_event(state, REVIEW, "taken back"), *labels[40:]]
    assert session_ratios(REVIEW, EVEN, P, replay(REVIEW, IDS, back)) == pytest.approx(
        ratios(REVIEW, EVEN, "-" * 50)
    )


def test_labels_that_came_along_are_no_evidence() -> None:
    labels = dict.fromkeys(IDS[:9], "relevant")
    came = {"labels": labels, "ranks": list(range(1, 10)), "source": "a.csv", "notes": {}, "reasons": {}}
    kept = Event("kept", came)
    assert session_ratios(REVIEW, EVEN, P, replay(REVIEW, IDS, [kept])) is None


def test_searches_whose_hits_come_late_warn_together() -> None:
    """Within one search patents can never warn; over many they do, and then misses are no reason to keep silent."""
    misses = ratios(START, SURE, "-" * 40)
    late = [ratios(replace(START, confirm_hits=False), SURE, "-" * 39 + "+")] * 5
    state = read(START, "-" * 40)
    alone, together = (live_check(START, SURE, P, state, others) for others in ((), [misses] * 9 + late))
    assert (
        alone is not None
        and not alone.evidence.warned
        and "One session alone" in check_sentence(alone, START)
    )
    assert together is not None and together.evidence.warned and together.misses is not None
    assert "15 sessions" in check_sentence(together, START)


def test_what_is_still_unread_is_not_corrected_twice() -> None:
    state = read(REVIEW, "+" + "-" * 59)
    once = advise(REVIEW, EVEN, P, state).facts
    twice = advise(replace(REVIEW, scale=0.26), EVEN, P, state).facts
    assert once is not None and twice is not None and once.left == twice.left


def test_unsure_documents_are_left_out() -> None:
    with_unsure = live_check(REVIEW, EVEN, P, read(REVIEW, "+---????"))
    assert with_unsure is not None and (with_unsure.read, with_unsure.relevant) == (4, 1)
    assert re.search(
        r"of .* 1 document .*\(1 unsure\), found 0",
        check_sentence(live_check(REVIEW, EVEN, P, read(REVIEW, "-?")), REVIEW),
    )
    assert re.search(r"among .* 4 documents .*\(4 unsure\), found 1", check_sentence(with_unsure, REVIEW))
    assert live_check(REVIEW, EVEN, P, read(REVIEW, "??")) is None
    assert "Once you have read" in check_sentence(None, REVIEW)


def test_misses_in_a_patent_speak_against_existence() -> None:
    state = read(START, "-" * 40)
    check = live_check(START, SURE, P, state)
    assert check is not None and check.outside and check.offered is None
    assert check.misses == pytest.approx(0.75**40)
    assert "If prior art exists" in check_sentence(check, START)


def test_chances_that_go_by_rank_go_by_the_places_that_were_judged() -> None:
    # Where a list holds a hit, the first k hold none with chance exp(−√(k/10)).
    one_kind = {"kind": "rank-frailty", "list_kinds": ((1.0, 0.0, 0.5, 0.0),)}
    by_rank = replace(SURE, **one_kind)  # type: ignore[arg-type]
    check = live_check(START, by_rank, by_rank.probabilities(None, N), read(START, "--??-"))
    judged = math.sqrt(0.2) + math.sqrt(0.5) - math.sqrt(0.4)
    assert check is not None and check.misses == pytest.approx(math.exp(-judged))


def test_kappa_and_reading_sensitivity_count_in_patents() -> None:
    state = read(START, "-" * 4)
    half = live_check(replace(START, s=0.5), SURE, P, state)
    assert half is not None and half.misses == pytest.approx(0.875**4)
    covered = live_check(replace(START, kappa=0.5), SURE, P, state)
    assert covered is not None and covered.misses == pytest.approx(1 - 0.5 * (1 - 0.75**4))


def test_chances_of_a_first_hit_expect_one_at_most() -> None:
    memory = first_hit_calibrator(fit_first_hits(read_cases("2, 4, 9")), "mine")
    p = memory.probabilities(None, N)
    before = live_check(START, memory, p, read(START, "-" * 30))
    assert before is not None and before.offered is None
    assert before.misses == pytest.approx(float(np.prod(1 - p[:30])))
    at_once = replace(START, confirm_hits=False)
    check = live_check(at_once, memory, p, read(at_once, "---+"))
    assert check is not None and (check.low, check.high, check.relevant, check.misses) == (0, 1, 1, None)
    assert check.evidence.lists == 1 and check.evidence.e_value != 1


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
        assert reason in page and "multiplied by: 1 → 0.31" in page
        assert "among the 8 documents read" in page
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
    assert live_check(one_stage, EVEN, P, state).relevant == 0  # type: ignore[union-attr]
    told = [Report("data", study="Lee", rows=(AccuracyRow("Lee", 9, 1, 2, 4),)), Report("no data")]
    events = [Event("label", {"doc": IDS[at], "label": "relevant"}) for at in range(3)]
    events += [Event("report", {"doc": doc, **each.to_dict()}) for doc, each in zip(IDS, told, strict=False)]
    check = live_check(one_stage, EVEN, P, replay(one_stage, IDS, events))
    # The third waits: it is not known whether it brings data.
    assert check is not None and (check.read, check.relevant) == (2, 1)


def test_a_hit_that_waits_for_confirmation_settles_nothing_yet() -> None:
    waiting = read(START, "----+")
    check = live_check(START, SURE, P, waiting)
    assert (
        check is not None
        and (check.read, check.relevant) == (4, 0)
        and check.misses == pytest.approx(0.75**4)
    )
    said = check_sentence(check, START)
    assert "4 documents judged (1 waits" in said and "none is confirmed" in said
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
    assert check is not None and (check.read, check.relevant, check.misses) == (5, 1, None)
