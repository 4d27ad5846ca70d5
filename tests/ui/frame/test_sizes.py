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
