"""Backward induction for a review by brute force: every label of every document, every outcome of every study.

μ is normal in each part of a mixture, and a study says μ with the precision of its part; its outcome is one of many values,
as likely as the density there. Beliefs follow from whole sequences of outcomes by Bayes' rule, and what is known of the kind
of list from whole sequences of labels, one document at a time: nothing is summed up in a mean, a count or a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.payoffs import Floats, Payoffs

REACH = 6.0


@dataclass
class Review:
    """A small review; after as many studies as there are numbers in `outcomes` nothing more can be learned."""

    p: Sequence[float]
    knowledge: Knowledge
    payoffs: Payoffs
    cost: float
    share: float = 1.0
    full_cost: float = 0.0
    waiting: int = 0
    factors: Sequence[float] = (1.0,)
    weights: Sequence[float] = (1.0,)
    outcomes: tuple[int, ...] = (61, 61, 161)
    """How many values the first, second, … study may have."""
    known: dict[object, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = self.knowledge
        sd = np.sqrt(1 / parts.precision + 1 / parts.study)
        middle = float(parts.weight @ parts.mean)
        unit = 3 * float((parts.study**-0.5).min())
        ends = np.arcsinh(
            np.array([(parts.mean - REACH * sd).min() - middle, (parts.mean + REACH * sd).max() - middle])
            / unit
        )
        self.beliefs, self.utility, self.likely = [], [], []
        for k in range(len(self.outcomes) + 1):
            shape = self.outcomes[:k]
            values, widths = [], np.ones(1)
            for place, count in enumerate(shape):
                u = np.linspace(*ends, count).reshape([count if at == place else 1 for at in range(k)])
                values.append(middle + unit * np.sinh(u))
                widths = np.cosh(u)
            logs, beliefs = [], []
            for weight, mean, precision, study in zip(
                parts.weight, parts.mean, parts.precision, parts.study, strict=True
            ):
                log = np.full(shape, np.log(weight))
                for y in values:
                    variance = 1 / precision + 1 / study
                    log = log - 0.5 * ((y - mean) ** 2 / variance + np.log(variance))
                    mean = (precision * mean + study * y) / (precision + study)
                    precision += study
                logs.append(log)
                beliefs.append(np.broadcast_to(ndtr(mean * np.sqrt(precision)), shape))
            of_part = np.exp(np.array(logs) - np.max(logs, axis=0))
            self.beliefs.append((of_part * beliefs).sum(0) / of_part.sum(0))
            self.utility.append(self.payoffs.utility(self.beliefs[-1]))
            if k:
                # Of the last outcome, given those before.
                density = np.exp(np.max(logs, axis=0) - np.max(logs)) * of_part.sum(0) * widths
                with np.errstate(invalid="ignore"):
                    self.likely.append(np.nan_to_num(density / density.sum(-1, keepdims=True)))

    def chance(self, depth: int, included: tuple[int, ...]) -> float:
        """Of the next document, by Bayes' rule over the kinds of lists and every label so far."""
        given, both = 0.0, 0.0
        for factor, weight in zip(self.factors, self.weights, strict=True):
            chances = [factor * p / (1 - p + factor * p) for p in self.p[: depth + 1]]
            for at in range(depth):
                weight *= chances[at] if at in included else 1 - chances[at]
            given += weight
            both += weight * chances[depth]
        return both / given

    def studied(self, studies: int, after: Floats) -> Floats:
        """Expectation over the outcome of one more study."""
        key = ("studied", studies, id(after))
        if studies + 1 < len(self.outcomes):
            return np.asarray((self.likely[studies] * after).sum(-1))
        if key not in self.known:
            self.known[key] = np.asarray((self.likely[studies] * after).sum(-1))
        return self.known[key]

    def read_in_full(self, studies: int, with_data: Floats, without: Floats) -> Floats:
        """What one report leads to."""
        return self.share * self.studied(studies, with_data) + (1 - self.share) * without - self.full_cost

    def acting(self, studies: int, waiting: int) -> Floats:
        """Worth of screening no more: waiting reports may still be read."""
        utility = self.utility[studies]
        if studies == len(self.outcomes) or not waiting:
            return utility
        key = ("acting", studies, waiting)
        if key not in self.known:
            without = self.acting(studies, waiting - 1)
            read = self.read_in_full(studies, self.acting(studies + 1, waiting - 1), without)
            self.known[key] = np.maximum(utility, read)
        return self.known[key]

    def going_on(self, depth: int, included: tuple[int, ...], studies: int, waiting: int) -> Floats:
        """Worth of reading the next document."""
        found = (*included, depth)
        missed = self.value(depth + 1, included, studies, waiting)
        after = self.value(depth + 1, found, studies + 1, waiting)
        then = self.read_in_full(studies, after, self.value(depth + 1, found, studies, waiting))
        chance = self.chance(depth, included)
        return chance * then + (1 - chance) * missed - self.cost

    def value(self, depth: int, included: tuple[int, ...], studies: int, waiting: int) -> Floats:
        """Value of the best plan: reports that wait are read once screening stops, as far as they pay, others at once."""
        if studies == len(self.outcomes):
            return self.utility[studies]
        if len(self.factors) == 1:
            included = ()  # says nothing
        key = (depth, included, studies, waiting)
        if key in self.known:
            return self.known[key]
        best = self.acting(studies, waiting)
        if depth < len(self.p):
            best = np.maximum(best, self.going_on(depth, included, studies, waiting))
        self.known[key] = best
        return best

    def gains(self) -> list[float]:
        """What going on gains at each depth over stopping, while nothing was found."""
        stop = float(self.acting(0, self.waiting))
        return [float(self.going_on(depth, (), 0, self.waiting)) - stop for depth in range(len(self.p))]


@dataclass
class ByScore(Review):
    """As `Review`, for a reader who reads the whole list as long as nothing is found, and then goes on by the paper's score."""

    def value(self, depth: int, included: tuple[int, ...], studies: int, waiting: int) -> Floats:
        """Value of what this reader does."""
        if len(self.factors) == 1:
            included = ()  # says nothing
        if depth == len(self.p):
            return self.acting(studies, waiting)
        key = (depth, included, studies, waiting)
        if key not in self.known:
            evpi = self.payoffs.evpi(self.beliefs[studies])
            score = self.chance(depth, included) * (self.share * evpi - self.full_cost)
            goes_on = (score > self.cost) | (studies == 0 and not included)
            ahead = self.going_on(depth, included, studies, waiting)
            self.known[key] = np.where(goes_on, ahead, self.acting(studies, waiting))
        return self.known[key]
