"""What scenarios have in common in which finds add up: every rule acts on the belief that it has reached."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
"""Least chance that a next document is given: nothing ahead would follow from 0."""


@dataclass(frozen=True)
class StepwiseTask(base.Task):
    """A scenario in which finds add up; a subclass makes its paths, which are played here."""

    in_steps = True

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
    """Chance of a⁺ (0 or 1) where rules stop.

    Parameters
    ----------
    paths : sequence of CumulativePath
        One for each of the payoffs.
    depths : ndarray of int, shape (S, Q, C)
        Where the settings of a rule stop, by payoffs and cost.
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
# A list that learns has chances that change document by document. After d documents its reader knows their chances and
# labels and the chance of the next one; what is further ahead follows from the labels so far, as in a session. A rule
# is asked again after every document, of a path that holds nothing else.


def prequential_ahead(p: Floats, labels: Flags, depth: int, judged: str = REVIEW) -> Ahead:
    """Forecast the rest of a list after this many documents from their labels and the chance of the next one.

    Parameters
    ----------
    p : ndarray, shape (N,)
        Chance of each document as it stood when it was next.
    labels : ndarray of bool, shape (N,)
        What each turned out to be; only those of the first `depth` count.
    depth : int
        Documents read.
    judged : str
        What a chance is a chance of: of bringing data, or of inclusion.

    Returns
    -------
    Ahead
    """
    following = max(float(p[depth]), LEAST) if depth < len(p) else None
    return ahead(reranked_chances(judged), labels[:depth], len(p), following)


def path_after(path: CumulativePath, depth: int) -> CumulativePath:
    """Return a fully labelled path as it is known after this many documents."""
    p = np.append(path.p[:depth], prequential_ahead(path.p, path.labels, depth).p)
    labels = path.labels & (np.arange(len(path)) < depth)
    return replace(path, p=p, labels=labels, studies=np.minimum(path.studies, path.studies[depth]))


def prequential_depths(
    paths: Sequence[CumulativePath], rules: Sequence[Policy], costs: Sequence[float]
) -> Depths:
    """Find where rules stop that are asked after every document.

    Parameters
    ----------
    paths : sequence of CumulativePath
        One for each of the payoffs, with the chances of their documents as they stood when each was next.
    rules : sequence of Policy
        Settings of one rule.
    costs : sequence of float
        Of a document.

    Returns
    -------
    ndarray of int, shape (S, Q, C)
    """
    depths = np.full((len(rules), len(paths), len(costs)), len(paths[0]), dtype=np.intp)
    once = [rule.cost_invariant for rule in rules]
    for q, path in enumerate(paths):
        going = np.ones((len(rules), len(costs)), dtype=bool)
        if q:  # the same as on the first path
            going[once], depths[once, q] = False, depths[once, 0]
        for depth in range(len(path)):
            if not going.any():
                break
            now = path_after(path, depth)
            for s, rule in enumerate(rules):
                if going[s].any():
                    stops = going[s] & (rule.depths(now, costs, depth) <= depth)
                    depths[s, q, stops], going[s, stops] = depth, False
    return depths
