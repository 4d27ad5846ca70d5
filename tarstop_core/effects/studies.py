"""Studies of an intervention as reports give them, in one of five forms, and what each form can be made into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tarstop_core.effects import sizes
from tarstop_core.effects.bias import Bias, Judged
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.sizes import Floats, Sizes
from tarstop_core.errors import InputProblem

COUNTED = ("events", "n")
"""Columns that begin so hold whole numbers."""


def counted(column: str) -> bool:
    """Whether a column counts people."""
    return column.split("_")[0] in COUNTED


EVENT_MEASURES = (Measure.OR, Measure.RR, Measure.RD)
MEAN_MEASURES = (Measure.MD, Measure.SMD)
ASYMMETRIC = 0.25
"""How much farther one limit may lie from the estimate than the other, relative to their distance, without a remark."""


class Form(Enum):
    """What a report gives: the columns of a table of studies, and the measures that can be computed."""

    EVENTS = (("events_treated", "n_treated", "events_control", "n_control"), EVENT_MEASURES)
    MEANS = (
        ("mean_treated", "sd_treated", "n_treated", "mean_control", "sd_control", "n_control"),
        MEAN_MEASURES,
    )
    LIMITS = (("effect", "low", "high"), (Measure.GENERIC,))
    ERRORS = (("effect", "se"), (Measure.GENERIC,))
    LOGRANK = (("o_minus_e", "v"), (Measure.GENERIC,))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns."""
        columns: tuple[str, ...] = self.value[0]
        return columns

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What can be computed of it."""
        measures: tuple[Measure, ...] = self.value[1]
        return measures


def forms_of(measure: Measure) -> tuple[Form, ...]:
    """Forms of studies that give a measure."""
    return tuple(form for form in Form if measure in form.measures)


@dataclass(frozen=True, eq=False)
class Studies(Judged):
    """k studies in one form: `values` has shape (k, columns of the form), rows of NaN where a report is incomplete.

    InputProblem when a row cannot be: more events than people, a standard deviation or error that is not above 0,
    limits that do not enclose the estimate. `bias` has an entry for each study, or none where nobody judged it; `weights`
    say for how much of its evidence a study counts.
    """

    study: tuple[str, ...]
    form: Form
    values: Floats
    bias: tuple[Bias | None, ...] = ()
    weights: Floats | None = None

    def __post_init__(self) -> None:
        for problem, wrong in self._faults():
            if wrong.any():
                raise InputProblem(f"{self._first(wrong)} {problem}")

    def _first(self, where: NDArray[np.bool_]) -> str:
        """The first of some studies, by place and name; the only one there is by its name."""
        at = int(np.argmax(where))
        return f"Study {at + 1} ({self.study[at]})" if len(self) > 1 else self.study[at]

    def __len__(self) -> int:
        return len(self.study)

    def column(self, name: str) -> Floats:
        """One column, of shape (k,)."""
        return self.values[:, self.form.columns.index(name)]

    def first(self, n: int) -> Studies:
        """The first n studies."""
        return self.only(range(n))

    def only(self, kept: Sequence[int]) -> Studies:
        """Some of the studies, by their places."""
        places = list(kept)[: len(self)]
        return replace(
            self,
            study=tuple(self.study[at] for at in places),
            values=self.values[places],
            bias=tuple(self.bias[at] for at in places) if self.bias else (),
            weights=None if self.weights is None else self.weights[places],
        )

    def counting(self, shares: Sequence[float]) -> Studies:
        """The studies, each counting for a share of its evidence."""
        return replace(self, weights=np.array(shares))

    def _faults(self) -> list[tuple[str, np.ndarray]]:
        """What may be wrong with a row, in words, and where it is."""
        by = dict(zip(self.form.columns, self.values.T, strict=True))
        faults = []
        for arm in ("treated", "control"):
            if f"n_{arm}" in by:
                n = by[f"n_{arm}"]
                faults.append((f"has no people in the arm '{arm}'; give how many there were.", n <= 0))
            if f"events_{arm}" in by:
                words = f"has more events than people in the arm '{arm}'; swap or correct them."
                faults.append((words, by[f"events_{arm}"] > n))
            if f"sd_{arm}" in by:
                words = f"has a standard deviation in the arm '{arm}' that is not above 0; correct it."
                faults.append((words, by[f"sd_{arm}"] <= 0))
        if "se" in by:
            faults.append(("has a standard error that is not above 0; correct it.", by["se"] <= 0))
        if "v" in by:
            faults.append(("has a variance V that is not above 0; correct it.", by["v"] <= 0))
        if "low" in by:
            outside = (by["effect"] < by["low"]) | (by["effect"] > by["high"])
            faults.append(
                ("has limits that do not enclose its estimate; check their order and signs.", outside)
            )
            faults.append(("has two equal limits; give both as published.", by["low"] == by["high"]))
        return faults

    def looks_like_ratios(self) -> bool:
        """Whether the limits lie around the estimates as those of ratios do: symmetric on the log scale."""
        if self.form is Form.LOGRANK:
            return True
        if self.form is not Form.LIMITS or not (self.values[np.isfinite(self.values)] > 0).all():
            return False
        plain, logs = (np.nanmean(_asymmetry(each)) for each in (self.values, np.log(self.values)))
        return bool(logs < plain)

    def sizes(self, measure: Measure, ratio: bool = False) -> Sizes:
        """Effect sizes on the scale of analysis.

        Parameters
        ----------
        measure : Measure
            What is compared.
        ratio : bool
            Whether a generic estimate is a ratio (HR, OR, rate ratio) and is taken to the log scale.

        Returns
        -------
        Sizes
            NaN where a study says nothing.

        Raises
        ------
        InputProblem
            When these columns do not give this measure, or a ratio is not above 0.
        """
        if measure not in self.form.measures:
            raise InputProblem(
                f"The columns {', '.join(self.form.columns)} give {' or '.join(self.form.measures)}, not {measure}."
            )
        sizes_of_all = self._sizes(measure, ratio)
        if self.weights is None:
            return sizes_of_all
        return Sizes(sizes_of_all.y, sizes_of_all.v / self.weights)

    def _sizes(self, measure: Measure, ratio: bool) -> Sizes:
        columns = list(self.values.T)
        if self.form is Form.EVENTS:
            return sizes.of_events(measure, *columns)
        if self.form is Form.MEANS:
            return sizes.of_means(measure, *columns)
        if self.form is Form.LOGRANK:
            return sizes.of_observed_minus_expected(*columns)
        estimates = self.values if self.form is Form.LIMITS else self.values[:, :1]
        if ratio and (estimates <= 0).any():
            raise InputProblem(
                f"{self._first(np.any(estimates <= 0, axis=1))} has a ratio or a limit that is not above 0; "
                "say --no-ratio if effects are differences or logarithms."
            )
        if self.form is Form.LIMITS:
            estimate, low, high = columns
            return sizes.of_limits(estimate, low, high, ratio)
        return Sizes(np.log(columns[0]) if ratio else columns[0], columns[1] ** 2)

    @property
    def has_empty_cells(self) -> bool:
        """Whether in an arm of a study nobody, or everybody, had the event."""
        if self.form is not Form.EVENTS:
            return False
        a, m, c, n = self.values.T
        return bool(((a == 0) | (a == m) | (c == 0) | (c == n)).any())

    def in_words(self) -> list[str]:
        """How the first study is read, in words: two arms may have been taken for each other."""
        if self.form is not Form.EVENTS or not len(self) or not np.isfinite(self.values[0]).all():
            return []
        a, m, c, n = self.values[0]
        return [
            f"Read as: in {self.study[0]}, {a:g} of {m:g} people treated and {c:g} of {n:g} controls had the event."
        ]

    def complete(self) -> Studies:
        """The studies of which no number is missing."""
        return self.only(np.flatnonzero(np.isfinite(self.values).all(axis=1)).tolist())

    @property
    def control_risk(self) -> float | None:
        """Share of all people in control arms who had the event; None if that is not strictly between 0 and 1."""
        if self.form is not Form.EVENTS:
            return None
        _, _, events, people = self.complete().values.sum(axis=0)
        return float(events / people) if 0 < events < people else None

    def oddities(self, measure: Measure, ratio: bool) -> list[str]:
        """What looks odd in some studies, a sentence each, with their names."""
        odd = []
        if self.form is Form.EVENTS:
            empty = (self.column("events_treated") + self.column("events_control")) == 0
            if empty.any() and measure is not Measure.RD:
                names = ", ".join(name for name, none in zip(self.study, empty, strict=True) if none)
                odd.append(f"No event in either arm, so they say nothing about a ratio: {names}.")
        if self.form is Form.LIMITS:
            uneven = _asymmetry(np.log(self.values) if ratio else self.values) > ASYMMETRIC
            names = ", ".join(name for name, far in zip(self.study, uneven, strict=True) if far)
            if names:
                scale = "the log scale" if ratio else "their scale"
                odd.append(f"Limits that are not symmetric on {scale} (rounded, or mistyped?): {names}.")
        return odd

    def notes(self, measure: Measure, ratio: bool) -> list[str]:
        """What a person should know of the table before relying on it."""
        notes = self.in_words()
        if incomplete := [
            name for name, row in zip(self.study, self.values, strict=True) if not np.isfinite(row).all()
        ]:
            notes.append(f"Left out because a number is missing: {', '.join(incomplete)}.")
        twice = sorted({name for name in self.study if self.study.count(name) > 1})
        if twice:
            notes.append(f"These names occur more than once, and every line counts: {', '.join(twice)}.")
        return [*notes, *self.oddities(measure, ratio)]


def _asymmetry(values: Floats) -> Floats:
    """How unlike the distances to both limits are, relative to half of the interval; rows are (estimate, low, high)."""
    estimate, low, high = values.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.abs(2 * estimate - low - high) / (high - low))
