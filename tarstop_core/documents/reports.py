"""What becomes of an included report in full text, and the 2×2 tables or effects that reports bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.effects.bias import Bias
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed

FullText = Literal["waiting", "not retrieved", "excluded", "no data", "data"]
OUTCOMES: dict[FullText, str] = {
    "data": "Eligible, with a 2×2 table",
    "no data": "Eligible, no extractable data",
    "excluded": "Excluded, with a reason",
    "not retrieved": "Not retrieved",
    "waiting": "Not read in full yet",
}

ELIGIBLE: dict[FullText, float] = {"data": 1.0, "no data": 1.0, "excluded": 0.0}
"""Whether a report is eligible, by what came of reading it; nobody knows of one that was not read."""


@dataclass(frozen=True)
class Row:
    """One 2×2 table of a report."""

    called: ClassVar[str] = "table"
    study: str  # What the study (or this part of it) is called
    TP: int
    FP: int | None
    FN: int
    """`TP` and `FN`: of the diseased."""
    TN: int | None
    """`FP` and `TN`: of the healthy; None where a report gives sensitivity only."""
    _: KW_ONLY
    bias: Bias | None = None  # Risk of bias of the study, where somebody judged it

    @property
    def counts(self) -> tuple[int, int | None, int, int | None]:
        """TP, FP, FN, TN."""
        return self.TP, self.FP, self.FN, self.TN

    @property
    def numbers(self) -> dict[str, Any]:
        """What the report gives, by the name of its column."""
        return dict(zip(CELLS, self.counts, strict=True))


@dataclass(frozen=True)
class EffectRow:
    """What a report gives of the effect of an intervention, in one of the forms of a table of studies.

    InputProblem when the numbers cannot be: more events than people, limits that do not enclose the estimate.
    """

    called: ClassVar[str] = "effect"
    study: str  # What the study (or this part of it) is called
    form: Form
    values: tuple[float, ...]  # One for each column of the form
    bias: Bias | None = None  # Risk of bias of the study, where somebody judged it

    def __post_init__(self) -> None:
        if len(self.values) != len(self.form.columns) or not np.isfinite(self.values).all():
            raise InputProblem(f"{', '.join(self.form.columns)} are required, each a number.")
        studies_of((self,))

    @property
    def counts(self) -> tuple[Form, tuple[float, ...]]:
        """Form and numbers: what two rows of one study have in common that say the same."""
        return self.form, self.values

    @property
    def numbers(self) -> dict[str, Any]:
        """What the report gives, by the name of its column."""
        whole = (int(value) if value == int(value) else value for value in self.values)
        return dict(zip(self.form.columns, whole, strict=True))


@dataclass(frozen=True)
class Report:
    """The result of reading one included report.

    InputProblem when a table is unusable, data has no table, or an exclusion no reason.
    """

    outcome: FullText  # One of :data:`OUTCOMES`. Only "data" moves the belief.
    reason: str = ""  # Why it was excluded or could not be had
    study: str = ""  # The study it reports; reports of one study carry the same name
    rows: tuple[Row | EffectRow, ...] = ()
    """Its 2×2 tables, or effects: more than one where a report holds several."""

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise InputProblem(f"A report cannot be '{self.outcome}'; choose one of {', '.join(OUTCOMES)}.")
        if self.outcome == "data" and not self.rows:
            raise InputProblem("A report with data needs its 2×2 table; enter TP, FP, FN and TN.")
        if self.outcome != "data" and self.rows:
            raise InputProblem("A 2×2 table was given for a report without data; choose 'with a 2×2 table'.")
        if self.outcome == "excluded" and not self.reason.strip():
            raise InputProblem("Say why the report is excluded; the flow diagram counts the reason.")
        tables_of(self.rows)

    @property
    def was_read(self) -> bool:
        """Whether somebody read it in full."""
        return self.outcome in ("excluded", "no data", "data")

    def to_dict(self) -> dict[str, Any]:
        """JSON values; :meth:`from_dict` reads them back."""
        kept: dict[str, list[dict[str, Any]]] = {"tables": []}
        for row in self.rows:
            name = "effects" if isinstance(row, EffectRow) else "tables"
            judged = {"bias": row.bias.value} if row.bias else {}
            kept.setdefault(name, []).append({"study": row.study, **row.numbers, **judged})
        return {"outcome": self.outcome, "reason": self.reason, "study": self.study, **kept}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Report:
        """A report from its JSON values."""
        tables, effects = content.get("tables", ()), content.get("effects", ())
        counts = (
            Row(str(row["study"]), **{cell: row[cell] for cell in CELLS}, bias=_bias(row)) for row in tables
        )
        rows: tuple[Row | EffectRow, ...] = (*counts, *map(effect_row, effects))
        outcome = cast(FullText, str(content["outcome"]))
        return cls(outcome, str(content.get("reason", "")), str(content.get("study", "")), rows)


def effect_row(content: Mapping[str, Any]) -> EffectRow:
    """Make an effect of the numbers of a study by the names of their columns. InputProblem where some are lacking."""
    form = next((form for form in Form if all(name in content for name in form.columns)), None)
    if form is None:
        raise InputProblem("The effect lacks numbers; the report cannot be read.")
    values = tuple(float(content[name]) for name in form.columns)
    return EffectRow(str(content["study"]), form, values, _bias(content))


def _bias(content: Mapping[str, Any]) -> Bias | None:
    return Bias(content["bias"]) if "bias" in content else None


def _judged(rows: Sequence[Row | EffectRow]) -> tuple[Bias | None, ...]:
    """Risk of bias of each row; none where nobody judged any."""
    bias = tuple(row.bias for row in rows)
    return bias if any(bias) else ()


def tables_of(rows: Sequence[Row | EffectRow]) -> Tables:
    """The 2×2 tables as one set. InputProblem when a count is negative, fractional or missing where it is needed."""
    tables = [row for row in rows if isinstance(row, Row)]
    # None becomes NaN.
    counts = np.array([row.counts for row in tables], dtype=float).reshape(-1, 4)
    names = tuple(row.study for row in tables)
    return Tables(names, *(counts[:, at] for at in range(4)), bias=_judged(tables))


def studies_of(rows: Sequence[Row | EffectRow], form: Form = Form.ERRORS, ratio: bool = False) -> Studies:
    """Effects as one set of studies.

    Parameters
    ----------
    rows : sequence of Row or EffectRow
        2×2 tables are left out.
    form : Form
        Of the set where there is no row.
    ratio : bool
        Whether estimates are ratios.

    Returns
    -------
    Studies
        In the form of the rows; where they differ, as estimates with standard errors.
    """
    effects = [row for row in rows if isinstance(row, EffectRow)]
    names, forms = tuple(row.study for row in effects), {row.form for row in effects} or {form}
    if len(forms) == 1:
        (form,) = forms
        values = np.array([row.values for row in effects], dtype=float).reshape(-1, len(form.columns))
        return Studies(names, form, values, _judged(effects))
    sizes = [studies_of((row,)).sizes(Measure.GENERIC, ratio) for row in effects]
    y, v = (np.concatenate(column) for column in zip(*((size.y, size.v) for size in sizes), strict=True))
    values = np.stack((np.exp(y) if ratio else y, np.sqrt(v)), axis=1)
    return Studies(names, Form.ERRORS, values, _judged(effects))


def rows_of_tables(tables: Tables) -> list[Row]:
    """2×2 tables as the rows of reports; those without TP or FN are left out."""
    counts = np.stack([getattr(tables, cell) for cell in CELLS], axis=1)
    return [
        Row(name, *(None if np.isnan(count) else int(count) for count in row), bias=risk)  # type: ignore[arg-type]
        for name, row, risk in zip(tables.study, counts, tables.bias or [None] * len(tables), strict=True)
        if not np.isnan(row[[0, 2]]).any()
    ]


def rows_of_studies(studies: Studies) -> list[EffectRow]:
    """Effects as the rows of reports; those with an unknown number are left out."""
    return [
        EffectRow(name, studies.form, tuple(values), risk)
        for name, values, risk in zip(
            studies.study, studies.values.tolist(), studies.bias or [None] * len(studies), strict=True
        )
        if np.isfinite(values).all()
    ]


@dataclass(frozen=True, eq=False)
class Collected:
    """All tables that count."""

    rows: tuple[Row | EffectRow, ...]  # n studies, in the order of the list
    positions: NDArray[np.intp]  # 0-based rank of the document that brought each. Shape (n,).
    notes: tuple[str, ...] = ()  # The same study twice, and how it was counted

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def tables(self) -> Tables:
        """The 2×2 tables among them."""
        return tables_of(self.rows)


def collect(reports: Mapping[int, Report]) -> Collected:
    """The tables, or effects, of all reports by their positions, which rise; each study's once.

    A study is what the report says it reports, or else the table's own name. A table that two reports give
    for the same study, count for count, is counted once; different tables of one study all count, as if their
    patients were different ones. Both are noted.
    """
    rows: list[Row | EffectRow] = []
    positions: list[int] = []
    notes: list[str] = []
    counted: dict[str, list[tuple[Row | EffectRow, int]]] = {}
    for at, report in reports.items():
        for row in report.rows:
            name = (report.study or row.study).strip()
            of_study = counted.setdefault(name.casefold(), []) if name else []
            same = next(
                (place for other, place in of_study if other.counts == row.counts and place != at), None
            )
            if same is not None:
                notes.append(
                    f"{name} is reported twice with the same {row.called} (documents #{same + 1} and #{at + 1}); "
                    "it is counted once."
                )
                continue
            of_study.append((row, at))
            rows.append(row)
            positions.append(at)
    for places in counted.values():
        if len(places) > 1:
            where = [f"#{at + 1}" for at in sorted({at for _, at in places})]
            study = (reports[places[0][1]].study or places[0][0].study).strip()
            notes.append(
                f"{study} has {len(places)} {places[0][0].called}s (document{'s' if len(where) > 1 else ''} {listed(where)}); "
                "all of them count. If they share patients, keep one."
            )
    return Collected(tuple(rows), np.array(positions, dtype=np.intp), tuple(notes))
