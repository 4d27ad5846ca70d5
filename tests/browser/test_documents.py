"""A published list with its labels, from the file to the Screen page, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tarstop_core.sessions.store.store import Store
from tests.browser.acting import at_rest

if TYPE_CHECKING:
    from tests.browser.conftest import AppServer, Watched


def test_labels_that_came_along_are_kept_and_counted(
    server: AppServer, open_page: Callable[..., Watched], real_data: Path
) -> None:
    watched = open_page()
    page = watched.page
    watched.open(f"{server.url}/set_up?scenario=review")
    page.get_by_text("My own files").click()
    uploader = page.get_by_role("region", name="Files that together").locator("input[type=file]")
    uploader.set_input_files(real_data / "records" / "ADHD.csv")
    expect(page.get_by_text("851 documents imported")).to_be_visible()
    # In two stages the verdict by title and abstract is the one that is meant, unless a person says otherwise.
    expect(page.get_by_text("ADHD.csv holds two verdicts")).to_be_visible()
    at_rest(page)
    question = page.get_by_label("What does the review ask?")
    question.fill("drugs for attention deficit hyperactivity disorder")
    question.press("Control+Enter")
    expect(page.get_by_text("851 of 851 documents carry labels (84 relevant)").first).to_be_visible()
    expect(page.get_by_test_id("replayed").locator("tbody tr").first).to_contain_text("of 84")
    at_rest(page)
    page.get_by_text("Keep them as already screened").click()
    expect(page.get_by_text("Nothing is left to read then.")).to_be_visible()
    at_rest(page)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/screen?session=*")
    expect(page.get_by_test_id("counter")).to_contain_text("851 of 851 screened · 84 included")
    expect(page.get_by_test_id("counter")).to_contain_text("851 came with labels")
    watched.settle()
    watched.assert_sound()
    with Store(server.database) as store:
        (summary,) = store.sessions()
        assert summary.labelled == 851
        assert [event.kind for event in store.events(summary.id)] == ["kept", "fit"]
