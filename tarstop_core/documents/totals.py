"""Rows of a table of studies that are not studies: totals, subtotals and results of a meta-analysis."""

import operator
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarstop_core.presentation.messages import Messages

message = Messages("documents/totals.jinja")

LEAST_COLUMNS = 3
"""Counts of a row that have to be sums: of fewer, a study may have just this many by chance."""
_YEAR = re.compile(r"(?<![\d=<>])(?<![=<>] )(?<![\d =<>][.,·])(?:19|20)\d\d(?!\d)")
"""A year in a name; decimals and values of statistics do not match."""
_SUM = (
    r"(?:(?:(?:sub|grand|over|study)[ -]?)?total(?:s|e|en)?|overall|pooled|combined|summary|sum|summe|gesamt|insgesamt|totaal"
    r"|somme|suma|(?:all|pooled|included) (?:studies|trials|patients|participants|estimates?))"
)
_OF_WHAT = r"(?:events?|participants|patients|people|n|studies|trials|effects?|estimates?|results?)"
_ENDS = rf"(?: {_OF_WHAT})*(?: ?[(\[:=,].*+)?"
# The statistics are named as RevMan, meta, metafor and Stata print them.
_TESTED = r"(?:overall effect|(?:effect in )?subgroup|group differences|(?:residual )?heterogeneity|θ)"
_STATISTIC = (
    rf"heterogeneity\b|tests? (?:for|of) {_TESTED}|(?:random|fixed|common)[- ]effects? model\b|(?:re|fe) model\b"
    r"|prediction interval\b|(?:i|tau|chi)(?:²|\^2|2)? ?[=:]|footnotes?$"
)
_NO_STUDY = re.compile(rf"{_SUM}{_ENDS}$|{_STATISTIC}", re.IGNORECASE)
_BEGINS_AS_SUM = re.compile(rf"{_SUM}\b", re.IGNORECASE)


class LeftOut(NamedTuple):
    """A row that is not a study."""

    at: int  # Its place among the rows
    name: str
    is_sum: bool  # Whether its counts are the sums of rows above it


class _Above:
    """What rows above count together, and at most, in each column."""

    def __init__(self, columns: int) -> None:
        self.rows = 0
        self.together = [0.0] * columns
        self.most = [0.0] * columns

    def add(self, counts: list[float]) -> None:
        """Count one row more."""
        self.rows += 1
        self.together = list(map(operator.add, self.together, counts))
        self.most = list(map(max, self.most, counts))

    def add_up_to(self, counts: list[float]) -> bool:
        """Whether at least two rows count together what a row counts, and none of them as much in any column."""
        return self.rows > 1 and self.together == counts and all(map(operator.gt, counts, self.most))


def rows_left_out(names: Sequence[str], counts: npt.NDArray[np.float64]) -> list[LeftOut]:
    """Find the rows that are not studies.

    They bear the name of a total or a statistic, or count what rows above them count together. A name that goes on
    otherwise ("Totally"), or has a year, is that of a study.

    Parameters
    ----------
    names : sequence of str
        As written, one a row; "" where there is none.
    counts : array of float, shape (rows, columns)
        People counted; NaN where a cell has no number. Without columns only names are looked at.

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
    """Name the rows that were left out.

    Parameters
    ----------
    left_out : sequence of LeftOut
        At least one.
    lines : sequence of int
        The line of every row of the table.
    where : str
        What its lines are called.

    Returns
    -------
    str
        With their names and lines, and what to do about one that is a study.
    """
    return message("left_out", rows=left_out, lines=lines, where=where)
