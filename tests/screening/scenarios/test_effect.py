"""A review of an intervention in a session: effects that reports bring, the belief, the advice, and what leaves."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from tarstop_core.documents.reports import AccuracyRow, EffectRow, Report, collect, studies_of
from tarstop_core.effects.beliefs import belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice, EffectFacts
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event, check_event
from tarstop_core.screening.paths import chances
from tarstop_core.screening.report_entry import ReportDraft, table_rows
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.effect import EFFECT, effect_studies
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.state import State
from tarstop_core.screening.typed_numbers import TypedEffect, fields_of
from tarstop_core.value.payoffs import Option
from tests.effects.golden import studies_of as published

IDS = [f"d{at}" for at in range(60)]
CALIBRATOR = calibrators()[default_calibrator(False, True, "inclusion")]
START = replace(
    EffectSettings.beginning(plus="Adopt", minus="Don’t adopt"),
    calibrator=CALIBRATOR.digest,
    outcome="tuberculosis",
    delta=0.8,
)
BCG = published("bcg")


def effect(at: int) -> EffectRow:
    return EffectRow(BCG.study[at], Form.EVENTS, tuple(BCG.values[at].tolist()))


def log(studies: int, read: int = 30) -> list[Event]:
    """Every second document is included, and the first of them bring studies."""
    labels = [
        Event("label", {"doc": IDS[at], "label": ("irrelevant", "relevant")[at % 2 == 0]})
        for at in range(read)
    ]
    reports = [
        Event(
            "report",
            {"doc": IDS[2 * at], **Report("data", study=BCG.study[at], rows=(effect(at),)).to_dict()},
        )
        for at in range(studies)
    ]
    return [*labels, *reports]


def state(studies: int, settings: EffectSettings = START) -> State:
    return replay(settings, IDS, log(studies))


def advice(studies: int, settings: EffectSettings = START) -> Advice:
    now = state(studies, settings)
    return advise(settings, CALIBRATOR, chances(settings, CALIBRATOR, None, now), now)


def test_settings_come_back_from_json() -> None:
    for settings in (START, replace(START, measure="generic", ratio=True, baseline=0.1, engine="normal")):
        content = json.loads(json.dumps(settings.to_dict()))
        assert read_settings(content) == settings
        assert "theta" not in content and "prior" not in content


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"measure": "HR"}, "The measure is 'HR'"),
        ({"delta": 0.0}, "a ratio is above 0"),
        ({"engine": "reml"}, "choose exact or normal"),
        ({"measure": "MD", "engine": "exact"}, "is for odds ratios"),
    ],
)
def test_settings_that_cannot_be_are_refused(changed: dict[str, object], words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        replace(START, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(("outcome", "told"), [("tuberculosis", "tuberculosis"), ("", "not named")])
def test_the_settings_name_the_outcome(outcome: str, told: str) -> None:
    assert ("Outcome", told) in EFFECT.settings_rows(replace(START, outcome=outcome))


def test_the_threshold_in_words_names_what_the_number_is_of() -> None:
    assert "odds ratio" in EFFECT.threshold_in_words(START)


def test_the_advice_has_the_beliefs_of_the_core() -> None:
    for studies in (0, 1, 3, 13):
        said, of = advice(studies), BCG.first(studies)
        core = belief_of_effect(of, START.target, b_0=START.b_0)
        assert said.b == pytest.approx(core.beliefs[-1], abs=1e-9)
        assert isinstance(said.facts, EffectFacts) and said.facts.studies == studies
        assert said.facts.new_setting == pytest.approx(core.new_setting)
        low, high = said.facts.settings_beyond[1:]
        assert 0 <= low <= said.facts.settings_beyond[0] <= high <= 1
        if studies:
            assert core.mu is not None and core.se is not None and said.facts.estimate is not None
            ends = [core.mu, *norm.interval(0.95, core.mu, core.se)]
            assert np.log(said.facts.estimate) == pytest.approx(ends, abs=1e-6)


def test_what_the_usual_pooling_would_choose_may_be_another_option_than_the_two() -> None:
    """After three trials the chance is .996, and .9999 by the usual pooling; from .999 on the third option is best."""
    at_once = Option("Adopt at once", 0.25035, -0.6)
    settings = replace(START, payoffs=replace(START.payoffs, others=(at_once,)))
    assert EFFECT.second_opinion(START, state(3)) == "" and at_once.name in EFFECT.second_opinion(
        settings, state(3, settings)
    )


def test_reports_are_kept_in_the_log_and_rows_of_another_question_wait() -> None:
    events = log(2)
    for event in events:
        check_event(replace(event, time="2026-01-01T00:00:00+00:00"))
    kept = Report.from_dict(json.loads(json.dumps(events[-1].payload)))
    assert kept.rows == (effect(1),)
    accuracy = Report("data", study="Lee", rows=(AccuracyRow("Lee", 9, 1, 2, 4),))
    mixed = [*events, Event("report", {"doc": IDS[4], **accuracy.to_dict()})]
    here = replay(START, IDS, mixed)
    assert len(here.evidence) == 2 and 4 in here.waiting
    there = replay(ReviewSettings.beginning(), IDS, mixed)
    assert len(there.evidence) == 1 and there.evidence.tables.study == ("Lee",)
    other_measure = replay(replace(START, measure="MD"), IDS, mixed)
    assert not len(other_measure.evidence) and other_measure.settings.measure == "MD"


def test_an_effect_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputProblem, match="more events than people"):
        EffectRow("Lee", Form.EVENTS, (9.0, 4.0, 1.0, 5.0))
    with pytest.raises(InputProblem, match="are required"):
        EffectRow("Lee", Form.ERRORS, (9.0, float("nan")))
    with pytest.raises(InputProblem, match="lacks numbers"):
        Report.from_dict({"outcome": "data", "effects": [{"study": "Lee", "effect": 1.0}]})


def test_estimates_given_in_several_ways_become_one_set() -> None:
    rows = (EffectRow("a", Form.LIMITS, (0.8, 0.5, 1.28)), EffectRow("b", Form.LOGRANK, (-3.0, 12.0)))
    mixed = studies_of(rows, ratio=True)
    sizes = mixed.sizes(Measure.GENERIC, ratio=True)
    apart = [studies_of((row,)).sizes(Measure.GENERIC, ratio=True) for row in rows]
    np.testing.assert_allclose(sizes.y, [size.y[0] for size in apart])
    np.testing.assert_allclose(sizes.v, [size.v[0] for size in apart])


def test_the_same_effect_of_one_study_counts_once() -> None:
    report = Report("data", study="Lee", rows=(replace(effect(0), study="Lee"),))
    collected = collect({3: report, 8: report})
    assert len(collected) == 1 and len(collected.notes) == 1


def test_what_leaves_has_the_numbers_of_the_studies() -> None:
    now = state(2)
    first, second = table_rows(now, IDS)
    assert first["events_treated"] == 4 and first["n_treated"] == 123 and second["rank"] == 3
    said = advice(2)
    basis = EFFECT.decision_basis(said, START, said.plus, 0.0)
    assert basis["measure"] == "OR" and basis["delta"] == 0.8 and basis["studies"] == 2
    assert "tables" in EFFECT.columns(said.facts, now, IDS, 0)
    assert EFFECT.pooled(START, now) and not EFFECT.pooled(START, state(0))
    assert EFFECT.incomplete(said, START)
    assert effect_studies(START, now.evidence).study == BCG.study[:2]


def typed(measure: Measure = Measure.OR, ratio: bool = True, **cells: str) -> TypedEffect:
    """By column and form: `EVENTS__n_treated`."""
    return TypedEffect(measure, ratio).typed(
        "", {name.replace("__", "-"): text for name, text in cells.items()}
    )


def events(*texts: str) -> TypedEffect:
    return typed(**{f"EVENTS__{name}": text for name, text in zip(Form.EVENTS.columns, texts, strict=True)})


def test_what_is_typed_becomes_an_effect_and_comes_back() -> None:
    draft = ReportDraft(study="Lee 2004", tables=(events("4", "123", "11", "139"),))
    report = draft.report("#3")
    (row,) = report.rows
    assert row.numbers == dict(zip(Form.EVENTS.columns, (4, 123, 11, 139), strict=True))
    again = ReportDraft.of(report, "", TypedEffect(Measure.OR, True))
    assert again.report("#3") == report and again.another().tables[1].is_typed is False
    assert not draft.doubts(report)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (events("9", "4", "1", "5"), "more events than people"),
        (events("5 %", "40", "1", "5"), "not a percentage"),
        (events("5", "", "1", "5"), "People, treated missing"),
        (events("1.5", "40", "1", "5"), "whole number"),
        (TypedEffect(Measure.OR), "You typed no numbers"),
        (typed(Measure.GENERIC, LIMITS__effect="1.5", LIMITS__low="2", LIMITS__high="3"), "do not enclose"),
        (typed(Measure.GENERIC, ERRORS__effect="1", ERRORS__se="0"), "not above 0"),
        (typed(Measure.GENERIC, ERRORS__effect="1", ERRORS__se="x"), "give a number"),
        (typed(Measure.GENERIC, ERRORS__effect="1", LOGRANK__v="2"), "are both filled in"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_mend(given: TypedEffect, words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        ReportDraft(study="Lee", tables=(given,)).report("#1")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (events("0", "40", "0", "39"), "No event in either arm"),
        (typed(Measure.GENERIC, LIMITS__effect="0.8", LIMITS__low="0.3", LIMITS__high="1"), "not symmetric"),
    ],
)
def test_what_looks_odd_is_said_before_it_counts(given: TypedEffect, words: str) -> None:
    draft = ReportDraft(study="Lee", tables=(given,))
    assert words in draft.doubts(draft.report("#1"))


def test_a_stored_effect_whose_form_was_left_as_it_is_may_be_excluded() -> None:
    row = EffectRow("Lee 2004", Form.ERRORS, (1.5, 0.2))
    stored = ReportDraft.of(Report("data", study="Lee 2004", rows=(row,)), "", TypedEffect(Measure.GENERIC))
    (table,) = stored.tables
    in_form = {name: table.field(name) for name in fields_of(table)}
    excluded = replace(stored, outcome="excluded", reason="Wrong test", tables=(table.typed("", in_form),))
    assert excluded.report("#1") == Report("excluded", "Wrong test", "Lee 2004")
    changed = in_form | {f"{Form.ERRORS.name}-effect": "1.6"}
    with pytest.raises(InputProblem, match="clear them"):
        replace(excluded, tables=(table.typed("", changed),)).report("#1")


def test_another_order_of_the_documents_leads_to_the_same_belief() -> None:
    def belief(order: Sequence[int]) -> float:
        reports = {at: Report("data", study=BCG.study[i], rows=(effect(i),)) for at, i in enumerate(order)}
        return EFFECT.states(START, collect(reports))[-1].b

    assert belief([0, 1, 2, 3]) == pytest.approx(belief([3, 1, 0, 2]), abs=1e-7)


def test_as_many_studies_as_the_settings_ask_for_are_enough() -> None:
    for least, enough in ((2, True), (3, True), (4, False)):
        settings = replace(START, least_studies=least)
        assert (EFFECT.lacking(settings, replay(settings, IDS, log(3))) == "") == enough
