"""What the comparison with the paper would say had other choices been made: writes ``sample_data/results/variations.csv``.

At the paper's cost, with its methods on the simulated benchmarks: ``seed``, twenty draws of the data; ``reading``, Kneedle
under each reading of its parameters; ``samples``, QBCB as twenty experiments of 50 samples; ``agent``, GRLStop trained for
more or fewer choices. And ``tuning`` everywhere: on cases that the calibrator was fitted without.

Interrupted, it goes on where it was; run again with the same code, it writes the same numbers.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from scripts.grlstop import training as ppo
from scripts.make_results import CACHE
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS, TOPICS, simulated_patents, simulated_reviews
from tarstop_core.evaluation.cases import FOLDS, Benchmark, Case
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.means import mean_with_interval
from tarstop_core.evaluation.findings.paper import VARIATION_COLUMNS, VARIATIONS
from tarstop_core.evaluation.jobs import ResultCache
from tarstop_core.evaluation.methods import PAPER, Method, grid, parse_methods, weights_file, weights_of
from tarstop_core.evaluation.protocol import COSTS, run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.evaluation.tasks.base import REPLICATIONS
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop import Weights
from tarstop_core.policies.knee import Knee

SEEDS = range(1, 21)
TRAINED = ((100_000, 0), (300_000, 0), (3_000_000, 0), (5_000_000, 0), *((1_000_000, s) for s in range(5)))
BY_CHANCES = ("smooth", "batch", "look-ahead", "quant")
"""Rules with settings that look at chances; what others are tuned to does not depend on a calibrator."""
MADE = {"patent": simulated_patents, "review": simulated_reviews}
Row = dict[str, Any]


def measured(benchmark: Benchmark, methods: Sequence[Method], **how: Any) -> Results:
    """An experiment under the truth of the paper's table and at its cost, unless `how` says otherwise."""
    paper = TASKS[benchmark.scenario].paper
    assert paper is not None
    usual = {"task": TASKS[benchmark.scenario].asked({"truth": paper.truth}), "costs": (paper.cost,)}
    return run(benchmark, methods=methods, cache=ResultCache(CACHE), **usual | how)


def told(results: Results, variation: str, value: object) -> list[Row]:
    """The rows of an experiment."""
    found = rows(results, draws=0)
    about = {"benchmark": results.settings["benchmark"], "variation": variation, "value": str(value)}
    return [about | row for row in found[[c for c in VARIATION_COLUMNS if c in found]].to_dict("records")]


def agent(steps: int, seed: int, cases: Sequence[Case]) -> Weights:
    """An agent trained on these cases, unless it lies in the cache from before."""
    path = CACHE / f"{weights_file(cases).stem}-{steps}-{seed}.npz"
    if not path.is_file():
        CACHE.mkdir(exist_ok=True)
        ppo.train([case.topic for case in cases], seed, steps).save(path)
    return Weights.load(path)


def of_seed(scenario: str, seed: int) -> list[Row]:
    """All of the paper's methods on another draw of the data."""
    methods = parse_methods(PAPER, scenario)
    if scenario == "review":
        benchmark, agents = simulated_reviews(seed=seed), partial(agent, ppo.STEPS_ON_FEW, 0)
        return told(measured(benchmark, methods, grlstop_weights=agents), "seed", seed)
    shipped = simulated_patents().folds[0].train
    benchmark = simulated_patents(TOPICS, 2 * seed - 1)
    return told(measured(benchmark, methods, grlstop_weights=lambda _: weights_of(shipped)), "seed", seed)


def of_reading(scenario: str, reading: str, on_empty: str) -> list[Row]:
    """Kneedle under one reading of its parameters."""
    settings = tuple(replace(rule, reading=reading, cap_on_empty=on_empty) for rule in grid(Knee))  # type: ignore[type-var]
    found = measured(MADE[scenario](), [Method("knee", settings, TASKS[scenario].variants[0])])
    return told(found, "reading", reading if on_empty == "yes" else f"{reading}, never on an empty list")


def of_samples(seed: int) -> list[Row]:
    """QBCB by samples, 0: by expectation."""
    task = DecisiveTask(replications=REPLICATIONS, seed=seed) if seed else DecisiveTask()
    found = measured(simulated_patents(), parse_methods(["qbcb"], "patent"), task=task)
    return told(found, "samples", seed or "expectation")


def of_agent(steps: int, seed: int) -> list[Row]:
    """GRLStop in reviews by another agent."""
    methods = parse_methods(["grlstop"], "review")
    found = measured(simulated_reviews(), methods, grlstop_weights=partial(agent, steps, seed))
    return told(found, "agent", f"{steps} choices, seed {seed}")


def of_tuning(name: str) -> list[Row]:
    """Tuned on cases that nothing was learned from, against tuned as in the paper."""
    try:
        benchmark = BENCHMARKS[name].made()
    except InputProblem as problem:
        print(f"{name}: left out. {problem}", file=sys.stderr)
        return []
    methods = parse_methods(BY_CHANCES, benchmark.scenario)
    seen, unseen = (measured(benchmark, methods, costs=COSTS, parts=parts) for parts in (0, FOLDS))
    found = told(unseen, "tuning", f"{FOLDS} parts")
    for row in found:
        m, q, c = unseen.method(row["method"]), unseen.q(row["q_star"]), unseen.c(row["cost"])
        gain = mean_with_interval(seen, unseen.net_utility[:, m, q, c] - seen.net_utility[:, m, q, c], q)
        row |= {"difference": float(gain.value), "low": float(gain.low), "high": float(gain.high)}
    return found


def jobs() -> Iterator[Any]:
    """Everything, what takes long first."""
    yield from (delayed(of_agent)(*trained) for trained in TRAINED)
    yield from (delayed(of_tuning)(each.name) for each in BENCHMARKS.values() if not each.variant)
    yield from (delayed(of_samples)(seed) for seed in (0, *SEEDS))
    readings = product(MADE, "PQR", ("yes", "no"))
    yield from (delayed(of_reading)(*reading) for reading in readings)
    yield from (delayed(of_seed)(*drawn) for drawn in product(reversed(MADE), SEEDS))


def main() -> None:
    """Write what was found."""
    begun, todo, found = time.perf_counter(), list(jobs()), list[Row]()
    for done, part in enumerate(Parallel(n_jobs=-1, return_as="generator")(todo), start=1):
        found += part
        print(f"\r{done} of {len(todo)}", end="", file=sys.stderr, flush=True)
    frame = pd.DataFrame(found).reindex(columns=list(VARIATION_COLUMNS))
    path = sample_dir() / VARIATIONS
    frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n", encoding="utf-8")
    print(f"\n{path.name}: {len(frame):,} rows, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
