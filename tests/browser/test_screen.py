"""Screening in a real browser: keys, reloads, restarts, two tabs, the decision and the export."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.acting import (
    arrived,
    assert_trace_is_the_cores,
    at_rest,
    choose,
    counter,
    hit,
    jump,
    listening,
    press,
    save_menu,
    session_id,
    slide,
    start_demo,
    stored,
    table_of,
    unfold,
    verdict,
)
from tests.browser.conftest import WINDOW

OpenPage = Callable[..., Any]
REAL_TOPIC = "CD008691"

ON_BOTH = pytest.mark.parametrize(
    "server", ["sqlite", pytest.param("postgres", marks=pytest.mark.deep)], indirect=True
)
"""Where the store is asked for more than once a label: the same on every kind of database."""


@ON_BOTH
def test_the_demo_from_the_first_key_to_the_decision(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    page = watched.page
    watched.open(server.url)
    page.get_by_role("button", name="Start the demo").click()
    arrived(page, "0 of")
    assert page.get_by_text("simulated documents").is_visible()
    for done in range(1, 6):
        press(page, "e", done)
    hit(page, "z")
    expect(page.get_by_text("Undone: the verdict on #5.")).to_be_visible()
    arrived(page, "4 of")
    # The message must not take the place of the style sheet.
    assert verdict(page).evaluate("each => getComputedStyle(each).fontWeight") == "700"
    press(page, "u", 5)
    expect(counter(page)).to_contain_text("1 unsure")

    page.get_by_role("button", name="Rita").click()
    name = page.get_by_label("Your name, recorded")
    expect(name).to_have_value("Rita")
    at_rest(page)
    name.fill("Ann Müller")
    expect(name).to_have_value("Ann Müller")
    page.keyboard.press("Enter")
    named = page.get_by_role("button", name="Ann Müller")
    expect(named).to_be_visible()
    page.reload()
    arrived(page, "5 of")
    expect(named).to_be_visible()

    press(page, "i", 6)
    expect(verdict(page)).to_contain_text("CONFIRM IT")
    hit(page, "h")
    expect(verdict(page)).to_contain_text("FOUND")

    at_rest(page)
    page.get_by_role("button", name="Stop and decide").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.keyboard.press("e")  # keys must not label a document behind the dialog
    at_rest(page)
    dialog.get_by_label(re.compile("^Reason")).fill("Figure 3 shows the hinge.")
    dialog.get_by_role("button", name="Record the decision").click()
    expect(verdict(page)).to_contain_text("Decided: Reject")
    expect(counter(page)).to_contain_text("6 of")

    at_rest(page)
    unfold(page, "Save, reasons")
    save_menu(page)
    trace = table_of(page, "Every document read")
    with stored(server) as store:
        session = session_id(page)
        assert_trace_is_the_cores(trace, store, session)
        events = store.events(session)
        assert [event.kind for event in events[-2:]] == ["stopped", "decided"]
        assert events[-1].payload["reason"] == "Figure 3 shows the hinge."
        assert (events[0].reviewer, events[-1].reviewer) == ("Rita", "Ann Müller")
    at_rest(page)
    page.get_by_role("button", name="Keep screening").click()
    press(page, "e", 7)
    watched.assert_sound()


@pytest.mark.deep  # from an upload to a reload, as other tests do on smaller lists
def test_a_real_collection_by_keyboard(server: Any, open_page: OpenPage, real_data: Path) -> None:
    """Upload, rank by the review's title, screen six by keyboard, change q*, come back after a reload."""
    titles = pd.read_csv(real_data / "topics.csv").set_index("topic")["title"]
    watched = open_page()
    watched.open(f"{server.url}/set_up")
    page = watched.page
    page.get_by_text("My own files").click()
    uploader = page.get_by_role("region", name="Files that together")
    expect(uploader).to_be_visible()
    at_rest(page)
    uploader.locator("input[type=file]").set_input_files(real_data / f"records/{REAL_TOPIC}.jsonl.gz")
    expect(page.get_by_text("1,310 documents imported")).to_be_visible()
    at_rest(page)
    page.get_by_text("Most like it first").click()
    query = page.get_by_label("What are you looking for?")
    expect(query).to_be_visible()
    at_rest(page)
    query.fill(str(titles[REAL_TOPIC]))
    query.press("Control+Enter")
    expect(page.get_by_test_id("first-titles").locator("li")).to_have_count(5)
    at_rest(page)
    page.get_by_role("button", name="Next").click()
    choose(page.get_by_role("radio", name="Both are equally bad"))
    at_rest(page)
    page.get_by_text("£100,000", exact=True).click()
    expect(page.get_by_test_id("first-advice")).to_be_visible()
    at_rest(page)
    page.get_by_role("button", name="Start", exact=True).click()
    arrived(page, "0 of 1,310")

    verdicts = "eueeee"
    for done, key in enumerate(verdicts[:3], 1):
        press(page, key, done)
    at_rest(page)
    page.get_by_text("What is at stake").click()
    slider = page.get_by_role("slider").first
    expect(slider).to_be_visible()
    at_rest(page)
    slide(slider, 1)
    expect(page.get_by_text(re.compile("more than 51\\s% sure"))).to_be_visible()
    slider.press("Escape")
    page.reload()
    arrived(page, "3 of")
    for done, key in enumerate(verdicts[3:], 4):
        press(page, key, done)

    at_rest(page)
    page.get_by_role("button", name="Stop and decide").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    at_rest(page)
    page.get_by_role("dialog").get_by_role("button", name="Record the decision").click()
    expect(verdict(page)).to_contain_text("Decided: Grant")
    at_rest(page)
    unfold(page, "Save, reasons")
    save_menu(page)
    trace = table_of(page, "Every document read")
    assert len(trace) == 6 and trace["q_star"].nunique() == 2
    with stored(server) as store:
        assert_trace_is_the_cores(trace, store, session_id(page))
    watched.assert_sound()


