"""Stopping depths of all policies: how much faster whole arrays are than loops over documents.

Run it as ``python benchmarks/policies.py``. 1,000 simulated topics of 3,110 documents, half of them with
hits; Greedy, Smooth(10), Batch(10), Look-ahead(20) and Optimal; 8 costs × 3 thresholds q*. The loops of
``tests/reference/loops.py`` stop where their policy stops. They run on a random subset of the topics, and
their time is scaled up to all; on that subset the depths must be identical. Exits with 1 when they are
not, when all five together are not at least 50 times faster, or when they take more than 2 seconds.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the loops live among the tests

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.fitting import fit
from tarstop_core.policies import Batch, Greedy, LookAhead, Optimal, Policy, Smooth
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference import loops

TOPICS, DOCUMENTS, SUBSET = 1_000, 3_110, 100
COSTS = (0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 1.0)
THRESHOLDS = (0.2, 0.5, 0.8)
B_0 = 0.5
TARGET_RATIO, TARGET_SECONDS = 50, 2.0

POLICIES: tuple[tuple[Policy, Callable[..., int], tuple[int, ...]], ...] = (
    (Greedy(), loops.greedy_depth, ()),
    (Smooth(10), loops.smooth_depth, (10,)),
    (Batch(10), loops.batch_depth, (10,)),
    (LookAhead(20), loops.look_ahead_depth, (20,)),
    (Optimal(), loops.optimal_depth, ()),
)
STAKES = tuple(Payoffs.from_q_star(q_star) for q_star in THRESHOLDS)

Depths = NDArray[np.intp]
Case = tuple[NDArray[np.float64], int | None]


def benchmark_cases() -> list[Case]:
    """Calibrated chances and first hit (or none) of every topic."""
    training = simulate_patent_rankings(200, seed=2, pool_mean=DOCUMENTS)
    calibrator = fit(training, simulated=True)
    topics = simulate_patent_rankings(TOPICS, seed=1, pool_mean=DOCUMENTS, pool_spread=0)
    return [(calibrator.probabilities(topic.scores), topic.first_hit) for topic in topics]


def array_depths(cases: list[Case]) -> tuple[Depths, NDArray[np.float64]]:
    """Depths, shape (topics, thresholds, policies, costs), and seconds for each policy.

    Belief and value curves are shared by the policies; their time is counted with the policy that first
    asks for them.
    """
    depths = np.empty((len(cases), len(STAKES), len(POLICIES), len(COSTS)), dtype=np.intp)
    seconds = np.zeros(len(POLICIES))
    for t, (p, hit) in enumerate(cases):
        begun = time.perf_counter()
        curve = hit_curve(p)
        for q, payoffs in enumerate(STAKES):
            path = DecisivePath(curve, B_0, payoffs, hit=hit)
            for k, (policy, _, _) in enumerate(POLICIES):
                depths[t, q, k] = policy.depths(path, COSTS)
                now = time.perf_counter()
                seconds[k] += now - begun
                begun = now
    return depths, seconds


def loop_depths(cases: list[Case]) -> tuple[Depths, NDArray[np.float64]]:
    """The same by the loops."""
    depths = np.empty((len(cases), len(STAKES), len(POLICIES), len(COSTS)), dtype=np.intp)
    seconds = np.zeros(len(POLICIES))
    for t, (p, hit) in enumerate(cases):
        chances = p.tolist()
        for k, (_, loop, parameters) in enumerate(POLICIES):
            begun = time.perf_counter()
            for q, payoffs in enumerate(STAKES):
                for j, cost in enumerate(COSTS):
                    depths[t, q, k, j] = loop(chances, B_0, payoffs, cost, *parameters, hit=hit)
            seconds[k] += time.perf_counter() - begun
    return depths, seconds


def main() -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    cases = benchmark_cases()
    subset = np.sort(np.random.default_rng(0).choice(len(cases), SUBSET, replace=False))
    array_depths(cases[:20])  # warm up

    depths, ours = array_depths(cases)
    expected, theirs = loop_depths([cases[t] for t in subset])
    identical = bool((depths[subset] == expected).all())
    theirs = theirs * len(cases) / len(subset)

    with_hits = sum(hit is not None for _, hit in cases)
    print(
        f"{len(cases):,} topics ({with_hits} with hits) x {len(cases[0][0]):,} documents, "
        f"{len(COSTS)} costs x {len(THRESHOLDS)} q*"
    )
    print(f"loops timed on {len(subset)} random topics and scaled up to {len(cases):,}")
    print(f"{'':16}{'arrays':>10}{'loops':>12}{'ratio':>9}{'mean depth':>13}")
    for k, (policy, _, _) in enumerate(POLICIES):
        ratio = theirs[k] / ours[k]
        print(f"{policy!s:16}{ours[k]:8.3f} s{theirs[k]:10.1f} s{ratio:8.0f}x{depths[:, :, k].mean():13.1f}")
    ratio, total = theirs.sum() / ours.sum(), ours.sum()
    print(f"{'all five':16}{total:8.3f} s{theirs.sum():10.1f} s{ratio:8.0f}x")
    print(f"targets: at least {TARGET_RATIO}x, at most {TARGET_SECONDS:g} s")
    print(f"depths on the subset: {'identical' if identical else 'DIFFERENT'} ({expected.size:,} compared)")
    return 0 if identical and ratio >= TARGET_RATIO and total <= TARGET_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
