"""A review replayed with chances that were told document by document, as a list that learns has them.

Whoever has read d documents knows what was said of these and of the next one; what is further ahead follows from the labels so
far, as in a session. A rule is asked again after every document, of a path that holds nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.reranked import Ahead, ahead
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.policies import Policy
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Depths

LEAST = 1e-6
"""A next document's chance is taken for this at least: nothing ahead would follow from 0."""


def prequential_ahead(p: Floats, labels: Flags, depth: int) -> Ahead:
    """The rest of a list after so many documents, of which the labels are known, and the chance of the next one.

    `p` is the chance of each document as it stood when it was next, `labels` what each turned out to be, shape (N,) each.
    """
    following = max(float(p[depth]), LEAST) if depth < len(p) else None
    return ahead(reranked_chances(REVIEW), labels[:depth], len(p), following)


def path_after(path: CumulativePath, depth: int) -> CumulativePath:
    """A path on which everything is told, as it is known after so many documents."""
    p = np.append(path.p[:depth], prequential_ahead(path.p, path.labels, depth).p)
    labels = path.labels & (np.arange(len(path)) < depth)
    return replace(path, p=p, labels=labels, studies=np.minimum(path.studies, path.studies[depth]))


def prequential_depths(
    paths: Sequence[CumulativePath], rules: Sequence[Policy], costs: Sequence[float]
) -> Depths:
    """Where rules stop that are asked after every document, at each cost, shape (S, Q, C).

    The paths, one for each of the payoffs, have the chances of their documents as they stood when each was next.
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
