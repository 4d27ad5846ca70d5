"""Run the shipped benchmarks and write what they found to ``sample_data/results``: figures only, no rankings.

Simulated benchmarks need nothing; those of real collections need the folder that TARSTOP_REAL_DATA names and
are left as they are without it. Run again with the same code, it writes the same numbers; interrupted, it goes
on where it was.
"""

import argparse
import tempfile
import time
from itertools import product
from pathlib import Path

import pandas as pd

from scripts.real_lists import COLLECTIONS, JUDGED, elsewhere, medical, run_script
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS, Named
from tarstop_core.evaluation.findings import reliability
from tarstop_core.evaluation.jobs import ResultCache
from tarstop_core.evaluation.methods import DEFAULT, parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import FOLDER, save
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.places import real_data, sample_dir

CACHE = Path(tempfile.gettempdir()) / "tarstop-make-results"

WANTED: dict[str, tuple[Named, Task]] = {
    f"{each.name}-{truth}" if truth else each.name: (each, TASKS[each.scenario].asked({"truth": truth}))
    for each in BENCHMARKS.values()
    if not each.variant
    for truth in TASKS[each.scenario].truths or (None,)
}
"""Benchmark and task by the name of their file. Reviews are tuned and judged under either truth."""


def write_reliability(folder: Path) -> None:
    """Write how often every rule reaches a recall on each collection, by what the others taught."""
    data = real_data()
    parts = [
        reliability.stops_on(f"{name}, {judged}", medical(data, name, judged), elsewhere(data, name)[0])
        for name, judged in product(COLLECTIONS, JUDGED)
    ]
    pd.concat(parts).round(6).to_csv(folder / reliability.FILE, index=False, lineterminator="\n")


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(WANTED)}; all unless given")
    parser.add_argument("--reliability", action="store_true", help="how often rules reach a recall")
    asked = parser.parse_args()
    if unknown := sorted({*asked.names} - {*WANTED}):
        parser.error(f"there is no {unknown[0]}; choose of {', '.join(WANTED)}")
    folder = sample_dir() / FOLDER
    folder.mkdir(exist_ok=True)
    if asked.reliability:
        write_reliability(folder)
    for name in asked.names or (() if asked.reliability else WANTED):
        benchmark, task = WANTED[name]
        begun = time.perf_counter()
        try:
            chosen = benchmark.made()
        except InputProblem as problem:
            if asked.names:
                raise
            print(f"{name}: left as it is. {problem}")
            continue
        methods = parse_methods(DEFAULT[chosen.scenario], chosen.scenario)
        results = run(chosen, task, methods, workers=0, cache=ResultCache(CACHE))
        path = folder / f"{name}.npz"
        save(results, path, small=True)
        print(f"{path.name}: {len(results.cases)} topics, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    run_script(main)
