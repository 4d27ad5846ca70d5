"""Rows of a table of studies that are no studies: totals, subtotals, and what a meta-analysis found."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

LEAST_COLUMNS = 3
"""Counts of a row that have to be sums: of fewer, a study may have just so many by chance."""
SHOWN = 40  # Characters of a name in a sentence
_YEAR = r"(?:19|20)\d\d\b"
_SUM = (
    r"(?:(?:sub|grand|over|study)[ -]?)?total(?:s|e|en)?|overall|pooled|combined|summary|sum|summe|gesamt|insgesamt|totaal"
    r"|somme|suma|(?:all|pooled|included) (?:studies|trials|patients|participants|estimates?)"
)
_OF_WHAT = r"(?:events?|participants|patients|people|n|studies|trials|effects?|estimates?|results?)"
_ENDS = rf"(?: {_OF_WHAT})*(?: ?[(\[:=,](?! ?{_YEAR}).*+)?"
# The statistics are named as RevMan, meta and metafor print them.
_STATISTIC = (
    r"heterogeneity\b|tests? (?:for|of) |(?:random|fixed|common)[- ]effects? model\b|(?:re|fe) model\b"
    r"|prediction interval\b|(?:i|tau|chi)(?:²|\^2|2)? ?[=:]|footnotes?$"
)
_NO_STUDY = re.compile(rf"(?:{_SUM}){_ENDS}$|(?:{_STATISTIC})", re.IGNORECASE)
_STUDY = re.compile(rf"(?!(?:{_SUM})\b).*\b{_YEAR}", re.IGNORECASE)
"""Names that are those of studies, whatever these count."""


class LeftOut(NamedTuple):
    """A row that is no study."""

    at: int  # Its place among the rows
    name: str
    is_sum: bool  # Whether its counts are the sums of rows above it


def rows_left_out(names: Sequence[str], counts: npt.NDArray[np.float64]) -> list[LeftOut]:
    """Find the rows that are no studies.

    They bear the name of a total or a statistic, or none below rows that all have one, or count what rows above them count
    together. A name that goes on otherwise ("Totally 1998"), or has a year, is that of a study.

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
    left_out, kept, since = list[LeftOut](), list[int](), list[int]()
    for at, name in enumerate(map(str.strip, names)):
        named = bool(_NO_STUDY.match(name)) if name else len(kept) > 1 and all(names[row] for row in kept)
        is_sum = not _STUDY.match(name) and any(_adds_up(counts[at], counts[rows]) for rows in (since, kept))
        if named or is_sum:
            left_out.append(LeftOut(at, name, is_sum))
            since = []
        else:
            kept.append(at)
            since.append(at)
    return left_out


def _adds_up(row: npt.NDArray[np.float64], above: npt.NDArray[np.float64]) -> bool:
    """Whether a row counts what at least two rows above it count together, more than any of them in every column."""
    if len(row) < LEAST_COLUMNS or len(above) < 2 or np.isnan(row).any():
        return False
    above = np.nan_to_num(above)
    return bool((row == above.sum(axis=0)).all() and (row > above.max(axis=0)).all())


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
    rows = [
        f"{_shown(row.name)} ({where} {lines[row.at]}{', the sum of rows above' if row.is_sum else ''})"
        for row in left_out
    ]
    them, study = ("them is a study", "one of ") if len(rows) > 1 else ("it is a study", "")
    return f"Left out, as no study of its own: {'; '.join(rows)}. If {study}{them}, give its name a year."


def _shown(name: str) -> str:
    if not name:
        return "a row without a name"
    return f"“{name if len(name) <= SHOWN else name[: SHOWN - 1] + '…'}”"
