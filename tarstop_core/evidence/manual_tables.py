"""2×2 tables that a person types: parse their rows, and pack them into a page's address."""

import base64
import binascii
import csv
import io
import zlib
from collections.abc import Collection, Sequence

import numpy as np

from tarstop_core.documents import totals
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.effects.bias import Bias
from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import plain_title
from tarstop_core.files.tables import BIAS, MISSING, TYPED, risk_of_bias, whole_count
from tarstop_core.presentation.numbers import listed

Row = tuple[str, ...]
"""Texts of study, TP, FP, FN, TN and risk of bias; rows from earlier versions have no risk of bias."""
TITLES = {"study": "Study", **dict(zip(CELLS, CELLS, strict=True)), BIAS: "Risk of bias"}
FIELDS = tuple(TITLES)
WIDTHS = frozenset({len(FIELDS) - 1, len(FIELDS)})
COLUMN_NAMES = "Study, TP, FP, FN and TN"

LONGEST = 6000  # characters of an address that browsers, servers and messengers pass on
MOST_ROWS = 2000  # more rows never fit into an address
MOST_BYTES = 100_000  # an address is not unpacked beyond this size


def manual_tables(rows: Sequence[Row]) -> tuple[Tables, tuple[str, ...], tuple[int, ...]]:
    """Parse typed rows into tables, with a sentence for each row left out and the row number of each study, from 1.

    A row of column names sets the order of the columns below it; without one it is that of :data:`Row`. Empty rows
    are skipped. A study without a name is named after its row.

    Raises
    ------
    InputProblem
        When a risk of bias is none of the three, when a row of column names has an unknown, repeated or missing name, or
        when a column without a name holds something.
    """
    names, kept, judged, left_out, rows_kept = [], [], list[Bias | None](), [], []
    columns, header, begun = {field: place for place, field in enumerate(FIELDS)}, 0, False
    for at, row in enumerate(rows, start=1):
        cells = [text.strip() for text in (*row, *[""] * (len(FIELDS) - len(row)))]
        if not any(cells):
            continue
        if _names_columns(cells, first=not begun):
            columns, header, begun = _columns(cells, at), at, True
            continue
        begun = True
        unnamed = [text for place, text in enumerate(cells) if text and place not in columns.values()]
        if unnamed:
            raise InputProblem(
                f"Row {at} has '{unnamed[0]}' in a column that has no name in row {header}; name that column or clear it."
            )
        name, *texts, risk = (cells[columns[field]] if field in columns else "" for field in FIELDS)
        counts = [_count(text) for text in texts]
        if reason := _unusable(texts, counts):
            left_out.append(f"Row {at} ({name}) {reason}" if name else f"Row {at} {reason}")
        else:
            names.append(name or f"row {at}")
            kept.append(counts)
            judged.append(risk_of_bias(f"Row {at}", risk))
            rows_kept.append(at)
    bias = tuple(judged) if any(judged) else ()
    counted = np.array(kept, dtype=np.float64).reshape(-1, 4)
    tables = Tables(tuple(names), *counted.T, bias=bias)
    no_studies = totals.rows_left_out(names, counted)
    if no_studies:
        left_out.append(totals.sentence(no_studies, rows_kept, "row"))
    dropped = {row.at for row in no_studies}
    studies = [place for place in range(len(tables)) if place not in dropped]
    return tables.only(studies), tuple(left_out), tuple(rows_kept[place] for place in studies)


def _names_columns(cells: Sequence[str], first: bool) -> bool:
    """Whether a row holds column names: two known ones, or, in the first row, words in place of all counts."""
    if any(whole_count(text) is not None for text in cells):
        return False
    return sum(_field(text) is not None for text in cells) > 1 or (
        first
        and all(text[:1].isalpha() and text.lower() not in MISSING for text in cells[1 : len(CELLS) + 1])
    )


def _field(title: str) -> str | None:
    """The field that a column title names; None if the title is unknown."""
    return next((field for field in FIELDS if plain_title(title) in TYPED[field]), None)


