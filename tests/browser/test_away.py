"""What a page says while its server does not answer, and that it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.acting import press, start_demo

if TYPE_CHECKING:
    from tests.browser.conftest import AppServer, Watched


def test_a_server_that_is_away_is_named_and_comes_back(
    server: AppServer, open_page: Callable[..., Watched]
) -> None:
    page = start_demo(open_page(), server)
    press(page, "e", 1)
    server.kill()
    away = page.get_by_role("dialog")
    expect(away).to_contain_text("TARstop does not answer")
    expect(away).not_to_contain_text("Streamlit")
    server.start()
    expect(away).to_have_count(0)
    press(page, "e", 2)
