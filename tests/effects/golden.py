"""Published sets of studies with what metafor and a second program make of them (tests/reference/golden/effects.json.gz)."""

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.sizes import Floats, Sizes
from tarstop_core.effects.studies import Form, Studies

FILE = Path(__file__).parents[1] / "reference" / "golden" / "effects.json.gz"
FORMS = {
    "2x2": (Form.EVENTS, ("e1", "n1", "e0", "n0")),
    "continuous": (Form.MEANS, ("m1", "sd1", "n1", "m0", "sd0", "n0")),
    "ratio_ci": (Form.LIMITS, ("ratio", "lo", "hi")),
    "oe_v": (Form.LOGRANK, ("oe", "v")),
    "generic": (Form.ERRORS, ("y", "se")),
}


@cache
def sets() -> dict[str, dict[str, Any]]:
    """The sets by their names."""
    with gzip.open(FILE, "rt", encoding="utf-8") as opened:
        found: dict[str, dict[str, Any]] = json.load(opened)["sets"]
    return found


def studies_of(name: str) -> Studies:
    """The studies of a set."""
    of = sets()[name]
    form, columns = FORMS[of["kind"]]
    rows: Sequence[Mapping[str, float | None]] = of["table"]
    values = [[np.nan if row.get(column) is None else row[column] for column in columns] for row in rows]
    return Studies(tuple(str(row["study"]) for row in rows), form, np.array(values, dtype=float))


def cases() -> list[tuple[str, str]]:
    """Every set with each of its measures."""
    return [(name, measure) for name, of in sets().items() for measure in of["measures"]]


def sizes_of(name: str, measure: str) -> Sizes:
    """Effect sizes as computed here."""
    of = studies_of(name)
    asked = Measure.GENERIC if measure == "GEN" else Measure(measure)
    return of.sizes(asked, ratio=of.form is Form.LIMITS)


def numbers(given: Sequence[float | None]) -> Floats:
    """As an array; null is NaN."""
    return np.array([np.nan if each is None else each for each in given], dtype=float)
