"""What a label costs by the closed loop, beside the open loop, in one run.

Run it as ``python -m benchmarks.closed_loop [DOCUMENTS [LABELS]]``. A simulated review is read label by label; as on the page,
a path and its four variations (chances × ½ and × 2, b_0 ± .2) are asked where the rule stops from here, and they are made
anew where a study turns up. Prints, for labels that bring nothing and for those that bring a study, the median and the 95th
percentile of processor time by either rule, and exits with 1 where the 95th percentile of all labels by the closed
loop is above that by the open loop and above 30 ms.
"""

import sys
import time
from dataclasses import replace

import numpy as np

from tarstop_core.documents.tables import Tables
from tarstop_core.policies import OpenLoop, Optimal, Policy
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.payoffs import Floats, Payoffs
from tarstop_core.value.studies import NextStudy, next_studies

TARGET_MS = 30.0
COST = 1e-5
RULES: tuple[Policy, ...] = (OpenLoop(), Optimal())


def a_review(documents: int, labels: int) -> tuple[Floats, Floats, list[NextStudy]]:
    """Chances, ranks of the documents with studies, and states of knowledge."""
    rng = np.random.default_rng(7)
    p = 0.3 / np.arange(1.0, documents + 1) ** 0.6
    at = np.flatnonzero(rng.random(documents) < p)
    at = at[at < labels]
    n1 = rng.integers(10, 80, len(at))
    TP = rng.binomial(n1, rng.beta(8, 2, len(at)))
    cells = (TP, rng.integers(1, 9, len(at)), n1 - TP, rng.integers(30, 90, len(at)))
    tables = Tables(tuple(map(str, at)), *(each.astype(float) for each in cells))
    return p, at, next_studies(tables, 0.75)


def variations(path: CumulativePath) -> list[CumulativePath]:
    """The path and it under other assumptions."""
    moved = [replace(path, p=np.minimum(1, path.p * factor)) for factor in (0.5, 2.0)]
    for shift in (-0.2, 0.2):
        states = [replace(each, b=float(np.clip(each.b + shift, 0.01, 0.99))) for each in path.states]
        moved.append(replace(path, states=states))
    return [path, *moved]


def timed(rule: Policy, documents: int, labels: int) -> tuple[Floats, Floats]:
    """Milliseconds of processor time of every label without and with a study."""
    p, at, states = a_review(documents, labels)
    nothing, study = [], []
    paths: list[CumulativePath] = []
    for depth in range(labels):
        fresh = not paths or depth - 1 in at
        begun = time.process_time()
        if fresh:
            known = studies_after(at[at < depth], documents)
            seen = np.zeros(documents, dtype=bool)
            now = CumulativePath(p, states[: known[-1] + 1], known, Payoffs.from_q_star(0.5), seen)
            paths = variations(now)
        for path in paths:
            rule.depths(path, [COST], depth)
            rule.value_rate(path)
        (study if fresh else nothing).append(1000 * (time.process_time() - begun))
    return np.array(nothing), np.array(study)


def main(documents: int = 5000, labels: int = 400) -> int:
    """Print and judge."""
    ends = []
    for rule in RULES:
        timed(rule, documents, min(labels, 5))  # warm up
        parts = timed(rule, documents, labels)
        for name, each in zip(("nothing", "a study"), parts, strict=True):
            low, high = np.percentile(each, (50, 95))
            print(f"{rule.title:10} {name:8} {len(each):4} labels  median {low:6.1f} ms  95 % {high:6.1f} ms")
        ends.append(float(np.percentile(np.concatenate(parts), 95)))
    print(f"95 % of all labels: {ends[1]:.1f} ms against {ends[0]:.1f} ms, ratio {ends[1] / ends[0]:.2f}")
    return int(ends[1] > max(ends[0], TARGET_MS))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
