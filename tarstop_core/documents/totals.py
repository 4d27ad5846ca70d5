"""Find rows of a table of studies that are not studies: totals, subtotals and results of a meta-analysis."""

import operator
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarstop_core.presentation.messages import Messages

message = Messages("documents/totals.jinja")

LEAST_COLUMNS = 3
"""A row with fewer counts is not recognised as a sum, because a study may have these counts by chance."""
_YEAR = re.compile(r"(?<![\d=<>])(?<![=<>] )(?<![\d =<>][.,·])(?:19|20)\d\d(?!\d)")
"""A year in a name; decimals and values of statistics do not match."""
_SUM = (
    r"(?:(?:(?:sub|grand|over|study)[ -]?)?total(?:s|e|en)?|overall|pooled|combined|summary|sum|summe|gesamt|insgesamt|totaal"
    r"|somme|suma|(?:all|pooled|included) (?:studies|trials|patients|participants|estimates?))"
)
_OF_WHAT = r"(?:events?|participants|patients|people|n|studies|trials|effects?|estimates?|results?)"
_ENDS = rf"(?: {_OF_WHAT})*(?: ?[(\[:=,].*+)?"
# Names of statistics as RevMan, meta, metafor and Stata print them.
_TESTED = r"(?:overall effect|(?:effect in )?subgroup|group differences|(?:residual )?heterogeneity|θ)"
_STATISTIC = (
    rf"heterogeneity\b|tests? (?:for|of) {_TESTED}|(?:random|fixed|common)[- ]effects? model\b|(?:re|fe) model\b"
    r"|prediction interval\b|(?:i|tau|chi)(?:²|\^2|2)? ?[=:]|footnotes?$"
)
_NO_STUDY = re.compile(rf"{_SUM}{_ENDS}$|{_STATISTIC}", re.IGNORECASE)
_BEGINS_AS_SUM = re.compile(rf"{_SUM}\b", re.IGNORECASE)


class LeftOut(NamedTuple):
    """A row that is not a study."""

    at: int  # Its index among the rows
    name: str
    is_sum: bool  # Whether its counts are the sums of rows above it


class _Above:
    """Running sums and maxima of the rows above, by column."""

    def __init__(self, columns: int) -> None:
        self.rows = 0
        self.sums = [0.0] * columns
        self.maxima = [0.0] * columns

    def add(self, counts: list[float]) -> None:
        """Add a row."""
        self.rows += 1
        self.sums = list(map(operator.add, self.sums, counts))
        self.maxima = list(map(max, self.maxima, counts))

    def add_up_to(self, counts: list[float]) -> bool:
        """Whether counts are the sums of at least two rows, and larger than every single row in all columns."""
        return self.rows > 1 and self.sums == counts and all(map(operator.gt, counts, self.maxima))


def rows_left_out(names: Sequence[str], counts: npt.NDArray[np.float64]) -> list[LeftOut]:
    """Find the rows that are not studies.

    These have the name of a total or a statistic, or the sums of rows above them. A name that merely begins like that of
    a total ("Totally"), or contains a year, belongs to a study.

    Parameters
    ----------
    names : sequence of str
        Names of the rows as written; "" if there is none.
    counts : array of float, shape (rows, columns)
        Numbers of people; NaN where a cell has no number. Without columns only names decide.

    Returns
    -------
    list of LeftOut
        In the order of the rows.
    """
    left_out = list[LeftOut]()
    if not len(names):
        return left_out
    columns = counts.shape[-1]
    complete = ~np.isnan(counts).any(axis=-1) & (columns >= LEAST_COLUMNS)
    above, since = _Above(columns), _Above(columns)
    rows = zip(map(str.strip, names), np.nan_to_num(counts).tolist(), complete.tolist(), strict=True)
    for at, (name, row, may_be_sum) in enumerate(rows):
        has_year = _YEAR.search(name) is not None
        named = not has_year and _NO_STUDY.match(name) is not None
        is_sum = (
            may_be_sum
            and (since.add_up_to(row) or above.add_up_to(row))
            and (not has_year or _BEGINS_AS_SUM.match(name) is not None)
        )
        if named or is_sum:
            left_out.append(LeftOut(at, name, is_sum))
            since = _Above(columns)
        else:
            above.add(row)
            since.add(row)
    return left_out


def sentence(left_out: Sequence[LeftOut], lines: Sequence[int], where: str = "line") -> str:
    """Word which rows were left out, and what to do if one is a study.

    Parameters
    ----------
    left_out : sequence of LeftOut
        One or more rows.
    lines : sequence of int
        Line number of every row of the table.
    where : str
        What a line is called.

    Returns
    -------
    str
    """
    return message("left_out", rows=left_out, lines=lines, where=where)
