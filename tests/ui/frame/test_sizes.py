"""What the style sheets of the pages have in common, without a browser."""

import re

from dashboard.frame.shell import ROOT

SCALE = {0.8, 0.875, 1, 1.1, 1.3, 1.5, 2}


def test_letters_are_of_one_scale_of_sizes() -> None:
    sheets = sorted((ROOT / "dashboard").rglob("*.css"))
    sizes = {
        (sheet.name, float(size))
        for sheet in sheets
        for size in re.findall(r"font-size: ([\d.]+)rem", sheet.read_text(encoding="utf-8"))
    }
    assert len(sizes) > len(SCALE) and not {each for each in sizes if each[1] not in SCALE}


ASKED = re.compile(r":has\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
"""A question with :has, in which two more pairs of brackets may stand."""


def test_what_stands_in_something_asked_with_has_is_named_by_its_class() -> None:
    # Named by an attribute alone, it makes a browser style every shape of a figure anew: 35 ms for a press on Explore's map.
    sheets = [sheet for sheet in (ROOT / "dashboard").rglob("*.css") if sheet.name != "present.css"]
    rules = [
        selector.strip()
        for sheet in sheets
        for rule in re.findall(
            r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.S)
        )
        for selector in ASKED.sub(":has", rule).split(",")
    ]
    asked = [rule for rule in rules if re.search(r":has\)?\S*[\s>+~]", rule)]
    assert len(asked) > 10
    assert not [rule for rule in asked if re.search(r"[\s>+~]\[[^\]]*\](:has)?$", rule)]
