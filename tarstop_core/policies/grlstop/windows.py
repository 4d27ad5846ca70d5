"""What GRLStop sees: a ranking cut into windows, and the rate of relevant documents in each.

The paper says: W = 100 windows, and the targets below. It is silent on the rest, and these are assumptions:

- The state is the rate of relevant documents in every window (−1 where not examined yet), the share of
  windows examined, and the target: W + 2 numbers.
- The first window is always examined; the choice begins after it.
- The last window ends the reading as a stop does.
- Recall is counted among the ranked documents: one that the run does not rank cannot be found.

What its training assumes beside stands in ``scripts/grlstop``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Single = NDArray[np.float32]
Integers = NDArray[np.intp]

W = 100  # Windows of a ranking (the paper's)

TARGETS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Target recalls that an agent is trained on and that a grid search chooses from (the paper's)."""

INPUTS = W + 2


def window_edges(n: int) -> Integers:
    """Depths at which the windows of n documents end, from 0 to n, shape (min(n, W) + 1,).

    Window i holds the documents edges[i] … edges[i + 1] − 1 (counted from 0), so every document is in
    exactly one window. In a list shorter than W every document is a window.
    """
    return np.linspace(0, n, min(n, W) + 1).round().astype(np.intp)


def window_counts(labels: ArrayLike) -> Integers:
    """Relevant documents in every window of a list of at least one document, shape (min(N, W),)."""
    relevant = np.asarray(labels, dtype=np.intp)
    return np.add.reduceat(relevant, window_edges(len(relevant))[:-1])


def window_rates(labels: ArrayLike) -> Single:
    """Share of relevant documents in every window of N ≥ 1, shape (W,); −1 past the last window of a short list."""
    counts = window_counts(labels)
    rates = np.full(W, -1.0, dtype=np.float32)
    rates[: len(counts)] = counts / np.diff(window_edges(np.size(labels)))
    return rates
