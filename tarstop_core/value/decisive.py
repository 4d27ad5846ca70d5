"""The value of reading on where one document decides: the path of a patent search.

Write S_d = b_0·M_d + 1 − b_0 for the chance of no hit in d documents, and
V_d = S_d·EVPI(b_d) for the loss still expected from not knowing ω then. Because the
belief is a martingale, V_d = min(b_0·M_d·(B+L_g), (1−b_0)·(G+L_r)): no division, no cancellation.
With C_d = Σ_{k<d} S_k, the expected number of documents under the plan "screen until a hit, at
most d", the paper's letters give J(D) = constant − (V_D + c·C_D). So the best plan minimises
R_D = V_D + c·C_D, and every look-ahead is a difference of two entries of R.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import minimum_filter1d

from tarstop_core.belief.decisive import HitCurve, belief
from tarstop_core.errors import InputProblem
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import TOLERANCE, Depths, Flags, Floats, Payoffs

_NOT_GIVEN = cast(Any, None)


@dataclass(frozen=True, eq=False)
class DecisivePath(ListPath):
    """Path of a search that one document decides: all depths at once given no hit so far, and the hit if there is one.

    :class:`~tarstop_core.value.path.Path` documents the methods that have no docstring here.
    """

    curve: HitCurve  # Of the N documents
    b_0: float  # Belief before any document, in (0, 1)
    payoffs: Payoffs
    hit: int | None = None  # Depth (1-based) of the first confirmed hit; None while there is none
    needs_citation: bool = False
    """Whether a⁺ needs a document to cite, so that before a hit only a⁻ is open (in sessions; off in the paper)."""
    labels: Flags = _NOT_GIVEN  # Relevant documents, shape (N,); without them, the hit alone
    p: Floats = _NOT_GIVEN
    """Calibrated chance of each document given ω⁺; without it, the curve's h; shape (N,)."""

    kept_by_payoffs: ClassVar[tuple[str, ...]] = ("b", "passes", "effort")
    kept_if_computed: ClassVar[tuple[str, ...]] = ("rho", "effort_left", "hits_to")

    def __post_init__(self) -> None:
        if self.payoffs.others:
            raise InputProblem(
                "A search that one document decides is between two actions; leave the other options out."
            )
        if self.labels is None:
            labels = np.zeros(len(self), dtype=bool)
            if self.hit is not None:
                labels[self.hit - 1] = True
            object.__setattr__(self, "labels", labels)
        if self.p is None:
            object.__setattr__(self, "p", self.curve.h)

    def __len__(self) -> int:
        return len(self.curve.h)

    @cached_property
    def b(self) -> Floats:
        return belief(self.curve, self.b_0)

    @cached_property
    def rho(self) -> Floats:
        """ρ_{d+1} = b_d·h_{d+1}."""
        return self.b[:-1] * self.curve.h

    @property
    def chances(self) -> Floats:
        return self.curve.h

    @cached_property
    def passes(self) -> Floats:
        """S_d, the chance of no hit in d documents, shape (N + 1,)."""
        return self.b_0 * np.exp(self.curve.log_M) + (1 - self.b_0)

    @cached_property
    def effort(self) -> Floats:
        """C_d, the expected number of documents read "until a hit, at most d", shape (N + 1,)."""
        return np.append(0.0, np.cumsum(self.passes[:-1]))

    @cached_property
    def effort_left(self) -> Floats:
        """Σ_{k≥d} S_k, shape (N + 1,); its differences stay exact where S is tiny."""
        return np.append(np.cumsum(self.passes[-2::-1])[::-1], 0.0)

    @cached_property
    def evpi(self) -> Floats:
        if self.needs_citation:
            return self.b * self.payoffs.wrong_minus
        return self.payoffs.evpi(self.b)

    @cached_property
    def loss(self) -> Floats:
        """V_d = S_d·EVPI(b_d), the loss still expected from not knowing ω, shape (N + 1,)."""
        missed = self.b_0 * np.exp(self.curve.log_M) * self.payoffs.wrong_minus
        if self.needs_citation:
            return missed
        return np.minimum(missed, (1 - self.b_0) * self.payoffs.wrong_plus)

    @cached_property
    def hits_to(self) -> Floats:
        """Sum of h over the first d documents, shape (N + 1,)."""
        return np.append(0.0, np.cumsum(self.curve.h))

    def settled(self, depth: int) -> bool:
        return self.hit is not None and depth >= self.hit

    def chooses_plus(self, depth: int) -> bool:
        if self.settled(depth):
            return True
        return not self.needs_citation and bool(self.payoffs.chooses_plus(self.b[depth]))

    def plus_open(self, depth: int) -> bool:
        """Whether a⁺ may be taken: only after the hit if it needs a document to cite."""
        return self.settled(depth) or not self.needs_citation

    def action_at(self, depth: int, acts_on_belief: bool = True) -> int:
        """PLUS or MINUS, whichever is taken on stopping at this depth; baselines take a⁺ only after a hit."""
        return self.chooses_plus(depth) if acts_on_belief else self.settled(depth)

    def options_of_oracle(self, option: Depths, omega: bool) -> Depths:
        """Return a⁺ if it was taken and ω⁺ holds, else a⁻; a⁺ that was not taken may lack a document to cite."""
        return option & omega

    def belief_at(self, depth: int) -> float:
        return 1.0 if self.settled(depth) else float(self.b[depth])

    def finds_until(self, depth: int) -> int:
        return int(self.settled(depth))

    def without_later_finds(self, depth: int) -> Self:
        return self if self.hit is None or self.hit <= depth else self._without_hit

    @cached_property
    def _without_hit(self) -> Self:
        """The path with neither hit nor labels."""
        return replace(self, hit=None, labels=np.zeros_like(self.labels))

    def score(self, K: int = 1) -> Floats:
        """The paper's score: mean of the next K ρ's, or of those that are left, times EVPI(b_d), shape (N,).

        ρ_{d+j} for j > 1 uses the current b_d (the paper is silent).
        """
        if K == 1:
            return self.rho * self.evpi[:-1]
        n = len(self)
        ahead = np.minimum(K, n - np.arange(n))
        window = self.hits_to[np.arange(n) + ahead] - self.hits_to[:-1]
        return self.b[:-1] * window / ahead * self.evpi[:-1]

    def evsi(self) -> Floats:
        """Exact value of one more document and then acting, in the payoffs' unit, shape (N,).

        max(0, ρ(B+L_g) − K·max(0, b − q*)): nothing when a miss would not change the action.
        """
        averted = self.rho * self.payoffs.wrong_minus
        if self.needs_citation:
            return averted
        settled = self.payoffs.K * np.maximum(0.0, self.b[:-1] - self.payoffs.q_star)
        return np.maximum(0.0, averted - settled)

    def pays(self, depth: int, cost: float) -> bool:
        return int(self.closed_depths([cost], depth)[0]) > depth

    def rates_from(self, depth: int) -> tuple[Depths, Floats]:
        plans = np.arange(1, len(self) - depth + 1)
        averted = self.loss[depth] - self.loss[depth + 1 :]
        return plans, averted / (self.effort_left[depth] - self.effort_left[depth + 1 :])

    def expected_utility(
        self, depth: Depths, costs: Floats, start: int, *, acts_on_belief: bool, looks_every: int | None
    ) -> Floats:
        # The value of knowing ω, less (V_D + c·E_D)/S_d. E_D is Σ S_k for a reader who stops at a hit (then this is J(D)),
        # counts whole batches for one who looks after each batch, and is D − d for one who never looks. A baseline that
        # has found nothing takes a⁻.
        payoffs = self.payoffs
        if self.settled(start):
            return np.asarray(payoffs.B - costs * (depth - start))
        b = float(self.b[start])
        loss = self.loss if acts_on_belief else replace(self, needs_citation=True).loss
        lost = (loss[depth] + costs * self._effort(depth, start, looks_every)) / self.passes[start]
        return np.asarray(b * payoffs.B + (1 - b) * payoffs.G - lost)

    def _effort(self, depth: Depths, start: int, looks_every: int | None) -> Floats:
        """Expected number of documents from `start` to each depth, times S_start, shape (C,)."""
        if looks_every is None:
            return np.asarray((depth - start) * self.passes[start])
        if looks_every == 1:
            return np.asarray(self.effort[depth] - self.effort[start])
        at = np.arange(len(self))
        begun = np.maximum(start, at // looks_every * looks_every)
        read = np.append(0.0, np.cumsum(np.where(at >= start, self.passes[begun], 0.0)))
        return np.asarray(read[depth])

    def plan_value(self, cost: float) -> Floats:
        """J(D), the expected net utility of "screen until a hit, at most D", shape (N + 1,)."""
        best = self.b_0 * self.payoffs.B + (1 - self.b_0) * self.payoffs.G
        return best - self.regret(cost)

    def regret(self, cost: ArrayLike) -> Floats:
        """R_D = V_D + c·C_D, shape (…, N + 1) for costs of shape (…)."""
        return np.asarray(self.loss + np.multiply.outer(np.asarray(cost, dtype=float), self.effort))

    def value_rate(self, horizon: int | None = None) -> Floats:
        """Largest rate at which a plan averts loss: max over d < D ≤ d + horizon of (V_d − V_D)/(C_D − C_d), shape (N,).

        Some plan pays exactly if this exceeds the cost, so it is to any horizon what the exact EVSI is to one document
        (``horizon=1`` is :meth:`evsi`). The reward rate of the best stopping time is the index of Gittins (1979).
        """
        if horizon == 1:
            return self.evsi()
        if horizon is None or horizon >= len(self):
            return self._worth_to_the_end
        best = np.zeros(len(self))
        for ahead in range(1, horizon + 1):
            averted = self.loss[:-ahead] - self.loss[ahead:]
            rate = averted / (self.effort_left[:-ahead] - self.effort_left[ahead:])
            np.maximum(best[: len(rate)], rate, out=best[: len(rate)])
        return best

    @cached_property
    def _worth_to_the_end(self) -> Floats:
        """:meth:`value_rate` of plans of any length."""
        return _steepest_descent(self.effort_left, self.loss)

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        # As in `exceeds`, a gain within rounding counts as none: the cost is raised by the tolerance.
        costs = np.atleast_1d(np.asarray(costs, dtype=float)) / (1 - TOLERANCE)
        loss, effort = self.loss[start:], self.effort[start:] - self.effort[start]
        if horizon is None or horizon >= len(loss):
            return np.asarray(start + np.argmin(loss + np.multiply.outer(costs, effort), axis=1))
        width = max(256, 4 * horizon)
        while True:
            # The answer mostly lies near the start; the search widens only if it does not.
            regret = loss[:width] + np.multiply.outer(costs, effort[:width])
            first = _first_stall(regret, horizon)
            if width >= len(loss) or first.max() + horizon < width:
                return start + first
            width *= 4

    def closed_depths(self, costs: ArrayLike, start: int = 0) -> Depths:
        """Depths of the best plan to the end: before a hit nothing can change it, so deciding again gains nothing."""
        # One press asks for depths, gain and whether it pays at the same costs, perhaps from several threads at once.
        key = np.asarray(costs, dtype=float).tobytes()
        cached = self._last_plan.get("plan")
        if cached is None or cached[:2] != (key, start):
            cached = self._last_plan["plan"] = key, start, self.horizon_depths(costs, None, start)
        return cached[2].copy()

    @cached_property
    def _last_plan(self) -> dict[str, tuple[bytes, int, Depths]]:
        """Cache of the last plan: its costs, its start and its depths."""
        return {}

    def closed_gain(self, costs: Floats, start: int) -> Floats:
        if self.settled(start):
            return np.zeros(len(costs))
        depth = np.append(self.closed_depths(costs, start), start)
        utility = self.expected_utility(
            depth, np.append(costs, 0.0), start, acts_on_belief=True, looks_every=1
        )
        return np.asarray(utility[:-1] - utility[-1])

    def closed_value_rate(self) -> Floats:
        return self._worth_to_the_end


def _steepest_descent(left: Floats, y: Floats) -> Floats:
    """Greatest fall of y per step from each point to any later one, shape (len − 1,); steps are differences of `left`."""
    # From the right, the lower convex hull of what lies ahead is kept: the steepest line from a point is the
    # tangent to that hull, and whatever the tangent passes over is never needed again.
    xs, ys = left.tolist(), y.tolist()
    falls = [0.0] * (len(xs) - 1)
    hull = [len(xs) - 1]
    for d in range(len(xs) - 2, -1, -1):
        here_x, here_y = xs[d], ys[d]
        fall = (here_y - ys[hull[-1]]) / (here_x - xs[hull[-1]])
        while len(hull) > 1:
            further = (here_y - ys[hull[-2]]) / (here_x - xs[hull[-2]])
            if further < fall:
                break
            fall = further
            hull.pop()
        hull.append(d)
        falls[d] = fall
    return np.array(falls)


def _first_stall(regret: Floats, horizon: int) -> Depths:
    """First entry of each row that is not above any of the next `horizon` entries."""
    ahead = minimum_filter1d(
        regret[:, 1:], horizon, axis=1, mode="constant", cval=np.inf, origin=-(horizon // 2)
    )
    last = np.ones((len(regret), 1), dtype=bool)
    return np.asarray(np.argmax(np.hstack((ahead >= regret[:, :-1], last)), axis=1))
