"""GRLStop(target): an agent that has learned by reinforcement when a target recall is likely reached.

A re-implementation of the variant that Fletcher & Stevenson describe, trained here; not the authors' model, whose weights
are not published. An agent sees a ranking as 100 windows: the rate of relevant documents in every window (−1 where not
examined yet), the share of windows examined, and the target. The first window is always examined; the choice to stop begins
after it. ``scripts/grlstop/`` trains agents, with the further assumptions; ``docs/grlstop.md`` reports how well they do on
simulated topics they have not seen.
"""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.errors import InputProblem
from tarstop_core.policies.base import AtAnyCost, Depths, Need, Parameter, Promise
from tarstop_core.value.path import Path

Single = NDArray[np.float32]
"""Array of single-precision numbers, as the network computes with them."""

W = 100  # Windows of a ranking (the paper's)

TARGETS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Target recalls that an agent is trained on and that a grid search chooses from (the paper's)."""
INPUTS = W + 2  # Of the network: rates of all windows, share of windows examined, target recall
HIDDEN = 64  # Units of a hidden layer (the published GRLStop's)
SHIPPED = FilePath(__file__).with_name("grlstop.npz")


def window_edges(n: int) -> Depths:
    """Depths at which the windows of n documents end, from 0 to n, shape (min(n, W) + 1,).

    Window i holds the documents edges[i] … edges[i + 1] − 1 (counted from 0), so every document is in
    exactly one window. In a list shorter than W every document is a window.
    """
    return np.linspace(0, n, min(n, W) + 1).round().astype(np.intp)


def window_counts(labels: ArrayLike) -> Depths:
    """Relevant documents in every window of a list of at least one document, shape (min(N, W),)."""
    relevant = np.asarray(labels, dtype=np.intp)
    return np.add.reduceat(relevant, window_edges(len(relevant))[:-1])


def window_rates(labels: ArrayLike) -> Single:
    """Share of relevant documents in every window of N ≥ 1, shape (W,); −1 past the last window of a short list."""
    counts = window_counts(labels)
    rates = np.full(W, -1.0, dtype=np.float32)
    rates[: len(counts)] = counts / np.diff(window_edges(np.size(labels)))
    return rates


class Network(NamedTuple):
    """The agent's network, s ↦ tanh(tanh(s·W1 + b1)·W2 + b2)·w3 + b3: one number for each state s."""

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
    """A trained agent: its network, and how its inputs are scaled."""

    network: Network  # From the state to the logit of STOP
    scale: float  # What window rates are multiplied by before the network reads them

    def save(self, path: str | FilePath) -> None:
        """Write the agent to a .npz file; equal weights give equal bytes."""
        with open(path, "wb") as file:
            np.savez_compressed(file, scale=np.float64(self.scale), **self.network._asdict())

    @classmethod
    def load(cls, path: str | FilePath) -> Weights:
        """Read an agent that :meth:`save` wrote; raise InputProblem if the file is missing or holds something else."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                network = Network(*(stored[name] for name in Network._fields))
                weights = cls(network, float(stored["scale"]))
        except FileNotFoundError:
            raise InputProblem(f"There is no file {path}; give a file of weights.") from None
        except (KeyError, ValueError, TypeError, AttributeError, EOFError, OSError, zipfile.BadZipFile):
            weights = None
        if weights is None or not weights.usable:
            raise InputProblem(f"{path} contains no weights of GRLStop; give a file that its training wrote.")
        return weights

    @property
    def digest(self) -> str:
        """Hash of all weights and the scale."""
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


@cache
def shipped_weights() -> Weights:
    """Return the agent that ``scripts/train_grlstop.py`` trained on simulated patent rankings."""
    return Weights.load(SHIPPED)


def depths_for_targets(
    labels: ArrayLike, targets: ArrayLike = TARGETS, weights: Weights | None = None, start: int = 0
) -> Depths:
    """Depths at which the agent stops for each target recall, always at the end of a window.

    What it sees after x windows does not depend on its choices, so all its choices are computed at once; labels past
    the stop change nothing. A window that was begun is finished before the next choice, so from any start before the
    stop it stops at the same depth.

    Parameters
    ----------
    labels : array_like of bool, shape (N,)
        Which documents are relevant, in ranking order.
    targets : array_like, shape (targets,)
        Recalls to reach, in [0, 1].
    weights : Weights, optional
        The trained agent; the shipped one without it.
    start : int
        Documents read so far.

    Returns
    -------
    ndarray of int, shape (targets,)
        Depths from `start` to N.
    """
    weights = weights or shipped_weights()
    network = weights.network
    wanted = np.atleast_1d(np.asarray(targets, dtype=np.float32))
    edges = window_edges(np.size(labels))
    windows = len(edges) - 1
    if windows == 0:
        return np.zeros(len(wanted), dtype=np.intp)
    # The sums that enter the first layer differ from one window to the next by that window's input alone.
    examined = np.arange(windows + 1, dtype=np.float32)[:, None] / np.float32(windows)
    seen = np.float32(weights.scale) * window_rates(labels)[:windows, None] + 1
    sums = network.b1 - network.W1[:W].sum(axis=0) + examined * network.W1[W]
    sums[1:] += np.cumsum(seen * network.W1[:windows], axis=0)
    stops = network.after_first(sums + wanted[:, None, None] * network.W1[W + 1]) > 0
    # Before the first window the agent has no choice, and after the last one no document to go on to.
    stops[:, 0] = False
    stops[:, windows] = True
    first = int(np.searchsorted(edges, start))
    depths: Depths = edges[first + np.argmax(stops[:, first:], axis=1)]
    return depths


@dataclass(frozen=True)
class GRLStop(AtAnyCost):
    """Stop at the end of the window after which the agent expects the target recall to be reached."""

    target: float = 0.1

    weights: ClassVar[Weights | None] = None
    """An agent of your own (:func:`scripts.grlstop.training.train`) in a subclass; None: the shipped one."""
    name = "grlstop"
    title = "GRLStop"
    rule = "Read windows of 1 % of the list until a trained agent says that the target recall is reached."
    formula = r"\text{reward on stopping: } +2 \text{ with recall} \ge \text{target}, \ -2 \text{ below}; \quad -\tfrac{1}{W} \text{ a window}"
    source = (
        "Fletcher & Stevenson, baseline GRLStop (after Bin-Hezam & Stevenson, SIGIR 2025); "
        "a re-implementation trained here, not the authors' model"
    )
    family = "paper's baseline"
    place, colour, marker = 90, "#777777", "pentagon"
    needs = (Need.LABELS, Need.AGENT)
    promise = Promise.ESTIMATE
    parameters = (Parameter("target", "recall to reach", 0.0, 1.0, TARGETS, "float"),)

    @property
    def agent(self) -> Weights:
        """The trained agent that this rule follows."""
        return self.weights or shipped_weights()

    def following(self, agent: Weights) -> Self:
        """Return a copy of the rule that follows another agent, which is not a parameter and is in no spec."""
        rule = type(self)(self.target)
        object.__setattr__(rule, "weights", agent)
        return rule

    def depth(self, path: Path, start: int) -> int:
        return int(depths_for_targets(path.labels, [self.target], self.agent, start)[0])
