"""Standardise the scores of a list, and multiply chances by a factor."""

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.documents.tables import Floats
from tarstop_core.errors import InputProblem


def scaled(p: Floats, factor: float) -> Floats:
    """Multiply chances by a factor, up to 1; with a factor of 1 return the array itself.

    >>> scaled(np.array([0.1, 0.8]), 2.0)
    array([0.2, 1. ])
    """
    return p if factor == 1 else np.minimum(1.0, factor * p)


def z_scores(scores: ArrayLike) -> Floats:
    """Standardise scores within a topic: (v − mean)/sd, and zeros where all scores are equal; shape (N,).

    Raises
    ------
    InputProblem
        When a score is missing or infinite.

    Examples
    --------
    >>> z_scores([3.0, 1.0]), z_scores([2.0, 2.0])
    (array([ 1., -1.]), array([0., 0.]))
    """
    values = np.asarray(scores, dtype=float)
    if not np.isfinite(values).all():
        raise InputProblem("A score is missing or infinite; give every document a number.")
    if not len(values) or values.min() == values.max():
        return np.zeros(len(values))
    # Scaling by the largest first keeps huge scores from overflowing when squared.
    values = values / np.abs(values).max()
    return np.asarray((values - values.mean()) / values.std())


def tied_share(scores: ArrayLike) -> float:
    """Share of documents whose score another document has too."""
    _, counts = np.unique(np.asarray(scores, dtype=float), return_counts=True)
    return float(counts[counts > 1].sum() / max(1, counts.sum()))
