"""Rows of tests/reference/golden/voi.json by their kind."""

import json
from pathlib import Path
from typing import Any

ROWS = json.loads((Path(__file__).parents[2] / "reference/golden/voi.json").read_text(encoding="utf-8"))


def rows(*kinds: str) -> list[dict[str, Any]]:
    """All rows of these kinds."""
    return [row for row in ROWS if row["kind"] in kinds]


def name(row: dict[str, Any]) -> str:
    """What a test is called by."""
    return str(row["id"])


def differing(
    values: dict[str, Any], row: dict[str, Any], relative: float, absolute: float
) -> dict[str, Any]:
    """Results that are further from the row's than its tolerance."""
    return {
        key: (values.get(key), wanted)
        for key, wanted in row["value"].items()
        if not _close(values[key], wanted, relative, absolute)
    }


def _close(value: Any, wanted: Any, relative: float, absolute: float) -> bool:
    if isinstance(wanted, str):
        return bool(value == wanted)
    if isinstance(wanted, list):
        return len(value) == len(wanted) and all(
            _close(*both, relative, absolute) for both in zip(value, wanted, strict=True)
        )
    return bool(abs(value - wanted) <= relative * abs(wanted) + absolute)