def test_keys_are_quiet_while_typing_count_once_when_held_and_judge_nothing_out_of_sight(
    server: Any, open_page: OpenPage
) -> None:
    watched = open_page(viewport={"width": 1280, "height": 700})
    page = start_demo(watched, server)
    hit(page, "n")
    note = page.get_by_label(re.compile("^Note on this document"))
    expect(note).to_be_focused()  # typing must not land on the page behind it
    note.press_sequentially("see figure 2, unusual hinge")
    note.press("Control+Enter")
    expect(page.get_by_text("see figure 2, unusual hinge")).to_be_visible()
    expect(counter(page)).to_contain_text("0 of")
    listening(page, "e")
    page.keyboard.down("e")
    for _ in range(5):
        page.keyboard.down("e")  # what a held key sends
    page.keyboard.up("e")
    arrived(page, "1 of")

    unfold(page, "What is at stake")
    page.set_viewport_size({"width": 1280, "height": 420})
    listening(page, "e")
    page.get_by_test_id("stMain").evaluate("each => each.scrollTo(0, each.scrollHeight)")
    expect(page.locator(".st-key-document")).not_to_be_in_viewport()
    page.keyboard.press("e")
    expect(page.locator(".tar-rank")).to_be_in_viewport()
    at_rest(page)
    expect(counter(page)).to_contain_text("1 of")
    page.set_viewport_size(WINDOW)
    press(page, "e", 2)
    unfold(page, "Why?")
    # A switch that was clicked is no field to type into.
    page.get_by_text("Underline words").click()
    at_rest(page)
    press(page, "e", 3)
    # What is called X on its button may be pressed as X.
    at_rest(page)
    page.keyboard.press("x")
    expect(counter(page)).to_contain_text("0 relevant (X) · 1 to be confirmed")


@ON_BOTH
@pytest.mark.parametrize("width", [390, 1280])
def test_the_decision_comes_into_sight(server: Any, open_page: OpenPage, width: int) -> None:
    watched = open_page(viewport={"width": width, "height": 700})
    page = start_demo(watched, server)
    if width > 640:
        page.get_by_text("Why?").click()
        expect(page.get_by_text("Other rules")).to_be_visible()
        watched.settle()
        page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
        expect(page.locator(".tar-chip").first).not_to_be_in_viewport()
    page.get_by_role("button", name="Stop and decide").click()
    # On a busy machine the document is gone some frames before the end of the session is there.
    page.locator(".tar-rank").evaluate("rank => { rank.className = ''; document.body.append(''); }")
    page.get_by_role("button", name="Record the decision").click()
    expect(page.locator(".tar-truth")).to_be_in_viewport()
    watched.assert_sound()


