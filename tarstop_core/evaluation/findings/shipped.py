"""Results that come with the programme, and those of a person's own runs: listed quickly, read when looked at."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.results import Results, load, save
from tarstop_core.places import sample_dir
from tarstop_core.value.payoffs import Floats

FOLDER = "results"


@dataclass(frozen=True)
class Listed:
    """A file of results, known without reading its arrays."""

    path: Path
    settings: Mapping[str, Any]  # As in :class:`~tarstop_core.evaluation.results.Results`

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


def shipped() -> list[Listed]:
    """Every shipped file, simulated benchmarks first; ``scripts/make_results.py`` makes them."""
    files = map(listed, (sample_dir() / FOLDER).glob("*.npz"))
    return sorted(files, key=lambda file: (not file.simulated, file.path.stem))


def named_at_start(names: Iterable[str]) -> list[Listed]:
    """Files of results that whoever starts the server names, and those in folders named.

    InputProblem when one is not there or not one of results.
    """
    listings: list[Listed] = []
    for name in names:
        path = Path(name)
        files = sorted(path.rglob("*.npz")) if path.is_dir() else [path]
        if not files:
            raise InputProblem(f"No results in {name}; name a folder that tarstop experiment --out wrote.")
        listings += map(listed, files)
    return listings


def listed(path: Path) -> Listed:
    """What a file of results says of itself. InputProblem when it is not one of results."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
        return Listed(path, about["settings"])
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        raise InputProblem(f"{path.name} is not a file of results; run the experiment again.") from None


def save_small(results: Results, path: Path) -> None:
    """Write results in as few bytes as they need; :func:`load_small` reads them back.

    Whole numbers, which depths and actions nearly always are, come back exactly, others (expectations of
    rules that draw a sample, recall) to seven significant digits.
    """
    small: dict[str, Any] = {name: _small(each) for name, each in _figures(results).items()}
    small |= {"documents": results.documents.astype(np.int32), "fold": results.fold.astype(np.int16)}
    save(replace(results, **small), path)


def load_small(path: Path) -> Results:
    """As :func:`~tarstop_core.evaluation.results.load`, of files of either make, with the arrays that computations expect."""
    results = load(path)
    wide: dict[str, Any] = {name: each.astype(np.float64) for name, each in _figures(results).items()}
    return replace(
        results, **wide, documents=results.documents.astype(np.intp), fold=results.fold.astype(np.intp)
    )


def _figures(results: Results) -> dict[str, Floats]:
    """The arrays that hold a figure for each case, method, q* and cost."""
    arrays = {name: getattr(results, name) for name in ("screened", "plus", "recall", "plus_exact")}
    return {name: each for name, each in arrays.items() if each is not None}


def _small(values: Floats) -> NDArray[Any]:
    if np.array_equal(values, np.rint(values)) and values.min(initial=0) >= 0:
        return values.astype(np.min_scalar_type(int(values.max(initial=0))))
    return values.astype(np.float32)
