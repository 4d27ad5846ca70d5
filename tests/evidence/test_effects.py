"""Studies of an intervention: figures, sentences, the report, and what risk of bias changes, against the engines."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy.special import ndtr

from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.bias import Bias
from tarstop_core.effects.measures import Engine, Measure
from tarstop_core.effects.normal import believe, prior_for
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.evidence import effect_figures, effect_report, effect_words, words
from tarstop_core.evidence.curve_figures import belief_by_study, value_of_more
from tarstop_core.evidence.effects import EffectEvidence, effect_evidence
from tarstop_core.evidence.report import About, risk_rows
from tarstop_core.evidence.study_figures import leave_one_out
from tarstop_core.presentation.pictures import fluid, still
from tarstop_core.value.payoffs import Payoffs
from tests.branches import every_branch
from tests.effects.golden import sets, sizes_of, studies_of

HALF = Payoffs.from_q_star(0.5)
OR, RD = EffectTarget(Measure.OR, 0.8, False, True), EffectTarget(Measure.RD, 0.0, True, False)
Figure = dict[str, Any]
DRAWN: dict[str, Callable[..., Figure]] = {
    "forest": effect_figures.forest,
    "cumulative": effect_figures.cumulative,
    "funnel": effect_figures.funnel,
    "labbe": effect_figures.labbe,
    "belief": belief_by_study,
    "without": leave_one_out,
    "value": value_of_more,
}

WITHOUT_PAYOFFS = ("forest", "funnel", "labbe")


def events(*rows: tuple[float, ...], bias: tuple[Bias | None, ...] = ()) -> Studies:
    names = tuple(f"S {at}" for at in range(len(rows)))
    return Studies(names, Form.EVENTS, np.array(rows, dtype=float).reshape(-1, 4), bias)


FOUR = ((3, 40, 9, 50), (0, 20, 2, 22), (11, 90, 19, 88), (5, 33, 4, 35))
RISKS = (Bias.LOW, Bias.HIGH, None, Bias.SOME)
STATES = {
    "none": events(),
    "one": events(FOUR[0]),
    "two": events(*FOUR[:2]),
    "silent alone": events((0, 20, 0, 30)),
    "judged": events(*FOUR, bias=RISKS),
    "incomplete": events(FOUR[0], (np.nan,) * 4, FOUR[2]),
    "sixty-five": events(*((3 + at % 5, 40 + at, 6 + at % 3, 44 + at) for at in range(65))),
}


@pytest.mark.parametrize("engine", ["exact", "normal", "reml", "fe"])
@pytest.mark.parametrize("state", STATES)
def test_every_figure_and_sentence_is_one_in_every_state(state: str, engine: Engine) -> None:
    of = EffectEvidence(STATES[state], OR, engine)
    for name, draw in DRAWN.items():
        figure = draw(of, *(() if name in WITHOUT_PAYOFFS else (HALF,)), dark=True, simulated=True)
        go.Figure(figure)
        json.dumps(figure, allow_nan=False)
        fluid(figure, "words"), still(figure, "words")
    about = (effect_words.forest_sentence, effect_words.funnel_sentence, effect_words.labbe_sentence)
    assert all(sentence(of) for sentence in about)
    assert effect_words.cumulative_sentence(of, HALF) and words.path_sentence(of, HALF)
    assert effect_words.reviewed_sentence(of) and effect_words.remarks(of, Payoffs.from_q_star(0.5))
    for rows in (effect_report.study_rows, effect_report.cumulative_rows):
        assert len(rows(of)) == len(of)
    assert "<main>" in effect_report.effect_report(of, HALF, About(name="A <b>name", at="now")) or not len(of)


def test_intervals_of_trials_that_agree_are_drawn_whole() -> None:
    """Estimates that lie close make no axis that cuts every interval off."""
    of = EffectEvidence(events((49, 615, 67, 624), (44, 758, 64, 771)), OR, "exact")
    low, high = effect_figures.forest(of)["layout"]["xaxis"]["range"]
    for part in (of.estimates, of.pooled):
        assert (low < part.low).all() and (part.high < high).all()


@pytest.mark.parametrize("name", ["bcg", "nielweise2007"])
@pytest.mark.parametrize("engine", ["exact", "normal", "reml"])
def test_what_is_said_is_what_the_engine_says(name: str, engine: Engine) -> None:
    studies = studies_of(name)
    of, found = EffectEvidence(studies, OR, engine), belief_of_effect(studies, OR, engine)
    assert of.belief == found.beliefs[-1]
    assert of.cumulative.value[-1] == pytest.approx(found.mu)
    assert np.nansum(of.weights) == pytest.approx(1)
    left = [
        belief_of_effect(studies.only([at for at in range(len(studies)) if at != out]), OR, engine).beliefs[
            -1
        ]
        for out in range(0, len(studies), 4)
    ]
    assert of.without.beliefs[::4] == pytest.approx(left, abs=1e-6)


def test_other_methods_are_those_of_metafor() -> None:
    golden = sets()["bcg"]["measures"]["OR"]["prefix"][-1]
    rows = {row.method: row for row in EffectEvidence(studies_of("bcg"), OR, "exact").reviewed}
    for method in ("FE", "DL", "REML", "ML", "PM"):
        there = golden[method]
        assert rows[method].est == pytest.approx(there["est"], abs=1e-6)
        if method != "FE":
            assert rows[method].tau2 == pytest.approx(there["tau2"], abs=1e-6)
            assert pytest.approx(there["I2"], abs=1e-4) == rows[method].I2
    assert {"Mantel–Haenszel", "Peto"} < set(rows)
    exact = sets()["bcg"]["exact"]["conditional_ml"]
    assert rows["GLMM CM.EL"].est == pytest.approx(exact["mu"], abs=1e-5)
    assert rows["GLMM CM.EL"].tau2 == pytest.approx(exact["tau2"], abs=1e-5)


def test_other_corrections_are_those_of_metafor() -> None:
    for name, measure in (("nielweise2007", Measure.RR), ("gibson2002", Measure.SMD)):
        golden = sets()[name]["measures"][measure.value]["full"]
        of = EffectEvidence(
            studies_of(name), EffectTarget(measure, 1.0, False, measure is Measure.RR), "normal"
        )
        rows = {row.method: row for row in of.reviewed}
        for method, key in (
            ("REML, studies without events kept", "REML_keep00"),
            ("REML, ½ added to every study", "REML_add_to_all"),
            ("REML, unbiased variances", "REML_vtypeUB"),
        ):
            assert (method in rows) == (key in golden)
            if key in golden:
                assert rows[method].est == pytest.approx(golden[key]["est"], abs=1e-6)


def test_mixed_models_are_left_out_where_trials_are_giants() -> None:
    giant = EffectEvidence(events((4000, 90000, 4100, 90000), (3, 30, 5, 30)), OR, "exact")
    assert not any(row.method.startswith("GLMM") for row in giant.reviewed)


@pytest.mark.parametrize("engine", ["exact", "normal", "reml"])
def test_high_risk_is_left_out_or_counts_for_half(engine: Engine) -> None:
    of = EffectEvidence(events(*FOUR, bias=RISKS), OR, engine)
    (_, every), (_, without), (_, reduced) = of.by_risk
    assert every is of and without.names == ("S 0", "S 2", "S 3")
    alone = belief_of_effect(events(FOUR[0], *FOUR[2:]), OR, engine).beliefs[-1]
    assert without.belief == pytest.approx(alone)
    beliefs = [float(b or 0) for b in (every.belief, reduced.belief, without.belief)]
    assert beliefs == sorted(beliefs) or beliefs == sorted(beliefs, reverse=True)
    assert len(risk_rows(of, HALF)) == 3
    assert risk_rows(replace(of, studies=events(*FOUR)), HALF) == []


def test_half_the_evidence_is_twice_the_variance() -> None:
    studies = events(*FOUR, bias=RISKS)
    sizes = studies.sizes(Measure.OR)
    v = sizes.v * np.where([risk is Bias.HIGH for risk in RISKS], 2, 1)
    doubled = 1 - believe(sizes.y, v, prior_for(Measure.OR, OR.scaled, above=False)).above(OR.scaled)[-1]
    (*_, (_, reduced)) = EffectEvidence(studies, OR, "normal").by_risk
    assert reduced.belief == pytest.approx(doubled)


def test_more_studies_by_a_pooled_estimate_are_the_closed_form() -> None:
    of = EffectEvidence(studies_of("bcg"), replace(OR, delta=0.55), "fe")
    path, v = of.drawn_path, sizes_of("bcg", "OR").v
    assert path.mu is not None and path.se is not None
    more = of.more_studies(HALF)
    assert more is not None and (np.diff(more.evsi) >= 0).all() and more.evsi[-1] <= more.evpi
    r = path.se / np.hypot(path.se, np.sqrt(np.median(v)))
    z = np.random.default_rng(0).standard_normal(400_000)
    after = ndtr((np.log(0.55) - path.mu + r * path.se * z) / (path.se * np.sqrt(1 - r**2)))
    drawn = np.maximum(after - 0.5, 0).mean() - max(0, float(of.belief or 0) - 0.5)
    assert more.evsi[0] == pytest.approx(drawn, abs=4e-4)


def test_arms_exchanged_and_signs_turned_change_nothing() -> None:
    one = EffectEvidence(events(*FOUR), RD, "normal")
    turned = EffectEvidence(
        events(*((c, d, a, b) for a, b, c, d in FOUR)), replace(RD, above=False), "normal"
    )
    assert one.belief == pytest.approx(turned.belief)
    assert one.estimates.value == pytest.approx(-turned.estimates.value)


def sentences() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every sentence in every state."""
    claim = "the average odds ratio is below 0.8"
    for b in (0.8, None):
        yield "belief", {"evidence": SimpleNamespace(belief=b, engine="reml", claim=claim)}
    for between in ((0.4, 0.9), None):
        yield "settings", {"new_setting": 0.7, "between": between}
    for pooled in (True, False):
        yield "rival", {"pooled": pooled, "belief": 0.4, "chosen": "Adopt"}
    for average, new in (("", None), ("0.5 [0.3, 0.7]", (0.2, 1.1)), ("0.5 [0.3, 0.7]", None)):
        yield "pooled", {"average": average, "tau": 0.4, "new_settings": new}
    for silent in (0, 1, 2):
        yield "forest", {"pooled": "Pooled 0.5.", "silent": silent, "ratio": silent > 0}
    yield "exact_cells", {}
    for prevented, harmful in ((None, True), (-10.0, True), (10.0, True), (-10.0, False), (10.0, False)):
        yield "in_people", {"prevented": prevented, "baseline": 0.07, "harmful": harmful}
    for settled in (None, 4, 2):
        yield "cumulative", {"settled": settled, "total": 4}
    for total in (4, 14):
        yield "funnel", {"outside": 1, "total": total}
    for total in (0, 4):
        yield "labbe", {"better": 0, "total": total}
    for count in (0, 5):
        yield "reviewed", {"I2": 40.0, "interval": (0.1, 0.9), "count": count}
    yield "question", {"evidence": SimpleNamespace(claim=claim)}
    for engine in ("exact", "normal", "reml"):
        yield "model", {"engine": engine}
    yield "prior", {"b_0": 0.5, "sd": 2.0}
    yield "rule", {"claim": claim, "plus": "Adopt", "minus": "Don’t adopt"}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(effect_words.message):
        for name, values in sentences():
            assert effect_words.message(name, **values)


