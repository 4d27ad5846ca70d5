"""Results of an experiment case by case, from which tables and figures are computed, and their files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.quality import Quality
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.places import sample_dir
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

FILE_VERSION = 1
LISTS = ("cases", "groups", "q_stars", "costs", "chosen")
"""Fields of results that files hold as lists."""
ARRAYS = ("weights", "documents", "omega", "fold")
"""Fields that hold a number for each case."""
CUBES = ("screened", "plus", "recall", "plus_exact")
"""Fields that hold a number for each case, method, q* and cost; `plus_exact` may be missing."""
FOLDER = "results"
"""Folder of the shipped files."""


@dataclass(frozen=True)
class MethodInfo:
    """Description of a method in results."""

    name: str
    title: str
    policy: str
    variant: str
    family: str
    is_oracle: bool = False  # Whether it knows the truth: a bound, which regret does not count


@dataclass(frozen=True, eq=False)
class Results:
    """Results of an experiment for T cases, M methods, Q threshold beliefs and C costs."""

    settings: Mapping[str, Any]
    """Everything that changes a number: benchmark, truth, engine, seeds, versions; JSON values."""
    methods: tuple[MethodInfo, ...]
    cases: tuple[str, ...]
    groups: tuple[str, ...]
    q_stars: tuple[float, ...]
    costs: tuple[float, ...]
    weights: Floats  # Weights of cases in means, whose sum is T; shape (T,)
    documents: Depths  # Length of each list; shape (T,)
    omega: Flags  # Whether ω⁺ holds; shape (T, Q)
    screened: Floats
    plus: Floats
    recall: Floats
    """`screened`, `plus` and `recall`: documents read, chance of a⁺, recall at the stop; shape (T, M, Q, C)."""
    fold: Depths  # Fold that tested each case; shape (T,)
    chosen: tuple[str, ...]
    """Settings that tuning chose, by fold, method, q* and cost in C order; :meth:`setting` reads them."""
    plus_exact: Floats | None = None
    """Reviews with a faster engine: `plus` by the bivariate engine; NaN for methods for which it was not used."""
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
        """Return the index of a method; raise InputProblem when it was not run."""
        names = [method.name for method in self.methods]
        if name not in names:
            raise InputProblem(f"The method {name} was not run; choose one of {', '.join(names)}.")
        return names.index(name)

    def q(self, q_star: float) -> int:
        """Return the index of a threshold belief; raise InputProblem when it was not run."""
        return _place(self.q_stars, q_star, "q*")

    def c(self, cost: float) -> int:
        """Return the index of a cost; raise InputProblem when it was not run."""
        return _place(self.costs, cost, "cost")

    @property
    def settings_by_fold(self) -> NDArray[np.str_]:
        """What tuning chose, shape (folds, M, Q, C)."""
        return np.array(self.chosen).reshape(-1, len(self.methods), len(self.q_stars), len(self.costs))

    def setting(self, method: int, q: int, c: int) -> str:
        """Return the setting that tuning chose; if folds differ, each choice once.

        Parameters
        ----------
        method, q, c : int
            Indices of method, q* and cost.

        Returns
        -------
        str
        """
        return " | ".join(dict.fromkeys(self.settings_by_fold[:, method, q, c].tolist()))

    def only(self, names: Sequence[str]) -> Results:
        """Return the results of some of the methods, in the order given."""
        at = [self.method(name) for name in names]
        cubes: dict[str, Any] = {name: cube[:, at] for name, cube in self.cubes.items()}
        chosen = tuple(self.settings_by_fold[:, at].ravel().tolist())
        return replace(self, methods=tuple(self.methods[i] for i in at), chosen=chosen, **cubes)

    @property
    def cubes(self) -> dict[str, Floats]:
        """The arrays of :data:`CUBES` by name, without those that are missing."""
        arrays = {name: getattr(self, name) for name in CUBES}
        return {name: array for name, array in arrays.items() if array is not None}


def _place(values: Sequence[float], wanted: float, quantity: str) -> int:
    for at, value in enumerate(values):
        if abs(value - wanted) <= 1e-12 * max(1.0, abs(value)):
            return at
    choices = ", ".join(f"{value:g}" for value in values)
    raise InputProblem(f"The {quantity} {wanted:g} was not run; choose one of {choices}.")


# --- files ----------------------------------------------------------------------------------------


def save(results: Results, path: Path, *, small: bool = False) -> None:
    """Write one compressed file that :func:`load` reads back.

    Parameters
    ----------
    results : Results
        Results to write.
    path : Path
        The file.
    small : bool
        Whether to write as few bytes as possible: arrays of whole numbers, as depths and actions nearly always are,
        keep their values, others keep seven significant digits. Otherwise all values are kept exactly.
    """
    about: dict[str, Any] = {
        "version": FILE_VERSION,
        "settings": dict(results.settings),
        "methods": [asdict(method) for method in results.methods],
        **{name: getattr(results, name) for name in LISTS},
        "calibration": {name: asdict(quality) for name, quality in results.calibration.items()},
    }
    for quality_fields in about["calibration"].values():
        del quality_fields["intervals"]  # Experiments add up the documents of all lists, so there are none
    arrays = {name: getattr(results, name) for name in ARRAYS} | results.cubes
    if small:
        arrays |= {name: _small(cube) for name, cube in results.cubes.items()}
        arrays |= {"documents": results.documents.astype(np.int32), "fold": results.fold.astype(np.int16)}
    arrays["about"] = np.array(json.dumps(about, ensure_ascii=False))
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _small(values: Floats) -> NDArray[Any]:
    if np.array_equal(values, np.rint(values)) and values.min(initial=0) >= 0:
        return values.astype(np.min_scalar_type(int(values.max(initial=0))))
    return values.astype(np.float32)


def load(path: Path) -> Results:
    """Read results back.

    Raises
    ------
    InputProblem
        When the file does not hold results, or was written by another version.
    """
    about, arrays = _content(path, [*ARRAYS, *CUBES])
    if about.get("version") != FILE_VERSION:
        raise InputProblem(f"{path} was written by another version; run the experiment again.")
    arrays |= {name: arrays[name].astype(np.float64) for name in CUBES if name in arrays}
    arrays |= {name: arrays[name].astype(np.intp) for name in ("documents", "fold")}
    lists: dict[str, Any] = {name: tuple(about[name]) for name in LISTS}
    calibration = {
        name: Quality(**{**content, "reliability": tuple(map(tuple, content["reliability"]))})
        for name, content in about["calibration"].items()
    }
    methods = tuple(map(_method, about["methods"]))
    return Results(about["settings"], methods, calibration=calibration, **lists, **arrays)


def _content(path: Path, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a file's description, and the named arrays that it has."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return json.loads(str(file["about"])), {name: file[name] for name in names if name in file}
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        raise InputProblem(f"{path.name} is not a file of results; run the experiment again.") from None


def _method(content: dict[str, Any]) -> MethodInfo:
    """Read a method; older files call `is_oracle` "knows_truth"."""
    values = {"is_oracle" if name == "knows_truth" else name: value for name, value in content.items()}
    return MethodInfo(**values)


@dataclass(frozen=True)
class ResultsFile:
    """A file of results with its settings, without its arrays."""

    path: Path
    settings: Mapping[str, Any]  # As in :class:`Results`

    @property
    def benchmark(self) -> str:
        return str(self.settings["benchmark"])

    @property
    def title(self) -> str:
        return str(self.settings["title"])

    @property
    def truth(self) -> str:
        return str(self.settings["truth"])

    @property
    def simulated(self) -> bool:
        return bool(self.settings["simulated"])


def results_file(path: Path) -> ResultsFile:
    """Read the settings of a file of results; raise InputProblem when it does not hold results."""
    about, _ = _content(path, [])
    return ResultsFile(path, about["settings"])


def shipped() -> list[ResultsFile]:
    """List the shipped files, simulated benchmarks first; ``scripts/make_results.py`` makes them."""
    files = map(results_file, (sample_dir() / FOLDER).glob("*.npz"))
    return sorted(files, key=lambda file: (not file.simulated, file.path.stem))


def named_at_start(names: Iterable[str]) -> list[ResultsFile]:
    """List files of results by their names, or by the names of their folders, with which the server was started.

    Raises
    ------
    InputProblem
        When a file is missing or does not hold results.
    """
    listings: list[ResultsFile] = []
    for name in names:
        path = Path(name)
        files = sorted(path.rglob("*.npz")) if path.is_dir() else [path]
        if not files:
            raise InputProblem(f"No results in {name}; name a folder that tarstop experiment --out wrote.")
        listings += map(results_file, files)
    return listings
