"""The Calibration page without a browser: look, fit, keep, put away, compare, switch; and the check on Screen."""

import html
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.calibration.calibration_plot import calibration_plot_sentence, intervals_held
from tarstop_core.documents.records import as_records
from tarstop_core.presentation.numbers import number, unbroken
from tarstop_core.samples.shipped import calibrators, reranked_calibration
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.compare import switch_sentence, with_calibrator
from tarstop_core.sessions.demo import start_demo, start_review_demo
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.ui.screen.test_page import ask_why

Open = Callable[..., AppTest]
CASES = "4\n17\nnone in 60\n2\nnone at all"


def shown(app: AppTest) -> str:
    assert not app.exception
    parts = [*app.get("html"), *app.caption, *app.info, *app.warning, *app.error, *app.markdown]
    return " ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts).replace("\\", "")


def labelled(store: Store, session: str, verdicts: str) -> None:
    names = {"+": "relevant", "-": "irrelevant"}
    ids = store.session(session).ids
    for at, each in enumerate(verdicts):
        store.append(session, Event("label", {"doc": ids[at], "label": names[each]}), expected=at)


def stopped(store: Store, session: str) -> None:
    seen = len(store.events(session))
    store.append(session, Event("stopped", {"advice": "stop", "depth": seen}), expected=seen)


def started(store: Store, name: str, settings: Settings, verdicts: str) -> None:
    """A session on other documents, begun with the same chances."""
    ids = [f"{name} {at}" for at in range(400)]
    frame = as_records(pd.DataFrame({"id": ids, "title": ids}))
    collection = store.save_collection(name, frame, [], 0, simulated=True)
    scores = np.linspace(3, 1, len(ids))
    labelled(
        store,
        store.create_session(
            name, collection, list(range(len(ids))), scores, settings, "a test", "own order"
        ),
        verdicts,
    )


@pytest.fixture
def searched(store: Store) -> str:
    """A finished search of twelve documents in which nothing was found."""
    session = start_demo(store)
    labelled(store, session, "-" * 12)
    stopped(store, session)
    return session


def test_every_shipped_calibrator_says_what_it_was_fitted_on(open_app: Open) -> None:
    page = open_app("calibration")
    for scenario in ("patent", "inclusion", "review"):
        page.segmented_control("calibration/scenario").set_value(scenario).run()
        for key in [key for key, each in calibrators().items() if each.scenario == scenario][:3]:
            page.selectbox("calibration/chosen").set_value(key).run()
            said = shown(page)
            assert calibrators()[key].fitted_on.badge in html.unescape(said)
            assert "chances were off by" in said


def test_chances_of_lists_that_learn_are_shown_set_by_set(open_app: Open) -> None:
    page = open_app("calibration", part="Lists that learn")
    every = reranked_calibration()
    for judged, what, read in (("inclusion", "all left", 100), ("review", "next 20", 20)):
        page.segmented_control("calibration/judged").set_value(judged)
        page.segmented_control("calibration/ahead").set_value(what)
        page.segmented_control("calibration/read").set_value(read).run()
        own = every[every["judged"] == judged]
        rows = own[(own["what"] == what) & (own["read"] == read)]
        assert calibration_plot_sentence(rows, own) in shown(page).replace("\xa0", " ")
        assert f"{intervals_held(rows).sum()} of {len(rows)} held" in shown(page).replace("\xa0", " ")
        assert "25 labelled sets" in shown(page).replace("\xa0", " ")
        assert len(page.get("plotly_chart")) == 1


def test_a_calibrator_from_memory_is_kept_renamed_deleted_and_brought_back(
    open_app: Open, store: Store
) -> None:
    page = open_app("calibration", part="Fit one")
    assert "Before any case" in shown(page)
    assert page.text_area("calibration_fit/cases").placeholder.startswith("for example:\n")
    page.text_area("calibration_fit/cases").set_value("4\nsoon").run()
    assert "Line 2: “soon”" in shown(page)
    page.text_area("calibration_fit/cases").set_value("4\n17").run()
    page.selectbox("calibration_fit/outcome").set_value("stopped").run()
    page.number_input("calibration_fit/rank").set_value(60).run()
    page.button("calibration_fit/add").click().run()
    assert page.text_area("calibration_fit/cases").value == "4\n17\nnone in 60"
    page.text_area("calibration_fit/cases").set_value(CASES).run()
    assert "your 5 cases (my past searches)" in shown(page)
    assert "by rank 10 in" in shown(page)
    # To begin with, cases update what is included; on request they stand alone.
    assert "with yours it is" in shown(page)
    page.segmented_control("calibration_fit/cases/alone").set_value("alone").run()
    assert "with yours it is" not in shown(page)
    page.segmented_control("calibration_fit/cases/alone").set_value("update").run()
    page.button("calibration_fit/keep").click().run()
    [kept] = store.kept_calibrators()
    assert kept.calibrator.kind == "rank-frailty"
    assert "going on from" in kept.calibrator.fitted_on.source

    there = open_app("calibration")
    key = f"own-{kept.digest}"
    there.selectbox("calibration/chosen").set_value(key).run()
    there.text_input(f"calibration/name/{key}").set_value("Mine").run()
    assert store.kept_calibrators()[0].name == "Mine"
    there.button("calibration/delete").click().run()
    assert "“Mine” was deleted" in shown(there)
    assert key not in there.selectbox("calibration/chosen").options
    there.button("calibration/undo/press").click().run()
    assert not store.kept_calibrators()[0].deleted
    # And set-up offers it, for lists with scores and without.
    assert any("Mine" in option for option in there.selectbox("calibration/chosen").options)


