"""A review replayed with chances that were told document by document, as a list that learns has them.

Whoever has read d documents knows what was said of these and of the next one; what is further ahead follows from the labels so
far, as in a session. A rule is asked again after every document, of a path that holds nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarstop_core.belief.mixture import Left
from tarstop_core.calibration.reranked import Ahead, RerankedChances, ahead
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.policies import Policy
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Depths

LEAST = 1e-6
"""A next document's chance is taken for this at least: nothing ahead would follow from 0."""


@dataclass(frozen=True, eq=False)
class Told:
    """Chances of one list, and what its further course is foreseen by."""

    p: Floats
    """Chance of each document as it stood when it was next, shape (N,)."""
    model: RerankedChances

    def ahead(self, labels: Flags, depth: int) -> Ahead:
        """The rest of the list after so many documents, whose labels are the first of these."""
        following = max(float(self.p[depth]), LEAST) if depth < len(self.p) else None
        return ahead(self.model, labels[:depth], len(self.p), following)

    def left(self, labels: Flags, depth: int) -> Left:
        """How many relevant documents are still unread then."""
        return self.ahead(labels, depth).left()

    def known(self, path: CumulativePath, depth: int) -> CumulativePath:
        """A path with everything known, as it is known after so many documents."""
        p = np.append(self.p[:depth], self.ahead(path.labels, depth).p)
        labels = path.labels & (np.arange(len(path)) < depth)
        return replace(path, p=p, labels=labels, known=np.minimum(path.known, path.known[depth]))

    def paths(self, path: CumulativePath) -> Iterator[tuple[int, CumulativePath]]:
        """The path after 0, 1, … N documents."""
        return ((depth, self.known(path, depth)) for depth in range(len(path) + 1))


def depths_as_told(
    told: Told, paths: Sequence[CumulativePath], rules: Sequence[Policy], costs: Sequence[float]
) -> Depths:
    """Where each of these rules stops on each path at each cost, asked after every document, shape (S, Q, C)."""
    found = np.full((len(rules), len(paths), len(costs)), len(told.p), dtype=np.intp)
    once = [rule.ignores_stakes for rule in rules]
    for q, path in enumerate(paths):
        going = np.ones((len(rules), len(costs)), dtype=bool)
        if q:  # the same as on the first path
            going[once], found[once, q] = False, found[once, 0]
        for depth, now in told.paths(path):
            if not going.any():
                break
            for s, rule in enumerate(rules):
                if going[s].any():
                    stops = going[s] & (rule.depths(now, costs, depth) <= depth)
                    found[s, q, stops], going[s, stops] = depth, False
    return found


def stop(policy: Policy, told: Told, path: CumulativePath, cost: float) -> tuple[int, CumulativePath]:
    """Where a rule stops that is asked after every document, and the path as it is known there."""
    return next(
        (depth, now)
        for depth, now in told.paths(path)
        if depth == len(path) or int(policy.depths(now, [cost], depth)[0]) <= depth
    )
