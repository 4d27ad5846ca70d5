"""Colours: seen and read on both backgrounds, and named in one place."""

import re
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.presentation import palette
from tarstop_core.presentation.figures import ink, text_colour

CORE = Path(palette.__file__).parents[1]
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|\brgba?\(\d")


def contrast(colour: str, background: str) -> float:
    def luminance(text: str) -> float:
        parts = [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    lights = sorted((luminance(colour), luminance(background)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("colour", [palette.STUDY, palette.POOLED, palette.BELIEF, palette.VALUE])
def test_marks_can_be_seen_on_both_backgrounds(colour: str) -> None:
    assert contrast(colour, palette.PAPER) >= 3 and contrast(colour, palette.PAPER_ON_DARK) >= 3


@pytest.mark.parametrize("colour", [palette.THRESHOLD, *palette.TEXTS])
def test_texts_can_be_read_on_both_backgrounds(colour: str) -> None:
    assert contrast(ink(colour, False), palette.PAPER) >= 4.5
    assert contrast(ink(colour, True), palette.PAPER_ON_DARK) >= 4.5


def test_a_text_within_the_area_of_value_can_be_read() -> None:
    for dark, tint in enumerate(palette.VALUE_TINTS):
        assert contrast(ink(palette.VALUE, bool(dark)), tint) >= 4.5


def test_lines_without_a_colour_of_text_are_named_like_everything() -> None:
    assert [ink(palette.THRESHOLD, dark) for dark in (False, True)] == [text_colour(False), text_colour(True)]


@pytest.mark.parametrize("on_paper", [palette.FOR_PAPER, palette.ACTIONS_FOR_PAPER])
def test_what_is_put_on_paper_can_be_read_there(on_paper: dict[str, str]) -> None:
    texts = {dark: paper for dark, paper in on_paper.items() if dark not in (palette.PAPER_ON_DARK,)}
    for dark, paper in texts.items():
        assert contrast(dark, palette.PAPER_ON_DARK) >= 4.5 and contrast(paper, palette.PAPER) >= 4.5


def test_every_colour_is_named_in_the_palette_or_is_a_rule_s_own() -> None:
    elsewhere = [
        f"{path.relative_to(CORE)}:{number}"
        for path in sorted(CORE.rglob("*.py"))
        if path != Path(palette.__file__) and CORE / "policies" not in path.parents
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if COLOUR.search(line)
    ]
    assert not elsewhere
