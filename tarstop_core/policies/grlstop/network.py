"""A perceptron with two hidden layers and one output: what it says, and its file."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.policies.grlstop.windows import INPUTS, Single

HIDDEN = 64  # Units of a hidden layer (the published GRLStop's)


class Network(NamedTuple):
    """s ↦ tanh(tanh(s·W1 + b1)·W2 + b2)·w3 + b3, one number for each state."""

    W1: Single
    b1: Single
    W2: Single
    b2: Single
    w3: Single
    b3: Single
    """`W1`, `b1`, `W2`, `b2`, `w3` and `b3`: shapes (inputs, H), (H,), (H, H), (H,), (H,), (1,)."""

    def __call__(self, states: Single) -> Single:
        """Outputs for states of shape (n, inputs), shape (n,)."""
        return self.after_first(states @ self.W1 + self.b1)

    def after_first(self, sums: Single) -> Single:
        """Outputs from the sums that enter the first hidden layer, shape (…, H) to (…)."""
        return np.asarray(np.tanh(np.tanh(sums) @ self.W2 + self.b2) @ self.w3 + self.b3)


@dataclass(frozen=True, eq=False)
class Weights:
    """A trained agent."""

    network: Network  # From the state to the logit of STOP
    scale: float  # What window rates are multiplied by before the network reads them

    def save(self, path: str | Path) -> None:
        """Write a .npz file; equal weights give equal bytes."""
        with open(path, "wb") as file:
            np.savez_compressed(file, scale=np.float64(self.scale), **self.network._asdict())

    @classmethod
    def load(cls, path: str | Path) -> Weights:
        """Read what :meth:`save` wrote. InputProblem when the file is missing or holds something else."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                network = Network(*(stored[name] for name in Network._fields))
                weights = cls(network, float(stored["scale"]))
        except FileNotFoundError:
            raise InputProblem(f"There is no file {path}; give a file of weights.") from None
        except (KeyError, ValueError, TypeError, AttributeError, EOFError, OSError, zipfile.BadZipFile):
            weights = None
        if weights is None or not weights.usable:
            raise InputProblem(f"{path} holds no weights of GRLStop; give a file that its training wrote.")
        return weights

    @property
    def digest(self) -> str:
        """Fingerprint."""
        known = hashlib.blake2b(repr(self.scale).encode(), digest_size=16)
        for array in self.network:
            known.update(array.tobytes())
        return known.hexdigest()

    @property
    def usable(self) -> bool:
        """Whether the shapes are those of GRLStop and all numbers are finite."""
        shapes = ((INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN,), (1,))
        return all(
            array.shape == shape and array.dtype == np.float32 and bool(np.isfinite(array).all())
            for array, shape in zip(self.network, shapes, strict=True)
        ) and bool(np.isfinite(self.scale))
