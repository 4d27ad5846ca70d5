"""The results of an experiment, topic by topic: what tables and figures are computed from, in files and lists of files."""

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

from tarstop_core.calibration.calibrator import Quality
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.places import sample_dir
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

FILE_VERSION = 1
LISTS = ("cases", "groups", "q_stars", "costs", "chosen")
ARRAYS = ("weights", "documents", "omega", "fold")
CUBES = ("screened", "plus", "recall", "plus_exact")
"""Arrays with a number for each case, method, q* and cost; `plus_exact` may be missing."""
FOLDER = "results"
"""Folder of the shipped files."""


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
        """Return what tuning chose; every choice once where folds differ.

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
        """The arrays of :data:`CUBES` that there are."""
        arrays = {name: getattr(self, name) for name in CUBES}
        return {name: array for name, array in arrays.items() if array is not None}


def _place(values: Sequence[float], wanted: float, quantity: str) -> int:
    for at, value in enumerate(values):
        if abs(value - wanted) <= 1e-12 * max(1.0, abs(value)):
            return at
    raise InputProblem(
        f"The {quantity} {wanted:g} was not run; choose one of {', '.join(f'{v:g}' for v in values)}."
    )


# --- files ----------------------------------------------------------------------------------------


def save(results: Results, path: Path, *, small: bool = False) -> None:
    """Write one compressed file that :func:`load` reads back.

    Parameters
    ----------
    results : Results
        What is written.
    path : Path
        The file.
    small : bool
        Whether as few bytes as possible are written: whole numbers, which depths and actions nearly always are, come
        back exactly, others to seven significant digits. Else everything comes back exactly.
    """
    about: dict[str, Any] = {
        "version": FILE_VERSION,
        "settings": dict(results.settings),
        "methods": [asdict(method) for method in results.methods],
        **{name: getattr(results, name) for name in LISTS},
        "calibration": {name: asdict(quality) for name, quality in results.calibration.items()},
    }
    for quality_fields in about["calibration"].values():
        del quality_fields["intervals"]  # experiments add up documents of all lists, so that there are none
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
        When the file is not one of results, or of another version.
    """
    about, arrays = _content(path, [*ARRAYS, *CUBES])
    if about.get("version") != FILE_VERSION:
        raise InputProblem(f"{path} was written by another version; run the experiment again.")
    arrays |= {name: arrays[name].astype(np.float64) for name in CUBES if name in arrays}
    arrays |= {name: arrays[name].astype(np.intp) for name in ("documents", "fold")}
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


def _content(path: Path, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a file's description and some of its arrays, if present."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return json.loads(str(file["about"])), {name: file[name] for name in names if name in file}
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        raise InputProblem(f"{path.name} is not a file of results; run the experiment again.") from None


def _method(content: dict[str, Any]) -> MethodInfo:
    """A method of a file, which may be older than the name `is_oracle`."""
    return MethodInfo(
        **{"is_oracle" if name == "knows_truth" else name: value for name, value in content.items()}
    )


@dataclass(frozen=True)
class ResultsFile:
    """A file of results and its settings, without its arrays."""

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
    """Read what a file of results says of itself; raise InputProblem when it is not one of results."""
    about, _ = _content(path, [])
    return ResultsFile(path, about["settings"])


def shipped() -> list[ResultsFile]:
    """List the shipped files, simulated benchmarks first; ``scripts/make_results.py`` makes them."""
    files = map(results_file, (sample_dir() / FOLDER).glob("*.npz"))
    return sorted(files, key=lambda file: (not file.simulated, file.path.stem))


def named_at_start(names: Iterable[str]) -> list[ResultsFile]:
    """List the result files that the server was started with, and those in named folders.

    Raises
    ------
    InputProblem
        When one is not there or not one of results.
    """
    listings: list[ResultsFile] = []
    for name in names:
        path = Path(name)
        files = sorted(path.rglob("*.npz")) if path.is_dir() else [path]
        if not files:
            raise InputProblem(f"No results in {name}; name a folder that tarstop experiment --out wrote.")
        listings += map(results_file, files)
    return listings
