"""The world GRLStop learns in: a ranking cut into windows, and the choice to go on or to stop after each; how agents do in it.

The paper says: W = 100 windows, the targets, +2 for stopping with the target reached, −2 otherwise, −1/W a step.
Assumptions: the state is the rate of relevant documents in every window (−1 where not examined yet), the share of
windows examined, and the target. The choice begins after the first window; the last ends the episode as a stop does.
Without a relevant document every stop earns −2. Recall is counted among the ranked documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.policies.grlstop import (
    INPUTS,
    TARGETS,
    Single,
    W,
    Weights,
    depths_for_targets,
    window_counts,
    window_edges,
    window_rates,
)

Integers = NDArray[np.intp]
NEVER = W + 1  # Target window of a topic without relevant documents: none of the W reaches a target


def target_windows(labels: ArrayLike, targets: ArrayLike) -> Integers:
    """How many windows have to be examined for each target recall, shape (targets,), from 1; or `NEVER`."""
    hits = window_counts(labels).cumsum()
    wanted = np.atleast_1d(np.asarray(targets, dtype=float))
    if hits[-1] == 0:
        return np.full(len(wanted), NEVER, dtype=np.intp)
    return 1 + np.searchsorted(hits / hits[-1], wanted, side="left")


@dataclass(frozen=True, eq=False)
class Episodes:
    """Every pair of a topic and a target: E episodes over T topics.

    After x windows (x = 1 … W − 1) an episode's choice earns what column x − 1 of the tables says.
    """

    rates: Single  # Window rates times `scale`; shape (T, W)
    topic: Integers  # Shape (E,)
    target: Single  # Shape (E,)
    windows: Integers  # Number of windows, below W in a list shorter than W; shape (E,)
    stop_reward: Single
    next_reward: Single
    """`stop_reward` and `next_reward`: going on to the last window includes the stop that follows; shape (E, W − 1)."""

    @classmethod
    def of(cls, topics: Sequence[Topic], scale: float) -> Episodes:
        """All episodes of labelled topics, `TARGETS` after `TARGETS`; refusals are those of :func:`labels_of`."""
        labels = [labels_of(topic) for topic in topics]
        windows = np.repeat([min(len(column), W) for column in labels], len(TARGETS)).astype(np.intp)
        target_window = np.concatenate([target_windows(column, TARGETS) for column in labels])
        x = np.arange(1, W + 1)
        # The paper's rewards: of examining a window, and of stopping after it.
        enter, stop = -1.0 / windows[:, None], np.where(x >= target_window[:, None], 2.0, -2.0)
        is_last = x == windows[:, None]
        return cls(
            rates=np.float32(scale) * np.array([window_rates(column) for column in labels]),
            topic=np.repeat(np.arange(len(labels)), len(TARGETS)),
            target=np.tile(np.array(TARGETS, dtype=np.float32), len(labels)),
            windows=windows,
            stop_reward=stop[:, :-1].astype(np.float32),
            next_reward=np.where(is_last, enter + stop, enter)[:, 1:].astype(np.float32),
        )

    def __len__(self) -> int:
        return len(self.topic)

    def states(self, episode: Integers, x: int | Integers) -> Single:
        """What the agent sees of some episodes after x windows, shape (len(episode), INPUTS)."""
        examined = np.reshape(x, (-1, 1))
        states = np.empty((len(episode), INPUTS), dtype=np.float32)
        states[:, :W] = np.where(np.arange(W) < examined, self.rates[self.topic[episode]], -1.0)
        states[:, W] = x / self.windows[episode]
        states[:, W + 1] = self.target[episode]
        return states


def rate_scale(topics: Sequence[Topic]) -> float:
    """One over the mean rate of the windows that hold a relevant document.

    Rates are read in this unit: a hit in a window of 31 documents would otherwise be .03 next to the −1 of a window
    not examined, too little to learn from (assumption). InputProblem when none does, and as :func:`labels_of`.
    """
    rates = np.array([window_rates(labels_of(topic)) for topic in topics])
    if not (rates > 0).any():
        raise InputProblem(
            "No topic holds a ranked relevant document, so there is no target to learn to reach; "
            "give at least one topic that does."
        )
    return float(1.0 / rates[rates > 0].mean(dtype=float))


def labels_of(topic: Topic) -> NDArray[np.bool_]:
    """The labels of a topic that must have some. InputProblem when it has no labels or no documents."""
    if topic.labels is None:
        raise InputProblem(f"Topic {topic.name} has no judgments; learning needs them.")
    if not len(topic):
        raise InputProblem(f"Topic {topic.name} has no documents; leave it out.")
    return topic.labels


def assess(weights: Weights | None, topics: Sequence[Topic]) -> pd.DataFrame:
    """How an agent does on labelled topics, the shipped one for None: means for each of `TARGETS`, NaN over no topic.

    `reliability` is the share of ω⁺ topics whose recall reaches the `target`; `recall`, `windows` examined and those that the
    `oracle` examines are over these topics; `windows_without` over the others, and the paper's `reward` over all.
    """
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
    reached, plus = examined >= needed, needed[:, 0] < NEVER
    by_topic = {
        "reliability": reached[plus],
        "recall": recall[plus],
        "windows": examined[plus],
        "oracle": needed[plus],
        "windows_without": examined[~plus],
        "reward": np.where(reached, 2.0, -2.0) - examined / windows,
    }
    means = {name: pd.DataFrame(values, columns=TARGETS).mean() for name, values in by_topic.items()}
    return pd.DataFrame(means).rename_axis("target").reset_index()
