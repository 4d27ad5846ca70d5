"""The trace of a session, and other tables, as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def trace_to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of :func:`tarstop_core.screening.trace.trace` as CSV, numbers in full precision.

    A text that a spreadsheet would run as a formula gets an apostrophe in front.

    Examples
    --------
    >>> print(trace_to_csv([{"id": "a", "title": "=1+1", "b": 0.5}]), end="")
    id,title,b
    a,'=1+1,0.5
    """
    return pd.DataFrame([{name: _safe(value) for name, value in row.items()} for row in rows]).to_csv(
        index=False
    )


def table_to_csv(frame: pd.DataFrame) -> str:
    """A table as CSV, with its texts made safe as in :func:`trace_to_csv`.

    Examples
    --------
    >>> print(table_to_csv(pd.DataFrame({"calibrator": ["@mine"], "chance": [0.25]})), end="")
    calibrator,chance
    '@mine,0.25
    """
    return str(frame.map(_safe).to_csv(index=False))


def _safe(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # A lone carriage return would not be quoted, and end the row.
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if value.startswith(FORMULA_STARTS) else text
