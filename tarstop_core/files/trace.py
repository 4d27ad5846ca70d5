"""The trace of a session, and other tables, as CSV."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
# Where the comma is a decimal sign, spreadsheets part a line at semicolons (or tabs) and, as no mark opens the cell
# there, at line breaks: what stands behind one begins a cell.
# Each stretch of white space is looked at once, from its beginning.
_BEFORE_A_FORMULA = re.compile(r"(?:;\s*+|(?<![\s;])\s++)(?=[=+\-@＝＋－＠])")
_BEGINS_A_CELL = re.compile(r"([;\t\r\n])")


def trace_to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of :func:`tarstop_core.screening.trace.trace` as CSV, numbers in full precision.

    What a spreadsheet would run as a formula gets an apostrophe in front, inside a text too where some would part it.

    >>> print(trace_to_csv([{"id": "a", "title": "=1+1", "b": 0.5}, {"id": "b; @c", "b": -1}]), end="")
    id,title,b
    a,'=1+1,0.5
    b;' @c,,-1.0
    """
    return table_to_csv(pd.DataFrame([dict(row) for row in rows]))


def table_to_csv(frame: pd.DataFrame) -> str:
    """A table as CSV, with its texts and the names of its columns made safe as in :func:`trace_to_csv`."""
    return str(without_formulas(frame).to_csv(index=False))


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose texts no spreadsheet runs, for whoever writes it to a file."""
    texts = [at for at, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    safe = frame.copy(deep=False)
    for at in texts:
        safe.isetitem(at, list(map(_safe, frame.iloc[:, at])))
    return safe.set_axis([_safe(name) for name in frame.columns], axis="columns")


def _safe(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _BEFORE_A_FORMULA.sub(lambda found: _BEGINS_A_CELL.sub(r"\1'", found[0]), value)
    if value.lstrip(" ").startswith(FORMULA_STARTS):
        text = f"'{text}"
    # A lone carriage return would not be quoted, and end the row.
    return text.replace("\r\n", "\n").replace("\r", "\n")
