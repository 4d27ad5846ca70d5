"""What may be asked of a ranking, whichever scenario it belongs to."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.value.payoffs import TOLERANCE, Depths, Flags, Floats, Payoffs


class Path(Protocol):
    """A new kind of evidence is a class that answers this; nobody asks which class it is."""

    # --- what a policy goes by

    @property
    def hit(self) -> int | None:
        """Depth of the document that settled the question, if one did."""

    @property
    def labels(self) -> Flags:
        """Documents known to be relevant, shape (N,); in a session those not read yet are False."""

    @property
    def p(self) -> Floats:
        """Calibrated chance of each document, shape (N,)."""

    @property
    def payoffs(self) -> Payoffs:
        """What right and wrong decisions are worth."""

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

    # --- what is believed

    @property
    def b(self) -> Floats:
        """Belief after d documents, before a hit, shape (N + 1,)."""

    @property
    def rho(self) -> Floats:
        """ρ_{d+1}, the chance that the next document is what is hoped for, shape (N,)."""

    @property
    def chances(self) -> Floats:
        """Chance of each document as the belief takes it: of a first hit, or of bringing data, shape (N,)."""

    @property
    def evpi(self) -> Floats:
        """EVPI(b_d), in the payoffs' unit, shape (N + 1,)."""

    @property
    def in_steps(self) -> bool:
        """Whether the belief stays as it is between two finds: it is drawn as steps."""

    def belief_at(self, depth: int) -> float:
        """Belief on stopping at this depth."""

    def brought(self, depth: int) -> int:
        """Finds that move the belief for good among the first `depth`: hits, or studies with data."""

    def ahead(self, depth: int) -> Self:
        """The path as somebody sees it who has read so far: nothing (more) turns up."""

    # --- what follows

    def action_at(self, depth: int, acts_on_belief: bool = True) -> bool:
        """Whether a⁺ is taken on stopping at this depth, by a rule that acts on the belief or by one that does not."""

    def knowing(self, plus: Flags, omega: bool) -> Flags:
        """The actions, by somebody who knows the truth: a⁺ only where it can be taken."""

    def evsi(self) -> Floats:
        """Exact value of one more document and then acting, in the payoffs' unit, shape (N,)."""

    def pays(self, depth: int, cost: float) -> bool:
        """Whether some plan, however long, gains from this depth on, before a hit."""

    def rates_from(self, depth: int) -> tuple[Depths, Floats]:
        """Plans from this depth on (documents), and what each is worth a document; some documents are left."""

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
            After so many documents somebody stops who has found enough; None reads to that depth all the same.

        Returns
        -------
        ndarray, shape (C,)
            In the payoffs' unit, screening cost subtracted.
        """

    # --- what reading costs beyond each document

    @property
    def full_cost(self) -> float:
        """Cost of reading a report in full, in the payoffs' unit; 0 where nothing is read twice."""

    @property
    def reports_waiting(self) -> float:
        """Reports to be read in full that wait."""

    def cost_of_next(self, depth: int, cost: float) -> float:
        """Cost of the next document, with what is expected to follow from it."""

    def without_waiting(self) -> Self:
        """The path as it is with no reports waiting."""

    # --- the same under other assumptions

    @property
    def slow_to_restake(self) -> bool:
        """Whether other payoffs take a search through all plans at every depth."""

    def with_labels(self, labels: Flags) -> Self:
        """A path on which these documents are known to be relevant; the hit stays as it is."""

    def with_payoffs(self, payoffs: Payoffs) -> Self:
        """A path with other payoffs; what does not depend on them is kept, not computed anew."""


def restaked(path: Any, payoffs: Payoffs, first: Iterable[str], more: Iterable[str]) -> Any:
    """A path with other payoffs that keeps what depends on none.

    Parameters
    ----------
    path : path
        The path to copy.
    payoffs : Payoffs
        Its other payoffs.
    first : iterable of str
        Attributes to keep, computed if need be.
    more : iterable of str
        Attributes to keep where they were computed already.

    Returns
    -------
    path
        Of the same class.
    """
    for name in first:
        getattr(path, name)
    other = replace(path, payoffs=payoffs)
    vars(other).update((name, vars(path)[name]) for name in (*first, *more) if name in vars(path))
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
