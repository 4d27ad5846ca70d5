"""2×2 tables of diagnostic-accuracy studies from counts, or from rates and group sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.totals import rows_left_out
from tarstop_core.effects.bias import Bias, Judged
from tarstop_core.errors import InputProblem

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
CELLS = ("TP", "FP", "FN", "TN")


@dataclass(frozen=True, eq=False)
class Tables(Judged):
    """The 2×2 tables of n studies, in the order in which they were read.

    InputProblem when lengths differ, or a count is negative, fractional or missing where it is required.
    """

    study: tuple[str, ...]  # Names, not necessarily unique
    TP: Floats  # Whole numbers ≥ 0, shape (n,), as the other counts
    FP: Floats  # NaN if a report gives sensitivity only
    FN: Floats
    TN: Floats  # NaN if a report gives sensitivity only
    _: KW_ONLY
    bias: tuple[Bias | None, ...] = ()  # Risk of bias of each study, or () if none was judged
    in_part: bool = False
    """Whether counts may be fractional, because studies count for a share of their patients."""

    def __post_init__(self) -> None:
        for cell in CELLS:
            counts = getattr(self, cell)
            if len(counts) != len(self.study):
                raise InputProblem(f"There are {len(self.study)} studies and {len(counts)} counts of {cell}.")
            missing = np.isnan(counts)
            if cell in ("TP", "FN") and missing.any():
                raise InputProblem(f"{self._first(missing)} has no {cell}; every study needs TP and FN.")
            fractional = (counts != np.round(counts)) & (not self.in_part)
            bad = ~missing & ((counts < 0) | fractional | np.isinf(counts))
            if bad.any():
                count = f"{cell} = {counts[np.argmax(bad)]:g}"
                raise InputProblem(f"{self._first(bad)} has {count}; give a whole number, 0 or more.")

    def _first(self, where: NDArray[np.bool_]) -> str:
        """Place and name of the first flagged study."""
        at = int(np.argmax(where))
        return f"Study {at + 1} ({self.study[at]})"

    def __len__(self) -> int:
        return len(self.study)

    def first(self, n: int) -> Tables:
        """The first n studies."""
        counts = {cell: getattr(self, cell)[:n] for cell in CELLS}
        return replace(self, study=self.study[:n], bias=self.bias[:n], **counts)

    def without(self, at: int) -> Tables:
        """All studies but the one at this place, from 0."""
        return self.only([i for i in range(len(self)) if i != at])

    def only(self, kept: Sequence[int]) -> Tables:
        """The studies at these places, from 0."""
        places = np.array(kept, dtype=np.intp)
        return replace(
            self,
            study=tuple(self.study[at] for at in kept),
            bias=tuple(self.bias[at] for at in kept) if self.bias else (),
            **{cell: getattr(self, cell)[places] for cell in CELLS},
        )

    def counting(self, shares: Sequence[float]) -> Tables:
        """The studies, each with a share of its patients and unchanged rates."""
        weighed = {cell: getattr(self, cell) * np.array(shares) for cell in CELLS}
        return replace(self, in_part=True, **weighed)

    @property
    def turned(self) -> Tables:
        """The tables with healthy and diseased swapped, so that specificity becomes sensitivity; unknown counts become 0."""
        unknown = np.isnan(self.healthy)
        TN, FP = np.where(unknown, 0.0, self.TN), np.where(unknown, 0.0, self.FP)
        return replace(self, TP=TN, FP=self.FN, FN=FP, TN=self.TP)

    @property
    def diseased(self) -> Floats:
        """Diseased patients TP + FN, shape (n,)."""
        return self.TP + self.FN

    @property
    def healthy(self) -> Floats:
        """Healthy patients FP + TN, shape (n,); NaN where unknown."""
        return self.FP + self.TN


def as_tables(given: Any) -> Tables:
    """Convert a table of counts to 2×2 tables.

    Parameters
    ----------
    given : Tables, DataFrame or array_like, shape (n, 4)
        Columns TP, FP, FN and TN; a DataFrame has them by name, and may have the column `study`.

    Returns
    -------
    Tables

    Raises
    ------
    InputProblem
        When a column is missing, a count is unusable, or a row is a total instead of a study.
    """
    if isinstance(given, Tables):
        return given
    columns = getattr(given, "columns", None)
    try:
        if columns is None:
            counts = np.asarray(given, dtype=float) if len(given) else np.zeros((0, len(CELLS)))
            if counts.ndim != 2 or counts.shape[1] != len(CELLS):
                raise ValueError
        elif missing := [cell for cell in CELLS if cell not in columns]:
            raise InputProblem(
                f"tables has no column {missing[0]}; give TP, FP, FN and TN, one row per study."
            )
        else:
            counts = given[list(CELLS)].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError) as problem:
        if isinstance(problem, InputProblem):
            raise
        raise InputProblem(
            "tables is not a table of counts; give TP, FP, FN and TN as numbers, one row per study."
        ) from None
    named = columns is not None and "study" in columns
    studies = tuple(map(str, given["study"]) if named else (f"study {at + 1}" for at in range(len(counts))))
    if named and (no_studies := rows_left_out(studies, counts)):
        name = no_studies[0].name or "without a name"
        raise InputProblem(f"tables has a row that is not a study ({name}); leave it out.")
    return Tables(studies, *counts.T)


# --- counts from rates and group sizes ------------------------------------------------------------

LONGEST_NUMBER = 100
"""A longer text is not read as a number or a rate."""
# Possessive quantifiers avoid backtracking, so that the time is linear in the length of a cell.
_RATE = re.compile(r"(\d++(?:[.,]\d++)?|[.,]\d++)\s*+(%|per ?cent)?+")
_INTERVAL = re.compile(r"\W*+(?:Cr?I\W*+)?+(\d.*+)")
_END_REVERSED = re.compile(r"[\s)\]]*+(%?+)[\s)\]]*+")
_FRACTION = re.compile(r"(?<!\d)(\d++)\s*+/\s*+(\d++)")
_ENDS = {".": re.compile(r"\d+(?:\.\d+)?|\.\d+"), ",": re.compile(r"\d+(?:,\d+)?|,\d+")}
"""Patterns for the ends of an interval, by decimal separator."""
FINEST = 30  # Most decimals of a rate


@dataclass(frozen=True)
class Counts:
    """The 2×2 table recovered from rates and group sizes."""

    TP: int
    FP: int | None  # None if specificity was not reported
    FN: int
    TN: int | None  # None if specificity was not reported
    notes: tuple[str, ...] = ()  # Sentences on rates that fit several counts


def from_rates(
    sensitivity: str | float,
    n_diseased: int,
    specificity: str | float | None = None,
    n_healthy: int | None = None,
) -> Counts:
    """Recover counts from sensitivity, specificity and group sizes.

    Parameters
    ----------
    sensitivity, specificity : str or float
        As reported: "0.83", "83 %", "0.830". Trailing zeros give the precision; a text keeps them, a float does not.
        Specificity may be left out together with n_healthy.
    n_diseased, n_healthy : int
        Numbers of patients.

    Returns
    -------
    Counts
        Whole numbers that round to the rates. If several do, the nearest is taken, with a note.

    Raises
    ------
    InputProblem
        When no whole number of patients gives a rate, or a rate or number is unusable.
    """
    TP, first = _hits("Sensitivity", sensitivity, n_diseased, "diseased")
    if specificity in (None, "") and n_healthy is None:
        return Counts(TP, None, n_diseased - TP, None, first)
    if specificity is None or specificity == "" or n_healthy is None:
        raise InputProblem(
            "Specificity and the number of healthy patients belong together; give both or neither."
        )
    TN, second = _hits("Specificity", specificity, n_healthy, "healthy")
    return Counts(TP, n_healthy - TN, n_diseased - TP, TN, first + second)


def rate_and_size(text: str) -> tuple[str, int | None]:
    """Parse a cell with a rate and perhaps an interval or a fraction; return the rate, and the group size of a fraction.

    InputProblem when the interval does not contain the rate, or the cell is no rate.

    >>> [rate_and_size(text)[0] for text in ("0.85 (0.70–0.94)", "85% [70, 94]", "85 (70 to 94) %", "0·85 (95% CI 0·70, 0·94)")]
    ['0.85', '85 %', '85 %', '0.85']
    >>> rate_and_size("85 % (17/20)")
    ('0.850000000', 20)
    """
    if len(text) > LONGEST_NUMBER:
        raise _no_rate(text)
    plain = re.sub(r"95\s*%[\s-]*(?=C[rI])", "", text.strip().replace("·", "."))
    if fraction := _FRACTION.search(plain):
        hits, size = map(int, fraction.groups())
        if hits <= size > 0:
            return f"{hits / size:.9f}", size
    match = _RATE.match(plain)
    if match is None:
        raise _no_rate(text)
    rate, unit = match.groups()
    rest = plain[match.end() :]
    end = _END_REVERSED.match(rest[::-1])
    assert end is not None  # the pattern also matches nothing
    after, middle = end[1], rest[: len(rest) - end.end()]
    interval = _INTERVAL.fullmatch(middle)
    if middle and not interval:
        raise _no_rate(text)
    ends = _ENDS["," if "," in rate else "."].findall(interval[1]) if interval else []
    if len(ends) == 2:
        low, value, high = (float(number.replace(",", ".")) for number in (ends[0], rate, ends[1]))
        if not low <= value <= high:
            raise InputProblem(
                f"In '{text}' the interval does not contain the rate; check the three numbers."
            )
    return f"{rate} %" if unit or after else rate, None


def _no_rate(text: str) -> InputProblem:
    return InputProblem(f"'{text}' is not a rate; write it like 0.85, 85 % or 0.85 (0.70–0.94).")


def _hits(what: str, rate: str | float, n: int, group: str) -> tuple[int, tuple[str, ...]]:
    """The number of n patients that a rate means, with a note if several numbers round to it."""
    if n != int(n) or n < 1:
        raise InputProblem(f"The number of {group} patients is {n:g}; give a whole number, 1 or more.")
    n = int(n)
    text = str(rate).strip()
    share, unit = _rate(what, text)
    # k/n lies within share ± half a unit of its last digit, ends included, because reports round halves both ways.
    least = max(0, int(((share - unit / 2) * n).to_integral_value(ROUND_CEILING)))
    most = min(n, int(((share + unit / 2) * n).to_integral_value(ROUND_FLOOR)))
    if least > most:
        below = int((share * n).to_integral_value(ROUND_FLOOR))
        digits = max(3, 1 - cast(int, unit.as_tuple().exponent))
        near = " and ".join(f"{k}/{n} = {k / n:.{digits}f}" for k in (below, below + 1) if 0 <= k <= n)
        raise InputProblem(
            f"{what} {text} with {n} {group} patients is not a whole number of them ({near}); check both numbers."
        )
    chosen = min(most, max(least, int((share * n).to_integral_value(ROUND_HALF_EVEN))))
    if least == most:
        return chosen, ()
    return chosen, (
        f"{what} {text} fits every number from {least:,} to {most:,} of {n:,} {group} patients; {chosen:,} was "
        "taken. Give more digits if the report has them.",
    )


def _rate(what: str, text: str) -> tuple[Decimal, Decimal]:
    """Parse a rate: its value in [0, 1], and the value of a unit of its last digit."""
    plain = text.removesuffix("%").removesuffix("per cent").removesuffix("percent").rstrip()
    try:
        value = Decimal(plain.replace(",", ".") if len(plain) <= LONGEST_NUMBER else "NaN")
    except InvalidOperation:
        value = Decimal("NaN")
    percent = plain != text
    if value.is_finite() and abs(digits := cast(int, value.as_tuple().exponent)) > FINEST:
        value = Decimal("NaN")
    if value.is_finite():
        value, unit = (value / 100 if percent else value), Decimal(1).scaleb(digits - 2 * percent)
        # 1 or 0 without decimals means everybody or nobody, with the precision of a percentage.
        unit = min(unit, Decimal("0.01")) if digits >= 0 else unit
    if not value.is_finite() or not 0 <= value <= 1:
        raise InputProblem(f"{what} is '{text}'; give a number from 0 to 1, or one up to 100 with a % sign.")
    return value, unit
