"""GRLStop's agents, each found by the training cases that ``scripts/train_grlstop.py --benchmark`` trained it on.

For other cases GRLStop follows the agent of the package, which knows simulated patent rankings.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tarstop_core.evaluation.cases import Case
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop.network import Weights

FOLDER = "agents"


def weights_file(cases: Sequence[Case]) -> Path:
    """The file of the agent that was, or is to be, trained on these cases: named by all that training looks at."""
    digest = hashlib.blake2b(digest_size=8)
    for case in cases:
        digest.update(len(case.labels).to_bytes(8, "little"))
        digest.update(np.packbits(case.labels).tobytes())
    return sample_dir() / FOLDER / f"{digest.hexdigest()}.npz"


def weights_of(cases: Sequence[Case]) -> Weights | None:
    """The agent trained on these cases, None where there is none. InputProblem when its file holds something else."""
    path = weights_file(cases)
    return Weights.load(path) if path.is_file() else None