def _columns(cells: Sequence[str], at: int) -> dict[str, int]:
    """Place of each field's column, from the names in row `at`; a first column without a name holds the studies."""
    columns: dict[str, int] = {}
    for place, title in enumerate(cells):
        field = (
            _field(title) if title else "study" if place == 0 and "study" not in map(_field, cells) else ""
        )
        if field is None:
            raise InputProblem(
                f"Row {at} names the columns, and '{title}' is none of {listed([*TITLES.values()])}; rename that column or leave it out."
            )
        if field in columns:
            raise InputProblem(f"Row {at} names two columns {TITLES[field]}; keep one of them.")
        if field:
            columns[field] = place
    missing = [cell for cell in CELLS if cell not in columns]
    if missing and missing != ["FP", "TN"]:
        raise InputProblem(
            f"Row {at} names the columns, but none is {' or '.join(missing)}; give {COLUMN_NAMES}, in any order."
        )
    return columns


def _unusable(texts: Sequence[str], counts: Sequence[float | None]) -> str:
    """The end of a sentence that says why a row is left out and how to fix it; empty if the row is complete."""
    cells = list(zip(CELLS, texts, counts, strict=True))
    wrong = [f"{cell} is '{text}'" for cell, text, count in cells if count is None]
    missing = [cell for cell, text, _ in cells if cell in ("TP", "FN") and text.lower() in MISSING]
    if not wrong and not missing:
        return ""
    reasons = [*wrong, f"it has no {' and no '.join(missing)}"] if missing else wrong
    numbers = "a whole number" if len(wrong) + len(missing) == 1 else "whole numbers"
    return f"is left out: {' and '.join(reasons)}; give {numbers}, 0 or more."


def _count(text: str) -> float | None:
    """Parse a count: NaN if none is given, None if it cannot be read."""
    return np.nan if text.lower() in MISSING else whole_count(text)


def rows_of(tables: Tables) -> list[Row]:
    """Tables as rows of texts; unknown counts are empty, and the last column exists only if the risk of bias was judged."""
    counts = np.stack([getattr(tables, cell) for cell in CELLS], axis=1)
    bias: list[Row] = [(risk or "",) for risk in tables.bias] or [()] * len(tables)
    return [
        (name, *("" if np.isnan(count) else f"{count:.0f}" for count in row), *judged)
        for name, row, judged in zip(tables.study, counts, bias, strict=True)
    ]


def pack(rows: Sequence[Row]) -> str | None:
    """Pack rows into text for an address (compressed CSV in base64url); None if the text gets too long.

    Empty rows at the end are dropped. Without any row the text is empty.
    """
    last = max((at for at, row in enumerate(rows, start=1) if any(text.strip() for text in row)), default=0)
    if last == 0:
        return ""
    if last > MOST_ROWS:
        return None
    written = io.StringIO()
    csv.writer(written).writerows(rows[:last])
    plain = written.getvalue().encode()
    if len(plain) > MOST_BYTES:
        return None
    packed = base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    return packed if len(packed) <= LONGEST else None


def unpack(packed: str, widths: Collection[int] | None = WIDTHS) -> list[Row]:
    """Unpack the rows that :func:`pack` packed, which must all have the same width.

    Parameters
    ----------
    packed : str
        Text from an address.
    widths : collection of int, optional
        Allowed widths; any if None.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    InputProblem
        When the text is cut short or was changed.
    """
    try:
        if len(packed) > LONGEST:
            raise ValueError
        compressed = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        inflating = zlib.decompressobj()
        plain = inflating.decompress(compressed, MOST_BYTES)
        rows = [tuple(row) for row in csv.reader(io.StringIO(plain.decode("utf-8"), newline=""))]
        lengths = {len(row) for row in rows}
        if not inflating.eof or len(lengths) > 1 or (widths is not None and not lengths.issubset(widths)):
            raise ValueError
    except (ValueError, binascii.Error, zlib.error, csv.Error):
        raise InputProblem(
            "The tables in this page’s address cannot be read, perhaps because it was cut off; give the tables again "
            "or open the full address."
        ) from None
    return rows
