"""The Guide page without a browser, and the ways that lead to it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame import shell
from dashboard.guide.page import READ, title

OpenApp = Callable[..., AppTest]


def shown(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(part.value for part in (*app.markdown, *app.caption, *app.title))


@pytest.mark.parametrize("name", READ)
def test_every_document_is_shown_with_its_pictures(name: str, open_app: OpenApp) -> None:
    app = open_app("guide", read=name)
    assert title(name) in shown(app) and not app.error
    pictures = (shell.ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").count("\n![")
    assert len(app.get("image")) == pictures


def test_another_document_is_chosen_and_kept_in_the_address(open_app: OpenApp) -> None:
    app = open_app("guide")
    assert "The first five minutes" in shown(app)
    app.selectbox("guide/read").select("own_data").run()
    assert "Columns that are recognised" in shown(app)
    assert app.query_params["read"] in ("own_data", ["own_data"])


def test_an_unknown_document_is_answered_with_a_sentence(open_app: OpenApp) -> None:
    app = open_app("guide", read="nothing")
    assert "no document nothing" in app.error[0].value.replace("\\", "")
    assert "The first five minutes" in shown(app)


@pytest.mark.parametrize(
    "page, place",
    [("home", "guide#the-first-five-minutes"), ("home", "own_data")],
)
def test_it_is_linked_at_the_place_of_need(page: str, place: str, open_app: OpenApp) -> None:
    assert f"(guide?read={place})" in shown(open_app(page))


def test_set_up_links_it_where_files_are_chosen(open_app: OpenApp) -> None:
    app = open_app("set_up")
    app.radio("set_up/documents/source").set_value("upload").run()
    assert any("(guide?read=own_data)" in each.value for each in app.info)


PAGES = [page for page in sorted((shell.ROOT / "pages").glob("*.py")) if f"/{page.stem}" in shell.addresses()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_leads_to_its_chapter(page: Path, open_app: OpenApp) -> None:
    [title] = re.findall(r'shell.show\("(.+?)"', page.read_text(encoding="utf-8"))
    app = open_app(page.stem)
    found = [part.proto.body for part in app.get("html") if '<a class="tar-guide"' in part.proto.body]
    chapter = shell.CHAPTERS.get(title, title.lower())
    assert [f"read=guide#{chapter}" in body for body in found] == ([] if title == "Guide" else [True])
