"""Interface of a path, that is of what policies, pages and experiments can ask about a ranking in any scenario."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.belief.mixture import Remaining
from tarstop_core.value.payoffs import TOLERANCE, Depths, Flags, Floats, Payoffs

ALL_BUT_SURE = 0.99
"""Chance of a further find from which the reader is told when it will come, not where a rule stops without it."""
PLANS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
"""Documents ahead that a limited look-ahead considers."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Documents drawn at random, for an audit of recall."""

    drawn: Flags  # Flags of the drawn documents, shape (N,)
    unsure: Flags  # Flags of the documents, drawn or not, that were read and have no verdict yet, shape (N,)


class Path(Protocol):
    """All that a policy sees of a ranking."""

    labels: Flags  # Documents known to be relevant, shape (N,); in a session unread ones are False
    p: Floats  # Calibrated chance of each document, shape (N,)
    payoffs: Payoffs

    @property
    def draws(self) -> Draws | None:
        """Which documents are drawn at random; None if there are no draws, or they are not known."""

    def unread(self, depth: int) -> Remaining:
        """Number of relevant documents below a depth, given the labels above it."""

    @property
    def hit(self) -> int | None:
        """Depth of the document that settled the question; None if none did."""

    def __len__(self) -> int: ...

    def chooses_plus(self, depth: int) -> bool:
        """Whether belief selects a⁺ on stopping at this depth."""

    def score(self, K: int = 1) -> Floats:
        """The paper's score, the mean of the next K ρ times EVPI(b_d), shape (N,)."""

    def value_rate(self, horizon: int | None = None) -> Floats:
        """Value per document of the next documents under the best plan within the horizon, shape (N,).

        `horizon` is the number of documents ahead that plans may read; None allows all (optimal stopping).
        """

    def value_rate_at(self, depths: Depths) -> Floats:
        """:meth:`value_rate` without a horizon at some depths below N, shape of `depths`."""
        return np.asarray(self.value_rate()[depths])

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        """First depth from `start` on at which no plan within the horizon gains, before a hit.

        Parameters
        ----------
        costs : array_like, shape (C,)
            Costs of a document, in the payoffs' unit.
        horizon : int or None
            Number of documents ahead that plans may read; None allows all.
        start : int
            Depth to begin at.

        Returns
        -------
        ndarray of int, shape (C,)
            A depth for each cost.
        """

    def closed_depths(self, costs: ArrayLike, start: int = 0) -> Depths:
        """First depth from `start` on, before a hit, at which no plan that decides again after every document gains; (C,)."""

    def closed_value_rate(self) -> Floats | None:
        """Value per document that :meth:`closed_depths` compares with the cost, shape (N,); None if it compares utilities."""

    @property
    def b(self) -> Floats:
        """Belief after d documents, before a hit, shape (N + 1,)."""

    @property
    def rho(self) -> Floats:
        """ρ_{d+1}, the chance that the next document is a hit or brings data, shape (N,)."""

    @property
    def evpi(self) -> Floats:
        """EVPI(b_d), in the payoffs' unit, shape (N + 1,)."""


