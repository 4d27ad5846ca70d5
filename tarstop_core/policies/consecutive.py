"""Rules of thumb that count relevant and irrelevant documents: in a row, in a batch, or in all."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.policies.base import AtAnyCost, Depths, Flags, Parameter, first_check
from tarstop_core.policies.budget import share_of
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Consecutive(AtAnyCost):
    """Stop after n documents in a row that are not relevant, the first n of the list included."""

    n: int = 50

    name = "consecutive"
    title = "Consecutive irrelevant"
    rule = "Stop after a number of irrelevant documents in a row."
    formula = r"n \text{ in a row with } y = 0"
    source = "common practice in reviews (among others ASReview's suggestion)"
    place, colour, marker = 160, "#7A5195", "star"
    parameters = (Parameter("n", "irrelevant documents in a row", 1, 1_000_000, (20, 50, 100, 200, 500)),)

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        return first_check(np.arange(N + 1), irrelevant_in_a_row(path.labels) >= self.n, N, start)


def irrelevant_in_a_row(labels: Flags) -> Depths:
    """Documents since the last relevant one, or since the beginning, after 0 … N documents; shape (N + 1,)."""
    ranks, depths = np.flatnonzero(labels) + 1, np.arange(len(labels) + 1)
    return np.asarray(depths - np.append(0, ranks)[np.searchsorted(ranks, depths, side="right")])


@dataclass(frozen=True)
class LowPrecision(AtAnyCost):
    """Stop after `batches` batches in a row in which at most a share of the documents is relevant."""

    share: float = 0.025
    size: int = 200
    batches: int = 1

    name = "low-precision"
    title = "Low precision"
    rule = "Stop when whole batches contain hardly any relevant documents."
    formula = r"\frac{\text{relevant in the batch}}{\text{size}} \le \text{share}"
    source = "common practice in legal review (5 of 200), as in tarexp"
    place, colour, marker = 170, "#8C8C00", "pentagon"
    parameters = (
        Parameter("share", "share of a batch that may be relevant", 0.0, 1.0, (0.025, 0.05), "float"),
        Parameter("size", "documents in a batch", 1, 100_000, (20, 50, 100, 200)),
        Parameter("batches", "batches in a row", 1, 1_000, (1, 3)),
    )

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        edges = np.append(np.arange(0, N, self.size), N)
        poor = np.diff(gain(path.labels)[edges]) <= self.share * np.diff(edges) + 1e-9
        rich = np.where(poor, -1, np.arange(len(poor)))
        in_a_row = np.arange(len(poor)) - np.maximum.accumulate(rich)
        return first_check(edges[1:], in_a_row >= self.batches, N, start)


@dataclass(frozen=True)
class Rule2399(AtAnyCost):
    """Stop at the first n ≥ 1.2·C(n) + 2399."""

    name = "rule-2399"
    title = "2399 rule"
    rule = "Read 2,399 documents, and 1.2 more for every relevant one."
    formula = r"n \ge 1.2\thinspace C(n) + 2399"
    source = "Cormack & Grossman 2015 (2399 rule), as in tarexp"
    place, colour, marker = 180, "#777777", "circle"

    def depth(self, path: Path, start: int) -> int:
        N, C = len(path), gain(path.labels)
        depths = np.arange(N + 1)
        return first_check(depths, depths >= 1.2 * C + 2399 - 1e-9, N, start)


@dataclass(frozen=True)
class Safe(AtAnyCost):
    """Stop after several irrelevant documents in a row, once a minimum share of the list is read.

    The second phase of the procedure; the third, another model on the rest, is another session. That every key paper
    was found is left to the reader: a list does not say which papers are key.
    """

    share: float = 0.1
    n: int = 50
    initial: int = 0

    name = "safe"
    title = "SAFE"
    rule = "Stop after several irrelevant documents in a row, once a minimum share of the list is read."
    formula = (
        r"d\ge\max(\lceil\text{share}\cdot N\rceil, 2\cdot\text{initial}), \quad n\text{ in a row with }y=0"
    )
    source = "Boetje & van de Schoot 2024 (SAFE procedure)"
    place, colour, marker = 165, "#009E73", "square"
    parameters = (
        Parameter("share", "minimum share of the list to read", 0.0, 1.0, (0.1, 0.2), "float"),
        Parameter("n", "irrelevant documents in a row", 1, 1_000_000, (50, 100)),
        Parameter("initial", "relevant documents of a random start", 0, 1_000_000, (0,)),
    )

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        depths = np.arange(N + 1)
        stops = irrelevant_in_a_row(path.labels) >= self.n
        return first_check(
            depths, stops & (depths >= max(share_of(self.share, N), 2 * self.initial)), N, start
        )
