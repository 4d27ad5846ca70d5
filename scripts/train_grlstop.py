"""Train the GRLStop agents that ship: that of the package, those of the shipped benchmarks, or one of one's own.

``python scripts/train_grlstop.py`` trains the package's on simulated patent rankings. With ``--benchmark all`` (or NAME, or
a folder) it trains an agent on the training cases of each fold and writes it to ``sample_data/agents``; what is there is left
as it is. With ``--run my.run --qrels my.qrels --out my.npz`` it trains on these topics.

Run again on the same machine, it writes the same weights. ``scripts.study grlstop`` writes ``docs/grlstop.md``.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from scripts.grlstop import training as ppo
from scripts.grlstop.world import assess
from scripts.real_lists import run_script
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS, named
from tarstop_core.evaluation.methods import weights_file
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies.grlstop import SHIPPED
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

TOPICS, SEED = 1000, 1  # of the package's agent, as the calibrators of simulated patents
LINE = ("file", "benchmark", "fold", "lists", "seed", "steps", "seconds", "reward")


def wanted(name: str) -> Iterator[tuple[Path, str, int, list[Topic]]]:
    """File, benchmark, fold and training lists of every agent that is missing."""
    names = [each.name for each in BENCHMARKS.values() if not each.variant] if name == "all" else [name]
    for each in names:
        try:
            benchmark = named(each)
        except InputProblem as problem:
            if name != "all":
                raise
            print(f"{each}: left out. {problem}", file=sys.stderr)
            continue
        for number, fold in enumerate(benchmark.folds):
            path = weights_file(fold.learned_from)
            if not path.is_file():
                yield path, benchmark.name, number, [case.topic for case in fold.learned_from]


def trained(path: Path, topics: Sequence[Topic], seed: int, steps: int) -> dict[str, object]:
    """Train one agent, write it, and say what of it."""
    begun = time.process_time()
    weights = ppo.train(topics, seed, steps)
    seconds = time.process_time() - begun
    path.parent.mkdir(exist_ok=True)
    weights.save(path)
    reward = assess(weights, topics)["reward"].mean()
    return {"file": path.name, "seconds": f"{seconds:.0f}", "reward": f"{reward:.3f}"}


def train_on_benchmarks(name: str, seed: int, steps: int | None) -> None:
    """Train what is missing for a benchmark, or for all that ship, and add a line of each to ``trained.csv``."""
    todo = list(wanted(name))
    given = [(path, topics, seed, steps or ppo.steps_for(len(topics))) for path, _, _, topics in todo]
    made = Parallel(n_jobs=-1, return_as="generator")(delayed(trained)(*each) for each in given)
    for (path, benchmark, fold, topics), (*_, choices), row in zip(todo, given, made, strict=True):
        about = {"benchmark": benchmark, "fold": fold, "lists": len(topics), "seed": seed, "steps": choices}
        record = path.parent / "trained.csv"
        line = pd.DataFrame([about | row], columns=LINE)
        line.to_csv(record, mode="a", header=not record.is_file(), index=False, lineterminator="\n")
        print(*line.iloc[0])


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--benchmark", help=f"of {', '.join(BENCHMARKS)}, a folder of one's own, or all")
    parser.add_argument("--run", type=Path, help="rankings of one's own, TREC format")
    parser.add_argument("--qrels", type=Path, help="their judgments, TREC format")
    parser.add_argument("--out", type=Path, help="where to write the weights")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, help="choices to play; fewer on few lists unless given")
    given = parser.parse_args()
    own = [given.run, given.qrels, given.out]
    if any(own) and not all(own):
        parser.error("give --run, --qrels and --out together")
    if given.benchmark:
        train_on_benchmarks(given.benchmark, given.seed, given.steps)
        return
    if given.run:
        topics = list(label_topics(read_run(given.run), read_qrels(given.qrels))[0].values())
    else:
        topics = simulate_patent_rankings(TOPICS, SEED)
    steps = given.steps or ppo.steps_for(len(topics))
    weights = ppo.train(
        topics, given.seed, steps, progress=lambda share: print(f"\r{share:5.0%}", end="", file=sys.stderr)
    )
    weights.save(given.out or SHIPPED)
    if given.run:
        print(assess(weights, topics).round(3).to_string(index=False))


if __name__ == "__main__":
    run_script(main)
