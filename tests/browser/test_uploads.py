"""Uploads in a real browser: what one tab and all together may hold, and when it is given back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import assert_navigation, at_rest, by_sidebar
from tests.browser.conftest import AppServer

if TYPE_CHECKING:
    from tests.browser.conftest import Watched

PER_TAB, PER_SERVER, SIZE = 300_000, 500_000, 200_000
START = f"""import sys
from dashboard.frame import uploads
uploads.PER_TAB, uploads.PER_SERVER, uploads.EVERY = {PER_TAB}, {PER_SERVER}, 0.2
from streamlit.web.cli import main
main()"""


class Small(AppServer):
    """A server with room for two files, which forgets a tab a second after it was closed."""

    def command(self) -> list[str]:
        flags = (
            "--server.port",
            str(self.port),
            "--server.headless",
            "true",
            "--server.disconnectedSessionTTL",
            "1",
        )
        return [sys.executable, "-c", START, "run", "app.py", *flags]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with Small(tmp_path_factory.mktemp("small")) as running:
        yield running


def a_list(folder: Path, name: str) -> Path:
    """A list of one document; one given a second time under its name is no change to a browser's field."""
    path = folder / f"{name}.csv"
    head = f"id,title,abstract\n{name},A {name} mast,".encode()
    path.write_bytes(head + b"x" * (SIZE - len(head)))
    return path


def uploader(watched: Watched, server: AppServer) -> Locator:
    watched.open(f"{server.url}/set_up")
    watched.page.get_by_text("My own files").click()
    found = watched.page.get_by_role("region", name="Files that together").locator("input[type=file]")
    expect(found).to_be_attached()
    at_rest(watched.page)
    return found


def imported(page: Page) -> Locator:
    return page.get_by_text("document imported")


def removed(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Remove {name}.csv").click()


def test_a_tab_that_holds_too_much_says_so_and_takes_more_once_a_file_is_removed(
    small: AppServer, open_page: Callable[..., Watched], tmp_path: Path
) -> None:
    watched = open_page()
    page, given = watched.page, uploader(watched, small)
    assert_navigation(page)  # the first page that this server shows
    given.set_input_files(a_list(tmp_path, "first"))
    expect(imported(page)).to_be_visible()
    at_rest(page)
    given.set_input_files(a_list(tmp_path, "second"))
    expect(page.get_by_text("second.csv (0 MB) was not kept: one browser tab may hold")).to_be_visible()
    expect(imported(page)).not_to_be_visible()
    removed(page, "second")
    expect(imported(page)).to_be_visible()
    at_rest(page)
    removed(page, "first")
    expect(imported(page)).not_to_be_visible()
    at_rest(page)
    given.set_input_files(a_list(tmp_path, "third"))
    expect(imported(page)).to_be_visible()
    watched.assert_sound()


def test_what_a_page_or_a_visitor_left_behind_makes_room_for_others(
    small: AppServer, open_page: Callable[..., Watched], tmp_path: Path
) -> None:
    one, two, last = (open_page() for _ in range(3))
    for name, watched in (("one", one), ("two", two)):
        uploader(watched, small).set_input_files(a_list(tmp_path, name))
        expect(imported(watched.page)).to_be_visible()
        at_rest(watched.page)
    page, given = last.page, uploader(last, small)
    full = page.get_by_text("this server holds as many uploads as it can at the moment")
    given.set_input_files(a_list(tmp_path, "early"))
    expect(full).to_be_visible()
    by_sidebar(one.page, "Learn")  # its uploader is gone
    removed(page, "early")
    expect(full).not_to_be_visible()
    at_rest(page)
    given.set_input_files(a_list(tmp_path, "later"))
    expect(imported(page)).to_be_visible()
    two.leave()
    given = uploader(one, small)
    full = one.page.get_by_text("this server holds as many uploads as it can at the moment")
    for attempt in range(50):
        given.set_input_files(a_list(tmp_path, f"again-{attempt}"))
        expect(full.or_(imported(one.page))).to_be_visible()
        if imported(one.page).count():
            break
        removed(one.page, f"again-{attempt}")
        expect(full).not_to_be_visible()
        at_rest(one.page)
    expect(imported(one.page)).to_be_visible()
