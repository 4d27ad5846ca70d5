"""The Screen page of a review without a browser: reports, tables, the decision, what is exported."""

import html
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame.shell import linked
from dashboard.screen.full_text import FORM_OUTCOMES
from dashboard.screen.reading import LOOK
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import LearnedFrom, Prior
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import OUTCOMES, AccuracyRow, Report
from tarstop_core.presentation.numbers import amount_or_documents
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.wording import best_between, explain, verdict
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Option, Payoffs
from tests.reading_pages import read
from tests.ui.screen.test_page import ask_why, button, curves, expected, html_of, press, unfold_stakes

Open = Callable[..., AppTest]
Start = Callable[..., str]


@pytest.fixture
def start(store: Store) -> Start:
    """Store a review of 40 documents; changes to its settings by name."""

    def make(**changes: object) -> str:
        frame = as_records(
            {
                "id": [f"d{i}" for i in range(1, 41)],
                "title": [f"Study of a test, part {i}" for i in range(1, 41)],
                "authors": ["Lee, Jane; Kim, S.", *[f"Author{i} A; B" for i in range(2, 41)]],
                "date": ["2004"] * 40,
            }
        )
        calibrator = calibrators()["clef-reviews-rank"]
        store.save_calibrator(calibrator)
        settings = ReviewSettings(
            Payoffs.from_q_star(0.5),
            1e-4,
            calibrator=calibrator.digest,
            plus="Adopt",
            minus="Don't adopt",
            full_cost=1e-3,
        )
        collection = store.save_collection("Review", frame, files=[], duplicates=0)
        return store.create_session(
            "Review", collection, list(range(40)), None, replace(settings, **changes), "a test", "own order"
        )

    return make


def counts(*parts: str) -> str:
    """The line that says how far a session is."""
    return " · ".join(parts)


def field(page: AppTest, label: str, place: int = 0):
    return [each for each in page.text_input if each.label == label][place]


def choose(page: AppTest, outcome: str) -> None:
    radio = next(each for each in page.radio if each.label.startswith("What became"))
    assert radio.options == [OUTCOMES[each] for each in FORM_OUTCOMES]
    radio.set_value(outcome)


def fill(page: AppTest, place: int = 0, **counts: object) -> None:
    for label, value in counts.items():
        field(page, label, place).set_value(str(value))


def save(page: AppTest) -> AppTest:
    return press(page, "Save the report")


def report_of(store: Store, session: str, **table: object) -> None:
    """Store a report without the page."""
    events = store.events(session)
    store.append(session, Event("report", {"reason": "", **table}), expected=len(events))


def test_two_stages_are_named_and_counted(open_app: Open, store: Store, start: Start) -> None:
    session = start()
    page = open_app("screen", session=session)
    assert [each.label for each in page.button if each.key.startswith("label_")] == [
        "Exclude",
        "Include",
        "Unsure",
    ]
    assert "No report waits" in html_of(page)
    press(page, "Exclude")
    press(page, "Include")
    assert counts("2 of 40 screened", "1 included", "0 with data", "1 report waiting") in html_of(page)
    assert "1 report waits" in html_of(page)
    assert [event.payload["label"] for event in store.events(session)] == ["irrelevant", "relevant"]
    assert "prior art" not in html_of(page)


