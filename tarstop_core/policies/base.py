"""Base classes of stopping rules, with what several rules need to find their depths."""

from __future__ import annotations

import dataclasses
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Re-exported: a rule in a person's own file may import these from here.
from tarstop_core.errors import InputProblem as InputProblem
from tarstop_core.policies.description import Criterion as Criterion
from tarstop_core.policies.description import Family as Family
from tarstop_core.policies.description import Need as Need
from tarstop_core.policies.description import Parameter as Parameter
from tarstop_core.policies.description import Promise as Promise
from tarstop_core.policies.description import Value as Value
from tarstop_core.presentation.numbers import percent
from tarstop_core.value.path import ListPath
from tarstop_core.value.path import Path as Path
from tarstop_core.value.path import first_not_worth as first_not_worth
from tarstop_core.value.path import until_hit as until_hit
from tarstop_core.value.payoffs import TOLERANCE as TOLERANCE
from tarstop_core.value.payoffs import Depths as Depths
from tarstop_core.value.payoffs import Flags as Flags
from tarstop_core.value.payoffs import Floats as Floats
from tarstop_core.value.payoffs import Payoffs as Payoffs

T = TypeVar("T", float, Floats)


@dataclass(frozen=True)
class Policy(ABC):
    """A stopping rule; each is a frozen dataclass derived from this class, whose fields are its parameters."""

    name: ClassVar[str]  # On the command line and in files, such as "few-left"
    title: ClassVar[str]  # On pages, such as "Few left"
    rule: ClassVar[str]  # What it does, in a sentence
    source: ClassVar[str]  # Publication or project that it comes from
    family: ClassVar[Family] = "beyond the paper"
    parameters: ClassVar[tuple[Parameter, ...]] = ()  # One for each field, in their order
    criterion: ClassVar[Criterion | None] = None
    """Which score it compares with the cost of a document; None for the value of the next documents, per document."""
    weighs_plans: ClassVar[bool] = False
    """Whether it weighs whole plans, so that a single document may have no value of its own."""
    acts_on_belief: ClassVar[bool] = True
    """Whether it ends with a⁺ iff b > q*; a baseline ends with a⁺ iff it has seen a relevant document."""
    needs_labels: ClassVar[bool] = False
    """Whether it needs labels that nobody has while screening, so that it can be measured but not followed."""
    needs_draws: ClassVar[bool] = False
    """Whether it can be followed nevertheless if the path says which documents were drawn at random."""
    needs: ClassVar[tuple[Need, ...]] = (Need.CHANCES, Need.STAKES)
    promise: ClassVar[Promise] = Promise.HEURISTIC
    is_oracle: ClassVar[bool] = False
    """Whether it takes the right action whenever that is open: a bound for rules, not a rule."""
    origin: ClassVar[str] = ""  # File and class of a person's own rule, as ``path/to/file.py:Name``
    formula: ClassVar[str] = ""  # Its condition in LaTeX; :attr:`rule` puts it in words
    place: ClassVar[int] = 0
    """Position in lists of rules; 0 for a rule that is in none, such as a person's own."""
    colour: ClassVar[str] = ""
    """Colour of its lines and points in figures; a rule in no list gets colour and marker from its name."""
    marker: ClassVar[str] = ""  # Plotly's name for the symbol of its points

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            value = parameter.checked(getattr(self, parameter.name), self.title)
            object.__setattr__(self, parameter.name, value)

    @property
    def batch_size(self) -> int:
        """Documents that the rule reads before it decides again."""
        return 1

    @property
    def looks_every(self) -> int | None:
        """Documents after which the rule looks at its finds; None if it reads to its depth whatever it finds."""
        return self.batch_size

    def expected_utility(self, path: ListPath, depth: Depths, costs: Floats, start: int) -> Floats:
        """Expected net utility of following the rule from `start` on.

        Parameters
        ----------
        path : ListPath
            Belief and chances along a list of N documents.
        depth : ndarray of int, shape (C,)
            Depth at which the rule stops if nothing more turns up, for each cost.
        costs : ndarray, shape (C,)
            Costs of a document, in the payoffs' unit.
        start : int
            Documents read so far.

        Returns
        -------
        ndarray, shape (C,)
            In the payoffs' unit, screening cost subtracted.
        """
        return path.expected_utility(
            depth, costs, start, acts_on_belief=self.acts_on_belief, looks_every=self.looks_every
        )

    @property
    def cost_invariant(self) -> bool:
        """Whether costs and payoffs do not change its depth, so that one call serves all of them.

        True of the program's own baselines, which look only at labels and chances; unknown for a person's own rule.
        """
        own = type(self).__module__.startswith("tarstop_core.")
        return own and not self.acts_on_belief and not self.is_oracle

    @property
    def settings(self) -> dict[str, Any]:
        """Parameter values by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def spec(self) -> str:
        """Name of the rule on the command line and in saved sessions: ``smooth:K=5``."""
        values = ",".join(f"{name}={value}" for name, value in self.settings.items())
        name = self.origin or self.name
        return f"{name}:{values}" if values else name

    @property
    def brief(self) -> str:
        """Title with the recall to reach or the only setting, for a table: ``Few left, 95 % recall``, ``Smooth(5)``."""
        recall = self.settings.get("tau", self.settings.get("target"))
        if isinstance(recall, float):
            return f"{self.title}, {percent(recall)} recall"
        return self.title if len(self.settings) > 1 else str(self)

    @property
    def in_words(self) -> str:
        """Title with every setting as a person reads it: ``Share (share of the list to read: 50 %)``."""
        words = [each.in_words(getattr(self, each.name)) for each in self.parameters]
        return f"{self.title} ({'; '.join(words)})" if words else self.title

    def __str__(self) -> str:
        values = [f"{name}={value}" for name, value in self.settings.items()]
        if len(values) == 1:
            values = [str(value) for value in self.settings.values()]
        return f"{self.title}({', '.join(values)})" if values else self.title

    @abstractmethod
    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        """First depth from `start` to N at which the policy stops, for each cost.

        Experiments call it with start = 0 and all labels. The live page calls it with start = documents read so far and no
        later label, which asks where the rule stops if nothing turns up.

        Parameters
        ----------
        path : Path
            Belief, chances and labels along a list of N documents.
        costs : array_like, shape (C,)
            Costs of a document, in the payoffs' unit.
        start : int
            Documents read so far.

        Returns
        -------
        ndarray of int, shape (C,)
            Depths from `start` to N.
        """

    def value_rate(self, path: Path) -> Floats | None:
        """Value per document that the policy compares with the cost at each depth, shape (N,); None if it compares none."""
        return None

    def least_rate(self, path: Path, depths: Depths) -> Floats | None:
        """Lower bound on the value per document of the next documents at these depths, where :meth:`value_rate` is None."""
        return None

    def worth(self, path: Path) -> Floats | None:
        """:meth:`value_rate` by its earlier name, for rules in people's own files."""
        return self.value_rate(path)


