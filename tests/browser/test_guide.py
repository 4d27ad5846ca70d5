"""The guide in a real browser: a link leads to its place, with pictures above it that arrive later."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.acting import at_rest, start_demo

OpenPage = Callable[..., Any]
NEAR = 200  # pixels from the top of the window within which a chapter that was asked for begins


def assert_at(page: Page, heading: str) -> None:
    """The chapter stands at the top of the window, and every picture has come."""
    at_rest(page)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.st-key-guide img')].every((each) => each.complete)"
    )
    where = page.get_by_role("heading", name=heading, exact=True)
    page.wait_for_function(
        "([each, near]) => Math.abs(each.getBoundingClientRect().top) < near",
        arg=[where.element_handle(), NEAR],
    )


def test_the_advice_and_every_page_lead_to_their_chapters(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    page = start_demo(watched, server)
    page.get_by_text("Why?", exact=True).click()
    for link, heading in (
        ("What the advice means, and how sure it is", "What the advice means"),
        ("Guide to this page", "Screen"),
    ):
        at_rest(page)  # What opens moves the link while it is drawn
        with page.expect_popup() as opened:
            page.get_by_role("link", name=link).click()
        assert_at(opened.value, heading)
        opened.value.close()
    watched.assert_sound()


def test_chapters_are_jumped_to_and_other_documents_opened(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    watched.open(f"{server.url}/guide")
    page = watched.page
    page.get_by_role("link", name="Keyboard", exact=True).click()
    assert_at(page, "Keyboard")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Bring your own data").first.click()
    expect(opened.value.get_by_role("heading", name="Formats of documents")).to_be_visible()
    watched.assert_sound()
