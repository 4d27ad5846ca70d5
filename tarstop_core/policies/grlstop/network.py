"""A perceptron with two hidden layers and one output: forward, gradient, file; and Adam."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.policies.grlstop.environment import INPUTS, Single

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

    @classmethod
    def initial(cls, rng: np.random.Generator, inputs: int, gain: float, bias: float = 0.0) -> Network:
        """A network with orthogonal weights, as PPO is usually begun.

        Parameters
        ----------
        rng : numpy.random.Generator
            Draws the weights.
        inputs : int
            Numbers in a state.
        gain : float
            Scale of the output's weights; the hidden layers have √2.
        bias : float
            Bias of the output.

        Returns
        -------
        Network
            In single precision.
        """
        zeros = np.zeros(HIDDEN, dtype=np.float32)
        return cls(
            W1=_orthogonal(rng, inputs, HIDDEN, np.sqrt(2)),
            b1=zeros,
            W2=_orthogonal(rng, HIDDEN, HIDDEN, np.sqrt(2)),
            b2=zeros.copy(),
            w3=_orthogonal(rng, HIDDEN, 1, gain)[:, 0],
            b3=np.full(1, bias, dtype=np.float32),
        )

    def __call__(self, states: Single) -> Single:
        """Outputs for states of shape (n, inputs), shape (n,)."""
        return self.after_first(states @ self.W1 + self.b1)

    def after_first(self, sums: Single) -> Single:
        """Outputs from the sums that enter the first hidden layer, shape (…, H) to (…)."""
        return np.asarray(np.tanh(np.tanh(sums) @ self.W2 + self.b2) @ self.w3 + self.b3)

    def gradient(self, states: Single, slope: Callable[[Single], Single]) -> Network:
        """Gradient in all weights of a loss; `slope` is its derivative in each output, from the outputs, both (n,)."""
        first = np.tanh(states @ self.W1 + self.b1)
        second = np.tanh(first @ self.W2 + self.b2)
        d_output = slope(second @ self.w3 + self.b3)
        d_second = np.outer(d_output, self.w3) * (1 - second * second)
        d_first = (d_second @ self.W2.T) * (1 - first * first)
        return Network(
            states.T @ d_first,
            d_first.sum(axis=0),
            first.T @ d_second,
            d_second.sum(axis=0),
            second.T @ d_output,
            d_output.sum(keepdims=True),
        )


class Adam:
    """Kingma and Ba's descent on the weights of a network, in place, with the gradient's norm clipped."""

    MEAN, SQUARE, TINY, MAX_NORM = 0.9, 0.999, 1e-8, 0.5

    def __init__(self, network: Network) -> None:
        self.network = network
        self.mean = [np.zeros_like(array) for array in network]
        self.square = [np.zeros_like(array) for array in network]
        self.steps = 0

    def step(self, gradient: Sequence[Single], rate: float) -> None:
        """One step against the gradient at a learning rate."""
        norm = np.sqrt(sum(float((part * part).sum()) for part in gradient))
        clip = np.float32(min(1.0, self.MAX_NORM / (norm + self.TINY)))
        self.steps += 1
        correction = np.sqrt(1 - self.SQUARE**self.steps) / (1 - self.MEAN**self.steps)
        for array, part, mean, square in zip(self.network, gradient, self.mean, self.square, strict=True):
            part = clip * part
            mean += np.float32(1 - self.MEAN) * (part - mean)
            square += np.float32(1 - self.SQUARE) * (part * part - square)
            array -= np.float32(rate * correction) * mean / (np.sqrt(square) + np.float32(self.TINY))


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
        """Fingerprint of all weights and the scale."""
        fingerprint = hashlib.blake2b(repr(self.scale).encode(), digest_size=16)
        for array in self.network:
            fingerprint.update(array.tobytes())
        return fingerprint.hexdigest()

    @property
    def usable(self) -> bool:
        """Whether the shapes are those of GRLStop and all numbers are finite."""
        shapes = ((INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN,), (1,))
        return all(
            array.shape == shape and array.dtype == np.float32 and bool(np.isfinite(array).all())
            for array, shape in zip(self.network, shapes, strict=True)
        ) and bool(np.isfinite(self.scale))


def _orthogonal(rng: np.random.Generator, rows: int, columns: int, gain: float) -> Single:
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return np.ascontiguousarray(gain * (q if rows >= columns else q.T), dtype=np.float32)
