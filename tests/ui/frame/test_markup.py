"""HTML of pages: templates that escape every text, and hold nothing that no page asks for."""

import re
from pathlib import Path

import pytest
from jinja2.exceptions import UndefinedError

from dashboard.frame.markup import Blocks, badges, block, bullets, grid, lines, numbers, told

ROOT = Path(__file__).resolve().parents[3]
BLOCKS = sorted((ROOT / "dashboard").rglob("blocks.html"))
TEXT = """<b>"it's" & more</b>"""
ESCAPED = "&lt;b&gt;&#34;it&#39;s&#34; &amp; more&lt;/b&gt;"


def test_no_text_becomes_markup() -> None:
    for made in (
        badges(TEXT),
        told(TEXT, TEXT),
        numbers([(TEXT, TEXT)]),
        lines([(TEXT, TEXT)], linked=True),
        grid([TEXT], [(TEXT, TEXT)]),
        bullets([TEXT], testid=TEXT),
    ):
        assert ESCAPED in made and TEXT not in made


def test_html_that_is_given_below_a_verdict_stays_html() -> None:
    assert told("GO ON", more=badges("simulated")).endswith('<span class="tar-badge">simulated</span></div>')


@pytest.mark.parametrize("file", BLOCKS, ids=lambda file: file.parent.name)
def test_every_block_is_asked_for(file: Path) -> None:
    blocks = Blocks(str(file.relative_to(ROOT / "dashboard")))
    named = re.findall(r"{% macro (\w+)", file.read_text(encoding="utf-8"))
    code = "\n".join(each.read_text(encoding="utf-8") for each in (ROOT / "dashboard").rglob("*.py"))
    templates = "\n".join(each.read_text(encoding="utf-8") for each in BLOCKS)
    assert named and all(hasattr(blocks.macros, name) for name in named)
    unasked = [
        name
        for name in named
        if not re.search(rf"block\(\s*[\x22\x27]{name}", code)
        and not re.search(rf"(?<!macro )\b{name}\(", templates)
    ]
    assert unasked == []


def test_a_block_without_a_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        block("verdict")
