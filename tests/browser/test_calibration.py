"""The Calibration page in a real browser: typed cases survive a visit elsewhere, and the check never jumps."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tarstop_core.screening.log import Event
from tarstop_core.sessions.demo import start_review_demo
from tests.browser.acting import arrived, at_rest, press, stored

OpenPage = Callable[..., Any]


def test_a_calibrator_from_memory_reaches_set_up(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    watched.open(f"{server.url}/calibration")
    page = watched.page
    page.get_by_role("tab", name="Fit one").click()
    at_rest(page)
    cases = page.get_by_label("Past cases")
    cases.fill("4\n17\nnone in 60\n2")
    cases.press("Control+Enter")
    expect(page.get_by_text("fitted on your 4 cases (my past searches)")).to_be_visible()
    at_rest(page)
    # The part and what was typed are there again after another page, and after a reload the part is.
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("button", name="Start the demo")).to_be_visible()
    at_rest(page)
    page.get_by_role("link", name="Calibration").click()
    page.get_by_role("tab", name="Fit one").click()
    expect(page.get_by_label("Past cases")).to_have_value("4\n17\nnone in 60\n2")
    at_rest(page)
    page.get_by_role("button", name="Keep this calibrator").click()
    expect(page.get_by_text("It is offered when you set up a session")).to_be_visible()
    with stored(server) as store:
        [kept] = store.kept_calibrators()
    assert kept.calibrator.kind == "rank-frailty"
    at_rest(page)
    page.reload()
    expect(page.get_by_role("tab", name="Fit one")).to_have_attribute("aria-selected", "true")
    at_rest(page)
    watched.assert_sound()


def test_the_check_keeps_its_place(server: Any, open_page: OpenPage) -> None:
    with stored(server) as store:
        session = start_review_demo(store)
        ids = store.session(session).ids
        for at in range(39):
            verdict = "relevant" if at == 28 else "irrelevant"
            store.append(session, Event("label", {"doc": ids[at], "label": verdict}), expected=at)
    watched = open_page()
    watched.open(f"{server.url}/screen?session={session}")
    page = watched.page
    arrived(page, "39 of")
    page.get_by_text("Why?", exact=True).click()
    at_rest(page)
    check = page.locator(".st-key-live_check")
    before = check.bounding_box()
    press(page, "e", 40)
    expect(page.get_by_test_id("live-check")).to_contain_text("among the 40 documents read")
    at_rest(page)
    after = check.bounding_box()
    assert before and after and (before["height"], before["x"]) == (after["height"], after["x"])

    watched.assert_sound()
