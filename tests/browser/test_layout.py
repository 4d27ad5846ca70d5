"""What stands on a page stays where it is while the page loads and after a press, and no page says more at first than it may."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from benchmarks.page_loads import MOST_SHIFT, PAGES, WATCH, load, presses
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.sessions import demo
from tests.browser.acting import hit, press, start_demo, stored, unfold
from tests.browser.first_open import LIMITS, counted, sessions
from tests.session_cases import INCLUSION
from tests.sessions.test_learning import begun

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

    from tests.browser.conftest import AppServer, Watched

DESK: ViewportSize = {"width": 1440, "height": 900}
LARGEST_VOID = 250  # pixels between two lines, or the last one and the bar
VOID = """(part) => {
  const bar = document.querySelector('.st-key-bar').getBoundingClientRect().top;
  const {top, left, right} = document.querySelector(part).getBoundingClientRect();
  const lines = [...document.querySelectorAll(`${part} :is(h3, .tar-literal, .tar-meta, p, li, label, summary, .tar-fluid)`)]
    .map((each) => each.getBoundingClientRect())
    .filter((line) => line.height && line.left >= left - 1 && line.left < right && line.top < bar)
    .sort((one, other) => one.top - other.top);
  let end = top, most = 0;
  for (const line of [...lines, {top: bar, bottom: bar}]) {
    most = Math.max(most, line.top - end);
    end = Math.max(end, line.bottom);
  }
  return most;
}"""
"""The largest empty stretch of a column of Screen, from top to bottom."""
WHOLE = """() => {
  const list = document.querySelector('.tar-nearby ol'), {top, bottom} = list.getBoundingClientRect();
  const first = list.firstElementChild.getBoundingClientRect();
  return !list.checkVisibility() || first.top >= top - 1 && first.bottom <= bottom + 1;
}"""
"""Whether the list around a document shows its heading with a title below it, or nothing."""
PHONE: ViewportSize = {"width": 390, "height": 844}


FITS = """() => {
    const bar = document.querySelector('[data-testid=stBottom]').getBoundingClientRect().top;
    const seen = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stExpander]')].filter((each) => each.checkVisibility());
    return seen.length > 0 && seen.every((each) => each.getBoundingClientRect().bottom <= bar);
}"""
"""What stands last in a step of Set up, the fold with everything else, ends above the bar at the bottom."""


def test_pages_stand_still_while_they_load_and_say_no_more_at_first_than_they_may(
    server: AppServer, open_page: Callable[..., Watched]
) -> None:
    with stored(server) as store:
        named = sessions(store)
    page = open_page(DESK).page
    page.add_init_script(f"({WATCH})()")
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    limits = {address.format(**named): (most, controls) for address, most, controls in LIMITS.values()}
    moved, over = {}, {}
    # A session that was opened would be taken up by the pages after it.
    for address in sorted({*PAGES, *limits} - {"screen"}, key=lambda each: ("?" in each, each)):
        found = load(page, f"{server.url}/{address}")
        if (address in PAGES or "?session=" in address or "step=" in address) and (
            found.shift > MOST_SHIFT or found.beyond > 0
        ):
            moved[address] = found.moved
        if address not in limits:
            continue
        words, controls = counted(page)
        assert words > 30 and controls > 5, f"{address} was counted before it was drawn"
        most_words, most_controls = limits[address]
        if words > most_words or (most_controls is not None and controls > most_controls):
            over[address] = words, controls
        if address.startswith("set_up"):
            page.set_viewport_size({"width": 1280, "height": 800})
            page.wait_for_function(FITS)
            page.set_viewport_size(DESK)
    assert moved == {} and over == {}
    assert failed == [], "to ask in vain delays the page"


def test_a_figure_stays_in_sight_while_the_fields_beside_it_are_scrolled(
    server: AppServer, open_page: Callable[..., Watched]
) -> None:
    watched = open_page(viewport=DESK)
    watched.open(f"{server.url}/decisions")
    watched.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(watched.page.get_by_label("What reading on costs")).to_be_in_viewport()
    expect(watched.page.locator(".st-key-beside .tar-fluid")).to_be_in_viewport(ratio=1)


@pytest.mark.deep
def test_pages_stand_still_on_a_phone(server: AppServer, open_page: Callable[..., Watched]) -> None:
    with stored(server) as store:
        session = demo.start_demo(store, "Rita")
    page = open_page(PHONE).page
    page.add_init_script(f"({WATCH})()")
    found = {
        name: load(page, f"{server.url}/{name}" + (f"?session={session}" if name == "screen" else ""))
        for name in PAGES
    }
    moved = {name: each.moved for name, each in found.items() if each.shift > MOST_SHIFT or each.beyond > 0}
    assert moved == {}


def test_on_a_phone_home_begins_with_what_may_be_begun(
    server: AppServer, open_page: Callable[..., Watched]
) -> None:
    watched = open_page(PHONE, has_touch=True)
    watched.open(server.url)
    for name in ("Start the demo", "Start the review demo", "Start the trials demo", "Set up a session"):
        expect(watched.page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    with stored(server) as store:
        demo.start_review_demo(store, "Rita")
    watched.open(server.url)
    fact = watched.page.locator("[class*='st-key-session-'] .tar-fact")
    assert fact.count() > 2
    assert set(fact.evaluate_all("all => all.map((each) => each.getClientRects().length)")) == {1}


@pytest.mark.parametrize("height", [720, 800])
def test_nothing_is_cut_in_a_low_window(
    server: AppServer, open_page: Callable[..., Watched], height: int
) -> None:
    watched = open_page({"width": 1280, "height": height})
    page = start_demo(watched, server)
    for done in range(1, 5):
        press(page, "e", done)
        assert page.evaluate(WHOLE), "a heading stands without its title, or half of it"
    with stored(server) as store:
        session = begun(store, EnoughSettings(calibrator=INCLUSION.digest, learns=True))
        reports = demo.start_review_demo(store, "Rita")
    watched.open(f"{server.url}/screen?session={session}")
    for done in range(1, 6):
        press(page, "i" if "ultrasound of the hip" in page.locator("article").inner_text() else "e", done)
    lines, bar = page.get_by_test_id("why-next").bounding_box(), page.locator(".st-key-bar").bounding_box()
    assert lines is not None and bar is not None
    assert height < 781 or lines["y"] + lines["height"] <= bar["y"]
    watched.open(f"{server.url}/screen?session={reports}")
    press(page, "i", 1)
    hit(page, "f")
    expect(page.get_by_role("button", name="Save the report")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size, most", [(DESK, 0.02), (PHONE, 0.05)], ids=["desk", "phone"])
def test_a_verdict_moves_nothing(
    server: AppServer, open_page: Callable[..., Watched], size: ViewportSize, most: float
) -> None:
    with stored(server) as store:
        session = demo.start_demo(store, "Rita")
    page = open_page(size).page
    page.add_init_script(f"({WATCH})()")
    assert max(presses(page, f"{server.url}/screen?session={session}", 5)) <= most


def test_a_long_name_takes_no_second_line(server: AppServer, open_page: Callable[..., Watched]) -> None:
    with stored(server) as store:
        session = demo.start_review_demo(store)
        store.rename(session, "Cradle ultrasound for hollow hip in infants with an uneven skin fold " * 2)
    for size in (DESK, PHONE):
        watched = open_page(size)
        watched.open(f"{server.url}/screen?session={session}")
        name = watched.page.locator(".tar-header strong")
        expect(name).to_have_attribute("title", re.compile("fold$"))
        assert name.evaluate("each => each.getClientRects().length") == 1
        assert name.evaluate("each => each.offsetHeight < 2 * parseFloat(getComputedStyle(each).fontSize)")


def test_screen_holds_no_void_open(server: AppServer, open_page: Callable[..., Watched]) -> None:
    watched = open_page(DESK)
    page = start_demo(watched, server)
    columns = (".st-key-document", ".st-key-advised")
    for done in range(1, 4):
        press(page, "e", done)
    assert max(page.evaluate(VOID, column) for column in columns) <= LARGEST_VOID
    # A document without an abstract, and a search without a claim.
    page.evaluate(
        "document.querySelectorAll('article .tar-literal, .tar-features').forEach(each => each.remove())"
    )
    assert page.evaluate(VOID, columns[0]) <= LARGEST_VOID
    unfold(page, "Why?")
    assert max(page.evaluate(VOID, column) for column in columns) <= LARGEST_VOID
