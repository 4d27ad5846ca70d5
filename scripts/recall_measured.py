"""Replay audit draws on constructed and real lists: how often the bound on recall is wrong, and what it costs.

    python scripts/recall_measured.py [REPLAYS]

Every replay reads a list to its end and looks after every document. It is false if the true total is ruled out at any
time, which is what every statement, at whatever recall, rests on. Real lists: TARSTOP_REAL_DATA.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.recall_bound import ALPHA, draws_at, interleaved, log_stakes
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies import QBCB, Audit, Hypergeometric, Randomised, Target
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

Flags = NDArray[np.bool_]
N = 400
EVERY = (20, 10, 5, 2)
AT_ONCE = 500
SAMPLES = 50


def constructed() -> dict[str, Flags]:
    """Lists by name: hits last, first, none, all, in one cluster, in many, spread, alone."""
    at = np.arange(N)
    return {
        "hits last": at >= N - 20,
        "hits first": at < 20,
        "one, last": at == N - 1,
        "none": at < 0,
        "all": at >= 0,
        "all but one": at > 0,
        "every other": at % 2 == 0,
        "clustered": (at >= 180) & (at < 220),
        "first and last": (at < 20) | (at >= N - 3),
        "spread": at % 20 == 7,
    }


def ruled_out(labels: Flags, every: int, orders: NDArray[np.intp]) -> Flags:
    """Whether each replay ever rules the true total out, shape (replays,)."""
    drawn = np.flatnonzero(draws_at(len(labels), every))
    hits = labels[orders]
    found = np.cumsum(hits, axis=1) - hits
    chance = (labels.sum() - found[:, drawn]) / (len(labels) - drawn)
    stakes = log_stakes(hits[:, drawn], chance, len(drawn))
    return np.asarray(stakes.max(axis=1) >= -np.log(ALPHA))


def false_stops(labels: Flags, every: int, replays: int, seed: int = 1) -> float:
    """Share of replays that are ever wrong."""
    offered = orders(len(labels), every, replays, seed)
    parts = (offered[begin : begin + AT_ONCE] for begin in range(0, replays, AT_ONCE))
    return float(np.mean(np.concatenate([ruled_out(labels, every, part) for part in parts])))


@lru_cache(maxsize=len(EVERY))
def orders(documents: int, every: int, replays: int, seed: int) -> NDArray[np.intp]:
    """Orders in which lists of this length are offered, whatever their labels; shape (replays, documents)."""
    rng = np.random.default_rng(seed)
    return np.array([interleaved(every, rng.permutation(documents)) for _ in range(replays)])


def real(folder: Path) -> dict[str, Flags]:
    """Ranked lists with a relevant document, by title and abstract."""
    runs = (
        ("clef2019/bm25_dta.run", "clef2019/full.test.dta.abs.2019.qrels"),
        ("clef2019/bm25_intervention.run", "clef2019/full.test.intervention.abs.2019.qrels"),
    )
    joined = (label_topics(read_run(folder / run), read_qrels(folder / qrels))[0] for run, qrels in runs)
    return {
        name: topic.labels
        for topics in joined
        for name, topic in topics.items()
        if topic.labels is not None and topic.labels.any()
    }


def compared(lists: Mapping[str, Flags], tau: float) -> list[tuple[str, float, float, float]]:
    """Rule, share of the list read, share that could have been left unread at that recall, share of runs below it."""
    rules: dict[str, Callable[[Flags, np.random.Generator], tuple[Flags, float]]] = {
        f"audit draws, one in {every}": _runs(Audit(tau=tau, every=every)) for every in EVERY
    }
    rules["Target"] = _runs(Target(tau=tau, confidence=1 - ALPHA))
    rules["QBCB, 100 drawn"] = _runs(QBCB(tau=tau, n_min=100, alpha=ALPHA))
    rules["hypergeometric test"] = lambda labels, rng: _hypergeometric(labels, tau)
    rows = []
    for name, run in rules.items():
        read, over, missed = [], [], []
        for labels in lists.values():
            recall, depth = run(labels, np.random.default_rng(7))
            needed = int(np.argmax(np.cumsum(labels) >= tau * labels.sum())) + 1
            read.append(depth / len(labels))
            over.append((depth - needed) / len(labels))
            missed.append((recall < tau - 1e-9).mean())
        rows.append((name, float(np.mean(read)), float(np.mean(over)), float(np.mean(missed))))
    return rows


def _runs(rule: Randomised) -> Callable[[Flags, np.random.Generator], tuple[NDArray[np.float64], float]]:
    def run(labels: Flags, rng: np.random.Generator) -> tuple[NDArray[np.float64], float]:
        seen = rule.replicates(labels, SAMPLES, rng).seen
        return seen[:, labels].mean(axis=1), float(seen.sum(axis=1).mean())

    return run


def _hypergeometric(labels: Flags, tau: float) -> tuple[NDArray[np.float64], float]:
    path = DecisivePath(hit_curve(np.full(len(labels), 0.01)), 0.5, Payoffs.from_q_star(0.5), labels=labels)
    depth = int(Hypergeometric(tau=tau, confidence=1 - ALPHA).depths(path, [0.0])[0])
    return np.array([labels[:depth].sum() / labels.sum()]), float(depth)


def main() -> None:
    """Print the tables of docs/recall_statement.md."""
    replays = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"| list of {N} | " + " | ".join(f"one in {every}" for every in EVERY) + " |")
    for name, labels in constructed().items():
        shares = (f"{false_stops(labels, every, replays):.2%}" for every in EVERY)
        print(f"| {name} | {' | '.join(shares)} |", flush=True)
    folder = os.environ.get("TARSTOP_REAL_DATA")
    if not folder:
        print("TARSTOP_REAL_DATA is not set: no real lists.")
        return
    lists = real(Path(folder))
    for every in EVERY:
        wrong = [false_stops(labels, every, max(10, replays // 10)) for labels in lists.values()]
        print(f"real lists, one in {every}: {np.mean(wrong):.2%} of replays, worst list {max(wrong):.2%}")
    for tau in (0.8, 0.95):
        print(f"recall {tau:.0%}, {len(lists)} lists: rule, read, more than needed, runs below the target")
        for name, read, over, missed in compared(lists, tau):
            print(f"| {name} | {read:.0%} | {over:.0%} | {missed:.1%} |", flush=True)


if __name__ == "__main__":
    main()
