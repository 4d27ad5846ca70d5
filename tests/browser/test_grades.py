"""Grades by key, the question before a flagged hit, and own reasons, in a real browser."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from playwright.sync_api import Page, expect

from tarstop_core.documents.application import Application
from tarstop_core.documents.records import as_records
from tarstop_core.screening.fold import replay
from tarstop_core.sessions.store.store import Store
from tests.browser.acting import arrived, assert_fits, at_rest, counter, hit, press, stored, unfold, verdict
from tests.session_cases import PATENT, START

OpenPage = Callable[..., Any]
N = 12


def a_search(store: Store) -> str:
    """Twelve documents, the third published too late."""
    frame = as_records(
        {
            "id": [f"US{1000000 + at}A1" for at in range(N)],
            "title": [f"Folding mast {at}" for at in range(N)],
            "abstract": ["A mast that folds about a hinge."] * N,
            "date": ["2019-05-12" if at == 2 else "2010-01-01" for at in range(N)],
            "publication_number": [f"US{1000000 + at}A1" for at in range(N)],
        }
    )
    store.save_calibrator(PATENT)
    collection = store.save_collection("Masts", frame, [], 0)
    settings = replace(START, application=Application(priority="2018-03-03"))
    return store.create_session(
        "Masts", collection, list(range(N)), None, settings, "a folded mast", "own order"
    )


def opened(watched: Any, server: Any, screened: int = 0) -> tuple[Page, str]:
    with stored(server) as store:
        session = a_search(store)
    watched.open(f"{server.url}/screen?session={session}")
    arrived(watched.page, f"{screened} of")
    return watched.page, session


def labels_of(server: Any, session: str) -> list[int]:
    with stored(server) as store:
        row = store.session(session)
        state = replay(row.settings, row.ids, store.events(session))
        return state.labels[: state.depth].tolist()


def test_a_search_is_graded_by_key(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    page, session = opened(watched, server)
    place = page.locator(".st-key-bar").bounding_box()
    press(page, "y", 1)
    press(page, "a", 2)
    expect(counter(page)).to_contain_text("1 Y · 1 A")

    # The third is flagged: the key for a hit asks first, pressed twice it still does, and Esc takes it back.
    expect(page.get_by_text("after your priority date 3 March 2018")).to_be_visible()
    hit(page, "i")
    expect(page.get_by_text("does it settle the question anyway?")).to_be_visible()
    at_rest(page)
    assert page.locator(".st-key-bar").bounding_box() == place, "nothing jumps"
    at_rest(page)
    page.keyboard.press("i")
    hit(page, "Escape")
    expect(page.get_by_role("button", name=re.compile("^Settles it"))).to_be_visible()
    assert labels_of(server, session) == [3, 4]
    hit(page, "i")
    hit(page, "a")
    expect(counter(page)).to_contain_text("3 of")

    press(page, "y", 4)
    at_rest(page)
    page.get_by_role("button", name="Y + Y settle it together").click()
    expect(page.get_by_label(re.compile("^Why a reader"))).to_be_visible()
    at_rest(page)
    page.get_by_label(re.compile("^Why a reader")).fill("The same hinge")
    page.get_by_role("button", name="They settle it together").click()
    expect(page.get_by_text("document #4 together with #1 settle the question")).to_be_visible()
    hit(page, "Escape")
    # Y grades while a hit waits: only H confirms it.
    press(page, "y", 5)
    expect(verdict(page)).to_contain_text("CONFIRM IT")
    hit(page, "h")
    hit(page, "h")
    expect(verdict(page)).to_contain_text("FOUND")
    assert labels_of(server, session) == [3, 4, 4, 1, 3]
    with stored(server) as store:
        notes = [event.payload["note"] for event in store.events(session) if "note" in event.payload]
        assert notes == ["With #1: The same hinge"]
    watched.assert_sound()


def test_reasons_are_number_keys(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    page, session = opened(watched, server)
    unfold(page, "Save, reasons")
    page.get_by_role("button", name="Reasons to exclude").click()
    box = page.get_by_role("dialog").get_by_label("Your reasons, one a line")
    expect(box).to_be_visible()
    at_rest(page)
    box.press_sequentially("no hinge 1\nnot a mast")  # no key typed here is a verdict
    page.get_by_role("button", name="Save the reasons").click()
    expect(page.get_by_role("button", name=re.compile("^not a mast"))).to_be_visible()
    press(page, "2", 1)
    press(page, "e", 2)
    press(page, "1", 3)
    with stored(server) as store:
        row = store.session(session)
        state = replay(row.settings, row.ids, store.events(session))
    assert state.excluded_for == {0: "not a mast", 2: "no hinge 1"} and state.depth == 3
    watched.assert_sound()


def test_the_five_verdicts_on_a_phone(server: Any, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page, _ = opened(watched, server)
    assert_fits(page, 390)
    more = page.locator("summary", has_text="More")
    more.tap()
    for name in ("Settles it", "Not relevant", "Unsure", "In combination", "Background"):
        box = page.get_by_role("button", name=re.compile(f"^{name}")).first.bounding_box()
        assert box is not None and box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    for done, name in enumerate(("In combination", "Background"), start=1):
        if done > 1:
            more.tap()
        page.get_by_role("button", name=re.compile(f"^{name}")).tap()
        expect(counter(page)).to_contain_text(f"{done} of")
        at_rest(page)
    page.get_by_role("button", name=re.compile("^Settles it")).tap()
    asked = page.get_by_role("button", name="It is X anyway")
    expect(asked).to_be_visible()
    at_rest(page)
    box = asked.bounding_box()
    assert box is not None and box["y"] + box["height"] <= 844 and box["height"] >= 44, (
        "it is under the thumb"
    )
    assert_fits(page, 390)
    asked.tap()
    expect(verdict(page)).to_contain_text("CONFIRM IT")
    watched.assert_sound()