def test_memory_is_for_patent_searches_and_reviews_begin_elsewhere(open_app: Open) -> None:
    page = open_app("calibration", part="Fit one")
    assert page.segmented_control("calibration_fit/way").value == "memory"
    assert "Only for patent searches" in page.markdown[1].value
    page = open_app("calibration")
    page.segmented_control("calibration/scenario").set_value("inclusion").run()
    page.session_state["part"] = "Fit one"
    page.run()
    assert page.segmented_control("calibration_fit/way").value == "files"


def test_nothing_finished_says_what_to_do(open_app: Open, store: Store) -> None:
    start_demo(store)
    page = open_app("calibration", part="Fit one")
    page.segmented_control("calibration_fit/way").set_value("sessions").run()
    assert "is finished yet" in shown(page)
    assert "is finished yet" in shown(open_app("calibration", part="In a finished session"))


def test_finished_searches_count_as_cases(open_app: Open, store: Store, searched: str) -> None:
    found = start_demo(store)
    labelled(store, found, "-----+")
    ids = store.session(found).ids
    store.append(found, Event("confirm", {"doc": ids[5], "holds": True}), expected=6)
    stopped(store, found)
    page = open_app("calibration", part="Fit one")
    page.segmented_control("calibration_fit/way").set_value("sessions").run()
    assert "one case: 6, none in 12" in shown(page)
    assert "2 simulated topics (my sessions)" in shown(page)


def test_a_finished_review_teaches_what_was_read(open_app: Open, store: Store) -> None:
    review = start_review_demo(store)
    labelled(store, review, "++-+--" * 5)
    stopped(store, review)
    page = open_app("calibration", part="Fit one")
    page.segmented_control("calibration_fit/way").set_value("sessions").run()
    page.button("calibration_fit/sessions/fit").click().run()
    said = shown(page)
    assert "30 documents, 15 of them" in said
    assert "none could be held out" in said


def test_two_are_compared_and_decisions_follow(open_app: Open) -> None:
    page = open_app("calibration", part="Compare two")
    page.selectbox("calibration_compare/where/patent").set_value("sample searches").run()
    said = shown(page)
    assert "On 8 lists with 2,445 documents" in said and "reads" in said and "net utility" in said
    page.segmented_control("calibration_compare/scenario").set_value("inclusion").run()
    assert "need all labels" in shown(page)


def test_switching_says_what_the_core_says(open_app: Open, store: Store, searched: str) -> None:
    page = open_app("calibration", part="In a finished session")
    other = calibrators()["clef-reviews-rank"]
    page.selectbox("calibration_compare/other/patent/True").set_value("clef-reviews-rank").run()
    session = session_snapshot(store, searched)
    held, moved = with_calibrator(session, other)
    said = switch_sentence(
        held, session.state.settings, moved, "medical reviews of CLEF TAR, not patents (from ranks)"
    )
    assert unbroken(said) in shown(page) and re.search(r"would be \S+ % instead of \S+ %", said)


def test_a_duplicate_can_have_another_calibrator(open_app: Open, store: Store, searched: str) -> None:
    page = open_app("sessions", session=searched)
    page.session_state["session_detail/tab"] = "Other settings"
    page.run()
    wanted = calibrators()["clef-reviews-rank"]
    page.selectbox(f"session_detail/tried/{searched}/calibrator").set_value(wanted.digest).run()
    assert "Chances of the documents:" in shown(page)
    page.button("session_detail/duplicate").click().run()
    assert not page.exception
    [made] = [each.id for each in store.sessions() if each.id != searched]
    assert store.session(made).settings.calibrator == wanted.digest
    assert store.calibrator(wanted.digest) == wanted


def test_the_check_on_screen_rescales_once_and_takes_back(open_app: Open, store: Store) -> None:
    review = start_review_demo(store)
    labelled(store, review, "-" * 28 + "+" + "-" * 11)
    page = ask_why(open_app("screen", session=review))
    assert "40 documents read, found 1." in shown(page)
    assert "rescale" not in {button.key for button in page.button}, "one list is no warning"

    row = store.session(review)
    for at in range(11):
        hits = np.random.default_rng(at).random(40) < 0.05
        started(store, f"review {at}", row.settings, "".join("-+"[int(hit)] for hit in hits))
    page = ask_why(open_app("screen", session=review))
    assert "over 12 sessions with these" in shown(page)
    offered = page.button("rescale").label
    page.button("rescale").click().run()
    events = store.events(review)
    scale = replay(row.settings, row.ids, events).settings.scale
    assert scale < 1 and offered == f"Multiply the chances by {number(scale)}"
    assert "12 sessions" in events[-1].payload["reason"]
    assert page.button("rescale").label == f"Take back “× {number(scale)}”"
    assert "over 12 sessions" not in shown(page), "of the new chances nothing is known yet"
    page.button("rescale").click().run()
    assert replay(row.settings, row.ids, store.events(review)).settings == row.settings
    assert page.button("rescale").label == offered


def test_misses_of_a_search_are_not_multiplied_away(open_app: Open, store: Store) -> None:
    session = start_demo(store)
    labelled(store, session, "-" * 12)
    page = ask_why(open_app("screen", session=session))
    assert "This has lowered the chance that prior art exists" in shown(page)
    assert "rescale" not in {button.key for button in page.button}
