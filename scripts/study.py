"""Run a study: measure, keep its tables in ``docs/data``, and write its page in ``docs``.

``python -m scripts.study NAME…`` measures anew. ``--page`` writes the page from the kept tables, without measuring.
A study is a module in ``scripts/studies`` with the names that `Study` lists; the template of its page lies beside it.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t as student

from tarstop_core.errors import InputProblem

Tables = dict[str, pd.DataFrame]

DOCS = Path(__file__).resolve().parents[1] / "docs"
DATA = DOCS / "data"
TEMPLATES = Path(__file__).parent / "studies"
NAMES = sorted(path.stem for path in TEMPLATES.glob("*.py"))


@dataclass(frozen=True)
class Study:
    """A measurement and the page that reports it: what a module of ``scripts/studies`` calls so, constants in capitals."""

    page: str
    """Name of the page in ``docs`` and of its template."""
    reads: str
    """What the measurement reads, for the person who runs it."""
    tables: tuple[str, ...]
    """Names of the tables in ``docs/data``."""
    measure: Callable[[], Tables]
    """What measures them, but for those that were measured once."""
    summarise: Callable[[Tables], Mapping[str, object]]
    """What the template shows, from the kept tables; frames arrive there as lists of rows."""
    measured_once: tuple[str, ...] = ()
    """Those of experiments that settled their question: kept for the page, and not measured anew."""
    figure: Callable[[Tables], str] | None = None
    """The page's SVG figure, from the kept tables."""


def load(name: str) -> Study:
    """The study that a module of ``scripts/studies`` describes."""
    names = vars(import_module(f"scripts.studies.{name}"))
    parts = {field.name: names.get(field.name.upper(), names.get(field.name)) for field in fields(Study)}
    return Study(**{part: value for part, value in parts.items() if value is not None})


def kept_tables(study: Study) -> Tables:
    """The tables of the last measurement."""
    return {name: pd.read_csv(DATA / f"{name}.csv", encoding="utf-8") for name in study.tables}


def page(study: Study, tables: Tables) -> str:
    """The page as markdown."""
    values = {
        name: value.to_dict("records") if isinstance(value, pd.DataFrame) else value
        for name, value in study.summarise(tables).items()
    }
    return environment().get_template(f"{study.page}.md.jinja").render(values)


def measure(study: Study) -> None:
    """Measure anew and keep the tables."""
    tables = study.measure()
    wanted = sorted({*study.tables} - {*study.measured_once})
    if sorted(tables) != wanted:
        raise ValueError(f"{study.page} measured {sorted(tables)} and not {wanted}")
    for name, table in tables.items():
        table.to_csv(DATA / f"{name}.csv", index=False, encoding="utf-8", lineterminator="\n")


def write(study: Study) -> None:
    """Write the page and its figure from the kept tables."""
    tables = kept_tables(study)
    (DOCS / f"{study.page}.md").write_text(page(study, tables), encoding="utf-8")
    if study.figure:
        (DOCS / f"{study.page}.svg").write_text(study.figure(tables) + "\n", encoding="utf-8")


# --- numbers on a page ----------------------------------------------------------------------------


def digits(value: float, places: int = 3) -> str:
    """A number with so many decimal places and a minus sign for reading; thousands are separated."""
    return f"{value:,.{places}f}".replace("-", "−")


def signed(value: float, places: int = 3) -> str:
    """A difference with its sign; one that rounds to nothing is 0."""
    text = f"{abs(value):.{places}f}"
    return "0" if float(text) == 0 else ("−" if value < 0 else "+") + text


def percent(share: float, places: int = 0) -> str:
    """A share in per cent."""
    return f"{100 * share:.{places}f} %"


def change(row: Mapping[str, float], places: int = 3) -> str:
    """A ``difference`` with its interval from ``low`` to ``high``, bold where that leaves out 0."""
    mean, low, high = (signed(row[name], places) for name in ("difference", "low", "high"))
    text = f"{mean} [{low}, {high}]"
    return f"**{text}**" if row["low"] > 0 or row["high"] < 0 else text


def where(rows: Iterable[Mapping[str, object]], **wanted: object) -> Mapping[str, object]:
    """The one row in which these columns have these values."""
    (row,) = (row for row in rows if all(row[name] == value for name, value in wanted.items()))
    return row


def environment() -> jinja2.Environment:
    """Templates of the pages, with what writes numbers."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters.update(digits=digits, signed=signed, percent=percent, change=change)
    templates.globals.update(where=where)
    return templates


# --- means over reviews or lists ------------------------------------------------------------------


def mean_change(values: ArrayLike) -> dict[str, float]:
    """Mean ``difference`` with ``low`` and ``high`` of its 95 % percentile interval, from 10,000 resamplings of the values."""
    array = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(14).integers(0, len(array), size=(10_000, len(array)))
    low, high = np.quantile(array[drawn].mean(axis=1), [0.025, 0.975])
    return {"difference": float(array.mean()), "low": float(low), "high": float(high)}


def cluster_t(values: pd.Series) -> dict[str, float]:
    """Mean ``difference`` over reviews, with ``low`` and ``high`` of its interval by Student's t.

    With so few reviews a percentile interval of resampled means covers less than it says.
    """
    reach = float(student.ppf(0.975, len(values) - 1) * values.sem())
    return {"difference": values.mean(), "low": values.mean() - reach, "high": values.mean() + reach}


def coverage(rows: pd.DataFrame, over: str = "review") -> dict[str, object]:
    """How many statements hold, with an interval of 95 % over what weighs equally, and in how many more is true."""
    inside = (rows["true"] >= rows["low"]) & (rows["true"] <= rows["high"])
    ends = cluster_t(inside.groupby(rows[over]).mean())
    about = {"covered": inside.mean(), "low": ends["low"], "high": min(ends["high"], 1.0)}
    return about | {"above": (rows["true"] > rows["high"]).mean()}


def main() -> int | str:
    """Measure the named studies and write their pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--page", action="store_true", help="write the page from the kept tables only")
    given = parser.parse_args()
    for name in given.names:
        study = load(name)
        if not given.page:
            print(f"{name} reads {study.reads}.", file=sys.stderr)
            try:
                measure(study)
            except InputProblem as problem:
                return f"{name}: {problem}"
        write(study)
    return 0


if __name__ == "__main__":
    sys.exit(main())