@dataclass(frozen=True, eq=False)
class ListPath(Path, ABC):
    """A path with what advice, pages and experiments ask beyond what policies see.

    A new kind of evidence is a frozen dataclass derived from this one; no code tests which class a path has.
    """

    in_steps: ClassVar[bool] = False
    """Whether the belief does not change between two finds, so that it is drawn in steps."""
    slow_with_new_payoffs: ClassVar[bool] = False
    """Whether new payoffs need a search through all plans at every depth."""
    kept_by_payoffs: ClassVar[tuple[str, ...]] = ()
    """Cached attributes that do not depend on payoffs and are always needed; :meth:`with_payoffs` keeps them."""
    kept_if_computed: ClassVar[tuple[str, ...]] = ()
    """Cached attributes that do not depend on payoffs either, but are kept only if they were computed."""

    @property
    def draws(self) -> Draws | None:
        return None

    def unread(self, depth: int) -> Remaining:
        """Number of relevant documents below a depth, from their chances alone."""
        return Remaining(np.ones(1), np.full(1, np.inf), self.p[depth:].sum(keepdims=True), len(self) - depth)

    @property
    @abstractmethod
    def chances(self) -> Floats:
        """Chance of each document to change the belief, by a first hit or by data, shape (N,)."""

    @abstractmethod
    def belief_at(self, depth: int) -> float:
        """Belief on stopping at this depth."""

    def next_find(self, depth: int, stop: int) -> tuple[int, int] | None:
        """Return how far away the next find is, if finds add up and one almost surely comes before a rule stops.

        Parameters
        ----------
        depth, stop : int
            Documents read, and the depth at which the rule stops if nothing turns up.

        Returns
        -------
        (int, int) or None
            Numbers of documents within which a find is more likely than not, and almost sure.
        """
        if not self.in_steps:
            return None
        by_then = 1 - np.cumprod(1 - self.chances[depth:stop])
        if not len(by_then) or by_then[-1] < ALL_BUT_SURE:
            return None
        likely, sure = (int(np.argmax(by_then >= chance)) + 1 for chance in (0.5, ALL_BUT_SURE))
        return likely, sure

    def settled(self, depth: int) -> bool:
        """Whether a hit has decided the question by this depth."""
        return False

    def plus_open(self, depth: int) -> bool:
        """Whether a⁺ may be taken on stopping at this depth, whatever the belief."""
        return True

    @abstractmethod
    def finds_until(self, depth: int) -> int:
        """Count the finds among the first `depth` documents that change the belief: hits, or studies with data."""

    @abstractmethod
    def without_later_finds(self, depth: int) -> Self:
        """Return the path as a reader at this depth sees it: with no find after it."""

    @abstractmethod
    def action_at(self, depth: int, acts_on_belief: bool = True) -> int:
        """Number of the option taken on stopping at this depth, by a rule that acts on the belief or by one that does not.

        :data:`~tarstop_core.value.payoffs.PLUS`, :data:`~tarstop_core.value.payoffs.MINUS` or a number above them.
        """

    @abstractmethod
    def options_of_oracle(self, option: Depths, omega: bool) -> Depths:
        """Return, in place of options that were taken, the right ones under this truth; a⁺ only where it is open."""

    @abstractmethod
    def evsi(self) -> Floats:
        """Exact value of one more document and then acting, in the payoffs' unit, shape (N,)."""

    @abstractmethod
    def pays(self, depth: int, cost: float) -> bool:
        """Whether some plan, however long, gains from this depth on, before a hit."""

    @abstractmethod
    def rates_from(self, depth: int) -> tuple[Depths, Floats]:
        """Lengths of plans from this depth on, and the value of each per document; not for the end of the list."""

    @abstractmethod
    def expected_utility(
        self, depth: Depths, costs: Floats, start: int, *, acts_on_belief: bool, looks_every: int | None
    ) -> Floats:
        """Expected net utility of reading from `start` to each depth and deciding there.

        Parameters
        ----------
        depth : ndarray of int, shape (C,)
            Depth at which reading ends unless enough is found earlier.
        costs : ndarray, shape (C,)
            Cost of a document for each depth, in the payoffs' unit.
        start : int
            Documents read already.
        acts_on_belief : bool
            Whether the decision follows the belief, or what was seen (:meth:`action_at`).
        looks_every : int or None
            Number of documents after which the reader checks whether enough was found; None reads to the depth anyway.

        Returns
        -------
        ndarray, shape (C,)
            In the payoffs' unit, screening cost subtracted.
        """

    @abstractmethod
    def closed_gain(self, costs: Floats, start: int) -> Floats:
        """Gain over stopping at `start` of the best plan that decides again after every document, shape (C,)."""

    def gain_by_score(self, depths: Depths, costs: Floats, start: int) -> Floats:
        """Gain over stopping of reading until the next find, at most to each depth, and then as the paper's score says.

        Parameters
        ----------
        depths : ndarray of int, shape (C,)
            Depths at which reading ends if nothing is found.
        costs : ndarray, shape (C,)
            Costs of a document for each depth, in the payoffs' unit.
        start : int
            Documents read already.

        Returns
        -------
        ndarray, shape (C,)
            In the payoffs' unit; NaN where :meth:`expected_utility` says it, as where one document decides.
        """
        return np.full(len(depths), np.nan)

    # --- reports that wait to be read in full

    @property
    def full_cost(self) -> float:
        """Cost of reading a report in full, in the payoffs' unit; 0 if documents are read once."""
        return 0.0

    @property
    def reports_waiting(self) -> float:
        """Number of reports that wait to be read in full."""
        return 0.0

    def cost_of_next(self, depth: int, cost: float) -> float:
        """Cost of the next document, including the expected cost of its report."""
        return cost

    def best_reports(self, waiting: int) -> tuple[int, float]:
        """Return how many waiting reports are worth reading in full, and what that gains beyond its cost."""
        return 0, 0.0

    def without_waiting(self) -> Self:
        """Return the path without waiting reports."""
        return self

    def worth(self, horizon: int | None = None) -> Floats:
        """:meth:`value_rate` by its earlier name, for rules in people's own files."""
        return self.value_rate(horizon)

    # --- the same list under other assumptions

    def with_labels(self, labels: Flags) -> Self:
        """Return the path with other labels and the same hit."""
        other: Self = replace(cast(Any, self), labels=labels)
        return other

    def with_payoffs(self, payoffs: Payoffs) -> Self:
        """Return the path with other payoffs; what does not depend on them is not computed again."""
        return self._with_new(payoffs=payoffs)

    def with_reports_times(self, factor: float) -> Self:
        """Return the path with the cost of reading a report in full multiplied."""
        return self

    def _with_new(self, **stakes: Any) -> Self:
        """Return the path with other payoffs or costs, and the cached attributes that do not depend on them."""
        for name in self.kept_by_payoffs:
            getattr(self, name)
        other: Self = replace(cast(Any, self), **stakes)
        kept = (*self.kept_by_payoffs, *self.kept_if_computed)
        vars(other).update((name, vars(self)[name]) for name in kept if name in vars(self))
        return other


