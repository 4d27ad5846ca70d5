"""Studies of an intervention in one of five forms of reporting, and the measures that each form allows."""

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


def counted(column: str) -> bool:
    """Whether a column counts people."""
    return column.split("_")[0] in ("events", "n")


EVENT_MEASURES = (Measure.OR, Measure.RR, Measure.RD)
MEAN_MEASURES = (Measure.MD, Measure.SMD)
ASYMMETRIC = 0.25
"""Limits are reported as asymmetric if their distances to the estimate differ by more than this share of the interval."""


class Form(Enum):
    """Form of reporting: the columns of a table of studies, and the measures that can be computed from them."""

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
        """Names of the columns."""
        columns: tuple[str, ...] = self.value[0]
        return columns

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Measures that can be computed."""
        measures: tuple[Measure, ...] = self.value[1]
        return measures


def forms_of(measure: Measure) -> tuple[Form, ...]:
    """Forms from which a measure can be computed."""
    return tuple(form for form in Form if measure in form.measures)


@dataclass(frozen=True, eq=False)
class Studies(Judged):
    """k studies in one form.

    Raises
    ------
    InputProblem
        When a row is impossible: more events than people, a standard deviation or error that is not above 0, or limits
        that do not enclose the estimate.
    """

    study: tuple[str, ...]
    form: Form
    values: Floats  # shape (k, columns of the form); NaN where a number is missing
    bias: tuple[Bias | None, ...] = ()  # one per study, or empty if none was judged
    weights: Floats | None = None  # share of its evidence for which each study counts, shape (k,)

    def __post_init__(self) -> None:
        for problem, wrong in self._faults():
            if wrong.any():
                raise InputProblem(f"{self._first(wrong)} {problem}")

    def _first(self, where: NDArray[np.bool_]) -> str:
        """Place and name of the first flagged study; the name alone if there is only one study."""
        at = int(np.argmax(where))
        return f"Study {at + 1} ({self.study[at]})" if len(self) > 1 else self.study[at]

    def __len__(self) -> int:
        return len(self.study)

    def column(self, name: str) -> Floats:
        """The column with this name, shape (k,)."""
        return self.values[:, self.form.columns.index(name)]

    def first(self, n: int) -> Studies:
        """The first n studies."""
        return self.only(range(n))

    def only(self, kept: Sequence[int]) -> Studies:
        """The studies at these places."""
        places = list(kept)[: len(self)]
        return replace(
            self,
            study=tuple(self.study[at] for at in places),
            values=self.values[places],
            bias=tuple(self.bias[at] for at in places) if self.bias else (),
            weights=None if self.weights is None else self.weights[places],
        )

    def counting(self, shares: Sequence[float]) -> Studies:
        """The studies, each weighted by a share of its evidence."""
        return replace(self, weights=np.array(shares))

    def _faults(self) -> list[tuple[str, np.ndarray]]:
        """Every possible fault of a row, in words, with the rows that have it, shape (k,)."""
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
        """Whether effects are probably ratios: logrank data always, limits if they are more symmetric on the log scale."""
        if self.form is Form.LOGRANK:
            return True
        if self.form is not Form.LIMITS or not (self.values[np.isfinite(self.values)] > 0).all():
            return False
        plain, logs = (np.nanmean(_asymmetry(values)) for values in (self.values, np.log(self.values)))
        return bool(logs < plain)

    def sizes(self, measure: Measure, ratio: bool = False) -> Sizes:
        """Effect sizes on the scale of analysis.

        Parameters
        ----------
        measure : Measure
            The effect measure.
        ratio : bool
            Whether a generic estimate is a ratio (HR, OR, rate ratio) and is taken to the log scale.

        Returns
        -------
        Sizes
            NaN where a study carries no information.

        Raises
        ------
        InputProblem
            When the form does not allow the measure, or a ratio is not above 0.
        """
        if measure not in self.form.measures:
            raise InputProblem(
                f"The columns {', '.join(self.form.columns)} give {' or '.join(self.form.measures)}, not {measure}."
            )
        unweighted = self._sizes(measure, ratio)
        return unweighted if self.weights is None else Sizes(unweighted.y, unweighted.v / self.weights)

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
        """Whether nobody or everybody had the event in some arm of some study."""
        if self.form is not Form.EVENTS:
            return False
        a, m, c, n = self.values.T
        return bool(((a == 0) | (a == m) | (c == 0) | (c == n)).any())

    def in_words(self) -> list[str]:
        """How the first study was read, in words, so that swapped arms are noticed."""
        if self.form is not Form.EVENTS or not len(self) or not np.isfinite(self.values[0]).all():
            return []
        a, m, c, n = self.values[0]
        return [
            f"Read as: in {self.study[0]}, {a:g} of {m:g} people treated and {c:g} of {n:g} controls had the event."
        ]

    def complete(self) -> Studies:
        """The studies without missing numbers."""
        return self.only(np.flatnonzero(np.isfinite(self.values).all(axis=1)).tolist())

    @property
    def control_risk(self) -> float | None:
        """Share of all people in control arms who had the event; None unless it is between 0 and 1."""
        if self.form is not Form.EVENTS:
            return None
        _, _, events, people = self.complete().values.sum(axis=0)
        return float(events / people) if 0 < events < people else None

    def oddities(self, measure: Measure, ratio: bool) -> list[str]:
        """Sentences on studies without events and on asymmetric limits, with the names of the studies."""
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
        """Sentences that a person should read before relying on the table."""
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
    """Difference of the distances from estimate to limits, as a share of the interval; rows are (estimate, low, high)."""
    estimate, low, high = values.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.abs(2 * estimate - low - high) / (high - low))
