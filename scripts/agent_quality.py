"""How an agent does on labelled topics: reliability, how far it reads, and how far it need have read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.grlstop.world import NEVER, labels_of, target_windows
from tarstop_core.documents.topic import Topic
from tarstop_core.policies.grlstop import TARGETS, W, Weights, depths_for_targets, window_edges


@dataclass(frozen=True)
class Quality:
    """Means for one target; those over no topic are NaN."""

    target: float
    reliability: float  # share of ω⁺ topics whose recall reaches the target
    recall: float  # over ω⁺ topics
    windows: float  # examined in ω⁺ topics
    oracle: float  # windows that reach the target in ω⁺ topics
    windows_without: float  # examined in topics without relevant documents
    reward: float  # the paper's, over all topics


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
    columns = reached[plus], recall[plus], examined[plus], needed[plus], examined[~plus], reward
    means = [[_mean(column[:, k]) for column in columns] for k in range(len(TARGETS))]
    return [Quality(target, *of) for target, of in zip(TARGETS, means, strict=True)]


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if values.size else float("nan")