def test_a_table_moves_belief_and_every_sentence_is_the_cores(
    open_app: Open, store: Store, start: Start
) -> None:
    session = start()
    page = ask_why(open_app("screen", session=session))
    press(page, "Include")
    press(page, "Include")
    press(page, "Read the next report")
    assert field(page, "Study").value == "Lee 2004"
    assert not [each for each in page.button if each.key.startswith("label_")], "one document at a time"
    fill(page, TP=30, FP=4, FN=3, TN=60)
    save(page)
    event = store.events(session)[-1]
    assert event.kind == "report" and event.payload["tables"] == [
        {"study": "Lee 2004", "TP": 30, "FP": 4, "FN": 3, "TN": 60}
    ]
    advice, state, calibrator, _ = expected(store, session)
    assert advice.b > 0.7 and advice.facts is not None
    told = explain(advice, state.settings)
    shown = html_of(page)
    for said in (
        told.word,
        told.sentence,
        told.stopping,
        *told.robustness,
        f"chances {calibrator.fitted_on.badge}",
    ):
        assert said.replace("'", "&#39;") in shown
    for name, value in REVIEW.rows(advice, state.settings):
        assert f"<span>{linked(name)}</span><b>{value}</b>" in shown
    assert "Chance that sensitivity exceeds 75 %" in shown
    assert "weak prior, b₀ = 0.5" in shown and ENGINES["bivariate"].badge in shown
    assert counts("2 of 40 screened", "2 included", "1 with data", "1 report waiting") in shown
    past = curves(page)[0]
    assert past[0][1] == pytest.approx(0.5, abs=1e-3) and past[-1][1] == pytest.approx(advice.b, abs=1e-3)
    assert html_of(page).count('class="tar-fluid"') == 1, "the evidence is drawn when somebody looks"
    page.session_state["evidence_drawn"] = True
    drawn = html_of(page.run())
    assert drawn.count('class="tar-fluid"') == 2 and "Lee 2004: 30 of 33 diseased" in drawn, (
        "the open tab of the evidence"
    )


def test_a_document_leads_to_its_table_and_the_table_to_its_document(
    open_app: Open, store: Store, start: Start
) -> None:
    session = start()
    page = open_app("screen", session=session)
    for _ in range(2):
        press(page, "Include")
    for at in range(2):
        press(page, "Read the next report")
        assert not [each for each in page.button if "2×2" in each.label], "nothing was entered yet"
        fill(page, TP=30 + at, FP=4, FN=3, TN=60)
        save(page)
    page.selectbox(key="open_report").select_index(1).run()
    press(page, "Its 2×2 table: TP 31, FP 4, FN 3, TN 60")
    listed = re.findall(r'data-look="(report \d)">(.*?)</a>', html_of(page))
    others = "FP 4, FN 3, TN 60"
    found = f"<strong>#2 Author2 2004: TP 31, {others}</strong>"
    assert listed == [("report 1", f"#1 Lee 2004: TP 30, {others}"), ("report 2", found)]
    assert "Author2 2004: 31 of 34 diseased" in html_of(page), "its place among the evidence"
    page.text_input(key=LOOK).set_value(listed[0][0]).run()
    assert field(page, "TP").value == "30" and field(page, "Study").value == "Lee 2004"
    assert next(each for each in page.radio if "#1 (stored" in each.label)


def test_mistakes_in_the_form_are_said_and_nothing_typed_is_lost(
    open_app: Open, store: Store, start: Start
) -> None:
    session = start()
    page = open_app("screen", session=session)
    press(page, "Include")
    press(page, "Read the next report")
    fill(page, TP="30 | 4 | 3 | 60 | 7")
    save(page)
    assert "in TP are several" in page.error[0].value.replace("\\", "")
    fill(page, TP=-3, FP=1, FN=2.5, Study="Lee 2004a")
    for mend, said in (({}, "both FP and TN"), ({"TN": 9}, "TP is “-3”"), ({"TP": 3}, "FN is “2.5”")):
        fill(page, **mend)
        save(page)
        assert said in page.error[0].value.replace("\\", "")
        assert field(page, "Study").value == "Lee 2004a" and field(page, "FP").value == "1"
    assert [event.kind for event in store.events(session)] == ["label"]
    press(page, "Back to screening")
    press(page, "Read the next report")
    assert field(page, "FN").value == "2.5", "what was typed waits"
    fill(page, FN=2)
    save(page)
    assert not page.error and store.events(session)[-1].payload["tables"][0]["FN"] == 2


def test_a_report_is_taken_back_reopened_and_changed(open_app: Open, store: Store, start: Start) -> None:
    session = start()
    page = open_app("screen", session=session)
    press(page, "Include")
    press(page, "Read the next report")
    fill(page, TP=30, FN=3)
    save(page)
    press(page, "Undo")
    assert "0 with data · 1 report waiting" in html_of(page)
    assert page.toast[0].value.replace("\\", "") == "Undone: the report of #1."
    press(page, "Read the next report")
    fill(page, TP=31, FN=3)
    save(page)
    page.selectbox(key="open_report").select_index(0).run()
    assert field(page, "TP").value == "31"
    choose(page, "excluded")
    save(page)
    assert "why the report is excluded" in page.error[0].value.replace("\\", "").lower()
    field(page, "Reason, if not used").set_value("Wrong index test")
    save(page)
    events = store.events(session)
    assert [event.kind for event in events] == ["label", "report", "undo", "report", "report"]
    assert events[-1].payload["outcome"] == "excluded" and events[-1].payload["tables"] == []
    assert "Wrong index test" in html_of(page) and "0 with data · 0 reports waiting" in html_of(page)


