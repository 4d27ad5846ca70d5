"""What may be asked of a ranking, whichever scenario it belongs to: by a policy, and by pages and experiments."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.belief.mixture import Left
from tarstop_core.value.payoffs import TOLERANCE, Depths, Flags, Floats, Payoffs

ALL_BUT_SURE = 0.99
"""Chance of a further find from which a plan "if nothing turns up" is no plan: one reads until the find, and looks again."""
PLANS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
"""Documents ahead that a limited look-ahead considers."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Documents drawn at random, for an audit of recall."""

    drawn: Flags  # Which places of the list hold them, shape (N,)
    unsure: Flags  # Which documents, drawn or not, were read and wait for a verdict, shape (N,)


class Path(Protocol):
    """What a policy goes by. A policy sees nothing else, so it cannot look ahead."""

    labels: Flags  # Documents known to be relevant, shape (N,); in a session those not read yet are False
    p: Floats  # Calibrated chance of each document, shape (N,)
    payoffs: Payoffs  # What right and wrong decisions are worth

    @property
    def draws(self) -> Draws | None:
        """Which documents are drawn at random; None where none is, or nobody says."""

    def unread(self, depth: int) -> Left:
        """How many relevant documents there are below a depth, by the labels above it."""

    @property
    def hit(self) -> int | None:
        """Depth of the document that settled the question, if one did."""

    def __len__(self) -> int: ...

    def chooses_plus(self, depth: int) -> bool:
        """Whether belief selects a⁺ on stopping at this depth."""

    def score(self, K: int = 1) -> Floats:
        """The paper's score, shape (N,)."""

    def value_rate(self, horizon: int | None = None) -> Floats:
        """What the next documents are worth, each, by the best plan within the horizon, shape (N,).

        `horizon` is how many documents ahead are considered; None looks to the end (optimal stopping).
        """

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        """First depth ≥ start where no plan within the horizon gains, before a hit.

        Parameters
        ----------
        costs : array_like, shape (C,)
            Of a document, in the payoffs' unit.
        horizon : int or None
            How many documents ahead are considered; None looks to the end.
        start : int
            Where to begin.

        Returns
        -------
        ndarray of int, shape (C,)
            A depth for each cost.
        """

    def closed_depths(self, costs: ArrayLike, start: int = 0) -> Depths:
        """First depth ≥ start where acting is as good as any plan that looks again after every document, for each cost,
        before a hit, shape (C,).
        """

    def closed_value_rate(self) -> Floats | None:
        """What :meth:`closed_depths` compares with the cost at each depth, shape (N,); None if it compares values."""

    @property
    def b(self) -> Floats:
        """Belief after d documents, before a hit, shape (N + 1,)."""

    @property
    def rho(self) -> Floats:
        """ρ_{d+1}, the chance that the next document is what is hoped for, shape (N,)."""

    @property
    def evpi(self) -> Floats:
        """EVPI(b_d), in the payoffs' unit, shape (N + 1,)."""


