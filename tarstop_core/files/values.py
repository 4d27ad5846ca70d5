"""Labels and scores as people write them, made comparable."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.errors import InputProblem
from tarstop_core.records import NOT_RELEVANT, RELEVANT

_YES = {"1", "1.0", "yes", "y", "true", "t", "included", "include", "relevant", "in", "+"}
_NO = {"0", "0.0", "no", "n", "false", "f", "excluded", "exclude", "not relevant", "irrelevant", "out"}
_UNKNOWN = {"", "-1", "-1.0", "nan", "na", "n/a", "none", "null", "?"}
_NO_SCORE = {"", "nan", "na", "n/a", "none", "null", "-", "."}

# --- labels -------------------------------------------------------------------------------------


def normal_label(value: str) -> str:
    """Return "relevant", "not relevant" or "" where the meaning is evident, else the value as written.

    Examples
    --------
    >>> normal_label("Included"), normal_label("0"), normal_label("-1"), normal_label("maybe")
    ('relevant', 'not relevant', '', 'maybe')
    """
    key = value.strip().casefold()
    if key in _YES:
        return RELEVANT
    if key in _NO:
        return NOT_RELEVANT
    return "" if key in _UNKNOWN else value.strip()


def label_from_notes(notes: str) -> str:
    """Read the decision that Rayyan or ASReview wrote into a record's notes.

    Reviewers of a Rayyan review who disagree, or are undecided, give their decisions joined by " / ".

    Examples
    --------
    >>> label_from_notes('RAYYAN-INCLUSION: {"Ann"=>"Included"} | USER-NOTES: {}')
    'relevant'
    >>> label_from_notes("ASReview_irrelevant")
    'not relevant'
    """
    rayyan = re.search(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}", notes)
    if rayyan:
        decisions = list(dict.fromkeys(re.findall(r'=>\s*"?([A-Za-z]+)', rayyan[1])))
        return normal_label(decisions[0]) if len(decisions) == 1 else " / ".join(decisions)
    asreview = re.search(r"ASReview_(relevant|irrelevant)", notes, flags=re.IGNORECASE)
    return normal_label(asreview[1]) if asreview else ""


def labels_of(found: pd.DataFrame) -> pd.Series:
    """Return normalised labels from a label column, else from notes, else blanks (n values)."""
    if "label" in found:
        written = found["label"]
        return written.map({value: normal_label(value) for value in written.unique()}).astype("str")
    if "notes" in found:
        return pd.Series([label_from_notes(value) for value in found["notes"].tolist()], dtype="str")
    return pd.Series([""] * len(found), dtype="str")


# --- scores -------------------------------------------------------------------------------------


def scores_of(
    name: str, written: pd.Series, lines: NDArray[np.int64], unit: str, notes: list[str]
) -> pd.Series:
    """Return scores as float64 (n values, NaN for none), adding to `notes` what is odd about them.

    Raises
    ------
    InputProblem
        Naming the line whose score is not a finite number.
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
