"""How long beliefs from 2×2 tables take, on one thread.

Run it as ``python benchmarks/belief.py``. Simulated reviews of 50 studies, another one each time, so that
nothing is remembered. Exits with 1 when all 50 univariate prefixes take more than 15 ms or one bivariate
belief at 50 studies more than 20 ms (medians).
"""

import os

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")})  # before numpy loads

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from tarstop_core.belief.bivariate import bivariate_belief, bivariate_path
from tarstop_core.belief.univariate import univariate_path
from tarstop_core.documents.tables import Tables
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.preposterior import evsi_of_studies
from tarstop_core.value.studies import next_studies

STUDIES, REPEATS, THETA = 50, 15, 0.75
TARGETS = {"univariate, all prefixes": 15.0, "bivariate, one belief": 20.0}
EVEN = Payoffs.from_q_star(0.5)


def simulated_review(seed: int) -> Tables:
    """50 studies whose margins go together, pooled sensitivity near θ."""
    rng = np.random.default_rng(seed)
    logits = rng.multivariate_normal([1.2, -1.5], [[0.7, 0.3], [0.3, 0.6]], STUDIES)
    n1, n2 = rng.integers(8, 150, STUDIES), rng.integers(20, 400, STUDIES)
    TP, FP = (rng.binomial(n, 1 / (1 + np.exp(-u))) for n, u in zip((n1, n2), logits.T, strict=True))
    cells = (x.astype(float) for x in (TP, FP, n1 - TP, n2 - FP))
    return Tables(tuple(f"study {i + 1}" for i in range(STUDIES)), *cells)


def timed(work: Callable[[Tables], object], repeats: int = REPEATS) -> float:
    """Median milliseconds over as many reviews, after one that builds what is shared."""
    work(simulated_review(10_000))
    taken = []
    for seed in range(repeats):
        tables = simulated_review(seed)
        begun = time.perf_counter()
        work(tables)
        taken.append(1000 * (time.perf_counter() - begun))
    return median(taken)


def review(studies: Tables, p: np.ndarray) -> CumulativePath:
    known = studies_after(10 * np.arange(len(studies)), len(p))
    return CumulativePath(p, next_studies(studies, THETA), known, EVEN, np.zeros(len(p), dtype=bool))


def main() -> int:
    """Print the table; 1 when a target is missed."""
    p = 0.2 / (1 + np.arange(5000)) ** 0.6
    results = {
        "univariate, all prefixes": timed(lambda t: univariate_path(t, THETA)),
        "bivariate, one belief": timed(lambda t: bivariate_belief(t, THETA)),
        "bivariate, all prefixes": timed(lambda t: bivariate_path(t, THETA), 3),
        "next study enumerated (n1 = 40), all prefixes": timed(lambda t: next_studies(t, THETA, n1=40)),
        "k studies in closed form": timed(lambda t: evsi_of_studies(0.5, 2.0, 3.5, EVEN)),
        "worth of 5,000 documents by every plan, 50 studies": timed(lambda t: review(t, p).value_rate(), 5),
    }
    missed = False
    for name, milliseconds in results.items():
        target = TARGETS.get(name)
        verdict = "" if target is None else f"  (target {target:g} ms{', missed' * (milliseconds > target)})"
        missed |= target is not None and milliseconds > target
        print(f"{name:55s} {milliseconds:8.2f} ms{verdict}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
