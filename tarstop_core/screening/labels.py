"""Verdicts on documents: their names and codes."""

from typing import Literal, cast

from tarstop_core.errors import InputProblem

Label = Literal["relevant", "irrelevant", "unsure", "combination", "background"]
UNSEEN, IRRELEVANT, RELEVANT, UNSURE, COMBINATION, BACKGROUND = -1, 0, 1, 2, 3, 4
"""Codes of verdicts in arrays; UNSEEN for a document without one."""
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
GRADES: dict[int, str] = {RELEVANT: "X", COMBINATION: "Y", BACKGROUND: "A"}
"""Letters for verdicts in a patent office's search report."""
PENDING, CONFIRMED, REJECTED = 0, 1, 2
"""Whether a hit was confirmed."""


def as_label(text: str) -> Label:
    """The text itself as a label; InputProblem if there is no such label."""
    if text not in CODES:
        raise InputProblem(f"There is no label '{text}'; choose one of {', '.join(CODES)}.")
    return cast(Label, text)
