"""Home and Set up in a real browser: real uploads, other pages in between, small screens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import at_rest, choose, stored

if TYPE_CHECKING:
    from tests.browser.conftest import AppServer, Watched

FIRST = b"id,title,abstract\nEP-1000001-A1,Foldable mast,It folds.\nEP-1000009-A1,Kettle,With a lid.\n"
SECOND = b"id,title,abstract\nEP-1000009-A1,Kettle,With a lid.\nEP-1000003-A1,Antenna,On a mast.\n"


SURE = "when more than 33 % sure"


def files(folder: Path) -> list[Path]:
    paths = []
    for name, content in (("first.csv", FIRST), ("second.csv", SECOND)):
        path = folder / name
        path.write_bytes(content)
        paths.append(path)
    return paths


def uploader(page: Page) -> Locator:
    return page.get_by_role("region", name="Files that together").locator("input[type=file]")


def next_step(page: Page) -> None:
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Which mistake is worse?")).to_be_visible()
    at_rest(page)


def test_uploads_survive_a_visit_to_another_page(
    server: AppServer, open_page: Callable[..., Watched], tmp_path: Path
) -> None:
    first, second = files(tmp_path)
    watched = open_page()
    page = watched.page
    watched.open(f"{server.url}/set_up")
    page.get_by_text("My own files").click()
    expect(uploader(page)).to_be_attached()
    at_rest(page)
    uploader(page).set_input_files(first)
    expect(page.get_by_text("2 documents imported")).to_be_visible()
    at_rest(page)
    uploader(page).set_input_files(second)
    expect(page.get_by_text("3 documents imported")).to_be_visible()
    expect(page.get_by_text("1 merged as duplicates")).to_be_visible()
    with stored(server) as store:
        (row,) = store.collections()
        assert row.documents == 3, "the file added later took the place of the first import"

    at_rest(page)
    page.get_by_label("What are you looking for?").fill("an antenna")
    page.get_by_label("What are you looking for?").press("Control+Enter")
    expect(page.get_by_test_id("first-titles").locator("li").first).to_contain_text("Antenna")
    at_rest(page)
    next_step(page)
    page.get_by_text("Applicant: Don’t file or File").click()
    expect(page.get_by_text("“File” although prior art exists")).to_be_visible()
    at_rest(page)
    choose(page.get_by_role("radio", name="“File” although prior art exists"))
    at_rest(page)
    expect(page.get_by_test_id("first-advice")).to_be_hidden()
    page.get_by_text("£1,000,000", exact=True).click()
    expect(page.get_by_text(SURE).last).to_be_visible()
    expect(page.get_by_test_id("first-advice")).to_be_visible()
    at_rest(page)

    # So does everything that was entered, where the page is loaded anew.
    page.reload()
    at_rest(page)
    expect(page.get_by_text(SURE).last).to_be_visible()
    expect(page.get_by_role("radio", name="“File” although prior art exists")).to_be_checked()
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_label("What are you looking for?")).to_have_value("an antenna")
    at_rest(page)
    page.reload()
    at_rest(page)
    expect(page.get_by_text("Which mistake is worse?")).to_have_count(0)  # nobody has opened it yet
    next_step(page)
    expect(page.get_by_text(SURE).last).to_be_visible()
    expect(page.get_by_role("radio", name="“File” although prior art exists")).to_be_checked()
    expect(page.get_by_role("radio", name="£1,000,000", exact=True)).to_be_checked()
    page.get_by_role("button", name="Back").click()
    at_rest(page)

    page.get_by_test_id("stSidebarNavLink").filter(has_text="Home").click()
    expect(page.get_by_role("heading", name="Know when to stop reading")).to_be_visible()
    at_rest(page)
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Set up").click()
    expect(page.get_by_text("3 documents, imported before")).to_be_visible()
    expect(page.get_by_label("What are you looking for?")).to_have_value("an antenna")
    next_step(page)
    expect(page.get_by_text(SURE).last).to_be_visible()
    at_rest(page)

    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/screen?session=*")
    watched.settle()
    watched.assert_sound()
    with stored(server) as store:
        row = store.session(store.sessions()[0].id)
        assert len(row.ids) == 3
        assert row.ids[0] == "EP-1000003-A1"
        assert (row.settings.plus, row.settings.minus) == ("Don’t file", "File")
        assert row.settings.payoffs.q_star == pytest.approx(1 / 3)
        assert row.settings.stakes.documents == pytest.approx(100_000)


def test_a_long_list_is_cancelled_while_it_is_read(
    server: AppServer, open_page: Callable[..., Watched]
) -> None:
    line = "EP-{}-A1,Foldable mast number {},It folds into a bag\n"
    content = "id,title,abstract\n" + "".join(line.format(1_000_000 + n, n) for n in range(160_000))
    watched = open_page()
    page = watched.page
    watched.open(f"{server.url}/set_up")
    page.get_by_text("My own files").click()
    at_rest(page)
    uploader(page).set_input_files(
        {"name": "long.csv", "mimeType": "text/csv", "buffer": content.encode("utf-8")}
    )
    expect(page.get_by_text("of long.csv")).to_be_visible()
    running = page.get_by_test_id("stStatusWidget")
    expect(running).to_be_visible()
    expect(running.get_by_role("button")).to_be_hidden()
    sign, link = running.bounding_box(), page.locator(".tar-guide").bounding_box()
    assert sign is not None and link is not None and sign["x"] + sign["width"] <= link["x"]
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("nothing of these files was imported")).to_be_visible()
    watched.settle()
    watched.assert_sound()
    with stored(server) as store:
        assert store.collections() == []


def test_a_review_is_set_up_from_a_link(server: AppServer, open_page: Callable[..., Watched]) -> None:
    watched = open_page()
    page = watched.page
    watched.open(f"{server.url}/set_up?scenario=review")
    next_step(page)
    choose(page.get_by_role("radio", name="“Adopt” a test whose sensitivity does not exceed 75 %"))
    expect(page.get_by_text("when more than 67 % sure").last).to_be_visible()
    at_rest(page)
    page.locator(".st-key-set_up-more-stakes summary").first.click()
    at_rest(page)
    choose(page.get_by_role("radio", name="The whole list"))
    expect(page.get_by_text("Before any study, pooled sensitivity")).to_be_visible()
    at_rest(page)

    page.get_by_test_id("stSidebarNavLink").filter(has_text="Home").click()
    expect(page.get_by_role("heading", name="Know when to stop reading")).to_be_visible()
    at_rest(page)
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Set up").click()
    at_rest(page)
    expect(page.get_by_role("tab", name="2 What is at stake")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile(r"/set_up\?(.*&)?scenario=review"))
    expect(page.get_by_text("when more than 67 % sure").last).to_be_visible()
    expect(page.get_by_test_id("first-advice")).to_be_visible()
    at_rest(page)

    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/screen?session=*")
    watched.settle()
    watched.assert_sound()
    with stored(server) as store:
        (session,) = store.sessions()
        settings = store.session(session.id).settings
    assert session.scenario == "review"
    assert (settings.stages, settings.truth, settings.theta) == (2, "full_evidence", 0.75)
    assert settings.payoffs.q_star == pytest.approx(2 / 3)
