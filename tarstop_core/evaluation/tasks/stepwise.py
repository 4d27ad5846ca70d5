"""Base class of tasks in which evidence accumulates: every rule acts on its belief where it stops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.reranked import Ahead, ahead
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.tasks import base
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Randomised
from tarstop_core.policies.gain_curve import gain
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Depths, Flags, Floats

LEAST = 1e-6
"""Least chance of a next document, because a chance of 0 would leave no forecast for the rest."""


@dataclass(frozen=True)
class StepwiseTask(base.Task):
    """Task in which evidence accumulates; a subclass makes the paths on which rules are played here."""

    in_steps = True
    chance_of = REVIEW
    cases = "outcomes"
    groups = "reviews"
    errors: ClassVar[Mapping[str, str]] = {"false_adopt": "false adopt", "false_reject": "false reject"}
    needs_tables = True
    icer_digits = 0

    def play(self, trial: base.Trial, settings: Sequence[Policy], exact: bool = False) -> base.PlayedGrid:
        case, paths = trial.case, trial.paths
        if isinstance(settings[0], Randomised):
            raise InputProblem(
                f"{settings[0].title} ends with a different belief for every sample, which cannot "
                "be averaged here; choose another rule."
            )
        if case.adaptive_chances is None or settings[0].needs_labels or settings[0].is_oracle:
            depths = base.depths_of(paths, settings, trial.costs)
        else:
            depths = prequential_depths(paths, settings, trial.costs)
        plus = chosen(paths, depths, paths[0].b)
        if settings[0].is_oracle:
            plus[:] = trial.truth[:, None]
        recall = metrics.recall(gain(case.labels)[depths], case.n_relevant)
        return base.PlayedGrid(depths.astype(float), plus, recall)


def chosen(paths: Sequence[CumulativePath], depths: Depths, b: Floats) -> Floats:
    """Whether rules choose a⁺ where they stop, as 0 or 1.

    Parameters
    ----------
    paths : sequence of CumulativePath
        Path for each of the payoffs.
    depths : ndarray of int, shape (S, Q, C)
        Depth at which each setting stops, by payoffs and cost.
    b : ndarray, shape (N + 1,)
        Belief after 0 … N documents.

    Returns
    -------
    ndarray, shape (S, Q, C)
    """
    plus = [path.payoffs.chooses_plus(b[depths[:, q]]) for q, path in enumerate(paths)]
    return np.stack(plus, axis=1).astype(float)


# --- lists that learn -----------------------------------------------------------------------------
#
# The chances of a list that learns change with every document. After d documents their reader knows the chances and
# labels of these, and the chance of the next one; the rest is forecast from the labels so far, as in a session. After
# every document a rule is asked again, with a path that holds only this.


def prequential_ahead(p: Floats, labels: Flags, depth: int, judged: str = REVIEW) -> Ahead:
    """Forecast the rest of a list from the labels so far and the chance of the next document.

    Parameters
    ----------
    p : ndarray, shape (N,)
        Chance of each document when it was the next one.
    labels : ndarray of bool, shape (N,)
        Labels, of which only the first `depth` are used.
    depth : int
        Documents read.
    judged : str
        What a chance is a chance of: bringing data, or inclusion.

    Returns
    -------
    Ahead
    """
    following = max(float(p[depth]), LEAST) if depth < len(p) else None
    return ahead(reranked_chances(judged), labels[:depth], len(p), following)


def path_after(path: CumulativePath, depth: int) -> CumulativePath:
    """Return a fully labelled path with only what is known after `depth` documents."""
    p = np.append(path.p[:depth], prequential_ahead(path.p, path.labels, depth).p)
    labels = path.labels & (np.arange(len(path)) < depth)
    return replace(path, p=p, labels=labels, studies=np.minimum(path.studies, path.studies[depth]))


def prequential_depths(
    paths: Sequence[CumulativePath], rules: Sequence[Policy], costs: Sequence[float]
) -> Depths:
    """Find where rules stop that are asked again after every document.

    Parameters
    ----------
    paths : sequence of CumulativePath
        Path for each of the payoffs, with the chance of each document when it was the next one.
    rules : sequence of Policy
        Settings of one rule.
    costs : sequence of float
        Costs of a document.

    Returns
    -------
    ndarray of int, shape (S, Q, C)
    """
    depths = np.full((len(rules), len(paths), len(costs)), len(paths[0]), dtype=np.intp)
    invariant = [rule.cost_invariant for rule in rules]
    for q, path in enumerate(paths):
        reading = np.ones((len(rules), len(costs)), dtype=bool)
        if q:  # Rules that ignore payoffs stop where they stopped on the first path
            reading[invariant], depths[invariant, q] = False, depths[invariant, 0]
        for depth in range(len(path)):
            if not reading.any():
                break
            now = path_after(path, depth)
            for s, rule in enumerate(rules):
                if reading[s].any():
                    stops = reading[s] & (rule.depths(now, costs, depth) <= depth)
                    depths[s, q, stops], reading[s, stops] = depth, False
    return depths
