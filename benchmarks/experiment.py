"""The paper's whole protocol, and how it grows with the length of lists: seconds and memory of all processes.

Run as `python -m benchmarks.experiment`. Targets on two cores: the patent benchmark with the paper's seven
methods in 60 s and with every method in 300 s, the review benchmark in 180 s and 600 s, 2 GB; and for
1,000 topics of 3,000, 10,000 and 50,000 documents the same 2 GB and seconds that grow no faster than documents.
Topics are streamed: 1,000 of them take no more memory than 250.
"""

import subprocess
import sys
import time
from collections.abc import Sequence

import psutil

from tarstop_core.evaluation.benchmarks.named import named
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.methods import DEFAULT, parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

TARGETS = {("patent", "paper"): 60, ("patent", "all"): 300, ("review", "paper"): 180, ("review", "all"): 600}
MOST_BYTES = 2_000_000_000
TOPICS, LENGTHS, LEARN = 1000, (3_000, 10_000, 50_000), 40
GROWTH = ("greedy", "smooth:K=5", "batch:K=10", "budget:d=100", "optimal", "quant:tau=0.3,nstd=0.0")
FEW_TOPICS, FLAT = 250, 1.2
"""Times the memory of a quarter of the topics that all of them may take."""


class Stream(Sequence[Case]):
    """Topics that are simulated when they are asked for, the same ones whenever that is."""

    def __init__(self, topics: int, documents: int) -> None:
        self.topics, self.documents = topics, documents

    def __len__(self) -> int:
        return self.topics

    def __getitem__(self, part: slice) -> list[Case]:  # type: ignore[override]
        start, stop, _ = part.indices(self.topics)
        made = simulate_patent_rankings(stop - start, seed=start, pool_mean=self.documents)
        return [Case(topic, f"{topic.name} {start}") for topic in made]


def growing(documents: int, topics: int) -> Benchmark:
    """Topics of about as many documents, learned from a few."""
    learn = Stream(LEARN, documents)[:]
    fold = Fold(Stream(2, documents), Stream(topics, documents), learn=learn)
    return Benchmark("growth", "lists of growing length", "patent", (fold,), "simulated", simulated=True)


def work(what: str, methods: str) -> None:
    """What is measured, in a process of its own."""
    if what.isdigit():
        run(growing(int(what), int(methods)), DecisiveTask(), parse_methods(GROWTH, "patent"), workers=0)
        return
    benchmark = named(what)
    specs = DEFAULT[benchmark.scenario] if methods == "all" else [methods]
    task = TASKS[benchmark.scenario]()
    run(benchmark, task, parse_methods(specs, benchmark.scenario), workers=0)


def measured(*arguments: str) -> tuple[float, int]:
    """Seconds of a process of its own, and the most memory that it and its workers held together."""
    begun = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "benchmarks.experiment", "--work", *arguments])
    peak, watched = 0, psutil.Process(child.pid)
    while child.poll() is None:
        held = 0
        try:
            for process in (watched, *watched.children(recursive=True)):
                memory = process.memory_full_info()
                held += memory.pss if hasattr(memory, "pss") else memory.rss
        except psutil.Error:
            pass
        peak = max(peak, held)
        time.sleep(0.3)
    if child.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed.")
    return time.perf_counter() - begun, peak


def main() -> int:
    """Run everything; 1 when a target is missed."""
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:4])
        return 0
    missed = False
    for (what, methods), target in TARGETS.items():
        seconds, peak = measured(what, methods)
        missed |= seconds > target or peak > MOST_BYTES
        name = "the paper's seven methods" if methods == "paper" else "every method"
        print(f"{what}, {name}: {seconds:.0f} s (target {target}), {peak / 1e6:,.0f} MB", flush=True)
    held, pace = [], []
    for topics, documents in ((FEW_TOPICS, LENGTHS[-1]), *((TOPICS, length) for length in LENGTHS)):
        seconds, peak = measured(str(documents), str(topics))
        held.append(peak)
        pace.append(seconds / documents)
        print(
            f"{topics:,} topics of {documents:,} documents: {seconds:.0f} s, {peak / 1e6:,.0f} MB", flush=True
        )
    missed |= max(held) > MOST_BYTES or held[-1] > FLAT * held[0] or pace[-1] > 1.5 * pace[1]
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
