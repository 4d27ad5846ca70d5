"""Beliefs about an intervention and pooled effects: how long all prefixes of a review take, and beside metafor.

Run it as ``OPENBLAS_NUM_THREADS=1 python benchmarks/effects.py``. Exits with 1 when the exact belief path of 50 simulated
studies takes more than 40 ms (median), or all REML prefixes of four published sets more than a fiftieth of what metafor takes
in the same run. Without Rscript and metafor (Debian: r-cran-metafor) that part is left out, and said to be.
"""

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from tarstop_core.effects.exact import believe_exactly
from tarstop_core.effects.normal import EffectPrior, believe
from tarstop_core.effects.pooling import prefixes
from tarstop_core.effects.sizes import Floats
from tarstop_core.samples.collections import published_effects

STUDIES, REPEATS, TARGET_MS, TARGET_RATIO = 50, 15, 40.0, 50.0
METAFOR = """
suppressMessages(library(metafor))
lines <- strsplit(readLines(file("stdin")), " ")
sets <- lapply(lines, function(line) matrix(as.numeric(line), nrow = 2))
fits <- function(set) for (k in 2:ncol(set)) try(rma(set[1, 1:k], set[2, 1:k], method = "REML"), silent = TRUE)
fits(sets[[1]])
for (set in sets) cat(system.time(suppressWarnings(fits(set)))[["user.self"]], "\n")
"""


def simulated_review(seed: int) -> Floats:
    """50 trials with 40 to 400 people an arm, shape (50, 4)."""
    rng = np.random.default_rng(seed)
    n = rng.integers(40, 400, (2, STUDIES))
    control = rng.beta(2, 10, STUDIES)
    odds = control / (1 - control) * np.exp(rng.normal(-0.4, 0.3, STUDIES))
    events = rng.binomial(n, [odds / (1 + odds), control])
    return np.stack([events[0], n[0], events[1], n[1]], axis=1).astype(float)


def processor_ms(work: Callable[[], object]) -> float:
    """Milliseconds of the processor, median of some."""
    work()
    taken = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        taken.append(1e3 * (time.process_time() - begun))
    return statistics.median(taken)


def published_sizes() -> dict[str, tuple[Floats, Floats]]:
    """Estimates and variances of each published set."""
    sizes = {}
    for published in published_effects():
        measure = published.measure or published.studies.form.measures[0]
        of = published.studies.sizes(measure, published.studies.looks_like_ratios())
        sizes[published.name] = of.y[of.says_something], of.v[of.says_something]
    return sizes


def metafor_ms(sizes: dict[str, tuple[Floats, Floats]]) -> list[float] | None:
    """Milliseconds that metafor takes for all REML prefixes of each set; None without it."""
    if shutil.which("Rscript") is None:
        return None
    told = "\n".join(" ".join(map(repr, np.ravel([y, v], order="F").tolist())) for y, v in sizes.values())
    answer = subprocess.run(["Rscript", "-e", METAFOR], input=told, capture_output=True, text=True)
    return [1e3 * float(seconds) for seconds in answer.stdout.split()] if answer.returncode == 0 else None


def main() -> int:
    """Print the table; 1 when a target is missed."""
    reviews = [simulated_review(seed) for seed in range(3)]
    prior = EffectPrior()
    exact = statistics.median(processor_ms(lambda r=r: believe_exactly(r, prior)) for r in reviews)
    print(f"exact belief after each of {STUDIES} studies: {exact:.1f} ms (target {TARGET_MS:.0f})")
    sizes = published_sizes()
    for name, (y, v) in sizes.items():
        normal = processor_ms(lambda y=y, v=v: believe(y, v, prior))
        print(f"  {name:16} normal belief after each of {len(y)}: {normal:.1f} ms")
    there = metafor_ms(sizes)
    if there is None:
        print("all REML prefixes: Rscript or metafor is not installed, so nothing is compared")
        return int(exact > TARGET_MS)
    ratios, all_here = [], 0.0
    for (name, (y, v)), slow in zip(sizes.items(), there, strict=True):
        here = processor_ms(lambda y=y, v=v: prefixes(y, v, "REML"))
        ratios.append(slow / here)
        all_here += here
        print(f"  {name:16} all REML prefixes: {here:.2f} ms, metafor {slow:.0f} ms, {ratios[-1]:.0f}x")
    ratio = sum(there) / all_here
    print(
        f"all REML prefixes of all sets: {ratio:.0f} times as fast as metafor, {min(ratios):.0f} to {max(ratios):.0f} "
        f"(target {TARGET_RATIO:.0f})"
    )
    return int(exact > TARGET_MS or ratio < TARGET_RATIO)


if __name__ == "__main__":
    sys.exit(main())
