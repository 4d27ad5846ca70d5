"""What stands on a page stays where it is while the page loads and after a press."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from benchmarks.page_loads import MOST_SHIFT, PAGES, WATCH, load, presses
from tarstop_core.sessions import demo
from tests.browser.acting import stored

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

    from tests.browser.conftest import AppServer, Watched

DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.mark.parametrize("size", [DESK, pytest.param(PHONE, marks=pytest.mark.deep)], ids=["desk", "phone"])
def test_pages_stand_still_while_they_load(
    server: AppServer, open_page: Callable[..., Watched], size: ViewportSize
) -> None:
    with stored(server) as store:
        session = demo.start_demo(store, "Rita")
    page = open_page(size).page
    page.add_init_script(f"({WATCH})()")
    found = {
        name: load(page, f"{server.url}/{name}" + (f"?session={session}" if name == "screen" else ""))
        for name in PAGES
    }
    moved = {name: each.moved for name, each in found.items() if each.shift > MOST_SHIFT or each.beyond > 0}
    assert moved == {}


@pytest.mark.parametrize("size, most", [(DESK, 0.02), (PHONE, 0.05)], ids=["desk", "phone"])
def test_a_verdict_moves_nothing(
    server: AppServer, open_page: Callable[..., Watched], size: ViewportSize, most: float
) -> None:
    with stored(server) as store:
        session = demo.start_demo(store, "Rita")
    page = open_page(size).page
    page.add_init_script(f"({WATCH})()")
    assert max(presses(page, f"{server.url}/screen?session={session}", 5)) <= most