def test_names_and_reasons_in_use_are_offered_and_studies_grouped(
    open_app: Open, store: Store, start: Start
) -> None:
    session = start()
    page = ask_why(open_app("screen", session=session))
    for _ in range(3):
        press(page, "Include")
    press(page, "Read the next report")
    fill(page, TP=30, FN=3)
    save(page)
    press(page, "Read the next report")
    choose(page, "excluded")
    field(page, "Reason, if not used").set_value("<No reference>")
    save(page)
    press(page, "Read the next report")
    shown = html_of(page)
    assert '<option value="Lee 2004">' in shown and '<option value="&lt;No reference&gt;">' in shown
    fill(page, TP=30, FN=3, Study="lee 2004")
    save(page)
    shown = html_of(page)
    assert "<strong>Lee 2004</strong>: #1 (2×2 table), #3 (2×2 table)" in shown
    assert "(documents #1 and #3); it is counted once" in shown
    assert "Excluded: #2 (&lt;No reference&gt;)" in shown


def test_rates_are_converted_shown_and_then_stored(open_app: Open, store: Store, start: Start) -> None:
    session = start()
    page = ask_why(open_app("screen", session=session))
    press(page, "Include")
    press(page, "Read the next report")
    fill(page, Sensitivity="0.83", Specificity="92.5 %")
    field(page, "Diseased patients").set_value("47")
    field(page, "Healthy patients").set_value("80")
    save(page)
    assert len(store.events(session)) == 1, "counts are looked at before they count"
    assert "TP 39, FP 6, FN 8, TN 74" in page.info[0].value.replace("\\", "")
    assert [field(page, cell).value for cell in ("TP", "FP", "FN", "TN")] == ["39", "6", "8", "74"]
    press(page, "Add another table")
    fill(page, 1, TP=5, FN=1)
    field(page, "Table 2 is about").set_value("young")
    save(page)
    tables = store.events(session)[-1].payload["tables"]
    assert [(each["study"], each["TP"], each["TN"]) for each in tables] == [
        ("Lee 2004", 39, 74),
        ("Lee 2004, young", 5, None),
    ]
    assert "no FP and TN" in html_of(page), "ignored counts are noted"


def test_with_one_stage_the_form_opens_at_once(open_app: Open, store: Store, start: Start) -> None:
    page = open_app("screen", session=start(stages=1, full_cost=0.0))
    assert button(page, "Relevant") and button(page, "Not relevant")
    press(page, "Not relevant")
    press(page, "Relevant")
    assert next(each for each in page.radio if "#2" in each.label)
    fill(page, TP=30, FN=3)
    save(page)
    assert counts("2 of 40 screened", "1 relevant", "1 with data", "0 reports waiting") in html_of(page)
    assert "To go on" not in html_of(page), "there is only one way to go on"


def test_the_two_ways_to_go_on_stand_side_by_side(open_app: Open, store: Store, start: Start) -> None:
    session = start()
    page = ask_why(open_app("screen", session=session))
    press(page, "Include")
    advice, _, _, _ = expected(store, session)
    told = advice.facts
    assert told is not None and advice.headline == "reports"
    shown = html_of(page)
    assert advice.worth is None and ">1 document each<" in shown
    worth, cost = (
        amount_or_documents(each, "", advice.cost) for each in (told.reports_worth, told.reports_cost)
    )
    assert f"<td>{worth}</td><td>{cost}</td><td>1 of 1</td>" in shown
    assert "READ THE REPORTS" in shown


