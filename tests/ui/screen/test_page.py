"""The Screen page without a browser: what it says and what it stores."""

import html
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame.work import TURNS
from tarstop_core.documents.records import as_records
from tarstop_core.policies import Budget, Greedy, Optimal
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening import live_check
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.wording import explain, verdict
from tarstop_core.sessions.demo import start_demo
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.presentation.drawn import courses

Open = Callable[..., AppTest]


@pytest.fixture
def session(store: Store) -> str:
    """A demo session."""
    return start_demo(store, "Ada")


def html_of(app: AppTest) -> str:
    return (
        " ".join(element.proto.body for element in app.get("html"))
        .replace("\u00a0", " ")
        .replace("\u2060", "")
    )


def curves(app: AppTest) -> list[list[tuple[float, float]]]:
    """The curves beside the document: belief above, from its height in pixels."""
    return [[(x, 1.05 - 1.1 * y / 122.2) for x, y in course] for course in courses(html_of(app))]


def unfold_stakes(app: AppTest) -> AppTest:
    """What is at stake is drawn when somebody looks."""
    app.session_state["at_stake"] = True
    return app.run()


def ask_why(app: AppTest) -> AppTest:
    """So is everything that the verdict rests on."""
    app.session_state["why"] = True
    return app.run()


def more(app: AppTest) -> AppTest:
    """And what is needed now and then."""
    app.session_state["more"] = True
    return app.run()


def button(app: AppTest, label: str):
    return next(each for each in app.button if each.label == label)


def press(app: AppTest, label: str) -> AppTest:
    button(app, label).click().run()
    assert not app.exception
    return app


def expected(store: Store, session: str):
    """Advice of the core for what is stored."""
    row = store.session(session)
    state = replay(row.settings, row.ids, store.events(session))
    calibrator = store.calibrator(state.settings.calibrator)
    p = calibrator.probabilities(row.scores, len(row.ids))
    return advise(state.settings, calibrator, p, state), state, calibrator, p


def test_without_a_session_the_page_says_where_to_go(open_app: Open) -> None:
    page = open_app("screen")
    assert not page.exception
    assert [each.label for each in page.button] == ["Start the demo", "Go to Home", "Set up a session"]


def test_an_unknown_session_is_one_sentence(open_app: Open) -> None:
    page = open_app("screen", session="none")
    assert not page.exception and len(page.error) == 1
    assert "There is no session" in page.error[0].value.replace("\\", "")


def test_every_sentence_is_the_cores(open_app: Open, store: Store, session: str) -> None:
    page = ask_why(open_app("screen", session=session))
    for label in ("Not relevant", "Not relevant", "Unsure", "Not relevant"):
        press(page, label)
        advice, state, calibrator, p = expected(store, session)
        told, glance = explain(advice, state.settings), verdict(advice, state.settings)
        shown = html_of(page)
        assert told.word == glance.word and f"</span> {told.word}</span>" in shown
        for sentence in (
            glance.says,
            glance.now,
            glance.rests,
            told.sentence,
            told.stopping,
            *told.robustness,
        ):
            assert html.escape(sentence) in shown
        depths = stopping_outcomes(state.settings, calibrator, p, state, [Optimal(), Greedy(), Budget(100)])
        for name, (depth, _) in zip(("Optimal", "Greedy", "Budget(100)"), depths, strict=True):
            assert f"{name}</a></strong> {depth:,} (“Grant”" in shown
        assert f"chances {calibrator.fitted_on.badge}".replace("'", "&#39;") in shown
    assert "4 of 312 screened · 0 relevant · 1 unsure" in html_of(page)
    assert [event.reviewer for event in store.events(session)] == ["Rita"] * 4


def test_a_press_that_comes_late_is_refused_and_a_tab_knows_few_buttons(
    open_app: Open, store: Store, session: str
) -> None:
    page = open_app("screen", session=session)
    late, keys = button(page, "Unsure"), {each.key for each in page.button}
    for _ in range(TURNS - 1):
        press(page, "Not relevant")
        keys |= {each.key for each in page.button}
    late.click().run()  # of the first document, which everything shown since has replaced
    assert {event.payload["label"] for event in store.events(session)} == {"irrelevant"}
    assert "for a document that is no longer shown" in page.warning[0].value
    known = {each.key for each in page.button} | keys
    for _ in range(3):
        press(page, "Not relevant")
        assert {each.key for each in page.button} <= known
    assert len(store.events(session)) == TURNS + 2


