"""Blocks of pages: what they are given is text, and what a template asks for has to be there."""

import json
from typing import Any

import pandas as pd
import pytest
from jinja2 import UndefinedError

from tarstop_core.presentation.html import TEMPLATES, page, table_block
from tarstop_core.presentation.numbers import unbroken

NASTY = "</script><script>alert('1')</script>\" onload=\"x"


@pytest.fixture
def blocks() -> Any:
    return TEMPLATES.get_template("presentation/templates/blocks.html").module


def test_a_table_is_text() -> None:
    block = table_block(pd.DataFrame({NASTY: [NASTY, "b"], "n": [1, 2.5]}), NASTY)
    assert "<script" not in block and block.count("&lt;script&gt;") == 3
    assert block.count("<tr>") == 3 and "<td>2.5</td>" in block
    assert '<div class="scroll" tabindex="0"><table><caption>' in block


def test_a_table_without_caption_for_prose() -> None:
    block = table_block(pd.DataFrame({"a": ["x"]}), "", wide=True, heading=lambda name: f"<b>{name}</b>")
    assert '<table class="wide"><thead><tr><th scope="col"><b>a</b></th></tr></thead>' in block
    assert "<caption>" not in block


def test_columns_have_their_kinds(blocks: Any) -> None:
    block = str(blocks.table(["a", "b"], [["1", NASTY]], kinds=["n", ""], label=NASTY))
    assert '<th scope="col" class="n">a</th><th scope="col">b</th>' in block
    assert '<td class="n">1</td><td>&lt;/script' in block
    assert block.count("onload=&#34;x") == 2 and 'role="region"' in block


def test_a_figure_is_data_that_cannot_leave_its_script(blocks: Any) -> None:
    figure = {"data": [{"name": NASTY}], "layout": {"height": 10, "meta": {"least_width": 300}}}
    block = str(blocks.figure("n", NASTY, figure, figure, NASTY))
    assert block.count("</script>") == 1 and "min-height:10px;min-width:300px" in block
    inside = block[block.index('-data">') + len('-data">') : block.index("</script>")]
    assert json.loads(inside) == {"light": figure, "dark": figure}


def test_what_is_no_number_does_not_reach_a_browser(blocks: Any) -> None:
    figure = {"data": [float("nan")], "layout": {"height": 10}}
    with pytest.raises(ValueError, match="JSON"):
        blocks.figure("n", "", figure, figure, "")


def test_lists_and_pairs_are_text(blocks: Any) -> None:
    assert str(blocks.bullets([])).strip() == ""
    assert "<script" not in str(blocks.bullets([NASTY])) + str(blocks.pairs([(NASTY, NASTY)], NASTY))


def test_a_name_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        page("tarstop_core.sessions.report")


def test_no_line_ends_between_a_minus_and_its_money() -> None:
    assert unbroken("“Adopt” −£711 at 5 %, 2 − 1") == "“Adopt” −\u2060£711 at 5\u00a0%, 2 − 1"