def test_rules_that_stop_screening_do_not_leave_reports_that_pay(
    open_app: Open, store: Store, start: Start
) -> None:
    session = start(cost=0.02)
    page = ask_why(open_app("screen", session=session))
    assert "</strong> would stop now" in html_of(page) and "Whatever the rule" not in html_of(page)
    press(page, "Include")
    assert expected(store, session)[0].headline == "reports"
    shown = html_of(page)
    assert "would stop now" not in shown and "screen no more" in shown
    assert "Whatever the rule" in shown


def test_deciding_while_reports_wait_and_what_is_stored(open_app: Open, store: Store, start: Start) -> None:
    session = start(theta=0.8)
    page = open_app("screen", session=session)
    press(page, "Include")
    assert button(page, "Read the next report").proto.type == "primary"
    press(page, "Stop and decide")
    assert "1 report still waits" in page.warning[0].value
    assert "chance that sensitivity exceeds 80 %" in " ".join(each.value for each in page.markdown).replace(
        "\u00a0", " "
    )
    assert button(page, "Record the decision").disabled, "nothing is preselected while reports may matter"
    choice = next(each for each in page.radio if each.label == "Your decision")
    choice.set_value(choice.options and True).run()
    press(page, "Record the decision")
    basis = store.events(session)[-1].payload
    assert basis["plus"] is True and basis["belief"] == 0.5 and basis["theta"] == 0.8
    assert basis["engine"] == "bivariate" and basis["truth"] == "pooled"
    assert basis["prior"] == Prior().digest and basis["reports_waiting"] == 1
    assert "Decided: Adopt" in html_of(page)
    assert button(page, "Read the next report").proto.type == "tertiary", "nothing is asked after the end"
    press(page, "Read the next report")
    fill(page, TP=30, FN=3)
    save(page)
    assert "changed since" in html_of(page), "a report after the decision makes it outdated"


def test_a_third_option_is_advised_and_decided(open_app: Open, store: Store, start: Start) -> None:
    trial = Option("Trial only", 0.18, 0.18)
    session = start(payoffs=replace(Payoffs.from_q_star(0.5, 1.0, "£"), others=(trial,)))
    page = open_app("screen", session=session)
    press(page, "Exclude")
    advice, *_ = expected(store, session)
    assert advice.option == 2 and advice.utility == pytest.approx(0.18)
    settings = store.session(session).settings
    shown = html_of(page).replace("\u00a0", " ")
    assert verdict(advice, settings).now in shown and trial.name in shown and "likely right" not in shown
    captions = " ".join(each.value for each in page.caption).replace("\u00a0", " ").replace("\\", "")
    assert best_between(settings) in captions
    press(page, "Stop and decide")
    choice = next(each for each in page.radio if each.label == "Your decision")
    assert [each.split(" (")[0] for each in choice.options] == ["Trial only", "Adopt", "Don't adopt"]
    press(page, "Record the decision")
    basis = store.events(session)[-1].payload
    assert (basis["plus"], basis["option"], basis["advised"]) == (False, 2, 2)
    assert basis["action"] == "Trial only" and basis["utility"] == pytest.approx(0.18)
    assert "Decided: Trial only" in html_of(page)
    assert not page.exception


def test_the_other_model_is_named_where_one_decides(open_app: Open, store: Store, start: Start) -> None:
    """On the page, in the dialog and in the report; nowhere where both would decide the same."""
    for q_star, named in ((0.75, True), (0.5, False)):
        session = start(stages=1, payoffs=Payoffs.from_q_star(q_star))
        for doc, (TP, FP, FN, TN) in (
            ("d1", (10, 1, 0, 20)),
            ("d2", (12, 2, 3, 30)),
            ("d3", (7, 1, 3, 25)),
        ):
            store.append(
                session,
                Event("label", {"doc": doc, "label": "relevant"}),
                expected=len(store.events(session)),
            )
            data = Report("data", study=doc, rows=(AccuracyRow(doc, TP, FP, FN, TN),))
            report_of(store, session, doc=doc, **data.to_dict())
        page = open_app("screen", session=session)
        said = "The usual model (REML) would decide differently: a chance of 69 %, so “Don't adopt”."
        assert (said in html.unescape(html_of(page))) is named
        press(page, "Stop and decide")
        assert any(said in each.value.replace("\\", "") for each in page.warning) is named
        report = "".join(read(report_html(session_snapshot(store, session)))[0].text)
        assert (said in report) is named
        assert "exact counts of both groups: sensitivity 84 %" in report


