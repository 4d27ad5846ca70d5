"""The paper's rules: go on while the next documents' score exceeds their cost."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies.base import Criterion, Depths, Floats, Parameter, Policy, Promise, until_hit
from tarstop_core.value.path import ListPath, Path, first_not_worth
from tarstop_core.value.payoffs import exceeds


@dataclass(frozen=True)
class Greedy(Policy):
    """Continue iff ρ_{d+1}·EVPI(b_d) > c."""

    name = "greedy"
    title = "Greedy"
    rule = "Go on while the next document's chance of a hit, times the EVPI, exceeds its cost."
    formula = r"\rho_{d+1}\thinspace EVPI(b_d) \gt c"
    source = "Fletcher & Stevenson, Greedy"
    family = "paper's policy"
    place, colour, marker = 30, "#D55E00", "square"
    promise = Promise.ESTIMATE
    criterion = Criterion.NEXT_SCORE

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(first_not_worth(self.value_rate(path), costs, start), path, start)

    def value_rate(self, path: Path) -> Floats:
        return path.score(1)

    def expected_utility(self, path: ListPath, depth: Depths, costs: Floats, start: int) -> Floats:
        return _looking_again(path, super().expected_utility(path, depth, costs, start), depth, costs, start)


def _looking_again(path: ListPath, to_the_end: Floats, depth: Depths, costs: Floats, start: int) -> Floats:
    """Expected net utility of a rule that looks again after each study, and then at the next document alone; shape of `costs`.

    `to_the_end` is that of reading on whatever is found, which it is where no study could change anything.
    """
    now = path.expected_utility(np.array([start]), np.zeros(1), start, acts_on_belief=True, looks_every=1)
    gain = path.gain_by_score(depth, costs, start)
    return np.where(np.isnan(gain), to_the_end, now + gain)


WINDOWS = (2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Smooth(Greedy):
    """Continue iff mean(ρ_{d+1} … ρ_{d+K})·EVPI(b_d) > c.

    Assumptions where the paper is silent: ρ_{d+j} uses the current b_d, and with fewer than K
    documents left those that are left are averaged.
    """

    K: int = 5

    name = "smooth"
    title = "Smooth"
    rule = "Like Greedy, with the average chance of the next K documents."
    formula = r"\frac{1}{K}\sum_{j=1}^{K} \rho_{d+j}\  EVPI(b_d) \gt c"
    source = "Fletcher & Stevenson, Smooth"
    family = "paper's policy"
    place, colour, marker = 40, "#CC79A7", "triangle-up"
    parameters = (Parameter("K", "documents to average over", 1, 100_000, WINDOWS),)
    criterion = Criterion.MEAN_SCORE

    def value_rate(self, path: Path) -> Floats:
        return path.score(self.K)


@dataclass(frozen=True)
class Batch(Policy):
    """Continue iff Σ_{j≤K} ρ_{d+j}·EVPI(b_d) > K·c, then screen all K before looking again.

    A batch is finished even after a hit: the paper's Table 1 needs it (recall at q* = .5 is
    that of a whole batch).
    """

    K: int = 10

    name = "batch"
    title = "Batch"
    rule = "Read K documents at a time while together they are worth more than they cost."
    formula = r"\sum_{j=1}^{K} \rho_{d+j}\  EVPI(b_d) \gt K c"
    source = "Fletcher & Stevenson, Batch"
    family = "paper's policy"
    place, colour, marker = 50, "#009E73", "diamond"
    promise = Promise.ESTIMATE
    parameters = (Parameter("K", "documents in a batch", 1, 100_000, WINDOWS),)
    criterion = Criterion.BATCH_SCORE

    @property
    def batch_size(self) -> int:
        return self.K

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        def batches_to(depth: int) -> int:
            """Number of batches that reach a depth, the last one perhaps in part."""
            return -(-depth // self.K)

        scores = path.score(self.K)[:: self.K]  # at the start of each batch
        batches = first_not_worth(scores, costs, batches_to(start))
        if path.hit is not None:
            batches = np.minimum(batches, batches_to(max(path.hit, start)))
        depths = np.minimum(batches * self.K, len(path))
        batch, read_of_batch = divmod(start, self.K)
        if read_of_batch and start < len(path):
            # If the rule would not have begun the batch that `start` lies in, it stops at once.
            no_hit_before = path.hit is None or path.hit > batch * self.K
            depths = np.where(exceeds(scores[batch], costs) & no_hit_before, depths, start)
        return depths

    def expected_utility(self, path: ListPath, depth: Depths, costs: Floats, start: int) -> Floats:
        to_the_end = super().expected_utility(path, depth, costs, start)
        looking = _looking_again(path, to_the_end, depth, costs, start)
        # It looks again only at the end of the batch that `start` lies in.
        return np.where(depth > (start // self.K + 1) * self.K, looking, to_the_end)

    def value_rate(self, path: Path) -> Floats:
        # A batch is weighed once, at its start.
        return path.score(self.K)[np.arange(len(path)) // self.K * self.K]
