"""The bivariate model: how long all prefixes of a review take, from one start and from all.

Run it as ``OPENBLAS_NUM_THREADS=1 python benchmarks/reitsma.py``. The reviews are simulated, with zero cells
among them. Exits with 1 when the REML fits of all prefixes of 50 studies take more than 15 ms from one start
or 80 ms from all starts (medians).
"""

import statistics
import sys
import time

import numpy as np

from tarstop_core.belief.reitsma import ALL_STARTS, fit, fit_prefixes
from tarstop_core.documents.tables import Tables

REVIEWS = 8
REPEATS = 5
TARGETS = {"one start": 15.0, "all starts": 80.0}
STARTS = {"one start": ALL_STARTS[:1], "all starts": ALL_STARTS}


def review(n: int, seed: int) -> Tables:
    """n simulated studies with 5 to 300 patients a group."""
    rng = np.random.default_rng(seed)
    truth = rng.multivariate_normal([1.5, -2.0], [[0.8, 0.3], [0.3, 0.9]], size=n)
    sizes = np.exp(rng.uniform(np.log(5), np.log(300), size=(n, 2))).astype(int)
    hits = rng.binomial(sizes, 1 / (1 + np.exp(-truth))).astype(float)
    return Tables(tuple(map(str, range(n))), hits[:, 0], hits[:, 1], *(sizes - hits).T)


def prefixes(tables: Tables, starts: str) -> float:
    """Milliseconds of all prefixes, best of some."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        fit_prefixes(tables, starts=STARTS[starts])
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def one_fit(tables: Tables, starts: str) -> float:
    """Milliseconds of one fit, best of some."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        fit(tables, starts=STARTS[starts])
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def main() -> int:
    """Print all timings; 1 when a target is missed."""
    reviews = [review(50, seed) for seed in range(REVIEWS)]
    met = True
    print(f"all prefixes of 50 studies, {REVIEWS} reviews")
    for starts, target in TARGETS.items():
        times = [prefixes(tables, starts) for tables in reviews]
        median = statistics.median(times)
        print(f"        {starts:10}  {median:7.1f} ms, slowest {max(times):.1f} (target {target:.0f} ms)")
        met &= median <= target
    print("one fit of 50 studies")
    for starts in TARGETS:
        print(f"        {starts:10}  {statistics.median(one_fit(t, starts) for t in reviews):7.1f} ms")
    print("all prefixes of 500 studies")
    many = review(500, 0)
    for starts in TARGETS:
        begin = time.perf_counter()
        fit_prefixes(many, starts=STARTS[starts])
        print(f"        {starts:10}  {(time.perf_counter() - begin) * 1e3:7.0f} ms")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
