"""GRLStop(target): an agent that has learned by reinforcement when a target recall is likely reached.

A re-implementation of the variant that Fletcher & Stevenson describe, trained here; not the authors'
model, whose weights are not published. The assumptions stand in :mod:`~tarstop_core.policies.grlstop.environment`
and :mod:`~tarstop_core.policies.grlstop.training`; ``docs/grlstop.md`` reports how well it does on simulated topics it has not seen.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies.base import AtAnyCost, Depths, Parameter
from tarstop_core.policies.grlstop.environment import TARGETS, W, window_edges, window_rates
from tarstop_core.policies.grlstop.network import Weights
from tarstop_core.value.path import Path

SHIPPED = FilePath(__file__).with_name("grlstop.npz")


@cache
def shipped_weights() -> Weights:
    """The agent that ``scripts/train_grlstop.py`` trained on simulated patent rankings."""
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
    # Before the first window there is no choice, after the last one nothing to go on to.
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
    """An agent of one's own (:func:`tarstop_core.policies.grlstop.training.train`) in a subclass; None: the shipped one."""
    name = "grlstop"
    title = "GRLStop"
    rule = "Read windows of 1 % of the list until an agent trained by reinforcement says that the target recall is reached."
    formula = r"\text{reward on stopping: } +2 \text{ with recall} \ge \text{target}, \ -2 \text{ below}; \quad -\tfrac{1}{W} \text{ a window}"
    source = (
        "Fletcher & Stevenson, baseline GRLStop (after Bin-Hezam & Stevenson, SIGIR 2025); "
        "a re-implementation trained here, not the authors' model"
    )
    family = "paper's baseline"
    place, colour, marker = 90, "#777777", "pentagon"
    parameters = (Parameter("target", "recall to reach", 0.0, 1.0, TARGETS, "float"),)

    @property
    def agent(self) -> Weights:
        """The trained agent that this rule follows."""
        return self.weights or shipped_weights()

    def following(self, agent: Weights) -> Self:
        """A copy of this rule that follows an agent trained for the cases at hand, which is no parameter and in no spec."""
        rule = type(self)(self.target)
        object.__setattr__(rule, "weights", agent)
        return rule

    def depth(self, path: Path, start: int) -> int:
        return int(depths_for_targets(path.labels, [self.target], self.agent, start)[0])
