"""Recall-centric rules against the public programmes that offer them, or plain loops of what those do.

Run it as ``python benchmarks/baselines.py``. 100 simulated rankings of 10,000 documents. Three ratios, each
measured in this one run, with the stopping depths compared:

- the hypergeometric test for each p-value, against buscarpy where it can be imported, else against the
  same computation (all draws at once by scipy) in ``tests/reference/peers.py``;
- the Cormack–Grossman knee and Target against the way stopping_criteria_counting_processes computes them,
  in ``tests/reference/peers.py``.

The slow side runs on a random part of the topics. Exits with 1 when a depth differs but for the named
defects, or when a ratio is below its goal (15, 100, 20).
"""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the loops live among the tests

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.policies import GeometricKnee, Hypergeometric, Target
from tarstop_core.policies.gain_curve import growing_checks
from tarstop_core.policies.hypergeometric import p_value
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference import peers

try:
    from buscarpy import calculate_h0

    PEER = "buscarpy"
except ImportError:
    calculate_h0 = peers.buscarpy_p
    PEER = "all draws by scipy, as buscarpy"

TOPICS, DOCUMENTS = 100, 10_000
TAU, EVERY, LOOKS = 0.9, 1_000, (1_000, 4_000, 8_000)
KNEE = GeometricKnee(rho_min=6.0, adjust=0)
TARGET = Target(0.8, 0.95)
RUNS = 50

Labels = NDArray[np.bool_]


def rankings(seed: int = 1) -> list[Labels]:
    """Labels in ranking order: from some ten to some hundreds relevant documents, more of them early."""
    rng = np.random.default_rng(seed)
    ranks = np.arange(1, DOCUMENTS + 1)
    found = []
    for _ in range(TOPICS):
        rate = rng.uniform(0.1, 0.9) / (1 + ranks / rng.uniform(20, 400)) + rng.uniform(0, 0.002)
        found.append(rng.random(DOCUMENTS) < rate)
    return found


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    result = call()
    return result, time.perf_counter() - begun


def path_of(labels: Labels) -> DecisivePath:
    return DecisivePath(hit_curve(np.full(len(labels), 0.01)), 0.5, Payoffs.from_q_star(0.5), labels=labels)


def hypergeometric(topics: list[Labels], slow: list[int]) -> tuple[float, bool]:
    """Ratio for each p-value, and whether p-values and depths agree."""
    cases = [(index, n) for index in slow for n in LOOKS]
    ours, ours_s = timed(lambda: [p_value(topics[i][:n], DOCUMENTS, TAU) for i, n in cases])
    theirs, theirs_s = timed(
        lambda: [calculate_h0(topics[i][:n].astype(int), DOCUMENTS, TAU) for i, n in cases]
    )
    same = bool(np.allclose(ours, theirs, rtol=1e-7, atol=1e-12))
    rule = Hypergeometric(TAU, 0.95, EVERY)
    for index in slow:
        depth = int(rule.depths(path_of(topics[index]), [0.0])[0])
        checks = range(EVERY, DOCUMENTS, EVERY)
        labels = topics[index].astype(int)
        stops = (n for n in checks if calculate_h0(labels[:n], DOCUMENTS, TAU) < 0.05)
        same &= depth == next(stops, DOCUMENTS)
    every = Hypergeometric(TAU, 0.95)
    _, all_s = timed(lambda: [every.depths(path_of(labels), [0.0]) for labels in topics])
    print(
        f"hypergeometric, a p-value: {ours_s / len(cases) * 1e3:.2f} ms; {PEER} {theirs_s / len(cases) * 1e3:.1f} ms; "
        f"ratio {theirs_s / ours_s:.0f}"
    )
    print(f"  stopping depth with a test after every document: {all_s / TOPICS * 1e3:.1f} ms a topic")
    return theirs_s / ours_s, same


def knee(topics: list[Labels], slow: list[int]) -> tuple[float, bool]:
    """Ratio for each topic, and whether the depths agree where there is a knee."""
    depths, ours_s = timed(lambda: [int(KNEE.depths(path_of(labels), [0.0])[0]) for labels in topics])
    checks = growing_checks(DOCUMENTS).tolist()
    theirs, theirs_s = timed(
        lambda: [
            peers.sneyd_knee_depth(topics[i].astype(int), checks, KNEE.rho_min, KNEE.adjust) for i in slow
        ]
    )
    same = all(
        depths[i] == stop or (depths[i] == DOCUMENTS and stop == checks[-1])
        for i, (_, stop) in zip(slow, theirs, strict=True)
    )
    ours_each, theirs_each = ours_s / TOPICS, theirs_s / len(slow)
    print(
        f"Cormack–Grossman knee, a topic: {ours_each * 1e3:.2f} ms; plain {theirs_each * 1e3:.0f} ms; "
        f"ratio {theirs_each / ours_each:.0f}"
    )
    return theirs_each / ours_each, same


def target(topics: list[Labels], slow: list[int]) -> tuple[float, bool]:
    """Ratio for each single run, and whether depth and documents read agree on the same samples."""
    rng = np.random.default_rng(0)
    _, ours_s = timed(lambda: [TARGET.replicates(labels, RUNS, rng) for labels in topics])
    plain = [topics[index].astype(int).tolist() for index in slow]
    draw = random.Random(0)
    theirs, theirs_s = timed(lambda: [peers.sneyd_target_run(labels, TARGET.size, draw) for labels in plain])
    same = True
    for index, (examined, rank, effort) in zip(slow, theirs, strict=True):
        rest = np.setdiff1d(np.arange(DOCUMENTS), examined)
        run = TARGET.runs(topics[index], np.argsort(np.concatenate((examined, rest)))[None])
        same &= int(run.seen.sum()) == effort and int(run.depth[0]) == min(rank + 1, DOCUMENTS)
    _, exact_s = timed(lambda: [TARGET.expected(labels) for labels in topics])
    ours_each, theirs_each = ours_s / TOPICS / RUNS, theirs_s / len(slow)
    print(
        f"Target, a run: {ours_each * 1e3:.2f} ms; plain {theirs_each * 1e3:.0f} ms; "
        f"ratio {theirs_each / ours_each:.0f}"
    )
    print(f"  the mean over all samples in closed form: {exact_s / TOPICS * 1e3:.2f} ms a topic")
    return theirs_each / ours_each, same


def main() -> int:
    topics = rankings()
    slow = np.random.default_rng(2).choice(TOPICS, 8, replace=False).tolist()
    print(f"{TOPICS} topics of {DOCUMENTS:,} documents; the slow side on {len(slow)} of them")
    failed = False
    for measure, goal in ((hypergeometric, 15), (knee, 100), (target, 20)):
        ratio, same = measure(topics, slow)
        if not same:
            print(f"  {measure.__name__}: DIFFERENT depths")
        if ratio < goal:
            print(f"  {measure.__name__}: below the goal of {goal}")
        failed |= not same or ratio < goal
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
