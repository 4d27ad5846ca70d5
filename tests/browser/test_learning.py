"""A list that learns, by keyboard: while its server is away the page says so, and the same document is next afterwards."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tarstop_core.sessions.session import OpenSession
from tests.browser.acting import arrived, assert_navigation, press, stored, unfold
from tests.sessions.test_learning import WANTED, begun

OpenPage = Callable[..., Any]


def test_a_list_that_learns_goes_on_where_it_was(server: Any, open_page: OpenPage) -> None:
    with stored(server) as store:
        session = begun(store, features=False)
    watched = open_page()
    page, title = watched.page, watched.page.locator("article .tar-title")
    watched.open(f"{server.url}/screen?session={session}")
    arrived(page, "0 of 40")
    read = []
    for at in range(1, 7):
        # As many words as the documents in question have in common stand in no other title.
        wanted = "ultrasound of the hip" in title.inner_text()
        read.append(title.inner_text().split()[-1] if wanted else "")
        press(page, "i" if wanted else "e", at)
    assert sum(map(bool, read)) >= 4
    expect(page.get_by_test_id("why-next")).to_contain_text("Next because of your labels: ")
    expect(title.locator("mark").first).to_be_visible()
    following = title.inner_text()
    server.kill()
    away = page.get_by_role("dialog")
    expect(away).to_contain_text("TARstop does not answer")
    expect(away).not_to_contain_text("Streamlit")
    server.start()
    expect(away).to_have_count(0)
    assert_navigation(page)
    arrived(page, "6 of 40")
    expect(title).to_have_text(following)
    press(page, "z", 5)
    expect(page.get_by_test_id("why-next")).to_contain_text("its verdict was taken back")
    with stored(server) as store:
        opened = OpenSession.load(store, session)
        assert len(WANTED.intersection(opened.row.ids[:5])) >= 3
        assert opened.row.ids.index(opened.events[-3].payload["doc"]) == 5


def test_documents_join_while_somebody_reads(server: Any, open_page: OpenPage) -> None:
    with stored(server) as store:
        session = begun(store)
    reads, adds = open_page(), open_page()
    reads.open(f"{server.url}/screen?session={session}")
    arrived(reads.page, "0 of 40")
    for at in range(1, 5):
        wanted = "ultrasound of the hip" in reads.page.locator("article .tar-title").inner_text()
        press(reads.page, "i" if wanted else "e", at)
    adds.open(f"{server.url}/sessions?session={session}")
    adds.page.get_by_role("tab", name="Add documents").click()
    new = b"id,title\nn0,Ultrasound of the hip in infants: again\nd3,fracture\n"
    file = {"name": "new.csv", "mimeType": "text/csv", "buffer": new}
    adds.page.locator("input[type=file]").set_input_files(file)
    adds.page.get_by_role("button", name="Add to the list").click()
    expect(adds.page.get_by_text("4 of 42 screened")).to_be_visible()
    adds.assert_sound()
    reads.page.keyboard.press("e")
    expect(reads.page.get_by_test_id("counter")).to_contain_text("of 42")
    with stored(server) as store:
        before = OpenSession.load(store, session).state.depth
    press(reads.page, "e", before + 1)
    press(reads.page, "z", before)
    with stored(server) as store:
        opened = OpenSession.load(store, session)
        assert opened.row.ids.index("n0") < 12 and opened.row.ids[-1] != "n0"
    reads.assert_sound()


def test_words_are_typed_without_answering_the_document(server: Any, open_page: OpenPage) -> None:
    with stored(server) as store:
        session = begun(store)
    watched = open_page()
    page = watched.page
    watched.open(f"{server.url}/screen?session={session}")
    arrived(page, "0 of 40")
    unfold(page, "What is at stake")
    field = page.get_by_role("textbox", name="Words that speak for it")
    field.press_sequentially("hip, e i")
    field.press("Enter")
    expect(page.get_by_test_id("why-next")).to_contain_text("Next because of your words: hip")
    expect(page.locator("article .tar-title mark").first).to_be_visible()
    arrived(page, "0 of 40")
    watched.assert_sound()
