"""The benchmarks by name, and a folder of one's own by its path."""

from pathlib import Path

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks import clef, simulated
from tarstop_core.evaluation.benchmarks.folder import from_folder
from tarstop_core.evaluation.cases import Benchmark

BENCHMARKS = {each.name: each for each in (*simulated.NAMED, *clef.NAMED)}
"""In the order in which they are offered."""


def named(name: str) -> Benchmark:
    """One of :data:`BENCHMARKS` by its name, or a folder of one's own.

    InputProblem when there is no such benchmark, or it needs real collections that are not at hand.
    """
    if name in BENCHMARKS:
        return BENCHMARKS[name].made()
    if Path(name).is_dir():
        return from_folder(Path(name))
    raise InputProblem(
        f"There is no benchmark '{name}' and no folder of that name; choose {', '.join(BENCHMARKS)} or a folder."
    )
