"""A page opens at its own address on a server that has shown nothing yet."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.acting import assert_navigation


@pytest.mark.deep  # in test_uploads.py a page opens at its address on such a server as well
@pytest.mark.parametrize("path", ["/results", "/set_up"])
def test_a_page_is_the_first_that_a_server_shows(
    server: Any, open_page: Callable[..., Any], path: str
) -> None:
    server.restart()
    watched = open_page()
    watched.open(server.url + path)
    watched.assert_sound()
    page = watched.page
    assert page.url.startswith(server.url + path)
    assert page.locator("[data-testid='stMain']").inner_text().strip()
    assert_navigation(page)


@pytest.mark.parametrize("path", ["/", "/explore"])
def test_the_sidebar_comes_back_by_its_button(server: Any, open_page: Callable[..., Any], path: str) -> None:
    """Presses pass the bar above a page, but not its buttons."""
    watched = open_page()
    watched.open(server.url + path)
    page = watched.page
    page.get_by_test_id("stSidebar").hover()
    page.locator("[data-testid=stSidebarCollapseButton] button").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    assert page.get_by_test_id("stMain").evaluate("main => main.getBoundingClientRect().left") == 0
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stExpandSidebarButton").wait_for(state="detached")
