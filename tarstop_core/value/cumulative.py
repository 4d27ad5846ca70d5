"""The value of reading on where studies accumulate: the path of a review.

A document moves the belief only when it brings a study with data; :mod:`tarstop_core.value.studies` predicts the
distribution of that move. Between two studies the state of knowledge does not change, so whatever is costly is computed
once per state and used at every depth with that state.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.errors import InputProblem
from tarstop_core.value.closed_loop import SAME, ClosedLoop, Richness
from tarstop_core.value.counts import binomial
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.path import ListPath, dense_plans, first_not_worth, limited_plans
from tarstop_core.value.payoffs import PLUS, TOLERANCE, Depths, Flags, Floats, Payoffs
from tarstop_core.value.preposterior import worth_of_short_plans
from tarstop_core.value.studies import EvidenceState
from tarstop_core.value.worth import WorthOfStudies

# Up to this many costs, searching for the stop is faster than computing the value of every depth.
FEW_COSTS = 3
BLOCK = 512  # Depths that are searched together
SHORT = 10  # Plans of up to this many documents use the exact number of studies instead of a Poisson one …
LIKELY = 0.02  # … as far down as the last document that is this likely to bring data


@dataclass(frozen=True, eq=False)
class CumulativePath(ListPath):
    """Path of a list whose studies add up: all depths at once, with the studies that its documents have brought."""

    p: Floats
    """Chance that each document is to be read in full, or with `share` = 1 that it brings data; shape (N,)."""
    states: Sequence[EvidenceState]
    """State of knowledge after 0 … n studies, which says what the next study may find."""
    studies: Depths  # Studies with data among the first d documents; never falls; shape (N + 1,)
    payoffs: Payoffs
    labels: Flags  # Documents known to be relevant; those not read yet are False; shape (N,)
    share: float = 1.0  # P(data | included): share of the reports read in full that bring data
    full_cost: float = 0.0
    """Cost of reading a report in full, in the payoffs' unit, on top of the cost of the document."""
    waiting: float = 0.0  # Expected number of studies from included reports not read in full yet
    richness: Richness = SAME
    """The kinds of lists that this one may belong to, before anything is read; only closed-loop plans use it."""
    behind: int = 0
    """Studies found earlier that `studies` does not count, because the path begins after them."""
    needed: Depths | None = None
    """Further studies needed in each state before a⁺ may be taken, shape (states,); None if it always may."""

    in_steps: ClassVar[bool] = True
    slow_with_new_payoffs: ClassVar[bool] = True
    kept_by_payoffs: ClassVar[tuple[str, ...]] = ("b", "rho", "included_to")
    kept_if_computed: ClassVar[tuple[str, ...]] = ("_b",)

    def __post_init__(self) -> None:
        if not ((self.p >= 0) & (self.p <= 1)).all():
            raise InputProblem("A chance of bringing data is outside 0 to 1; check the calibrator.")

    def __len__(self) -> int:
        return len(self.p)

    @property
    def hit(self) -> None:
        """None: no single document settles a review."""

    @cached_property
    def _b(self) -> Floats:
        """Belief in each state, shape (states,)."""
        return np.array([state.b for state in self.states])

    @cached_property
    def _held(self) -> Floats:
        """Loss in each state because a⁺ may not be taken there, shape (states,)."""
        closed = self.needed is not None and self.needed > 0
        lead = self.payoffs.utility_plus(self._b) - self.payoffs.utility(self._b, plus_open=False)
        return np.where(closed, np.maximum(0.0, lead), 0.0)

    @cached_property
    def b(self) -> Floats:
        return self._b[self.studies]

    @cached_property
    def rho(self) -> Floats:
        return self.share * self.p

    @property
    def chances(self) -> Floats:
        """ρ, because a study moves the belief whatever the truth is, shape (N,)."""
        return self.rho

    @cached_property
    def evpi(self) -> Floats:
        """EVPI(b_d), shape (N + 1,); with certainty, a⁺ could be taken even before enough studies are in."""
        return np.asarray((self.payoffs.evpi(self._b) + self._held)[self.studies])

    @cached_property
    def included_to(self) -> Floats:
        """Documents expected to be included among the first d, shape (N + 1,)."""
        return np.append(0.0, np.cumsum(self.p))

    @cached_property
    def _chosen(self) -> Depths:
        """The option taken in each state, shape (states,)."""
        closed = self.needed is not None and self.needed > 0
        return np.where(closed, self.payoffs.best(self._b, plus_open=False), self.payoffs.best(self._b))

    def chooses_plus(self, depth: int) -> bool:
        return self.action_at(depth) == PLUS

    def plus_open(self, depth: int) -> bool:
        """Whether a⁺ may be taken: only after the least number of studies."""
        return self.needed is None or bool(self.needed[self.studies[depth]] <= 0)

    def action_at(self, depth: int, acts_on_belief: bool = True) -> int:
        """Number of the option chosen at the belief reached; baselines act on the belief too."""
        return int(self._chosen[self.studies[depth]])

    def options_of_oracle(self, option: Depths, omega: bool) -> Depths:
        options = self.payoffs.ranges().options
        return np.full_like(option, options[-1] if omega else options[0])

    def belief_at(self, depth: int) -> float:
        return float(self.b[depth])

    def finds_until(self, depth: int) -> int:
        return int(self.studies[depth])

    def without_later_finds(self, depth: int) -> Self:
        studies, labels = int(self.studies[depth]), np.zeros_like(self.labels)
        if studies not in self._ahead:
            self._ahead[studies] = replace(self, studies=np.minimum(self.studies, studies), labels=labels)
        return self._ahead[studies]

    @cached_property
    def _ahead(self) -> dict[int, Self]:
        """Cache of :meth:`without_later_finds` by the number of studies."""
        return {}

    def score(self, K: int = 1) -> Floats:
        """The paper's score: mean of the next K ρ's, or of those that are left, times EVPI(b_d), shape (N,).

        The expected cost of reading in full is subtracted, so that the score compares with the cost of a document.
        """
        included = self.p
        if K > 1:
            at = np.arange(len(self))
            ahead = np.minimum(K, len(self) - at)
            included = (self.included_to[at + ahead] - self.included_to[:-1]) / ahead
        return np.asarray(included * (self.share * self.evpi[:-1] - self.full_cost))

    def evsi(self) -> Floats:
        """ρ_{d+1}·EVSI(one study), less the expected cost of reading the report in full; never negative, shape (N,)."""
        return self._evsi.copy()

    @cached_property
    def _evsi(self) -> Floats:
        """:meth:`evsi`, cached."""
        one = self._worth.of_one
        return np.asarray(np.maximum(0.0, self.p * (self.share * one[self.studies[:-1]] - self.full_cost)))

    def value_rate(self, horizon: int | None = None) -> Floats:
        """Largest value per document of any plan: max over m of (V(w + πH(m)) − V(w) − c_full·H(m))/m, shape (N,).

        H(m) is the expected number of included ones among the next m documents, π the share of these that brings data, and w
        stands for the studies from waiting reports. Some plan pays exactly if this exceeds the cost of a document.

        V(w + k) is the expected EVSI of a binomial number of studies from waiting reports and a Poisson number with mean k.
        (EVSI of k itself would be wrong: near q* it grows as √k, so a tenth of a study would be worth a third of a whole one.)
        Plans of up to ten documents, one of which is likely to bring data, use the exact number instead, and unless reports
        wait one document is valued by :meth:`evsi`.

        The plans m are the horizon and those of :data:`~tarstop_core.value.path.PLANS` below it; without a horizon, every m up
        to 20 and then steps of 5 %.
        """
        if horizon == 1 and not self.waiting:
            return self.evsi()
        return self._to_the_end if horizon is None else self._best_rate(limited_plans(horizon))

    def value_rate_at(self, depths: Depths) -> Floats:
        if "_to_the_end" in vars(self):
            return self._to_the_end[depths]
        rates = self._rates_at(depths[:, None], np.array(dense_plans(len(self)))).max(axis=1)
        return np.asarray(rates if self.waiting else np.maximum(rates, self._evsi[depths]))

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        if horizon is None and np.size(costs) <= FEW_COSTS and "_to_the_end" not in vars(self):
            return np.array([self._first_stop(cost, start) for cost in np.ravel(costs)], dtype=np.intp)
        return np.asarray(first_not_worth(self.value_rate(horizon), costs, start))

    def closed_depths(self, costs: ArrayLike, start: int = 0) -> Depths:
        """Stops of plans that decide again after every document, as of :class:`~tarstop_core.value.closed_loop.ClosedLoop`.

        The plan is made again after each study and, if lists differ in how rich they are, after each included document.
        """
        costs = np.ravel(np.asarray(costs, dtype=float))
        stops, going, at = np.full(len(costs), start, dtype=np.intp), np.arange(len(costs)), start
        while len(going):
            plan, begin = self.closed_plan(costs[going], at)
            stops[going] = begin + plan.stop(at - begin) if plan else at
            later = np.flatnonzero(self._turns[at + 1 :] != self._turns[at])
            if not len(later):
                break
            at += 1 + int(later[0])
            going = going[stops[going] >= at]
        if self.waiting:
            # A plan reads the waiting reports; if they cost more than it gains, nothing more is read.
            reports = float(self.worth_of_reading(np.array([start]), start)[0])
            stops[self.closed_gain(costs, start) + reports <= TOLERANCE * self.payoffs.K] = start
        return stops

    def closed_gain(self, costs: Floats, start: int) -> Floats:
        plan, begin = self.closed_plan(costs, start)
        return plan.gain(start - begin) if plan else np.zeros(len(costs))

    def closed_value_rate(self) -> None:
        """None, because the gain of a plan depends on the cost of going on after the next study."""

    def gain_by_score(self, depths: Depths, costs: Floats, start: int) -> Floats:
        plan, begin = self.closed_plan(costs, start)
        if plan:
            return replace(plan, by_score=True).gain_to(depths - begin, start - begin)
        return super().gain_by_score(depths, costs, start)

    def closed_plan(self, costs: Floats, depth: int) -> tuple[ClosedLoop | None, int]:
        """Return the closed-loop plans from what is known at this depth, one a cost, and the depth at which they begin.

        The plans are None if no study could change anything.
        """
        key = (int(self._turns[depth]), costs.tobytes())
        cached = self._plans.get(key)
        if cached is None or cached[1] > depth:
            state, plan = self.states[self.studies[depth]], None
            if 0 < state.b < 1 and math.isfinite(state.n_0):
                plan = ClosedLoop(
                    self.p[depth:], Knowledge.plain(float(state.b), float(state.n_0)), self.payoffs, costs, self.share,
                    self.full_cost, round(self.reports_waiting),
                    self.richness.after(self.p[:depth], int(np.sum(self._finds[:depth]))),
                    needed=0.0 if self.needed is None else float(self.needed[self.studies[depth]]),
                    after_one=state.beliefs_after_one(),
                )  # fmt: skip
            cached = self._plans[key] = (plan, depth)
        return cached

    @cached_property
    def _plans(self) -> dict[tuple[int, bytes], tuple[ClosedLoop | None, int]]:
        """Cache of :meth:`closed_plan` by the number of finds and the costs."""
        return {}

    @cached_property
    def _finds(self) -> Flags:
        """Flags of the documents that show how rich the list is: those with a study or, in two stages, the included ones."""
        return self.labels if self.share < 1 or self.full_cost else np.diff(self.studies) > 0

    @cached_property
    def _turns(self) -> Depths:
        """Number of finds before each depth, shape (N + 1,); when it changes, the plan is made again."""
        turns = self.studies
        if len(self.richness.factor) > 1:
            turns = turns + np.append(0, np.cumsum(self._finds))
        return np.asarray(turns)

    def _first_stop(self, cost: float, start: int) -> int:
        """First depth from `start` on at which no plan pays, searched in blocks of depths.

        A depth drops out as soon as a plan pays; plans are tried from the one that is best at the start of the block.
        """
        n, threshold = len(self), cost / (1 - TOLERANCE)
        plans = np.array(dense_plans(n))
        for begin in range(start, n, BLOCK):
            left = np.arange(begin, min(n, begin + BLOCK))
            if not self.waiting:
                left = left[self._evsi[left] <= threshold]
            for m in plans[np.argsort(-self._rates_at(begin, plans))]:
                if not len(left):
                    break
                left = left[self._rates_at(left, m) <= threshold]
            if len(left):
                return int(left[0])
        return n

    @cached_property
    def _to_the_end(self) -> Floats:
        """:meth:`value_rate` of plans of any length."""
        return self._best_rate(dense_plans(len(self)))

    def _best_rate(self, plans: Sequence[int]) -> Floats:
        """Largest value per document of some plans at each depth, shape (N,)."""
        every = np.arange(len(self))
        best = np.zeros(len(self)) if self.waiting or not len(self) else self.evsi()
        for m in plans:
            np.maximum(best, self._rates_at(every, m), out=best)
        return best

    def _rates_at(self, depths: int | Depths, m: int | Depths) -> Floats:
        """Gain per document of reading m more, at some depths, of some plans or both, by broadcasting."""
        depths, ahead = np.broadcast_arrays(depths, np.minimum(m, len(self) - depths))
        included = self.included_to[depths + ahead] - self.included_to[depths]
        return np.asarray((self._worth_ahead(depths, ahead, included) - self.full_cost * included) / ahead)

    def _worth_ahead(self, depths: Depths, ahead: Depths, included: Floats) -> Floats:
        """Value that the next documents add, of which so many are expected to be included; shape of all arguments.

        The number of studies is exact for short plans, otherwise Poisson.
        """
        worth = self._worth.of_more(self.share * included, self.studies[depths])
        exact = (ahead > 0) & (ahead <= SHORT) & (depths < self._short.shape[1])
        worth[exact] = self._worth_of_short(depths[exact], ahead[exact])
        return worth

    @cached_property
    def _short(self) -> Floats:
        """Value that the next m documents add, m = 1 … SHORT, at each depth, NaN until it is computed; shape (SHORT, D)."""
        likely = np.flatnonzero(self.rho >= LIKELY)
        return np.full((SHORT, int(likely[-1]) + 1 if len(likely) else 0), np.nan)

    def _worth_of_short(self, depths: Depths, ahead: Depths) -> Floats:
        """Value that the next few documents add at these depths, shape of both arguments."""
        short, states = self._short, self.studies[depths]
        # Mostly only the last state is needed.
        for state in np.unique(states[np.isnan(short[0, depths])]):
            begin, end = np.searchsorted(self.studies[: short.shape[1]], (state, state + 1))
            worth = np.broadcast_to(self._worth.of_whole(np.array([state]))[:, :SHORT], (end - begin, SHORT))
            short[:, begin:end] = worth_of_short_plans(self.rho[begin:], worth)
        return short[ahead - 1, depths]

    def worth_of_reading(self, depth: Depths, start: int) -> Floats:
        """Expected gain of reading from `start` to each depth: V(w + πH) − c_full·(H + waiting reports), shape of `depth`.

        Letters as in :meth:`value_rate`. Waiting reports are read at any depth; the cost of documents is not subtracted.
        """
        included = self.included_to[depth] - self.included_to[start]
        here, paid = np.full(len(depth), start), self.full_cost * (included + self.reports_waiting)
        waiting = self._worth.of_waiting(self.studies[here])
        worth = waiting + self._worth_ahead(here, depth - start, included) - paid
        if not self.waiting and start < len(self):
            worth[depth == start + 1] = self._evsi[start]
        return np.asarray(worth)

    def expected_utility(
        self, depth: Depths, costs: Floats, start: int, *, acts_on_belief: bool, looks_every: int | None
    ) -> Floats:
        now = self.payoffs.utility(self.b[start]) - self._held[self.studies[start]]
        return np.asarray(now + self.worth_of_reading(depth, start) - costs * (depth - start))

    def cost_of_next(self, depth: int, cost: float) -> float:
        return cost + float(self.p[depth]) * self.full_cost

    def with_reports_times(self, factor: float) -> Self:
        return self._with_new(full_cost=factor * self.full_cost) if self.full_cost else self

    def without_waiting(self) -> Self:
        return replace(self, waiting=0.0)

    @property
    def reports_waiting(self) -> float:
        return self.waiting / self.share if self.waiting else 0.0

    @cached_property
    def _worth(self) -> WorthOfStudies:
        reports = round(self.reports_waiting)
        waiting = binomial(np.arange(reports + 1), reports, self.share)
        return WorthOfStudies(self.states, self.payoffs, self.needed, self._held, waiting)

    def best_plan(self, depth: int, cost: float) -> tuple[int, float]:
        """Return the number m of further documents that gains most, and its gain; (0, 0.0) if none gains.

        The gain is V(w + πH(m)) − V(w) − c_full·H(m) − c·m, with letters as in :meth:`value_rate`.
        """
        if depth == len(self):
            return 0, 0.0
        plans, rates = self.rates_from(depth)
        reports = self._worth.of_waiting(self.studies[[depth]]) - self.full_cost * self.reports_waiting
        gain = (rates - cost) * plans - reports
        best = int(gain.argmax())
        return (int(plans[best]), float(gain[best])) if gain[best] > TOLERANCE * self.payoffs.K else (0, 0.0)

    def pays(self, depth: int, cost: float) -> bool:
        return self.best_plan(depth, cost)[0] > 0

    def rates_from(self, depth: int) -> tuple[Depths, Floats]:
        plans = np.unique(np.minimum(dense_plans(len(self) - depth), len(self) - depth))
        return plans, self.worth_of_reading(depth + plans, depth) / plans


def studies_after(positions: ArrayLike, documents: int) -> Depths:
    """Number of studies known after 0 … N documents, shape (N + 1,).

    `positions` are 0-based ranks of the documents of the studies, rising; N or more for a document that is not ranked.

    >>> studies_after([0, 2, 2], 4).tolist()
    [0, 1, 1, 3, 3]
    """
    return np.searchsorted(np.asarray(positions), np.arange(documents + 1), side="left")