def test_studies_with_a_missing_number_are_neither_counted_nor_drawn() -> None:
    half_filled = (FOUR[0], (np.nan, 120.0, np.nan, 133.0), FOUR[2])
    of = effect_evidence(events(*half_filled), OR, "normal")
    assert len(of) == 2 and of.names == ("S 0", "S 2")
    assert of.belief == EffectEvidence(events(FOUR[0], FOUR[2]), OR, "normal").belief
    assert not any(row["estimate_value"] is None for row in effect_report.study_rows(of))


def test_a_half_in_empty_cells_is_mentioned_only_where_there_are_any() -> None:
    said = effect_words.message("exact_cells")
    for rows, there in ((FOUR, True), ((FOUR[0], *FOUR[2:]), False)):
        sentence = effect_words.forest_sentence(EffectEvidence(events(*rows), OR, "exact"))
        assert (said in sentence) is there


@pytest.mark.parametrize(
    ("measure", "delta", "above", "harmful", "prevented"),
    [
        (Measure.RD, -0.01, False, False, 10.0),
        (Measure.RD, 0.01, False, True, -10.0),
        (Measure.RD, 0.01, True, False, -10.0),
        (Measure.RR, 0.9, False, False, 20.0),
        (Measure.RR, 1.1, False, True, -20.0),
        (Measure.OR, 0.8, True, True, 1000 * (0.2 - 1 / 6)),
    ],
)
def test_the_smallest_effect_that_matters_is_said_in_people_and_as_a_harm_where_it_is_one(
    measure: Measure, delta: float, above: bool, harmful: bool, prevented: float
) -> None:
    target = EffectTarget(measure, delta, above, measure.is_ratio)
    assert target.harmful is harmful
    expected = effect_words.message("in_people", prevented=prevented, baseline=0.2, harmful=harmful)
    assert effect_words.threshold_sentence(target, 0.2) == expected


