"""The stopper for ASReview stops where ``tarstop replay`` stops, in ASReview's own simulator too."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tarstop_core.api.asreview_stopper import Stopper
from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.evaluation.reranking import adaptive_chances
from tarstop_core.samples.shipped import reranked_chances
from tests.cli.conftest import tarstop  # noqa: F401
from tests.cli.shell import Run

ROOT = Path(__file__).resolve().parents[2]
N = 150
POLICIES = ("few-left:tau=0.8", "few-left:tau=0.95", "hypergeometric", "consecutive:n=30")
SIMULATION = """
import json, sys
import numpy as np, pandas as pd
from asreview import ActiveLearningCycle, Simulate
from asreview.models.models import get_ai_config
from asreview.models.queriers import TopDown
from asreview.models.stoppers import IsFittable
from tarstop_core.api.asreview_stopper import Stopper

given = json.loads(sys.stdin.read())
texts = pd.DataFrame({"title": given["titles"], "abstract": [""] * len(given["titles"])})
np.random.seed(1)
came = {}
for policy in (None, *given["policies"]):
    learning = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    cycles = [ActiveLearningCycle(querier=TopDown(), stopper=IsFittable()), learning]
    stopper = -1 if policy is None else Stopper(policy)
    played = Simulate(texts, given["labels"], cycles, stopper=stopper, print_progress=False)
    played.label(given["prior"])
    played.review()
    came[policy or "order"] = [int(record) for record in played._results["record_id"]]
print(json.dumps(came))
"""


def replayed(tarstop: Run, folder: Path, read: np.ndarray, policy: str) -> int:  # noqa: F811
    """The depth at which ``tarstop replay`` stops on labels in the order read, each document's chance as it then stood."""
    ids = np.array([f"d{at}" for at in range(len(read))])
    run = [f"T Q0 {doc} {rank} {-rank} x\n" for rank, doc in enumerate(ids, start=1)]
    qrels = [f"T 0 {doc} {int(hit)}\n" for doc, hit in zip(ids, read, strict=True)]
    (folder / "a.run").write_text("".join(run), encoding="utf-8")
    (folder / "a.qrels").write_text("".join(qrels), encoding="utf-8")
    adaptive_chances(reranked_chances(INCLUSION), ids, read).to_csv(folder / "chances.csv", index=False)
    (topic,) = tarstop(
        *("replay", folder / "a.run", folder / "a.qrels", "--chances", folder / "chances.csv"),
        *("--scenario", "enough", "--policy", policy, "--json"),
    ).json["topics"]
    return int(topic["depth"])


@pytest.mark.parametrize("policy", [pytest.param(POLICIES[0], marks=pytest.mark.deep), *POLICIES[1:]])
def test_it_stops_where_the_command_stops(tarstop: Run, tmp_path: Path, policy: str) -> None:  # noqa: F811
    read = np.random.default_rng(2).random(N) < 0.6 * np.exp(-np.arange(N) / 15)
    depth = replayed(tarstop, tmp_path, read, policy)
    stopper = Stopper(policy)
    results = pd.DataFrame({"label": read.astype(int), "training_set": np.arange(N, dtype=object)})
    stops = [stopper.stop(results[:at], read) for at in range(N + 1)]
    assert stops.index(True) == depth < N and stops[N]
    assert stopper.get_params() == {"policy": policy}


def test_what_was_known_before_is_no_evidence() -> None:
    read = np.repeat([1, 0], [4, N - 4])
    alone = pd.DataFrame({"label": read, "training_set": range(N)})
    known = pd.DataFrame({"label": [1, 0], "training_set": [None, None]})
    for depth in (0, 1, 60, 100, N):
        with_prior = pd.concat([known, alone[:depth]])
        assert Stopper().stop(with_prior, range(N + 2)) == Stopper().stop(alone[:depth], range(N))
    assert Stopper().stop(known, range(2))


def test_asreview_stops_where_the_command_stops(tarstop: Run, tmp_path: Path) -> None:  # noqa: F811
    """With ASReview's simulator: TARSTOP_ASREVIEW names a Python that has it, and what the core needs."""
    python = os.environ.get("TARSTOP_ASREVIEW")
    if not python:
        pytest.skip("TARSTOP_ASREVIEW is not set: no ASReview to simulate with")
    rng = np.random.default_rng(3)
    labels = (np.arange(N) % 9 == 4).astype(int)
    titles = [
        f"ultrasound of the hip {word}" if label else f"surgery of the knee {word}"
        for label, word in zip(labels, rng.choice(["cohort", "trial", "cost", "infants"], N), strict=True)
    ]
    prior = [0, 4]
    given = {"titles": titles, "labels": labels.tolist(), "policies": POLICIES, "prior": prior}
    done = subprocess.run(
        [python, "-c", SIMULATION],
        input=json.dumps(given),
        cwd=tmp_path,  # where it leaves a cache
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    came = json.loads(done.stdout.splitlines()[-1])
    order = came.pop("order")
    assert len({len(records) for records in came.values()} - {len(order)}) > 1
    for policy, records in came.items():
        assert records == order[: len(records)], "the stopper changes nothing of the order"
        assert len(records) - len(prior) == replayed(
            tarstop, tmp_path, labels[order[len(prior) :]] == 1, policy
        )
