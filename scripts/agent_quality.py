"""How an agent does on labelled topics: reliability, how far it reads, and how far it need have read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.topic import Topic
from tarstop_core.policies.grlstop.environment import (
    NEVER,
    TARGETS,
    W,
    labels_of,
    target_windows,
    window_edges,
)
from tarstop_core.policies.grlstop.network import Weights
from tarstop_core.policies.grlstop.rule import depths_for_targets


@dataclass(frozen=True)
class Quality:
    """Means for one target; those over no topic are NaN."""

    target: float
    reliability: float
    """Share of ω⁺ topics whose recall reaches the target."""
    recall: float
    """Over ω⁺ topics."""
    windows: float
    """Examined in ω⁺ topics."""
    oracle: float
    """Windows that reach the target in ω⁺ topics."""
    windows_without: float
    """Examined in topics without relevant documents."""
    reward: float
    """The paper's, over all topics."""


def assess(weights: Weights | None, topics: Sequence[Topic]) -> list[Quality]:
    """Quality for each of `TARGETS` on labelled topics; the shipped agent's for None."""
    shape = (len(topics), len(TARGETS))
    examined, needed, recall = np.empty(shape), np.empty(shape), np.zeros(shape)
    windows = np.array([[min(len(topic), W)] for topic in topics])
    for t, topic in enumerate(topics):
        labels = labels_of(topic)
        depths = depths_for_targets(labels, TARGETS, weights)
        examined[t] = np.searchsorted(window_edges(len(topic)), depths)
        needed[t] = target_windows(labels, TARGETS)
        found = np.concatenate([[0], np.cumsum(labels)])
        recall[t] = found[depths] / max(found[-1], 1)
    reached = examined >= needed
    reward = np.where(reached, 2.0, -2.0) - examined / windows
    plus = needed[:, 0] < NEVER
    return [
        Quality(
            target=target,
            reliability=_mean(reached[plus, k]),
            recall=_mean(recall[plus, k]),
            windows=_mean(examined[plus, k]),
            oracle=_mean(needed[plus, k]),
            windows_without=_mean(examined[~plus, k]),
            reward=_mean(reward[:, k]),
        )
        for k, target in enumerate(TARGETS)
    ]


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if values.size else float("nan")