def test_no_effect_and_units_without_people_need_no_word_about_these() -> None:
    assert not effect_words.threshold_sentence(EffectTarget(Measure.RR, 1.0, False, True), 0.2)
    assert not effect_words.threshold_sentence(EffectTarget(Measure.MD, -1.0, False, False), None)
    assert effect_words.threshold_sentence(EffectTarget(Measure.MD, 1.0, False, False), None)
    assert events(*FOUR).control_risk == (9 + 2 + 19 + 4) / (50 + 22 + 88 + 35)
    assert events((0, 20, 0, 30)).control_risk is None


def test_a_small_difference_has_ticks_to_read_and_room_for_its_pooled_estimate() -> None:
    of = EffectEvidence(events(*((a, 10 * m, c, 10 * n) for a, m, c, n in FOUR)), RD, "normal")
    for drawn in (effect_figures.forest(of), effect_figures.cumulative(of, HALF), effect_figures.funnel(of)):
        axis = drawn["layout"]["xaxis"]
        low, high = axis["range"]
        assert 2 <= len(axis["tickvals"]) <= 6 and all(low <= at <= high for at in axis["tickvals"])
        assert not any("-" in text for text in axis["ticktext"])
    layout = effect_figures.forest(of)["layout"]
    text = of.written(*(float(part[0]) for part in of.pooled))
    begins, ends = layout["xaxis3"]["domain"]
    assert layout["xaxis"]["domain"][1] < begins <= 0.75
    assert (ends - begins) >= effect_figures.LETTER * len(text)
