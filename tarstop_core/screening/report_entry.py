"""From what a person types about a report to a :class:`~tarstop_core.documents.reports.Report`, and back.

Everything is text until it is saved, so that nothing typed is lost to a mistake in one of the fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tarstop_core.documents.reports import FullText, Report, Row
from tarstop_core.documents.tables import CELLS, Counts, from_rates
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.provenance import provenance
from tarstop_core.screening.state import State

RATES = ("sensitivity", "diseased", "specificity", "healthy")
MOST_PATIENTS = 10**9
JOINT = " | "  # Between cells pasted into one field, as ``dashboard/frame/pasting.js`` writes them
_YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")


@dataclass(frozen=True)
class TypedTable:
    """One 2×2 table as typed."""

    part: str = ""  # of the study, that it is about, where a report holds several tables
    TP: str = ""
    FP: str = ""
    FN: str = ""
    TN: str = ""
    sensitivity: str = ""
    diseased: str = ""
    specificity: str = ""
    healthy: str = ""  # Rates and group sizes, where a report gives no counts

    @property
    def has_counts(self) -> bool:
        """Whether any count was typed."""
        return any(getattr(self, cell).strip() for cell in CELLS)

    @property
    def has_rates(self) -> bool:
        """Whether any rate or group size was typed."""
        return any(getattr(self, name).strip() for name in RATES)

    def counts(self) -> tuple[int, int | None, int, int | None]:
        """TP, FP, FN, TN; InputProblem when one is missing or no whole number, or rates come to others.

        Examples
        --------
        >>> TypedTable(TP="9", FN=" 2 ").counts()
        (9, None, 2, None)
        """
        self._check_cells()
        missing = [cell for cell in ("TP", "FN") if not getattr(self, cell).strip()]
        if missing:
            raise InputProblem(f"{' and '.join(missing)} missing; every 2×2 table needs TP and FN.")
        if bool(self.FP.strip()) != bool(self.TN.strip()):
            raise InputProblem("Give both FP and TN, or neither of them.")
        TP, FN = whole(self.TP, "TP"), whole(self.FN, "FN")
        FP, TN = (whole(self.FP, "FP"), whole(self.TN, "TN")) if self.FP.strip() else (None, None)
        if self.has_rates:
            meant, typed = vars(self.from_rates()), {"TP": TP, "FP": FP, "FN": FN, "TN": TN}
            implied = {cell: meant[cell] for cell in CELLS if meant[cell] is not None}
            if implied.items() - typed.items():
                counts = ", ".join(f"{cell} {count}" for cell, count in implied.items())
                raise InputProblem(
                    f"The rates come to {counts}, which is not what the counts say; clear one of them."
                )
        return TP, FP, FN, TN

    def from_rates(self) -> Counts:
        """The counts that the rates and group sizes stand for; InputProblem when they cannot be had."""
        self._check_cells()
        if not (self.sensitivity.strip() and self.diseased.strip()):
            raise InputProblem("Give sensitivity and the number of diseased patients it was found in.")
        if bool(self.specificity.strip()) != bool(self.healthy.strip()):
            raise InputProblem(
                "Give both specificity and the number of healthy patients, or neither of them."
            )
        diseased = whole(self.diseased, "The number of diseased patients")
        if not self.specificity.strip():
            return from_rates(self.sensitivity, diseased)
        healthy = whole(self.healthy, "The number of healthy patients")
        return from_rates(self.sensitivity, diseased, self.specificity, healthy)

    def _check_cells(self) -> None:
        """InputProblem when a field holds several cells, which were pasted and fit no fields."""
        for name in (*CELLS, *RATES):
            if JOINT in (text := getattr(self, name)):
                raise InputProblem(
                    f"“{text}” in {name} are several cells; paste one row in the order of the fields, or one with the "
                    "names of their columns above it."
                )

    def filled(self) -> TypedTable:
        """The table with the counts that its rates come to."""
        table = self.from_rates()
        counts = {cell: getattr(table, cell) for cell in CELLS}
        return replace(self, **{cell: "" if count is None else str(count) for cell, count in counts.items()})


@dataclass(frozen=True)
class Draft:
    """A report as typed."""

    outcome: FullText = "data"
    study: str = ""
    reason: str = ""
    tables: tuple[TypedTable, ...] = (TypedTable(),)  # At least one, which may be empty
    stored: Report | None = None  # what had been stored before

    @classmethod
    def of(cls, report: Report | None, study: str) -> Draft:
        """What the form begins with: what is stored, or a name for the study."""
        if report is None or report.outcome == "waiting":
            return cls(study=study, stored=report)
        tables = tuple(
            TypedTable(
                part=row.study.removeprefix(report.study).lstrip(", "),
                **{cell: "" if getattr(row, cell) is None else str(getattr(row, cell)) for cell in CELLS},
            )
            for row in report.rows
        )
        return cls(report.outcome, report.study, report.reason, tables or (TypedTable(),), report)

    def another(self) -> Draft:
        """With room for one more table of the same report."""
        return replace(self, tables=(*self.tables, TypedTable(part=f"table {len(self.tables) + 1}")))

    @property
    def to_convert(self) -> tuple[int, ...]:
        """Tables of which only rates were typed."""
        return tuple(at for at, table in enumerate(self.tables) if table.has_rates and not table.has_counts)

    def report(self, unnamed: str) -> Report:
        """The report, checked; a study without a name is called `unnamed`.

        InputProblem when something is missing, cannot be used or contradicts itself.

        Examples
        --------
        >>> Draft(study="Lee 2004", tables=(TypedTable(TP="9", FN="2"),)).report("#3").rows[0].counts
        (9, None, 2, None)
        """
        study, reason = self.study.strip(), self.reason.strip()
        typed = tuple(table for table in self.tables if table.has_counts or table.has_rates)
        if self.outcome != "data":
            # Changing a stored report to one without data does not ask for its counts to be wiped out first.
            if typed and typed != Draft.of(self.stored, "").tables:
                raise InputProblem(
                    "A 2×2 table is typed, but the outcome says that there is none; choose the outcome with a "
                    "2×2 table, or clear the counts."
                )
            return Report(self.outcome, reason, study)
        if not typed:
            other = " If it is excluded, say so above." if reason else ""
            raise InputProblem(f"TP and FN missing; every 2×2 table needs them.{other}")
        rows = []
        for at, table in enumerate(typed, start=1):
            name = ", ".join(filter(None, (study or unnamed, table.part.strip())))
            try:
                rows.append(Row(name, *table.counts()))
            except InputProblem as problem:
                raise InputProblem(f"Table {at}: {problem}" if len(typed) > 1 else str(problem)) from None
        return Report("data", reason, study or unnamed, tuple(rows))


def whole(text: str, what: str) -> int:
    """A typed whole number from 0 on; InputProblem when it is none."""
    plain = text.strip()
    if not re.fullmatch(r"[0-9]+", plain) or int(plain[:12]) > MOST_PATIENTS:
        raise InputProblem(f"{what} is “{plain}”; give a whole number from 0 on, digits only.")
    return int(plain)


def study_name(authors: str, date: str) -> str:
    """'Surname Year', as reviews call their studies; empty where no author is known.

    Examples
    --------
    >>> study_name("Lee, Jane; Kim, S.", "2004-03"), study_name("Lee J, Kim S", "2004 Mar"), study_name("", "")
    ('Lee 2004', 'Lee 2004', '')
    >>> study_name("van der Berg AB; Kim S", ""), study_name("Jane Lee and S. Kim", "1999")
    ('van der Berg', 'Lee 1999')
    """
    first = re.split(r";| and | & ", authors.strip())[0].strip()
    before, comma, _ = first.partition(",")
    words = before.split()
    if not words:
        return ""
    if len(words) > 1 and re.fullmatch(r"(?:[A-Z]\.?-?){1,4}", words[-1]):
        words = words[:-1]
    elif len(words) > 1 and words[0][0].isupper() and not (comma and ";" in authors):
        words = words[-1:]
    year = _YEAR.search(date)
    return " ".join([*words, *([year.group()] if year else [])])


def by_study(state: State) -> dict[str, list[int]]:
    """Positions of the eligible reports of each study, by its name as first written, in order of the list."""
    studies: dict[str, tuple[str, list[int]]] = {}
    for at, report in state.read_in_full.items():
        if report.outcome in ("data", "no data") and report.study:
            studies.setdefault(report.study.casefold(), (report.study, []))[1].append(at)
    return dict(studies.values())


def table_rows(state: State, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The 2×2 tables that count, with where they come from."""
    evidence = state.evidence
    tables = evidence.tables
    return [
        {
            "study": tables.study[i],
            "document": ids[at],
            "rank": int(at) + 1,
            **{cell: None if np.isnan(count := getattr(tables, cell)[i]) else int(count) for cell in CELLS},
        }
        for i, at in enumerate(evidence.positions)
    ]


def full_text_rows(state: State, ids: Sequence[str], events: Sequence[Event]) -> list[dict[str, Any]]:
    """What became of every included report: document, outcome, reason, study, and who said so when."""
    last = {str(event.payload["doc"]): event for event in standing(events) if event.kind == "report"}
    rows, came = [], provenance(events)
    for at in sorted([*state.read_in_full, *state.waiting.tolist()]):
        entered = state.read_in_full.get(at)
        report, event = entered or Report("waiting"), last.get(ids[at]) if entered else None
        rows.append(
            {
                "document": ids[at],
                "rank": at + 1,
                "outcome": report.outcome,
                "reason": report.reason,
                "study": report.study,
                "tables": len(report.rows),
                "time": event.time if event else "",
                "reviewer": event.reviewer if event else "",
                **came.columns(event),
            }
        )
    return rows
