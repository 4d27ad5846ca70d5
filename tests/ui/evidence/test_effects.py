"""The Evidence page for studies of an intervention, without a browser."""

from collections.abc import Callable
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.evidence.effect_studies import EXAMPLE, PREFIX
from dashboard.frame.drawing import ALL
from dashboard.parts.evidence import EFFECT_VIEWS
from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.evidence.manual_tables import pack
from tarstop_core.files.effect_tables import rows_of_effects
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import published_effects
from tests.ui.conftest import SECONDS
from tests.ui.evidence.test_page import shown

OpenApp = Callable[..., AppTest]
SETS = {published.name: published for published in published_effects()}


def belief(name: str, target: EffectTarget, **how: object) -> str:
    """What the page ought to say of a published set."""
    found = belief_of_effect(SETS[name].studies, target, **how).beliefs[-1]  # type: ignore[arg-type]
    assert found is not None
    return percent(found)


def test_a_published_set_is_shown_first(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials")
    said = shown(app)
    assert belief("bcg", EffectTarget(Measure.RR, 0.8, above=False, ratio=True)) in said
    assert [tab.label for tab in app.tabs] == [view.title for view in EFFECT_VIEWS]
    assert "Colditz" in said and said.count('class="tar-fluid"') == 1


def test_the_address_holds_what_is_asked(open_app: OpenApp) -> None:
    asked = {"set": "catheters", "measure": "RR", "delta": "0.7", "engine": "reml", "direction": "above"}
    app = open_app("evidence", numbers="trials", **asked)
    target = EffectTarget(Measure.RR, 0.7, above=True, ratio=True)
    assert belief("catheters", target, engine="reml") in shown(app)
    app.selectbox(f"{PREFIX}/measure/{SETS['catheters'].title}/EVENTS").set_value(Measure.OR).run()
    assert "measure" not in app.query_params and not app.exception


@pytest.mark.parametrize("name", SETS)
def test_every_figure_of_every_set_is_drawn(name: str, open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", set=name)
    app.session_state[ALL] = ("", {})
    app.run(timeout=4 * SECONDS)
    assert not app.exception and not app.error


def test_tables_in_the_address_come_back(open_app: OpenApp) -> None:
    studies = SETS["stroke-stay"].studies
    packed = pack(rows_of_effects(studies))
    app = open_app("evidence", numbers="trials", source="file", name="mine.csv", tables=packed)
    said = shown(app)
    assert belief("stroke-stay", EffectTarget(Measure.MD, 0.0, above=False, ratio=False)) in said
    assert "mine.csv" in said
    again = open_app("evidence", numbers="trials", source="typed", tables=packed)
    assert belief("stroke-stay", EffectTarget(Measure.MD, 0.0, above=False, ratio=False)) in shown(again)


def test_what_is_usual_for_one_measure_is_no_choice_for_another(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials")
    assert app.selectbox(f"{PREFIX}/engine/normal").value == "normal"
    app.selectbox("evidence/set").set_value("catheters").run(timeout=SECONDS)
    assert app.selectbox(f"{PREFIX}/engine/exact").value == "exact" and "engine" not in app.query_params
    assert belief(
        "catheters", EffectTarget(Measure.OR, 0.8, above=False, ratio=True), engine="exact"
    ) in shown(app)


def test_names_of_columns_pasted_along_decide_their_order(open_app: OpenApp) -> None:
    titles = ("study", "n_treated", "events_treated", "n_control", "events_control", "bias")
    held = ("study", "events_treated", "n_treated", "events_control", "n_control", "bias")
    packed = pack([held, titles, ("Ray", "40", "3", "50", "9", ""), ("Lee", "20", "1", "22", "2", "high")])
    app = open_app("evidence", numbers="trials", source="typed", tables=packed)
    said = " ".join(part.value for part in app.markdown)
    assert "3 of 40" in said and "9 of 50" in said


@pytest.mark.parametrize("direction", ["below", "above"])
@pytest.mark.parametrize("delta", [-0.02, 0.0, 0.02])
def test_decisions_begins_with_the_option_that_evidence_prefers(
    direction: str, delta: float, open_app: OpenApp
) -> None:
    asked = {"set": "bcg", "measure": "RD", "direction": direction, "delta": str(delta)}
    app = open_app("evidence", numbers="trials", **asked)
    target = EffectTarget(Measure.RD, delta, above=direction == "above", ratio=False)
    found = belief_of_effect(SETS["bcg"].studies, target)
    (link,) = (line.value for line in app.caption if "(decisions?" in line.value)
    address = parse_qs(link.partition("(decisions?")[2].partition(")")[0])
    # By hand: σ² of a difference of risks is n·v where both arms are equally large.
    events = SETS["bcg"].studies.values
    risks = (events[:, 0] / events[:, 1], events[:, 2] / events[:, 3])
    people = events[:, 1] + events[:, 3]
    of_arms = (risk * (1 - risk) / n for risk, n in zip(risks, (events[:, 1], events[:, 3]), strict=True))
    of_one = sum(of_arms) / (1 / events[:, 1] + 1 / events[:, 3])
    assert float(address["sd_effect"][0]) == pytest.approx(
        np.sqrt(np.average(of_one, weights=people)), rel=0.01
    )
    decided = open_app("decisions", **{name: values[0] for name, values in address.items()})
    assert found.beliefs[-1] is not None
    best = "Adopt" if found.beliefs[-1] > 0.5 else "Don’t adopt"
    assert f"Now “{best}” is best" in shown(decided) and "Drug" not in shown(decided)


def test_nothing_typed_is_asked_for(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", source="typed")
    assert app.info and not app.error


def test_the_example_can_be_read_and_has_a_study_of_high_risk() -> None:
    from io import BytesIO

    from tarstop_core.files import read_effects

    studies, _ = read_effects(BytesIO(EXAMPLE.encode()), "example.csv")
    assert studies.high_risk() == [2] and np.isfinite(studies.values).all()


TRIALS = "ACTIVE 2006,103,1525,128,1532\nBath 2009,19,418,14,407\nCARDIS 2011,26,728,59,726\n"


def upload(app: AppTest, text: str) -> None:
    app.file_uploader(f"{PREFIX}/upload").set_value(("trials.csv", text.encode(), "text/csv")).run(
        timeout=SECONDS
    )
    assert not app.exception


def test_a_table_as_revman_prints_it_is_read_and_what_is_no_study_is_named(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", source="file")
    upload(
        app,
        f"Study,Events,Total,Events,Total\n{TRIALS}Total,148,2671,201,2665\nHeterogeneity: Tau² = 0,,,,\n",
    )
    assert "3 studies" in shown(app)
    (warning,) = app.warning
    assert all(
        part in warning.value
        for part in ("Total", "Heterogeneity", "treated arm", "103 of 1525", "128 of 1532")
    )


def test_columns_of_one_name_are_told_apart_and_those_that_are_known_are_chosen(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", source="file")
    upload(app, f"Study,x,Total,Total,Control Events\n{TRIALS}")
    assert app.selectbox(f"{PREFIX}/map/study").value == "Study"
    assert app.selectbox(f"{PREFIX}/map/events_control").value == "Control Events"
    assert app.selectbox(f"{PREFIX}/map/n_control").options[3:5] == ["Total (column 3)", "Total (column 4)"]


def test_a_threshold_is_asked_in_people_and_one_that_allows_harm_is_noticed(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", source="file")
    upload(app, f"study,ai,n1i,ci,n2i\n{TRIALS}")
    key = f"{PREFIX}/delta/trials.csv/EVENTS"
    app.selectbox(f"{PREFIX}/measure/trials.csv/EVENTS").set_value(Measure.RD).run(timeout=SECONDS)
    app.selectbox(f"{key}/RD/way").set_value(True).run(timeout=SECONDS)
    app.number_input(f"{key}/RD/people").set_value(10.0).run(timeout=SECONDS)
    assert app.query_params["delta"] == "-0.01" and not app.warning
    app.selectbox(f"{key}/RD/way").set_value(False).run(timeout=SECONDS)
    app.number_input(f"{key}/RD").set_value(0.01).run(timeout=SECONDS)
    (warning,) = app.warning
    assert "10 more events" in warning.value


def test_a_table_pasted_as_revman_prints_it_is_read_below_its_two_lines_of_titles(open_app: OpenApp) -> None:
    held = ("study", "events_treated", "n_treated", "events_control", "n_control", "bias")
    pasted = f",Experimental,,Control,\nStudy,Events,Total,Events,Total\n{TRIALS}Total,148,2671,201,2665\n"
    packed = pack([held, *((*line.split(","), "") for line in pasted.splitlines())])
    app = open_app("evidence", numbers="trials", source="typed", tables=packed)
    assert "3 studies" in shown(app) and "“Total”" in app.warning[0].value


def test_a_unit_of_money_goes_with_a_difference_to_decisions_which_counts_units_of_the_effect(
    open_app: OpenApp,
) -> None:
    app = open_app("evidence", numbers="trials", set="stroke-stay", unit="EUR", people="2000")
    assert not app.exception
    (link,) = (line.value for line in app.caption if "(decisions?" in line.value)
    address = parse_qs(link.partition("(decisions?")[2].partition(")")[0])
    assert address["unit"] == ["units"] and address["people"] == ["2000"]


RARE = "study,ai,n1i,ci,n2i\nA,45,12000,48,12000\nB,14,4000,16,4000\nC,17,5000,20,5000\n"
"""A risk of 0.4 % in the control arms."""


def test_the_smallest_effect_stays_what_it_was_when_it_is_asked_in_people(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", source="file", measure="OR", delta="0.9")
    upload(app, RARE)
    key = f"{PREFIX}/delta/trials.csv/EVENTS/OR"
    way, kept = app.selectbox(f"{key}/way"), {"people": 0.399, "risk": 0.4}
    assert app.number_input(key).value == 0.9
    before = shown(app)
    way.set_value(True).run(timeout=SECONDS)
    assert app.query_params["delta"] == "0.9" and shown(app) == before
    assert {name: app.number_input(f"{key}/{name}").value for name in kept} == kept
    app.number_input(f"{key}/people").set_value(1.0).run(timeout=SECONDS)
    moved = (0.003 / 0.997) / (0.004 / 0.996)
    assert float(app.query_params["delta"]) == pytest.approx(moved) and shown(app) != before
    # Back in its own unit it is what people made of it, and may be a harm in people too.
    app.selectbox(f"{key}/way").set_value(False).run(timeout=SECONDS)
    assert app.number_input(key).value == pytest.approx(moved)
    app.number_input(key).set_value(1.25).run(timeout=SECONDS)
    app.selectbox(f"{key}/way").set_value(True).run(timeout=SECONDS)
    assert app.query_params["delta"] == "1.25" and len(app.warning) == 1
    assert app.number_input(f"{key}/people").value == pytest.approx(-0.995)
    app.number_input(f"{key}/people").set_value(-2.0).run(timeout=SECONDS)
    assert float(app.query_params["delta"]) == pytest.approx((0.006 / 0.994) / (0.004 / 0.996))


def test_the_direction_begins_anew_with_the_smallest_effect_as_it_is(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", set="bcg", measure="RD", delta="-0.02")
    key = f"{PREFIX}/delta/{SETS['bcg'].title}/EVENTS/RD"
    app.selectbox(f"{key}/way").set_value(True).run(timeout=SECONDS)
    assert app.number_input(f"{key}/people").value == 20
    app.selectbox(f"{PREFIX}/direction/{SETS['bcg'].title}/EVENTS").set_value("above").run(timeout=SECONDS)
    assert app.query_params["delta"] == "-0.02" and app.number_input(f"{key}/people").value == -20


def test_the_smallest_effect_of_one_measure_is_not_that_of_another(open_app: OpenApp) -> None:
    app = open_app("evidence", numbers="trials", set="bcg", measure="OR", delta="0.9")
    app.selectbox(f"{PREFIX}/measure/{SETS['bcg'].title}/EVENTS").set_value(Measure.RD).run(timeout=SECONDS)
    assert app.query_params.get("delta", "0") == "0" and not app.exception
    assert app.number_input(f"{PREFIX}/delta/{SETS['bcg'].title}/EVENTS/RD").value == 0
