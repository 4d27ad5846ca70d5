"""docs/api.md is what the docstrings say, and what it shows runs."""

import re
from pathlib import Path
from typing import Any

import tarstop_core as ts
from scripts.api_page import page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def test_the_page_is_written_from_the_docstrings() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m scripts.api_page"


def test_every_name_has_its_place() -> None:
    names = set(re.findall(r"^### (\w+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert set(ts.__all__) - {"InputProblem"} <= names


def test_what_it_shows_runs() -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) > 8 and not names["advice"].go_on
    assert names["advice"].read == 38 and names["advice"].decision == "a+", "the hit settles the question"
    assert len(names["trace"]) == len(names["labels"]) + 1 and not names["trace"]["go_on"].iloc[-1]
    assert names["enough"].unread[0] > 0
