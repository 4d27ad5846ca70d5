"""A small benchmark of one's own, and runs on it."""

import io
import time
import zipfile
from pathlib import Path

from tarstop_core.evaluation import running
from tarstop_core.evaluation.running import Order, Run, Status
from tarstop_core.evaluation.upload import checked, place
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings


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
    place([(name, io.BytesIO(content)) for name, content in files.items()], folder)
    checked(folder)


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return target.getvalue()


def ordered(folder: Path, methods: tuple[str, ...] = ("greedy", "budget", "decide-now")) -> Order:
    return Order("Mine", str(folder), methods, costs=(0.001, 0.01))


def ended(of: Run, seconds: float = 300) -> Status:
    until = time.monotonic() + seconds
    while (status := running.status(of)).state in ("waiting", "running", "stopping"):
        assert time.monotonic() < until, status
        time.sleep(0.05)
    return status
