"""Further rules of the field as plain loops, from their definitions.

Labels are sequences of 0 and 1 in ranking order; a permutation says in which order documents are drawn.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from scipy.stats import betabinom

from tests.reference.baselines import (
    TIE,
    Labels,
    geometric_knee_depth,
    growing_batches,
    hypergeometric_p,
)


def tar_knee_depth(labels: Labels, least: int) -> int:
    return geometric_knee_depth(labels, 6.0, 150, least, "knee")


def safe_depth(labels: Labels, share: float, n: int, initial: int) -> int:
    for d in range(n, len(labels) + 1):
        if d >= Fraction(str(share)) * len(labels) and d >= 2 * initial and not any(labels[d - n : d]):
            return d
    return len(labels)


def anytime_depth(labels: Labels, tau: float, confidence: float, every: int) -> int:
    N = len(labels)
    for k, n in enumerate([*range(every, N, every), N], start=1):
        if hypergeometric_p(labels, n, tau) < (1 - confidence) * (1 - 1e-9) / (k * (k + 1)):
            return n
    return N


def beta_binomial_depth(labels: Labels, tau: float, confidence: float, every: int) -> int:
    N = len(labels)
    for n in range(every, N, every):
        found = sum(labels[:n])
        may_be_left = math.floor(Fraction(found) / Fraction(str(tau)) - found)
        if found and betabinom.cdf(may_be_left, N - n, 1 + found, 1 + n - found) >= confidence - 1e-9:
            return n
    return N


def baseline_rate_depth(labels: Labels, permutation: Sequence[int], tau: float, size: int) -> int:
    N, sample = len(labels), set(permutation[:size])
    k = sum(labels[document] for document in sample)
    for depth in range(N + 1):
        found = k + sum(labels[at] for at in range(depth) if at not in sample)
        if k and found >= tau * N * k / len(sample) - 1e-9:
            return depth
    return N


def autostop_depth(labels: Labels, numbers: Sequence[float], tau: float, condition: str) -> int:
    """Documents above the first that is not drawn."""
    read = autostop_read(labels, numbers, tau, condition)
    return next((at for at in range(len(labels)) if at not in read), len(labels))


def autostop_read(labels: Labels, numbers: Sequence[float], tau: float, condition: str) -> set[int]:
    """Places of the documents that are drawn: each once its chance passes its random number."""
    N = len(labels)
    weights = [math.log((N + 1) / rank) for rank in range(1, N + 1)]
    draws, size, read = 0, 1, set[int]()
    while len(read) < N:
        draws += size
        size += math.ceil(size / 10)
        chance = [1 - (1 - weight / sum(weights)) ** draws for weight in weights]
        read = {at for at in range(N) if numbers[at] < chance[at]}
        hits = [at for at in read if labels[at]]
        estimate = sum(1 / chance[at] for at in hits)
        if condition == "strict":
            estimate += math.sqrt(sum((1 - chance[at]) / chance[at] ** 2 for at in hits))
        if hits and len(hits) >= tau * estimate - 1e-9:
            break
    return read


def scal_depth(labels: Labels, permutation: Sequence[int], tau: float, bound: int) -> int:
    begin, estimates = 0, list[float]()
    ends = growing_batches(len(labels))
    for end in ends:
        labelled = [document for document in permutation if begin <= document < end][:bound]
        estimates.append(sum(labels[at] for at in labelled) * (end - begin) / len(labelled))
        begin = end
    if not sum(estimates):
        return 0
    for stretch, end in enumerate(ends, start=1):
        if sum(estimates[:stretch]) >= tau * 1.05 * sum(estimates) - TIE - 1e-9:
            return end
    return len(labels)