@dataclass(frozen=True, eq=False)
class ListPath(Path, ABC):
    """The further questions that advice, pages and experiments ask of a path.

    A new kind of evidence is a frozen dataclass derived from this one; nobody asks which class it is.
    """

    in_steps: ClassVar[bool] = False
    """Whether the belief stays as it is between two finds: it is drawn as steps."""
    slow_to_restake: ClassVar[bool] = False
    """Whether other payoffs take a search through all plans at every depth."""
    free_of_payoffs: ClassVar[tuple[str, ...]] = ()
    """Attributes that no payoffs change and every depth needs."""
    free_if_computed: ClassVar[tuple[str, ...]] = ()
    """Attributes that no payoffs change and that some questions need."""

    @property
    def draws(self) -> Draws | None:
        return None

    def unread(self, depth: int) -> Left:
        """Expected number of relevant documents below a depth, from their chances unless more is known."""
        return Left(np.ones(1), np.full(1, np.inf), self.p[depth:].sum(keepdims=True), len(self) - depth)

    @property
    @abstractmethod
    def chances(self) -> Floats:
        """Chance of each document as the belief takes it: of a first hit, or of bringing data, shape (N,)."""

    @abstractmethod
    def belief_at(self, depth: int) -> float:
        """Belief on stopping at this depth."""

    def next_find(self, depth: int, stop: int) -> tuple[int, int] | None:
        """How far the next find is, where finds add up and one is all but sure to come before a rule stops.

        Parameters
        ----------
        depth, stop : int
            Documents read, and the depth at which the rule stops if nothing turns up.

        Returns
        -------
        (int, int) or None
            Documents within which it is more likely than not, and all but sure.
        """
        if not self.in_steps:
            return None
        found = 1 - np.cumprod(1 - self.chances[depth:stop])
        if not len(found) or found[-1] < ALL_BUT_SURE:
            return None
        likely, sure = (int(np.argmax(found >= chance)) + 1 for chance in (0.5, ALL_BUT_SURE))
        return likely, sure

    def settled(self, depth: int) -> bool:
        """Whether a hit has decided the question by this depth."""
        return False

    def plus_open(self, depth: int) -> bool:
        """Whether a⁺ may be taken on stopping at this depth, whatever is believed."""
        return True

    @abstractmethod
    def brought(self, depth: int) -> int:
        """Number of finds among the first `depth` that change the belief: hits, or studies with data."""

    @abstractmethod
    def ahead(self, depth: int) -> Self:
        """The path as somebody sees it who has read so far: nothing (more) turns up."""

    @abstractmethod
    def action_at(self, depth: int, acts_on_belief: bool = True) -> int:
        """The option taken on stopping at this depth, by a rule that acts on the belief or by one that does not.

        That is :data:`~tarstop_core.value.payoffs.PLUS`, :data:`~tarstop_core.value.payoffs.MINUS` or a number above them.
        """

    @abstractmethod
    def knowing(self, option: Depths, omega: bool) -> Depths:
        """The actions, by somebody who knows the truth: a⁺ only where it can be taken."""

    @abstractmethod
    def evsi(self) -> Floats:
        """Exact value of one more document and then acting, in the payoffs' unit, shape (N,)."""

    @abstractmethod
    def pays(self, depth: int, cost: float) -> bool:
        """Whether some plan, however long, gains from this depth on, before a hit."""

    @abstractmethod
    def rates_from(self, depth: int) -> tuple[Depths, Floats]:
        """Plans from this depth on (documents), and what each is worth a document; some documents are left."""

    @abstractmethod
    def expected_utility(
        self, depth: Depths, costs: Floats, start: int, *, acts_on_belief: bool, looks_every: int | None
    ) -> Floats:
        """Net utility expected of reading from `start` to each depth and deciding there.

        Parameters
        ----------
        depth : ndarray of int, shape (C,)
            Where reading ends unless enough is found before.
        costs : ndarray, shape (C,)
            Of a document, one beside each depth, in the payoffs' unit.
        start : int
            Documents read already.
        acts_on_belief : bool
            Whether the decision follows the belief, or what was seen (:meth:`action_at`).
        looks_every : int or None
            After this many documents somebody stops who has found enough; None reads to that depth anyway.

        Returns
        -------
        ndarray, shape (C,)
            In the payoffs' unit, screening cost subtracted.
        """

    @abstractmethod
    def closed_gain(self, costs: Floats, start: int) -> Floats:
        """What the best plan that looks again after every document gains over stopping at `start`, for each cost, shape (C,)."""

    # --- reports that wait to be read in full

    @property
    def full_cost(self) -> float:
        """Cost of reading a report in full, in the payoffs' unit; 0 where nothing is read twice."""
        return 0.0

    @property
    def reports_waiting(self) -> float:
        """Reports to be read in full that wait."""
        return 0.0

    def cost_of_next(self, depth: int, cost: float) -> float:
        """Cost of the next document, with what is expected to follow from it."""
        return cost

    def best_reports(self, waiting: int) -> tuple[int, float]:
        """How many of the waiting reports are worth reading in full, and what that gains beyond its cost."""
        return 0, 0.0

    def without_waiting(self) -> Self:
        """The path as it is with no reports waiting."""
        return self

    def worth(self, horizon: int | None = None) -> Floats:
        """:meth:`value_rate` by its earlier name, for rules in people's own files."""
        return self.value_rate(horizon)

    # --- the same list under other assumptions

    def with_labels(self, labels: Flags) -> Self:
        """A path on which these documents are known to be relevant; the hit stays as it is."""
        other: Self = replace(cast(Any, self), labels=labels)
        return other

    def with_payoffs(self, payoffs: Payoffs) -> Self:
        """A path with other payoffs; what does not depend on them is kept, not computed again."""
        return self._restaked(payoffs=payoffs)

    def with_reports_times(self, factor: float) -> Self:
        """A path on which reading a report in full costs a multiple of what it costs on this one."""
        return self

    def _restaked(self, **stakes: Any) -> Self:
        for name in self.free_of_payoffs:
            getattr(self, name)
        other: Self = replace(cast(Any, self), **stakes)
        kept = (*self.free_of_payoffs, *self.free_if_computed)
        vars(other).update((name, vars(self)[name]) for name in kept if name in vars(self))
        return other


def first_not_worth(scores: Floats, costs: ArrayLike, start: int = 0) -> Depths:
    """First index at which a score no longer exceeds the cost.

    Parameters
    ----------
    scores : ndarray, shape (N,)
        What reading on is worth at each depth.
    costs : array_like, shape (C,)
        Of a document, in the unit of the scores.
    start : int
        Where to begin.

    Returns
    -------
    ndarray of int, shape (C,)
        For each cost an index from `start` on, N where all scores exceed it.

    Notes
    -----
    The running minimum only falls, so one pass serves all costs.
    """
    falling = np.minimum.accumulate(scores[start:])
    threshold = np.atleast_1d(np.asarray(costs, dtype=float)) / (1 - TOLERANCE)
    return start + np.searchsorted(-falling, -threshold, side="left")


def limited_plans(horizon: int) -> tuple[int, ...]:
    """The plans of a look-ahead of at most `horizon` documents."""
    return (*(m for m in PLANS if m < horizon), horizon)


def dense_plans(documents: int) -> tuple[int, ...]:
    """Every m up to 20, then in steps of 5 % up to `documents`."""
    plans, m = [], 1
    while m < documents:
        plans.append(m)
        m = max(m + 1, int(m * 1.05))
    return (*plans, max(1, documents))
