"""Full-text reports: their outcomes, and the 2×2 tables or effects that they contain."""

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
"""Whether a report is eligible (1 or 0), by its outcome; reports that were not read are missing."""


@dataclass(frozen=True)
class AccuracyRow:
    """One 2×2 table of a report."""

    called: ClassVar[str] = "table"
    study: str  # Name of the study, or of this part of it
    TP: int
    FP: int | None  # None if the report gives sensitivity only
    FN: int
    TN: int | None  # None if the report gives sensitivity only
    _: KW_ONLY
    bias: Bias | None = None  # Risk of bias of the study, if judged

    @property
    def counts(self) -> tuple[int, int | None, int, int | None]:
        """TP, FP, FN, TN."""
        return self.TP, self.FP, self.FN, self.TN

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers by the names of their columns."""
        return dict(zip(CELLS, self.counts, strict=True))


@dataclass(frozen=True)
class EffectRow:
    """One effect of an intervention in a report.

    InputProblem when the numbers are impossible: more events than people, limits that do not enclose the estimate.
    """

    called: ClassVar[str] = "effect"
    study: str  # Name of the study, or of this part of it
    form: Form
    values: tuple[float, ...]  # One per column of the form
    bias: Bias | None = None  # Risk of bias of the study, if judged

    def __post_init__(self) -> None:
        if len(self.values) != len(self.form.columns) or not np.isfinite(self.values).all():
            raise InputProblem(f"{', '.join(self.form.columns)} are required, each a number.")
        studies_of((self,))

    @property
    def counts(self) -> tuple[Form, tuple[float, ...]]:
        """Form and numbers, by which repeated effects of a study are recognised."""
        return self.form, self.values

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers by the names of their columns."""
        whole = (int(value) if value == int(value) else value for value in self.values)
        return dict(zip(self.form.columns, whole, strict=True))


StudyRow = AccuracyRow | EffectRow
"""One result of a study that a report contains. A new kind of studies joins here."""


@dataclass(frozen=True)
class Report:
    """The result of reading one included report.

    InputProblem when a table is unusable, data come without a table, or an exclusion without a reason.
    """

    outcome: FullText  # One of :data:`OUTCOMES`; only "data" changes the belief
    reason: str = ""  # Why it was excluded or not retrieved
    study: str = ""  # Name of the study, which several reports may share
    rows: tuple[StudyRow, ...] = ()
    """Its 2×2 tables or effects."""

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
        """Convert to JSON values, which :meth:`from_dict` reads back."""
        kept: dict[str, list[dict[str, Any]]] = {"tables": []}
        for row in self.rows:
            name = "effects" if isinstance(row, EffectRow) else "tables"
            judged = {"bias": row.bias.value} if row.bias else {}
            kept.setdefault(name, []).append({"study": row.study, **row.numbers, **judged})
        return {"outcome": self.outcome, "reason": self.reason, "study": self.study, **kept}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Report:
        """Restore a report from its JSON values."""
        tables, effects = content.get("tables", ()), content.get("effects", ())
        counts = (
            AccuracyRow(str(row["study"]), **{cell: row[cell] for cell in CELLS}, bias=_bias(row))
            for row in tables
        )
        rows: tuple[StudyRow, ...] = (*counts, *map(effect_row, effects))
        outcome = cast(FullText, str(content["outcome"]))
        return cls(outcome, str(content.get("reason", "")), str(content.get("study", "")), rows)


def effect_row(content: Mapping[str, Any]) -> EffectRow:
    """Restore an effect from numbers by the names of their columns; InputProblem when some are missing."""
    form = next((form for form in Form if all(name in content for name in form.columns)), None)
    if form is None:
        raise InputProblem("The effect lacks numbers; the report cannot be read.")
    values = tuple(float(content[name]) for name in form.columns)
    return EffectRow(str(content["study"]), form, values, _bias(content))


def _bias(content: Mapping[str, Any]) -> Bias | None:
    return Bias(content["bias"]) if "bias" in content else None


def _judged(rows: Sequence[StudyRow]) -> tuple[Bias | None, ...]:
    """Risk of bias of each row; () if none was judged."""
    bias = tuple(row.bias for row in rows)
    return bias if any(bias) else ()


def tables_of(rows: Sequence[StudyRow]) -> Tables:
    """The 2×2 tables among rows; InputProblem when a count is negative, fractional or missing where it is required."""
    tables = [row for row in rows if isinstance(row, AccuracyRow)]
    counts = np.array([row.counts for row in tables], dtype=float).reshape(-1, 4)  # None becomes NaN
    names = tuple(row.study for row in tables)
    return Tables(names, *counts.T, bias=_judged(tables))


def studies_of(rows: Sequence[StudyRow], form: Form = Form.ERRORS, ratio: bool = False) -> Studies:
    """The effects among rows, as studies in one form.

    Parameters
    ----------
    rows : sequence of StudyRow
        2×2 tables are ignored.
    form : Form
        Form of the result if there is no effect.
    ratio : bool
        Whether estimates are ratios.

    Returns
    -------
    Studies
        In the form of the rows; if their forms differ, as estimates with standard errors.
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


def rows_of_tables(tables: Tables) -> list[AccuracyRow]:
    """Convert 2×2 tables to rows of reports; studies without TP or FN are left out."""
    counts = np.stack([getattr(tables, cell) for cell in CELLS], axis=1)
    return [
        AccuracyRow(name, *(None if np.isnan(count) else int(count) for count in row), bias=risk)  # type: ignore[arg-type]
        for name, row, risk in zip(tables.study, counts, tables.bias or [None] * len(tables), strict=True)
        if not np.isnan(row[[0, 2]]).any()
    ]


def rows_of_studies(studies: Studies) -> list[EffectRow]:
    """Convert studies to rows of reports; studies with a missing number are left out."""
    return [
        EffectRow(name, studies.form, tuple(values), risk)
        for name, values, risk in zip(
            studies.study, studies.values.tolist(), studies.bias or [None] * len(studies), strict=True
        )
        if np.isfinite(values).all()
    ]


@dataclass(frozen=True, eq=False)
class Collected:
    """The tables or effects of all reports."""

    rows: tuple[StudyRow, ...]  # n studies, in the order of the list
    positions: NDArray[np.intp]  # 0-based rank of the document of each study, shape (n,)
    notes: tuple[str, ...] = ()  # Sentences on studies that occur twice, and how they are counted

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def tables(self) -> Tables:
        """The 2×2 tables among the rows."""
        return tables_of(self.rows)


def collect(reports: Mapping[int, Report]) -> Collected:
    """Collect the tables or effects of all reports, given by their positions in rising order.

    A study is named by its report, or else by the table. If two reports give a study with equal numbers, it is counted
    once. Different tables of one study all count, as if they had different patients. Notes mention both cases.
    """
    rows: list[StudyRow] = []
    positions: list[int] = []
    notes: list[str] = []
    counted: dict[str, list[tuple[StudyRow, int]]] = {}
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
