"""The Sessions page in a real browser: out of one store, into an empty one, and a report without a network."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmarks.label_latency import long_session
from tests.browser.acting import arrived, at_rest, save_menu, saved, slide, stored
from tests.session_cases import EVIL, a_patent_session, a_review, before_import

OpenPage = Callable[..., Any]


def fill(server: Any) -> tuple[str, str]:
    """A patent session and a review in the server's database."""
    with stored(server) as store:
        return a_patent_session(store), a_review(store)


def test_a_session_moves_to_an_empty_store_byte_for_byte(server: Any, open_page: OpenPage) -> None:
    patent, _ = fill(server)
    watched = open_page()
    watched.open(f"{server.url}/sessions?session={patent}")
    save_menu(watched.page)
    name, file = saved(watched.page, "Session file (JSON)")
    assert name == "Hinge-i.json"
    first = file.read_bytes()
    watched.assert_sound()

    server.empty()
    watched.open(f"{server.url}/sessions")
    page = watched.page
    expect(page.get_by_text("There are no sessions here yet.")).to_be_visible()
    page.get_by_text("Import a session").click()
    at_rest(page)
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": first}
    )
    expect(page.locator(".tar-name", has_text="Hinge <i>")).to_be_visible()
    watched.settle()
    page.get_by_role("button", name="Details").click()
    expect(page.get_by_role("heading", name="Hinge <i>")).to_be_visible()
    watched.settle()
    save_menu(page)
    again = saved(page, "Session file (JSON)")[1].read_bytes()
    assert before_import(again.decode("utf-8")).encode("utf-8") == first
    page.get_by_role("button", name="Open", exact=True).click()
    arrived(page, "12 of 30")
    watched.assert_sound()


def test_every_export_is_there_and_the_report_opens_without_a_network(
    server: Any, open_page: OpenPage, tmp_path: Path
) -> None:
    patent, review = fill(server)
    for session, stem, figures in ((patent, "Hinge-i", 3), (review, "Review", 4)):
        watched = open_page()
        watched.open(f"{server.url}/sessions?session={session}")
        page = watched.page
        save_menu(page)
        for button, ending in (
            ("Excel (XLSX)", "-session.xlsx"),
            ("Documents (CSV)", "-documents.csv"),
            ("Documents (RIS)", "-documents.ris"),
            ("Relevant ones (RIS)", "-relevant.ris"),
        ):
            name, file = saved(page, button)
            assert name == f"{stem}{ending}" and file.stat().st_size > 100
        name, file = saved(page, "Report (HTML)")
        assert name == f"{stem}-report.html"
        watched.assert_sound()

        report = tmp_path / name
        report.write_bytes(file.read_bytes())
        alone = open_page(offline=True, color_scheme="dark", viewport={"width": 390, "height": 844})
        asked: list[str] = []
        alone.page.on("request", lambda request, asked=asked: asked.append(request.url))
        alone.page.on("dialog", lambda dialog, asked=asked: asked.append(dialog.message))
        alone.page.goto(report.as_uri())
        for folded in alone.page.locator("summary").all():
            folded.click()
        expect(alone.page.get_by_role("heading", name="Advice at each step")).to_be_visible()
        expect(alone.page.get_by_text(EVIL[:20]).first).to_be_attached()
        assert asked == [report.as_uri()] and not alone.errors
        assert alone.page.locator("html").evaluate("each => each.scrollWidth") <= 390
        assert alone.page.locator("svg").count() == figures

    at_rest(page)
    page.get_by_role("tab", name="Flow diagram").click()
    diagram = page.get_by_alt_text(re.compile("PRISMA 2020"))
    expect(diagram).to_be_visible()
    at_rest(page)
    assert diagram.evaluate("image => image.naturalWidth") > 600, "the diagram is not drawn"
    watched.assert_sound()


@pytest.mark.deep
def test_a_large_export_is_cancelled_and_written(server: Any, open_page: OpenPage) -> None:
    session = long_session(server.database, 40_000)
    watched = open_page()
    watched.open(f"{server.url}/sessions?session={session}")
    page = watched.page
    save_menu(page)
    page.get_by_role("button", name="Excel (XLSX)").click()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("nothing was kept")).to_be_visible()
    watched.settle()
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Documents (CSV)").click()
    name, file = saved(page, "Now save it")
    assert name == "Latency-documents.csv"
    with file.open(encoding="utf-8") as lines:
        assert sum(1 for _ in lines) == 40_001
    watched.assert_sound()


def test_delete_undo_and_other_settings_by_keyboard(server: Any, open_page: OpenPage) -> None:
    patent, _ = fill(server)
    watched = open_page()
    watched.open(f"{server.url}/sessions")
    page = watched.page
    row = page.locator(f".st-key-row-{patent}")
    row.get_by_role("button", name="More").focus()
    page.keyboard.press("Enter")
    remove = page.get_by_role("button", name="Delete")
    expect(remove).to_be_visible()
    at_rest(page)
    remove.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is lost.")).to_be_visible()
    expect(row).to_have_count(0)
    at_rest(page)
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(row).to_be_visible()

    at_rest(page)
    row.get_by_role("button", name="Details").click()
    page.get_by_role("tab", name="Other settings").click()
    watched.settle()
    replayed = page.get_by_test_id("replayed")
    expect(replayed).to_contain_text("Where 50 % sure is enough, it would have stopped after")
    slide(page.get_by_role("slider").first, 3)
    expect(replayed).to_contain_text("Where 53 % sure is enough, it would have")
    page.get_by_role("button", name="Duplicate with these settings").click()
    expect(page.get_by_role("heading", name="Hinge <i> (53 % sure)")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Hinge <i> (53 % sure)")).to_be_visible()
    with stored(server) as store:
        assert len(store.sessions()) == 3
    watched.assert_sound()
