"""Verdicts: what they are called, and their codes."""

from typing import Literal, cast

from tarstop_core.errors import InputProblem

Label = Literal["relevant", "irrelevant", "unsure", "combination", "background"]
UNSEEN, IRRELEVANT, RELEVANT, UNSURE, COMBINATION, BACKGROUND = -1, 0, 1, 2, 3, 4
CODES: dict[str, int] = {
    "irrelevant": IRRELEVANT,
    "relevant": RELEVANT,
    "unsure": UNSURE,
    "combination": COMBINATION,
    "background": BACKGROUND,
}
NAMES: dict[int, str] = {
    UNSEEN: "",
    IRRELEVANT: "not relevant",
    RELEVANT: "relevant",
    UNSURE: "unsure",
    COMBINATION: "in combination",
    BACKGROUND: "background",
}
# What a search report calls them.
GRADES: dict[int, str] = {RELEVANT: "X", COMBINATION: "Y", BACKGROUND: "A"}
PENDING, CONFIRMED, REJECTED = 0, 1, 2


def as_label(text: str) -> Label:
    """A label by name; InputProblem when there is no such label."""
    if text not in CODES:
        raise InputProblem(f"There is no label '{text}'; choose one of {', '.join(CODES)}.")
    return cast(Label, text)
