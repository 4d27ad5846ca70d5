"""Verdicts on documents: their names and codes."""

from typing import Literal

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
