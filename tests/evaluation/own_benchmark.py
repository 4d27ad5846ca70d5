"""A small benchmark of one's own, and runs on it."""

import io
import time
import zipfile
from pathlib import Path

from tarstop_core.evaluation import running
from tarstop_core.evaluation.benchmarks.folder import read_upload, save_upload
from tarstop_core.evaluation.running import ExperimentOrder, ExperimentRun, Status
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

CONTRACT = (
    "approach q_star cost truth net_utility recall screened icer decision_agreement "
    "false_adopt false_reject topics".split()
)
"""Columns that come first in every table of rows."""
RULES = """from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from tarstop_core.policies.base import AtAnyCost, Parameter


@dataclass(frozen=True)
class NIrrelevant(AtAnyCost):
    name, title, source = "n-irrelevant", "NIrrelevant", "a test"
    rule = "Stop after n documents in a row that are not relevant."
    acts_on_belief = False
    parameters: ClassVar = (Parameter("n", "documents in a row", 1, 1000, (2, 5)),)

    n: int = 2

    def depth(self, path, start=0):
        ranks = np.arange(1, len(path) + 1)
        last = np.maximum.accumulate(np.where(path.labels, ranks, 0))
        done = np.flatnonzero((ranks - last >= self.n) & (ranks >= max(start, 1)))
        return int(ranks[done[0]]) if len(done) else len(path)


@dataclass(frozen=True)
class LastHit(AtAnyCost):
    name, title, source = "last-hit", "LastHit", "a test"
    rule = "Stop at the last relevant document."

    def depth(self, path, start=0):
        hits = np.flatnonzero(path.labels)
        return max(start, int(hits[-1]) + 1 if len(hits) else 0)
"""
"""A file of rules: one that can be followed, and one that looks ahead."""


def own_rules(folder: Path) -> str:
    """The file, written into a folder."""
    file = folder / "mine.py"
    file.write_text(RULES, encoding="utf-8")
    return str(file)


def own_files(topics: int = 8, seed: int = 5) -> dict[str, bytes]:
    """A small run and its judgments."""
    rankings = simulate_patent_rankings(topics, seed, pool_mean=120)
    lines, judged = [], []
    for topic in rankings:
        assert topic.scores is not None and topic.labels is not None
        for rank, (doc, score) in enumerate(zip(topic.ids, topic.scores, strict=True), start=1):
            lines.append(f"{topic.name} Q0 {doc} {rank} {score:.6f} own")
        judged += [
            f"{topic.name} 0 {doc} {int(label)}" for doc, label in zip(topic.ids, topic.labels, strict=True)
        ]
    return {"own.run": "\n".join(lines).encode(), "own.qrels": "\n".join(judged).encode()}


def bring(files: dict[str, bytes], folder: Path) -> None:
    """Place files as an upload would and check them."""
    save_upload([(name, io.BytesIO(content)) for name, content in files.items()], folder)
    read_upload(folder)


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return target.getvalue()


def ordered(folder: Path, methods: tuple[str, ...] = ("greedy", "budget", "decide-now")) -> ExperimentOrder:
    return ExperimentOrder("Mine", str(folder), methods, costs=(0.001, 0.01))


def ended(of: ExperimentRun, seconds: float = 300) -> Status:
    until = time.monotonic() + seconds
    while (status := running.status(of)).state in ("waiting", "running"):
        assert time.monotonic() < until, status
        time.sleep(0.05)
    return status
