"""GRLStop's agents, each trained on the training cases of a fold and found by these cases.

Training takes minutes, so an experiment never trains: ``scripts/train_grlstop.py --benchmark`` does and leaves the
weights where :func:`agent_of` looks. For training cases that no agent was trained on, GRLStop follows the one of the
package, which knows simulated patent rankings.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tarstop_core.evaluation.cases import Case
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop.network import Weights

FOLDER = "agents"


def place_of(cases: Sequence[Case]) -> Path:
    """The file of the agent that was, or is to be, trained on these cases: named by all that training looks at."""
    known = hashlib.blake2b(digest_size=8)
    for case in cases:
        known.update(len(case.labels).to_bytes(8, "little"))
        known.update(np.packbits(case.labels).tobytes())
    return sample_dir() / FOLDER / f"{known.hexdigest()}.npz"


def agent_of(cases: Sequence[Case]) -> Weights | None:
    """The agent that was trained on these cases, None where there is none.

    InputProblem when its file holds something else.
    """
    path = place_of(cases)
    return Weights.load(path) if path.is_file() else None
