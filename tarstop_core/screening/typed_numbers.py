"""Numbers of a report as a person types them: a 2×2 table, or an effect in one of several forms.

Everything stays text until it is saved, so that a mistake in one field does not lose what was typed in others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from tarstop_core.documents.reports import AccuracyRow, EffectRow, StudyRow, studies_of
from tarstop_core.documents.tables import CELLS, Counts, from_rates
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import Form, counted, forms_of
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed

RATES = ("sensitivity", "diseased", "specificity", "healthy")
"""Fields for rates and group sizes."""
MOST_PATIENTS = 10**9
"""Largest number that is taken as one of people."""
JOINT = " | "  # Separates cells pasted into one field, as ``dashboard/frame/pasting.js`` writes them

Fields = Mapping[str, Mapping[str, tuple[str, str]]]
"""Fields of a form: label and example of each, by tab and by name."""


@dataclass(frozen=True)
class TypedTable:
    """A 2×2 table as typed."""

    part: str = ""  # Part of the study that it is about, if a report has several tables
    TP: str = ""
    FP: str = ""
    FN: str = ""
    TN: str = ""
    sensitivity: str = ""
    diseased: str = ""
    specificity: str = ""
    healthy: str = ""
    """`sensitivity` to `healthy`: rates and group sizes, for a report without counts."""

    fields: ClassVar[Fields] = {
        "Counts": {
            "TP": ("TP", "diseased, +"),
            "FP": ("FP", "healthy, +"),
            "FN": ("FN", "diseased, −"),
            "TN": ("TN", "healthy, −"),
        },
        "From sensitivity, specificity and group sizes": {
            "sensitivity": ("Sensitivity", "0.83 or 83 %"),
            "diseased": ("Diseased patients", ""),
            "specificity": ("Specificity", "0.83 or 83 %"),
            "healthy": ("Healthy patients", ""),
        },
    }
    called: ClassVar[str] = "table"
    hint: ClassVar[str] = "FP and TN may stay empty. Four cells pasted into one field fill all four."
    hint_further: ClassVar[str] = "Save computes and shows the counts; save once more to store them."
    """`hint` and `hint_further`: texts below all fields, and below those of further tabs."""
    missing: ClassVar[str] = "TP and FN are missing; every 2×2 table needs them."
    unwanted: ClassVar[str] = (
        "You typed a 2×2 table, but the outcome says that there is none; choose the outcome with a 2×2 table, or clear "
        "the counts."
    )

    def field(self, name: str) -> str:
        """Text in a field."""
        return str(getattr(self, name))

    def typed(self, part: str, fields: Mapping[str, str]) -> TypedTable:
        """The table with new texts in its fields."""
        return replace(self, part=part, **fields)

    def emptied(self, part: str = "") -> TypedTable:
        """A table without anything typed."""
        return TypedTable(part)

    def of_row(self, row: StudyRow, part: str) -> TypedTable:
        """A stored table as it would be typed; an empty one for another kind of row."""
        counts = row.numbers if isinstance(row, AccuracyRow) else {}
        return TypedTable(
            part, **{cell: "" if count is None else str(count) for cell, count in counts.items()}
        )

    def row(self, study: str) -> AccuracyRow:
        """The checked table of a study; InputProblem if something is missing or impossible."""
        return AccuracyRow(study, *self.counts())

    def doubts(self, study: str) -> str:
        """Sentences on what looks odd; always empty for 2×2 tables."""
        return ""

    @property
    def is_typed(self) -> bool:
        """Whether any number was typed."""
        return self.has_counts or self.has_rates

    @property
    def to_convert(self) -> bool:
        """Whether only rates were typed."""
        return self.has_rates and not self.has_counts

    @property
    def has_counts(self) -> bool:
        """Whether any count was typed."""
        return any(getattr(self, cell).strip() for cell in CELLS)

    @property
    def has_rates(self) -> bool:
        """Whether any rate or group size was typed."""
        return any(getattr(self, name).strip() for name in RATES)

    def counts(self) -> tuple[int, int | None, int, int | None]:
        """TP, FP, FN, TN; InputProblem if one is missing or no whole number, or differs from what the rates give.

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
        TP, FN = parse_count(self.TP, "TP"), parse_count(self.FN, "FN")
        FP, TN = (parse_count(self.FP, "FP"), parse_count(self.TN, "TN")) if self.FP.strip() else (None, None)
        if self.has_rates:
            by_rates, typed = vars(self.from_rates()), {"TP": TP, "FP": FP, "FN": FN, "TN": TN}
            implied = {cell: by_rates[cell] for cell in CELLS if by_rates[cell] is not None}
            if implied.items() - typed.items():
                counts = ", ".join(f"{cell} {count}" for cell, count in implied.items())
                raise InputProblem(
                    f"The rates give {counts}, which differs from the counts; clear one of them."
                )
        return TP, FP, FN, TN

    def from_rates(self) -> Counts:
        """The counts that follow from rates and group sizes; InputProblem if they do not follow."""
        self._check_cells()
        if not (self.sensitivity.strip() and self.diseased.strip()):
            raise InputProblem("Give sensitivity and the number of diseased patients it was found in.")
        if bool(self.specificity.strip()) != bool(self.healthy.strip()):
            raise InputProblem(
                "Give both specificity and the number of healthy patients, or neither of them."
            )
        diseased = parse_count(self.diseased, "The number of diseased patients")
        if not self.specificity.strip():
            return from_rates(self.sensitivity, diseased)
        healthy = parse_count(self.healthy, "The number of healthy patients")
        return from_rates(self.sensitivity, diseased, self.specificity, healthy)

    def _check_cells(self) -> None:
        """Raise InputProblem if several cells were pasted into one field and could not be distributed."""
        for name in (*CELLS, *RATES):
            if JOINT in (text := getattr(self, name)):
                raise InputProblem(
                    f"“{text}” in {name} are several cells; paste one row in the order of the fields, or "
                    "one row with column names above it."
                )

    def filled(self) -> TypedTable:
        """The table with the counts that follow from its rates."""
        table = self.from_rates()
        counts = {cell: getattr(table, cell) for cell in CELLS}
        return replace(self, **{cell: "" if count is None else str(count) for cell, count in counts.items()})