@dataclass(frozen=True)
class AtAnyCost(Policy):
    """A rule that looks only at labels and chances, so that its depth is the same at any cost."""

    acts_on_belief: ClassVar[bool] = False
    needs: ClassVar[tuple[Need, ...]] = (Need.LABELS,)

    @abstractmethod
    def depth(self, path: Path, start: int) -> int:
        """First depth from `start` to N at which the rule stops."""

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return at_any_cost(self.depth(path, start), costs)


@dataclass(frozen=True)
class Expected(Generic[T]):
    """Averages over the samples of a rule that draws a random sample.

    Each field is a float for one rule, or an array of shape (cells,) for a grid of rules.
    """

    depth: T  # Rank down to which it reads the list
    read: T  # Documents read: the ranks down to the depth and the sample beyond, each counted once
    recall: T  # Share of the relevant documents within the depth; 0 if there are none
    recall_read: T  # Share of the relevant documents that are read, including the sample
    found: T  # Chance that at least one relevant document is read


@dataclass(frozen=True)
class Replicates:
    """Single runs of a rule that draws a random sample."""

    depth: Depths  # Rank down to which each run reads; shape (n,)
    seen: Flags  # Documents each run reads, in the ranking's order; shape (n, N)


@dataclass(frozen=True)
class Randomised(Policy):
    """A rule that first draws a random sample from the whole list.

    It reads more documents than its depth says: :meth:`expected` gives the averages of both, :meth:`replicates` single runs.
    """

    needs_labels: ClassVar[bool] = True
    needs: ClassVar[tuple[Need, ...]] = (Need.LABELS, Need.SAMPLE)
    promise: ClassVar[Promise] = Promise.CERTIFICATE

    @abstractmethod
    def expected(self, labels: Flags) -> Expected[float]:
        """Averages over random samples of one topic, from its labels in ranking order, shape (N,)."""

    @abstractmethod
    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        """One run for each row of random numbers in (0, 1), shape (n, N): documents are drawn in the order of their numbers."""

    def replicates(self, labels: Flags, n: int, rng: np.random.Generator) -> Replicates:
        """Single runs on one topic.

        Parameters
        ----------
        labels : ndarray of bool, shape (N,)
            Which documents are relevant, in ranking order.
        n : int
            How many runs.
        rng : numpy.random.Generator
            Draws the random orders.

        Returns
        -------
        Replicates
            One row a run.
        """
        return self.runs(labels, rng.random((n, len(labels))))

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        # A depth alone would hide the cost of the sample.
        raise InputProblem(
            f"{self.title} reads a random sample from the whole list, so it has no depth on one path; "
            "measure it with 'tarstop replay' or 'tarstop experiment'."
        )


def at_any_cost(depth: int, costs: ArrayLike) -> Depths:
    """Repeat one depth for every cost, shape (C,)."""
    return np.full(np.size(costs), depth, dtype=np.intp)


def first_check(checks: Depths, stops: Flags, N: int, start: int = 0) -> int:
    """First depth from `start` on at which a rule stops that decides only at certain depths.

    Parameters
    ----------
    checks : ndarray of int, shape (k,)
        Rising depths at which it decides.
    stops : ndarray of bool, shape (k,)
        Whether it decides to stop there.
    N : int
        Documents of the list.
    start : int
        Documents read so far. Between two checks the last decision holds: reading on past a stop does not undo it, but
        the next check may.

    Returns
    -------
    int
        A depth from `start` to N; N if it never stops.
    """
    last = max(0, int(np.searchsorted(checks, start, side="right")) - 1)
    later = np.flatnonzero(stops[last:])
    return min(N, max(start, int(checks[last + later[0]]))) if len(later) else N


def of_labels(function: Callable[..., Any]) -> Callable[..., Any]:
    """Cache a function of labels, shape (N,), and hashable arguments; grid searches call it again with the same ones."""

    @functools.lru_cache(maxsize=64)
    def of_bytes(raw: bytes, *further: Any) -> Any:
        return function(np.frombuffer(raw, dtype=bool), *further)

    @functools.wraps(function)
    def cached(labels: Flags, *further: Any) -> Any:
        return of_bytes(np.asarray(labels, dtype=bool).tobytes(), *further)

    return cached
