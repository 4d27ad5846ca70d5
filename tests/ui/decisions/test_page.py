"""The Decisions page, without a browser: what it says is what the core computes."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.decisions.entered import KINDS
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.explore.decisions import accuracy_believed
from tarstop_core.presentation.numbers import amount
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.actions.sampling import Study, best_size
from tarstop_core.value.actions.treat import TreatByTest
from tests.session_cases import IDS, a_review, log
from tests.ui.conftest import SECONDS
from tests.ui.evidence.test_page import shown

OpenApp = Callable[..., AppTest]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_decision_is_answered_at_once(kind: str, open_app: OpenApp) -> None:
    app = open_app("decisions", kind=kind)
    assert not app.exception and not app.error
    assert "is best" in shown(app) and 'class="tar-fluid"' in shown(app)


def read(kind: str, open_app: OpenApp, field: str, text: str) -> AppTest:
    app = open_app("decisions", kind=kind)
    app.text_area(field).set_value(text).run()
    return app


def test_own_options_are_weighed_and_nothing_is_priced_until_people_are_counted(open_app: OpenApp) -> None:
    app = read("effect", open_app, "options", "option,units,cost\nCare,0,0\nDrug,1,3000\nBoth,2,9000")
    decision = EffectNetBenefit(
        post_mean=0.2, post_var=0.01, willingness_to_pay=2e4, gain=[0, 1, 2], cost=[0, 3000, 9000]
    )
    evpi = amount(decision.values()["evpi"], "£")  # type: ignore[arg-type]
    assert evpi in shown(app) and "for everyone" not in shown(app) and "example" not in shown(app)
    app.number_input("decisions/people/0.0").set_value(500.0).run()
    assert "for everyone" in shown(app)
    assert app.query_params["people"] == "500"
    study = Study(measures="effect", sd=0.71, arms=2, cost_fixed=200_000, cost_per_person=500)
    people = Concerned(annual_population=500, years=10, rate=0.035).people("start_of_year")
    assert f"{best_size(decision, study, people).best_n:,} people per arm" in shown(app)


@pytest.mark.parametrize(
    "kind, field, text, place",
    [
        ("effect", "options", "option,units,cost\nCare,0,0\nDrug,one,3000", "line 3: units is 'one'"),
        ("effect", "options", "option,units,cost\nCare,0,0\nDrug,1,£3000", "without separators"),
        ("effect", "options", "option,units,cost\nCare,0,0\nCare,1,3000", "names the option 'Care' twice"),
        ("effect", "options", "option,units,cost\nCare,0,0", "fewer than two options"),
        ("table", "consequences", "x,a,b\nCare,0,0\nchance,.5,.5", "fewer than two options"),
        ("table", "consequences", "x,a,b\nchance,.6,.5\nA,0,0\nB,1,2", "add up to 1.1"),
        ("table", "consequences", "x,a,b\nA,0,0\nB,1,2", "no line that begins with chance"),
    ],
)
def test_bad_tables_are_said_in_one_sentence(
    kind: str, field: str, text: str, place: str, open_app: OpenApp
) -> None:
    app = read(kind, open_app, field, text)
    assert not app.exception
    assert [place in error.value.replace("\\", "") for error in app.error] == [True]


def test_typed_limits_of_a_test_that_are_none_are_named(open_app: OpenApp) -> None:
    app = open_app("decisions", kind="test", accuracy="typed", se_from="90", se_to="80")
    assert len(app.error) == 1 and "Sensitivity is from 90 to 80" in app.error[0].value.replace("\\", "")


def uploaded(app: AppTest, titles: str) -> AppTest:
    """The page with draws in which option B brings most, at the lowest price."""
    rng = np.random.default_rng(3)
    held = {"iteration": np.arange(50), "risk": rng.random(50)}
    held |= {"Cost B": rng.normal(10, 1, 50), "Cost A": rng.normal(90, 1, 50)}
    held |= {"QALY A": rng.normal(1, 0.1, 50), "QALY B": rng.normal(2, 0.1, 50)}
    content = pd.DataFrame(held).set_axis(titles.split(","), axis=1).to_csv(index=False)
    app.file_uploader("decisions/upload").set_value(("psa.csv", content.encode(), "text/csv")).run()
    return app


def test_costs_of_uploaded_draws_are_those_of_the_same_option(open_app: OpenApp) -> None:
    app = uploaded(open_app("decisions", wtp="100"), "iteration,risk,Cost B,Cost A,QALYs of A,qaly_B")
    said = shown(app)
    # Worth 100 × (2 − 1) more, and 90 − 10 cheaper.
    assert "Now “B” is best, £177" in said and "numbers the draws" in said


def test_costs_that_belong_to_no_option_are_refused_and_position_is_said(open_app: OpenApp) -> None:
    app = uploaded(open_app("decisions"), "iteration,risk,Cost B,Cost C,QALY A,QALY B")
    assert ["cannot be paired" in error.value for error in app.error] == [True]
    app = uploaded(open_app("decisions"), "cost C,risk,Cost B,Cost A,QALY A,QALY B")
    assert not app.error and app.multiselect[1].value == ["Cost A", "Cost B"]
    app.multiselect[1].set_value(["Cost A", "Cost B", "cost C"]).run()
    assert ["belongs to cost C" in error.value for error in app.error] == [True]
    app = uploaded(open_app("decisions"), "iteration,risk,dear,cheap,QALY A,QALY B")
    app.segmented_control[1].set_value("effects").run()
    app.multiselect[1].set_value(["dear", "cheap"]).run()
    assert "QALY B with cheap" in shown(app)


def test_a_total_in_a_file_of_tables_is_left_out_and_the_address_is_said_to_lack_the_file(
    open_app: OpenApp,
) -> None:
    app = open_app("decisions", kind="test", accuracy="file")
    rows = "study,TP,FP,FN,TN\nA,54,9,2,185\nB,72,53,16,421\nC,69,44,12,381\n"

    def answer(text: str) -> list[str]:
        file = ("tables.csv", text.encode(), "text/csv")
        app.file_uploader("decisions/tables_file").set_value(file).run(timeout=SECONDS)
        assert not app.exception and not app.error
        return [part.proto.body for part in app.get("html")]  # type: ignore[attr-defined]

    alone = answer(rows)
    assert not app.warning and any("data-lacks" in body for body in alone)
    assert answer(f"{rows}Total,195,106,30,987\n") == alone
    assert "“Total”" in app.warning[0].value


def advice(app: AppTest) -> str:
    """The sentences at the top of the page."""
    return shown(app).partition('class="tar-told"')[2].partition('<span class="tar-badge">')[0]


def test_the_advice_is_that_of_all_parameters_and_a_link_keeps_the_choice(open_app: OpenApp) -> None:
    asked = {"kind": "test", "people": "100000", "test": "42"}
    first = open_app("decisions", **asked)
    box = next(each for each in first.selectbox if each.label == "It measures")
    box.set_value("sensitivity").run()
    assert first.query_params["measures"] == "sensitivity" and "“sensitivity”" in shown(first)
    again = open_app("decisions", **asked, measures="sensitivity")
    unasked = open_app("decisions", **asked)
    assert "“prevalence”" in advice(first) and "per arm" not in advice(first)
    assert advice(first) == advice(again) == advice(unasked)


def test_an_sd_that_nobody_entered_is_called_a_guess(open_app: OpenApp) -> None:
    app = open_app("decisions", kind="effect", people="20000", fixed="10", each="1")
    assert "0.71, a guess" in advice(app)
    assert "guess" not in advice(
        open_app("decisions", kind="effect", people="20000", fixed="10", sd_effect="0.8")
    )


def test_what_was_entered_is_also_what_a_page_begins_with_on_return(open_app: OpenApp) -> None:
    """A field whose code reaches the browser late shows what it begins with, whatever was entered before."""
    app = open_app("decisions")
    sd = "decisions/sd_log risk ratio, drug/0.83"
    next(box for box in app.selectbox if box.label == "It measures").set_value("log risk ratio, drug").run()
    app.number_input(sd).set_value(1.5).run()
    app.switch_page("pages/explore.py").run()
    app.query_params.clear()  # as the sidebar does
    app.switch_page("pages/decisions.py").run()
    measures = next(box for box in app.selectbox if box.label == "It measures")
    assert measures.proto.options[measures.proto.default] == measures.value == "log risk ratio, drug"
    assert app.number_input(sd).proto.default == app.number_input(sd).value == 1.5


def test_amounts_that_nobody_entered_are_called_examples(open_app: OpenApp) -> None:
    def examples(**asked: str) -> list[int]:
        """How many numbers each note calls examples."""
        notes = re.findall(
            "Examples until you enter your own: ([^.<]*)", shown(open_app("decisions", **asked))
        )
        return [len(re.split(", | and ", note)) for note in notes]

    own = {"kind": "effect", "people": "20000", "options": "option,units,cost\nCare,0,0\nDrug,1,3000"}
    priced = own | {"mean": "1", "se": "2", "wtp": "3"}
    assert examples(**own) == [3, 2] and examples(**priced, fixed="10") == [1]
    assert examples(**priced, fixed="10", each="7", studies="3") == [2]
    typed = {"kind": "test", "accuracy": "typed", "prevalence": "9", "known": "8", "gain": "7"}
    assert examples(**typed) == [2] and examples(**typed, test="6", harm="5") == examples(kind="effect") == []


def test_a_file_of_draws_brings_no_price_of_its_own(open_app: OpenApp) -> None:
    titles = "iteration,risk,Cost B,Cost A,QALYs of A,qaly_B"
    assert "enter your own" in shown(uploaded(open_app("decisions"), titles))
    assert "enter your own" not in shown(uploaded(open_app("decisions", wtp="100"), titles))


def test_a_review_is_weighed_by_what_its_session_believes(open_app: OpenApp, store: Store) -> None:
    """Two studies are too few for REML, and enough for the session's own engine."""
    session = a_review(store)
    asked = {"kind": "test", "accuracy": f"session:{session}"}
    (error,) = open_app("decisions", **asked).error
    assert "do not say yet" in error.value, "nobody has said anything of specificity"
    report = Report("data", study="Kim", rows=(AccuracyRow("Kim", 20, 3, 4, 60),))
    log(store, session, Event("report", {"doc": IDS[7], **report.to_dict()}))
    state = session_snapshot(store, session).state
    app = open_app("decisions", **asked)
    assert not app.exception and not app.error
    accuracy = accuracy_believed(REVIEW.evidence(state.settings, state))
    decision = TreatByTest(
        **accuracy,
        prevalence={"beta": (9.0, 51.0)},
        benefit_treated_diseased=1000,
        harm_treated_healthy=180,
        cost_test=45,
    )
    assert amount(decision.values()["evpi"], "£") in shown(app)  # type: ignore[arg-type]
    assert "as the session believes" in shown(app)
