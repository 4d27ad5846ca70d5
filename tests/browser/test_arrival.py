"""A session opens at the top of its page, whatever was scrolled before, and is left there by a label."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import Page, expect

from tests.browser.acting import at_rest

if TYPE_CHECKING:
    from tests.browser.conftest import AppServer, Watched

MAIN = "document.querySelector('[data-testid=\"stMain\"]')"


def scrolled(page: Page, wanted: str) -> None:
    page.wait_for_function(f"() => {MAIN}.scrollTop {wanted}")


def test_start_at_the_bottom_of_set_up_opens_the_top(
    server: AppServer, open_page: Callable[..., Watched]
) -> None:
    watched = open_page()
    page = watched.page
    watched.open(f"{server.url}/set_up")
    expect(page.get_by_test_id("first-titles")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 400})  # so low that there is something to scroll
    at_rest(page)
    page.evaluate(f"{MAIN}.scrollTo(0, 1e6)")
    scrolled(page, "> 100")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".tar-rank")).to_have_text("#1")
    scrolled(page, "=== 0")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".tar-title")).to_be_in_viewport()

    page.set_viewport_size({"width": 1280, "height": 500})  # so low that there is something to scroll
    at_rest(page)
    page.evaluate(f"{MAIN}.scrollTo(0, 100)")
    page.get_by_role("button", name="Not relevant").click()
    expect(page.locator(".tar-rank")).to_have_text("#2")
    scrolled(page, "=== 100")