def test_on_a_phone_more_opens_the_rest_of_the_quiet_row(server: Any, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page = start_demo(watched, server)
    # The last: of the document before a button may still be there.
    background = page.get_by_role("button", name=re.compile("^Background")).last
    expect(background).to_be_hidden()
    page.locator(".tar-more summary").tap()
    for name in ("Unsure", "In combination", "Background", "Stop and decide"):
        box = page.get_by_role("button", name=re.compile(f"^{name}")).bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    background.tap()
    expect(counter(page)).to_contain_text("1 of")
    expect(background).to_be_hidden()  # another document, another row
    watched.assert_sound()


def test_on_a_phone_the_verdict_leads_to_its_reasons_and_back(server: Any, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page = start_demo(watched, server)
    line = page.get_by_role("button", name=re.compile("GO ON"))
    box = line.bounding_box()
    assert box is not None and box["height"] >= 44
    expect(page.get_by_text("If you stopped:")).not_to_be_in_viewport()
    line.tap()
    expect(page.get_by_text("If you stopped:")).to_be_in_viewport()
    line.tap()
    expect(page.locator(".tar-title")).to_be_in_viewport()
    expect(page.get_by_text("If you stopped:")).not_to_be_in_viewport()
    watched.assert_sound()


def test_a_touch_beside_the_menu_closes_it_and_presses_nothing(server: Any, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page = start_demo(watched, server)
    box = page.get_by_role("button", name="Settles it").bounding_box()
    assert box is not None
    place = box["x"] + box["width"] - 20, box["y"] + box["height"] / 2
    page.get_by_test_id("stExpandSidebarButton").tap()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")
    page.touchscreen.tap(*place)
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    at_rest(page)
    expect(counter(page)).to_contain_text("0 of")
    page.touchscreen.tap(*place)
    expect(counter(page)).to_contain_text("1 of")
    watched.assert_sound()


def test_keys_give_verdicts_after_a_touch_of_the_menu(server: Any, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 700, "height": 844}, has_touch=True)
    page = start_demo(watched, server)
    page.get_by_test_id("stExpandSidebarButton").tap()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Screen").tap()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    at_rest(page)
    page.keyboard.press("e")
    expect(counter(page)).to_contain_text("1 of")
    watched.assert_sound()


def test_after_an_x_the_page_stays_for_its_note_and_looking_back_changes_a_verdict(
    server: Any, open_page: OpenPage
) -> None:
    watched = open_page()
    page = start_demo(watched, server)
    press(page, "e", 1)
    press(page, "x", 2)
    expect(page.locator(".tar-rank")).to_have_text("#2")
    hit(page, "n")
    note = page.get_by_label(re.compile("^Note on this document"))
    expect(note).to_be_focused()
    note.press_sequentially("figure 3")
    note.press("Escape")  # what a key opened Esc closes, and nothing typed is lost
    expect(note).to_have_count(0)
    expect(page.locator(".st-key-document").get_by_text("figure 3")).to_be_visible()
    expect(page.locator(".tar-rank")).to_have_text("#2")
    # Left for later, it is led back to by the key that confirms it.
    hit(page, "Escape")
    expect(page.locator(".tar-rank")).to_have_text("#3")
    hit(page, "h")
    expect(page.locator(".tar-rank")).to_have_text("#2")
    hit(page, "d")
    expect(page.locator(".tar-rank")).to_have_text("#3")
    # A document that is not relevant is found again too; Esc closes the box that finds it.
    hit(page, "j")
    expect(page.get_by_role("combobox", name=re.compile("^Jump to"))).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox", name=re.compile("^Jump to"))).to_have_count(0)
    hit(page, "ArrowLeft")
    expect(page.locator(".tar-rank")).to_have_text("#2")
    hit(page, "ArrowLeft")
    expect(page.get_by_text("you said: not relevant")).to_be_visible()
    hit(page, "u")
    expect(counter(page)).to_contain_text("1 unsure")
    expect(counter(page)).to_contain_text("2 of")
    at_rest(page)
    with stored(server) as store:
        row = store.session(session_id(page))
        (first,) = store.record_texts(row.collection_id, [row.order[0]])
    jump(page, first.publication_number or first.id)
    expect(page.get_by_text("you said: unsure")).to_be_visible()
    hit(page, "e")
    expect(counter(page)).not_to_contain_text("unsure")
    at_rest(page)
    with stored(server) as store:
        session = session_id(page)
        notes = [event.payload for event in store.events(session) if event.kind == "note"]
        assert notes == [{"doc": store.session(session).ids[1], "text": "figure 3"}]
    watched.assert_sound()


@pytest.mark.deep  # in test_learning.py a server is killed once after a press
@pytest.mark.parametrize("server", ["sqlite", "postgres"], indirect=True)
def test_kills_lose_no_acknowledged_label(server: Any, open_page: OpenPage) -> None:
    """kill -9 between key presses: whatever the page had counted is there afterwards."""
    from benchmarks.kills import screen_through_kills

    watched = open_page()
    page = start_demo(watched, server)
    lost = screen_through_kills(page, server, kills=100, seed=7)
    assert lost == 0