FORM_WORDS: dict[Form, str] = {
    Form.EVENTS: "Events",
    Form.MEANS: "Means",
    Form.LIMITS: "Estimate and 95 % limits",
    Form.ERRORS: "Estimate and standard error",
    Form.LOGRANK: "O − E and V",
}
"""Name of the tab for each form."""
COLUMN_WORDS = {
    "events_treated": ("Events, treated", "with the event"),
    "n_treated": ("People, treated", "in the arm"),
    "events_control": ("Events, control", "with the event"),
    "n_control": ("People, control", "in the arm"),
    "mean_treated": ("Mean, treated", ""),
    "sd_treated": ("SD, treated", ""),
    "mean_control": ("Mean, control", ""),
    "sd_control": ("SD, control", ""),
    "effect": ("Estimate", "as published"),
    "low": ("Lower limit", ""),
    "high": ("Upper limit", ""),
    "se": ("Standard error", ""),
    "o_minus_e": ("O − E", ""),
    "v": ("V", ""),
}
"""Label and example of each field, by column."""
BETWEEN = "-"
"""Separates form and column in the name of a field, because several forms have an estimate."""


@dataclass(frozen=True)
class TypedEffect:
    """An effect as typed, in one of its forms."""

    measure: Measure
    ratio: bool = False  # Whether estimates are ratios
    part: str = ""  # Part of the study that it is about, if a report has several effects
    cells: Mapping[str, str] = field(default_factory=dict)  # Texts by name of the field

    to_convert: ClassVar[bool] = False
    called: ClassVar[str] = "effect"
    hint: ClassVar[str] = (
        "If you paste spreadsheet cells into one field, the fields beside it are filled too; column names above them say which is which."
    )
    hint_further: ClassVar[str] = ""
    unwanted: ClassVar[str] = (
        "You typed numbers, but the outcome says that there are none; choose the outcome with an effect, or clear them."
    )

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms of data from which the measure can be computed."""
        return forms_of(self.measure)

    @property
    def fields(self) -> Fields:
        """Fields by tab, with a tab for each form."""
        return {
            FORM_WORDS[form]: {
                f"{form.name}{BETWEEN}{column}": COLUMN_WORDS[column] for column in form.columns
            }
            for form in self.forms
        }

    @property
    def missing(self) -> str:
        """Message if nothing is typed."""
        ways = " or ".join(FORM_WORDS[form] for form in self.forms)
        return f"You typed no numbers; fill in {ways}."

    def field(self, name: str) -> str:
        """Text in a field."""
        return self.cells.get(name, "")

    def typed(self, part: str, fields: Mapping[str, str]) -> TypedEffect:
        """The effect with new texts in its fields; empty ones are left out."""
        return replace(self, part=part, cells={name: text for name, text in fields.items() if text})

    def emptied(self, part: str = "") -> TypedEffect:
        """An effect without anything typed."""
        return replace(self, part=part, cells={})

    def of_row(self, row: StudyRow, part: str) -> TypedEffect:
        """A stored effect as it would be typed; an empty one for another kind of row."""
        if not isinstance(row, EffectRow):
            return replace(self, part=part)
        cells = {f"{row.form.name}{BETWEEN}{name}": f"{value:.15g}" for name, value in row.numbers.items()}
        return replace(self, part=part, cells=cells)

    @property
    def is_typed(self) -> bool:
        """Whether any number was typed."""
        return any(text.strip() for text in self.cells.values())

    def row(self, study: str) -> EffectRow:
        """The checked effect of a study.

        Raises
        ------
        InputProblem
            If something is missing, no number, impossible, or given in two forms.
        """
        used = [form for form in self.forms if any(self._text(form, name) for name in form.columns)]
        if len(used) != 1:
            ways = " and ".join(f"“{FORM_WORDS[form]}”" for form in used)
            raise InputProblem(f"{ways} are both filled in; clear one of them." if used else self.missing)
        (form,) = used
        if absent := [COLUMN_WORDS[name][0] for name in form.columns if not self._text(form, name)]:
            raise InputProblem(f"{listed(absent)} missing; give all numbers of “{FORM_WORDS[form]}”.")
        return EffectRow(study, form, tuple(_number(self._text(form, name), name) for name in form.columns))

    def doubts(self, study: str) -> str:
        """Sentences on what looks odd, such as limits that are not symmetric or no event in either arm, and how it is read."""
        row = self.row(study)
        studies = studies_of((row,), ratio=self.ratio)
        odd = studies.oddities(self.measure, self.ratio)
        return " ".join((*odd, *studies.in_words())) if odd else ""

    def _text(self, form: Form, column: str) -> str:
        """Text in the field of a column, without spaces around it."""
        return self.cells.get(f"{form.name}{BETWEEN}{column}", "").strip()


def _number(text: str, column: str) -> float:
    """A typed number of a column; InputProblem if it is no number, or a percentage where people are counted."""
    what = COLUMN_WORDS[column][0]
    if JOINT in text:
        raise InputProblem(f"“{text}” in {what} are several cells; paste them one by one.")
    if text.endswith("%") and counted(column):
        raise InputProblem(f"{what} is “{text}”; give the number of people, not a percentage.")
    if counted(column):
        return float(parse_count(text, what))
    plain = text.replace("−", "-").replace("·", ".")
    try:
        value = float(plain.replace(",", ".") if "." not in plain else plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputProblem(f"{what} is “{text}”; give a number.")
    return value


Typed = TypedTable | TypedEffect
"""The numbers of a study as typed."""


def fields_of(table: Typed) -> list[str]:
    """Names of all fields of a form."""
    return [name for fields in table.fields.values() for name in fields]


def parse_count(text: str, what: str) -> int:
    """A typed whole number, 0 or more; InputProblem with the name `what` otherwise."""
    plain = text.strip()
    if not re.fullmatch(r"[0-9]+", plain) or int(plain[:12]) > MOST_PATIENTS:
        raise InputProblem(f"{what} is “{plain}”; give a whole number, 0 or more, in digits only.")
    return int(plain)
