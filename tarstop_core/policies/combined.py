"""Rules that combine others: stop when one of them says so, or only when all do."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.errors import InputProblem
from tarstop_core.policies.base import Depths, Policy, Randomised
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Combined(Policy):
    """Two or more rules that advise as one.

    It acts on belief, needs labels, or knows the truth if one of its rules does (assumption), and ignores costs
    and payoffs if all of them do. A rule that draws a random sample has no depth to compare and is refused.
    """

    rules: tuple[Policy, ...]

    source = "combination of other rules"

    def __post_init__(self) -> None:
        if len(self.rules) < 2:
            raise InputProblem(f"{self.title} combines at least two rules; separate them by a semicolon.")
        for rule in self.rules:
            if isinstance(rule, Randomised):
                raise InputProblem(
                    f"{self.title} cannot combine {rule}, which draws a random sample; leave it out."
                )
        for flag in ("acts_on_belief", "needs_labels", "is_oracle"):
            object.__setattr__(self, flag, any(getattr(rule, flag) for rule in self.rules))

    @property
    def batch_size(self) -> int:
        return max(rule.batch_size for rule in self.rules)

    @property
    def cost_invariant(self) -> bool:
        return all(rule.cost_invariant for rule in self.rules)

    @property
    def settings(self) -> dict[str, Any]:
        return {}  # The rules hold them

    @property
    def spec(self) -> str:
        return f"{self.name}({';'.join(rule.spec for rule in self.rules)})"

    @property
    def brief(self) -> str:
        return f"{self.title} ({'; '.join(rule.brief for rule in self.rules)})"

    @property
    def in_words(self) -> str:
        return f"{self.title} ({'; '.join(rule.in_words for rule in self.rules)})"

    def __str__(self) -> str:
        return f"{self.title}({'; '.join(map(str, self.rules))})"


@dataclass(frozen=True)
class Either(Combined):
    """Stop where the first of the rules stops."""

    name = "either"
    title = "Either"
    rule = "Stop as soon as one of the rules says stop."

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return np.asarray(np.min([rule.depths(path, costs, start) for rule in self.rules], axis=0))


@dataclass(frozen=True)
class Both(Combined):
    """Stop at the first depth where all of the rules say stop."""

    name = "both"
    title = "Both"
    rule = "Go on until all of the rules say stop."

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return np.array([self._depth(path, cost, start) for cost in np.atleast_1d(costs)], dtype=np.intp)

    def _depth(self, path: Path, cost: float, depth: int) -> int:
        """First depth from here on at which every rule stops, at one cost."""
        while True:
            later = max(int(rule.depths(path, [cost], depth)[0]) for rule in self.rules)
            if later == depth:
                return depth
            depth = later