def first_not_worth(scores: Floats, costs: ArrayLike, start: int = 0) -> Depths:
    """First index from `start` on at which a score no longer exceeds the cost.

    Parameters
    ----------
    scores : ndarray, shape (N,)
        Value of reading on at each depth.
    costs : array_like, shape (C,)
        Costs of a document, in the unit of the scores.
    start : int
        Index to begin at.

    Returns
    -------
    ndarray of int, shape (C,)
        Index for each cost; N if all scores exceed it.

    Notes
    -----
    The running minimum only falls, so one pass serves all costs.
    """
    falling = np.minimum.accumulate(scores[start:])
    threshold = np.atleast_1d(np.asarray(costs, dtype=float)) / (1 - TOLERANCE)
    return start + np.searchsorted(-falling, -threshold, side="left")


def until_hit(depths: Depths, path: Path, start: int) -> Depths:
    """Move stops up to the decisive hit of a path, after which nothing can be gained.

    Parameters
    ----------
    depths : ndarray of int, shape (C,)
        Where the rule stops without a hit.
    path : Path
        The path that may have a hit.
    start : int
        Documents read so far.

    Returns
    -------
    ndarray of int, shape (C,)
        Depths no later than the hit, or `start` if the hit came before it.
    """
    return depths if path.hit is None else np.minimum(depths, max(path.hit, start))


def limited_plans(horizon: int) -> tuple[int, ...]:
    """Lengths of the plans that a look-ahead of at most `horizon` documents considers."""
    return (*(m for m in PLANS if m < horizon), horizon)


def dense_plans(documents: int) -> tuple[int, ...]:
    """Lengths of plans: every m up to 20, then in steps of 5 %, up to `documents`."""
    plans, m = [], 1
    while m < documents:
        plans.append(m)
        m = max(m + 1, int(m * 1.05))
    return (*plans, max(1, documents))