def test_the_figure_holds_what_the_core_computes(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    press(page, "Not relevant")
    advice, _, _, _ = expected(store, session)
    plan = advice.depth + advice.more
    past, projected = curves(page)[:2]
    assert [b for _, b in past] == pytest.approx([0.5, advice.b], abs=1e-3)
    assert projected[0][1] == pytest.approx(advice.b, abs=1e-3) and len(projected) == advice.more + 1
    assert projected[-1][0] / past[-1][0] == pytest.approx(plan, rel=0.01)


def test_a_hit_waits_for_confirmation_and_then_settles_it(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    press(page, "Settles it")
    assert "CONFIRM IT" in html_of(page)
    press(page, "Stop and decide")
    assert button(page, "Record the decision").disabled, "nothing is preselected while a hit waits"
    press(page, "Stop, and decide later")
    press(page, "Keep screening")
    press(page, "It does not")
    assert "CONFIRM IT" not in html_of(page) and "0 relevant" in html_of(page)
    press(page, "Undo")
    press(page, "It holds")
    assert "FOUND" in html_of(page)
    kinds = [event.kind for event in store.events(session)]
    assert kinds == ["label", "stopped", "continued", "confirm", "undo", "confirm"]


def test_a_press_after_another_tab_recorded_something_is_refused(
    open_app: Open, store: Store, session: str
) -> None:
    page = open_app("screen", session=session)
    first = store.session(session).ids[0]
    store.append(session, Event("label", {"doc": first, "label": "unsure"}), expected=0)
    press(page, "Settles it")
    assert len(page.warning) == 1 and "another tab" in page.warning[0].value
    assert "your last press was not recorded" in page.warning[0].value
    assert [event.payload["label"] for event in store.events(session)] == ["unsure"]
    assert "1 of 312 screened" in html_of(page)


def test_moving_a_slider_is_recorded_without_a_plan(open_app: Open, store: Store, session: str) -> None:
    page = unfold_stakes(open_app("screen", session=session))
    page.slider[0].set_value(0.8).run()
    assert not page.exception
    (event,) = store.events(session)
    assert event.kind == "settings"
    assert read_settings(event.payload["settings"]).payoffs.q_star == pytest.approx(0.8)
    press(page, "Not relevant")
    assert [event.kind for event in store.events(session)] == ["settings", "label"]


def test_with_a_plan_a_slider_is_a_what_if_until_confirmed(
    open_app: Open, store: Store, session: str
) -> None:
    page = unfold_stakes(open_app("screen", session=session))
    press(page, "Register this as my plan")
    page.slider[0].set_value(0.9).run()
    shown = html_of(page)
    assert "Registered plan: </span>" in shown and "What if: " in shown
    assert [event.kind for event in store.events(session)] == ["plan"]
    press(page, "Back to the plan")
    assert "What if: " not in html_of(page)
    page.slider[0].set_value(0.9).run()
    next(each for each in page.text_input if "deviate" in each.label).set_value("New instructions").run()
    press(page, "Confirm as a deviation")
    events = store.events(session)
    assert [event.kind for event in events] == ["plan", "settings"]
    assert events[1].payload["reason"] == "New instructions"
    assert "What if: " not in html_of(page)
    (told,) = [each.value.replace("\\", "") for each in page.caption if each.value.startswith("Deviation at")]
    assert re.fullmatch(
        r"Deviation at .*: how sure before you act: 50\s% → 90\s%\. New instructions", told
    ), told


def test_a_decision_on_a_hit_names_it(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    for name in ("Settles it", "It holds", "Stop and decide"):
        press(page, name)
    press(page, "Record the decision")
    (hit,) = store.record_texts(store.session(session).collection_id, [store.session(session).order[0]])
    assert f'data-look="1">#1</a> {hit.publication_number} “{hit.title}” settles' in html_of(page)


def test_evidence_about_the_chances_is_computed_once_a_press(
    open_app: Open, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, computed = press(ask_why(open_app("screen", session=session)), "Not relevant"), []
    whole = live_check.combined
    monkeypatch.setattr(live_check, "combined", lambda ratios: computed.append(ratios) or whole(ratios))
    ask_why(page)
    assert len(computed) == 1


def test_stopping_deciding_and_going_on(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    press(page, "Not relevant")
    assert "If you stopped now" in html_of(ask_why(page))
    press(page, "Stop and decide")
    press(page, "Record the decision")
    assert "If you stopped now" not in html_of(page)
    events = store.events(session)
    assert [(event.kind, event.reviewer) for event in events] == [
        ("label", "Rita"),
        ("stopped", "Rita"),
        ("decided", "Rita"),
    ]
    advice, _, _, _ = expected(store, session)
    assert events[2].payload["plus"] is False and events[2].payload["belief"] == advice.b
    assert "Decided: Grant" in html_of(page)
    assert "The advice then: GO ON" in html_of(page) and "Overridden: you stopped anyway" in html_of(page)
    assert html_of(page).count("⚠</span> Decided: Grant") == 2  # a phone's line warns as the panel does
    assert "tar-wrong" in html_of(page) and "The first stands at #16; you had read 1." in html_of(page)
    assert [each.label for each in page.get("download_button")][:2] == ["Report (HTML)", "Flow diagram (SVG)"]
    assert button(page, "Settles it").disabled
    press(page, "Keep screening")
    assert not button(page, "Settles it").disabled
    press(page, "Stop and decide")
    press(page, "Stop, and decide later")
    assert button(page, "Decide").proto.type == "primary"


def test_texts_from_files_are_shown_as_they_are(open_app: Open, store: Store) -> None:
    title = 'A <script>alert("x")</script> $x$ *bold* [link](javascript:x)'
    frame = as_records({"id": ["<i>1</i>"], "title": [title], "abstract": ["<img src=x onerror=alert(1)>"]})
    collection = store.save_collection("<b>List</b>", frame, files=[], duplicates=0)
    calibrator = calibrators()["clef-reviews-rank"]
    store.save_calibrator(calibrator)
    settings = PatentSettings(
        Payoffs.from_q_star(0.5), 0.001, calibrator=calibrator.digest, plus="<u>No</u>", minus="<u>Yes</u>"
    )
    session = store.create_session("<b>Mine</b>", collection, [0], None, settings, "<b>bold</b>", "own order")
    page = open_app("screen", session=session)
    shown = html_of(page)
    assert "&lt;script&gt;" in shown
    for raw in ("<script>alert", "<img src", "<b>Mine", "<u>No", "<u>Yes", "<i>1"):
        assert raw not in shown.replace(page_script(page), "")
    press(page, "Not relevant")
    assert "ALL READ" in html_of(page)


def page_script(page: AppTest) -> str:
    """The page's own script, the only one it may hold."""
    return next(each.proto.body for each in page.get("html") if "tarstopKeys" in each.proto.body)
