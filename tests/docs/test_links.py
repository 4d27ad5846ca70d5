"""Links and pictures of README and docs lead somewhere, in the checkout and inside the app."""

import re
import struct
from pathlib import Path

import pytest

from dashboard.frame import shell
from dashboard.guide.page import ELSEWHERE, READ, chapters, document, in_app, parts
from tarstop_core import __version__

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "sample_data/README.md",
]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", flags=re.MULTILINE | re.DOTALL)
MOST_BYTES = 3 * 2**20


def links(page: Path) -> list[str]:
    return [
        link
        for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
        if not link.startswith(("http://", "https://"))
    ]


def places(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-") for words in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        to, _, place = link.partition("#")
        target = page.parent / to if to else page
        assert target.exists(), f"{page.name} links to {link}"
        assert target.resolve().is_relative_to(ROOT)
        if place:
            assert place in places(target), f"{target.name} has no heading {place}"


def test_every_picture_is_shown_and_all_are_small() -> None:
    pictures = set((ROOT / "docs/images").iterdir())
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert pictures <= shown
    assert sum(picture.stat().st_size for picture in pictures) < MOST_BYTES


def test_pictures_are_as_wide_as_the_page_is_drawn() -> None:
    for picture in (ROOT / "docs/images").glob("*.png"):
        width, _ = struct.unpack(">II", picture.read_bytes()[16:24])
        assert width == 1280, picture.name


@pytest.mark.parametrize("name", READ)
def test_inside_the_app_links_stay_inside(name: str) -> None:
    text = document(name)
    for link in LINK.findall(CODE.sub("", text)):
        assert (
            link.startswith(("guide?read=", "learn?part=", "https://", "#"))
            or (shell.ROOT / "docs" / link).is_file()
        )
    for words, picture in parts(text):
        assert "![" not in CODE.sub("", words), "a picture stands alone on its line"
        assert picture is None or (picture[0] and (shell.ROOT / "docs" / picture[1]).is_file())
    assert "<!--" not in text


def test_every_document_a_reader_needs_can_be_read_inside_the_app() -> None:
    for_those_who_build = {"api", "architecture", "benchmarks"}
    everything = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert everything == {*READ, *ELSEWHERE} | for_those_who_build


def test_the_guide_has_a_chapter_for_every_page() -> None:
    anchors = {place for _, place in chapters(document("guide"))}
    titles = [
        re.findall(r'shell.show\("(.+?)"', page.read_text(encoding="utf-8"))[0]
        for page in (ROOT / "pages").glob("*.py")
    ]
    assert {shell.CHAPTERS.get(title, title.lower()) for title in titles if title != "Guide"} <= anchors
    assert "what-the-advice-means" in anchors


def test_a_place_in_a_document_has_one_name_everywhere() -> None:
    for name in ("guide", "own_data"):
        page = ROOT / "docs" / f"{name}.md"
        assert {place for _, place in chapters(in_app(page.read_text(encoding="utf-8")))} <= places(page) | {
            "2-2-tables"
        }


def test_the_version_is_said_alike() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in cited
    assert re.findall(r"^## (\S+)$", changes, flags=re.MULTILINE)[0] == __version__


def test_the_site_lists_every_page_once() -> None:
    contents = (ROOT / "docs/site/conf.py").read_text(encoding="utf-8")
    listed = re.findall(r"^docs/(\w+)$", contents, flags=re.MULTILINE)
    assert sorted(listed) == sorted(page.stem for page in (ROOT / "docs").glob("*.md"))