def test_moving_theta_carries_a_learned_prior_along(open_app: Open, store: Store, start: Start) -> None:
    learned = Prior(0.7, s=0.8, learned_from=LearnedFrom("29 published reviews", 0.75, 29, 63, 600, 1.0))
    session = start(prior=learned, b_0=0.7)
    page = unfold_stakes(ask_why(open_app("screen", session=session)))
    assert "29 published reviews, b₀ = 0.7" in html_of(page)
    slider = next(each for each in page.slider if each.label == "Sensitivity to exceed")
    slider.set_value(0.85).run()
    (event,) = store.events(session)
    settings = read_settings(event.payload["settings"])
    assert settings.theta == 0.85 and settings.b_0 == learned.at(0.85).b_0 < 0.7
    assert "Chance that sensitivity exceeds 85 %" in html_of(page)
    floor = next(each for each in page.slider if each.label.startswith("Never stop"))
    floor.set_value(90).run()
    assert read_settings(store.events(session)[-1].payload["settings"]).floor == 0.9


def test_with_a_plan_every_slider_is_a_what_if(open_app: Open, store: Store, start: Start) -> None:
    session = start(full_cost=1.33e-3)
    page = unfold_stakes(open_app("screen", session=session))
    press(page, "Register this as my plan")
    full = next(each for each in page.select_slider if each.label == "Cost per report in full")
    assert "0\\.00133" in full.options, "the cost itself, not the stop beside it"
    full.set_value(0.05).run()
    next(each for each in page.slider if each.label == "Sensitivity to exceed").set_value(0.6).run()
    assert "What if: " in html_of(page)
    assert [event.kind for event in store.events(session)] == ["plan"]
    next(each for each in page.text_input if "deviate" in each.label).set_value("New panel").run()
    press(page, "Confirm as a deviation")
    settings = read_settings(store.events(session)[-1].payload["settings"])
    assert settings.theta == 0.6 and settings.full_cost == pytest.approx(0.05)
    said = " ".join(each.value.replace("\\", "") for each in page.caption)
    assert re.search(r": θ: 0\.75 → 0\.6; [^;→]*: 0\.00133 → 0\.05\. New panel", said), "nothing that stayed"


def test_rules_that_need_labels_say_so(open_app: Open, store: Store, start: Start) -> None:
    page = ask_why(open_app("screen", session=start()))
    assert "needs labels" not in html_of(page), "rules are asked when somebody looks"
    page.session_state["other_rules"] = True
    press(page, "Include")
    shown = html_of(page)
    assert "<td>needs labels" in shown and "Oracle" not in shown
    described = '<td colspan="3">Read a fixed number of documents, whatever they show.'
    assert described in shown, "as wide as the table"


def test_a_report_saved_after_another_tab_recorded_something_is_refused(
    open_app: Open, store: Store, start: Start
) -> None:
    session = start()
    page = open_app("screen", session=session)
    press(page, "Include")
    press(page, "Read the next report")
    store.append(session, Event("label", {"doc": "d2", "label": "unsure"}), expected=1)
    fill(page, TP=30, FN=3)
    save(page)
    assert "another tab" in page.error[0].value and field(page, "TP").value == "30"
    save(page)
    assert store.events(session)[-1].kind == "report", "looked at again, it is stored"


def test_advice_on_the_page_is_advice_on_the_log(open_app: Open, store: Store, start: Start) -> None:
    """Whatever the engine and the truth, the page says what `advise` says of the stored log."""
    for engine, truth in (("univariate", "full_evidence"), ("reml", "pooled")):
        session = start(engine=engine, truth=truth)
        page = ask_why(open_app("screen", session=session))
        for at in range(3):
            press(page, "Include")
            press(page, "Read the next report")
            fill(page, TP=20 + at, FP=3, FN=4, TN=40, Study=f"Study {at}")
            save(page)
        row = store.session(session)
        state = replay(row.settings, row.ids, store.events(session))
        calibrator = store.calibrator(state.settings.calibrator)
        advice = advise(state.settings, calibrator, calibrator.probabilities(None, 40), state)
        assert explain(advice, state.settings).sentence.replace("'", "&#39;") in html_of(page)
