"""Labels and scores as people write them, made comparable."""

import math
import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.rates import LONGEST_NUMBER
from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT
from tarstop_core.errors import InputProblem

_YES = {"1", "1.0", "yes", "y", "true", "t", "included", "include", "relevant", "in", "+"}
_NO = {"0", "0.0", "no", "n", "false", "f", "excluded", "exclude", "not relevant", "irrelevant", "out"}
_UNKNOWN = {"", "-1", "-1.0", "nan", "na", "n/a", "none", "null", "?"}
_NO_SCORE = {"", "nan", "na", "n/a", "none", "null", "-", "."}


def normal_label(value: str) -> str:
    """Return "relevant", "not relevant" or "" where the meaning is evident, else the value as written."""
    key = value.strip().casefold()
    if key in _YES:
        return SAID_RELEVANT
    if key in _NO:
        return SAID_NOT_RELEVANT
    return "" if key in _UNKNOWN else value.strip()


def label_from_notes(notes: str) -> str:
    """Read the decision that Rayyan or ASReview wrote into a record's notes.

    Reviewers of a Rayyan review who disagree, or are undecided, give their decisions joined by " / ".
    """
    # Only where each mark stands first: a search for every one takes the square of their number.
    rayyan = re.match(r"\s*\{([^}]*)\}", notes.partition("RAYYAN-INCLUSION:")[2])
    if rayyan:
        decisions = list(dict.fromkeys(re.findall(r'=>\s*"?([A-Za-z]+)', rayyan[1])))
        return normal_label(decisions[0]) if len(decisions) == 1 else " / ".join(decisions)
    asreview = re.search(r"ASReview_(relevant|irrelevant)", notes, flags=re.IGNORECASE)
    return normal_label(asreview[1]) if asreview else ""


def tool_of(notes: str) -> str:
    """Return the name of the tool that wrote a decision into notes: "Rayyan", "ASReview" or ""."""
    if "RAYYAN-" in notes:
        return "Rayyan"
    return "ASReview" if "asreview_" in notes.casefold() else ""


def reason_from_notes(notes: str) -> str:
    """Read the exclusion reasons that Rayyan wrote into a record's notes."""
    return _listed("RAYYAN-EXCLUSION-REASONS", notes)


def remark_from_notes(notes: str) -> str:
    """Read what reviewers themselves wrote: Rayyan's notes and labels, or a note that left here as RIS."""
    found: list[str] = []
    if own := re.match(r"\s*Note: (.*)", notes, flags=re.DOTALL):
        found.append(own[1].strip())
    # A mapping of names to one text or a list of texts; a name stands before each arrow.
    if written := re.match(r"\s*(\{.*\})", notes.partition("USER-NOTES:")[2], flags=re.DOTALL):
        # One that is never closed ends with the note.
        texts = re.findall(r'"((?:[^"\\]|\\[\s\S])*+)(?:"|\\?\Z)(\s*=>)?', written[1])
        found += [text.strip() for text, names in texts if not names]
    if labels := _listed("RAYYAN-LABELS", notes):
        found.append(f"labelled {labels}")
    return "; ".join(filter(None, found))


def _listed(mark: str, notes: str) -> str:
    """What stands between commas behind a mark."""
    listed = notes.partition(f"{mark}:")[2].partition("|")[0]
    return ", ".join(filter(None, map(str.strip, listed.split(","))))


FROM_NOTES = {"label": label_from_notes, "reason": reason_from_notes, "remark": remark_from_notes}
"""What of a decision stands in notes, and how it is read."""


def decisions_of(found: pd.DataFrame) -> dict[str, pd.Series]:
    """Return what was decided of n records: their `label`, and `reason` and `remark` where there are any.

    Each comes from its own column; what has none is read from the notes of Rayyan and ASReview.
    """
    out = {"label": pd.Series([""] * len(found), dtype="str")}
    for field, read in FROM_NOTES.items():
        if field in found:
            out[field] = found[field]
        elif "notes" in found:
            said = [read(value) if value else "" for value in found["notes"].tolist()]
            out[field] = pd.Series(said, dtype="str")
    if "label" in found:
        normal = {value: normal_label(value) for value in found["label"].unique()}
        out["label"] = found["label"].map(normal).astype("str")
    return out


def scores_of(
    name: str, written: pd.Series, lines: NDArray[np.int64], unit: str, notes: list[str]
) -> pd.Series:
    """Return scores as float64 (n values, NaN for none), adding to `notes` what is odd about them.

    InputProblem naming the line whose score is not a finite number.
    """
    values = written.tolist()
    comma = [value for value in values if re.fullmatch(r"[-+]?\d+,\d+", value)]
    plain = [value for value in values if "." in value and value.casefold() not in _NO_SCORE]
    decimal_comma = bool(comma) and not plain
    out = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value.casefold() in _NO_SCORE:
            continue
        try:
            if len(value) > LONGEST_NUMBER:
                raise ValueError
            out[row] = float(value.replace(",", ".") if decimal_comma else value)
        except ValueError:
            out[row] = np.inf
        if not math.isfinite(out[row]):
            raise InputProblem(
                f'{unit.capitalize()} {lines[row]} of {name} has the score "{value[:40]}", which is not a '
                "finite number; correct it or leave it empty."
            )
    if decimal_comma:
        notes.append("Scores are written with a decimal comma and were read so.")
    missing = int(np.isnan(out).sum())
    if missing == len(out):
        notes.append("The score column is empty, so this list has no scores.")
    elif missing:
        notes.append(f"{missing:,} of {len(out):,} records have no score.")
    if len(out) - missing > 1 and np.nanmin(out) == np.nanmax(out):
        notes.append("All scores are the same, so they say nothing about the order.")
    return pd.Series(out)
