"""What an experiment found, topic by topic: everything that tables and figures are computed from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Quality
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

FILE_VERSION = 1
LISTS = ("cases", "groups", "q_stars", "costs", "chosen")
ARRAYS = ("weights", "documents", "omega", "screened", "plus", "recall")


@dataclass(frozen=True)
class MethodInfo:
    """What a reader must know of a method: its name, and whether it can be followed at all."""

    name: str
    title: str
    policy: str
    variant: str
    family: str
    is_oracle: bool = False  # Oracles: shown as a bound, never counted in regret


@dataclass(frozen=True, eq=False)
class Results:
    """T cases, M methods, Q threshold beliefs, C costs."""

    settings: Mapping[str, Any]
    """Everything that changes a number: benchmark, truth, engine, seeds, versions; JSON values."""
    methods: tuple[MethodInfo, ...]
    cases: tuple[str, ...]
    groups: tuple[str, ...]
    q_stars: tuple[float, ...]
    costs: tuple[float, ...]
    weights: Floats  # Weights of cases in means, in sum T; shape (T,)
    documents: Depths  # Length of each list; shape (T,)
    omega: Flags  # Shape (T, Q)
    screened: Floats
    plus: Floats
    recall: Floats
    """`screened`, `plus` and `recall`: documents read, chance of a⁺, recall by depth; shape (T, M, Q, C)."""
    fold: Depths  # Shape (T,)
    chosen: tuple[str, ...]
    """Settings that tuning chose, by fold, method, q* and cost in C order: read with :meth:`setting`."""
    plus_exact: Floats | None = None
    """Reviews with a faster engine: the same by the bivariate engine; NaN for methods it was not asked for."""
    calibration: Mapping[str, Quality] = field(default_factory=dict)  # By variant, on test cases

    @property
    def simulated(self) -> bool:
        return bool(self.settings["simulated"])

    @property
    def scenario(self) -> str:
        return str(self.settings["scenario"])

    @cached_property
    def payoffs(self) -> tuple[Payoffs, ...]:
        """Normalised payoffs of each q*."""
        return tuple(Payoffs.from_q_star(q_star) for q_star in self.q_stars)

    @cached_property
    def net_utility(self) -> Floats:
        """U of every case, method, q* and cost, shape (T, M, Q, C)."""
        utility = np.empty(self.plus.shape)
        for q, payoffs in enumerate(self.payoffs):
            omega = self.omega[:, q, None, None]
            utility[:, :, q] = metrics.net_utility(
                payoffs, self.plus[:, :, q], omega, self.screened[:, :, q], np.array(self.costs)
            )
        return utility

    def method(self, name: str) -> int:
        """Index of a method. InputProblem when it was not run."""
        names = [method.name for method in self.methods]
        if name not in names:
            raise InputProblem(f"The method {name} was not run; choose one of {', '.join(names)}.")
        return names.index(name)

    def q(self, q_star: float) -> int:
        """Index of a threshold belief that was run."""
        return _place(self.q_stars, q_star, "q*")

    def c(self, cost: float) -> int:
        """Index of a cost that was run."""
        return _place(self.costs, cost, "cost")

    @property
    def settings_by_fold(self) -> NDArray[np.str_]:
        """What tuning chose, shape (folds, M, Q, C)."""
        return np.array(self.chosen).reshape(-1, len(self.methods), len(self.q_stars), len(self.costs))

    def setting(self, method: int, q: int, c: int) -> str:
        """What tuning chose; the folds' choices, each once, where they differ."""
        return " | ".join(dict.fromkeys(self.settings_by_fold[:, method, q, c].tolist()))

    def only(self, names: Sequence[str]) -> Results:
        """The results of some of the methods, in the order given."""
        at = [self.method(name) for name in names]
        return replace(
            self,
            methods=tuple(self.methods[i] for i in at),
            screened=self.screened[:, at],
            plus=self.plus[:, at],
            recall=self.recall[:, at],
            plus_exact=None if self.plus_exact is None else self.plus_exact[:, at],
            chosen=tuple(self.settings_by_fold[:, at].ravel().tolist()),
        )


def _place(values: Sequence[float], wanted: float, what: str) -> int:
    for at, value in enumerate(values):
        if abs(value - wanted) <= 1e-12 * max(1.0, abs(value)):
            return at
    raise InputProblem(
        f"The {what} {wanted:g} was not run; choose one of {', '.join(f'{v:g}' for v in values)}."
    )


def save(results: Results, path: Path) -> None:
    """Write one compressed file that :func:`load` reads back exactly."""
    about: dict[str, Any] = {
        "version": FILE_VERSION,
        "settings": dict(results.settings),
        "methods": [asdict(method) for method in results.methods],
        **{name: getattr(results, name) for name in LISTS},
        "calibration": {name: asdict(quality) for name, quality in results.calibration.items()},
    }
    for quality_fields in about["calibration"].values():
        del quality_fields["intervals"]  # experiments add up documents of all lists, so that there are none
    arrays = {name: getattr(results, name) for name in (*ARRAYS, "fold")}
    if results.plus_exact is not None:
        arrays["plus_exact"] = results.plus_exact
    arrays["about"] = np.array(json.dumps(about, ensure_ascii=False))
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _method(content: dict[str, Any]) -> MethodInfo:
    """A method of a file, which may be older than the name `is_oracle`."""
    return MethodInfo(
        **{"is_oracle" if name == "knows_truth" else name: value for name, value in content.items()}
    )


def load(path: Path) -> Results:
    """Read results back. InputProblem when the file is not one of results, or of another version."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            arrays = {name: file[name] for name in file.files if name != "about"}
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        raise InputProblem(f"{path} is not a file of results; run the experiment again.") from None
    if about.get("version") != FILE_VERSION:
        raise InputProblem(f"{path} was written by another version; run the experiment again.")
    lists: dict[str, Any] = {name: tuple(about[name]) for name in LISTS}
    return Results(
        settings=about["settings"],
        methods=tuple(map(_method, about["methods"])),
        calibration={
            name: Quality(**{**content, "reliability": tuple(map(tuple, content["reliability"]))})
            for name, content in about["calibration"].items()
        },
        **lists,
        **arrays,
    )
