"""The value of going on for a reader who decides again after every document and every study.

Dynamic programming over the documents read, the studies found and their results (:mod:`tarstop_core.value.states`);
if lists differ in how rich they are, also over the documents included. Until the next find only the depth changes. So
the best plan is "read until the next find, at most to D". Its value is a sum over the list, as where one document decides;
a table gives the value after a find. The table depends on costs, payoffs and chances, not on documents read without a
find: one table per state of knowledge serves all costs.

The next study is predicted by its own outcomes, if the state of knowledge lists them, and those after it by the normal
model. By the normal model alone, a plan is worth up to .01 K less than a single study.

Documents far from the beginning of the table are grouped into blocks that grow in proportion to the distance. Within a
block finds come at a constant rate (Heun's method).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.payoffs import TOLERANCE, Depths, Floats, Payoffs
from tarstop_core.value.states import States, states_ahead

BLOCK = 0.08  # A block has at most this share of the documents between it and the beginning of the table …
FINDS = 0.2  # … and at most this many expected studies, plus BLOCK times those expected before it …
STABLE = 1.0  # … and never more than this, because with two studies a block errors grow from block to block
DEAR = 1e-2  # Largest cost of the documents of a block, as a share of K
INCLUDED = 8  # Largest number of included documents that is distinguished, if lists differ and not each brings a study


@dataclass(frozen=True, eq=False)
class Richness:
    """Kinds of lists, in each of which the odds of every document are multiplied by a factor.

    With factors on odds, the number of finds among the documents read is a sufficient statistic for the kind.
    """

    factor: Floats  # Above 0, shape (F,)
    weight: Floats  # Chance of each kind before anything was read, adding up to 1, shape (F,)

    def __post_init__(self) -> None:
        if not ((self.factor > 0).all() and (self.weight > 0).all() and abs(self.weight.sum() - 1) < 1e-9):
            raise InputProblem(
                "Factors on the odds and their weights must be above 0, and the weights add up to 1."
            )

    def chances(self, p: Floats) -> Floats:
        """Chance of each document in a list of each kind, shape (F, N)."""
        if len(self.factor) == 1 and self.factor[0] == 1:
            return p[None]
        f = self.factor[:, None]
        return np.asarray(f * p / (1 - p + f * p))

    def log_missed(self, p: Floats) -> Floats:
        """Log likelihood of each kind if the first d documents are all misses, up to a constant, shape (F, N + 1).

        A find instead of a miss multiplies the likelihood by the factor.
        """
        f = self.factor[:, None]
        log_miss = -np.log(1 - p + f * p)
        return np.concatenate((np.zeros((len(f), 1)), np.cumsum(log_miss, axis=1)), axis=1)

    def mean_chances(self, p: Floats, finds: Floats) -> Floats:
        """Chance of each document after those before it were read with this many finds, shape (len(finds), N)."""
        if len(self.factor) == 1:
            return np.repeat(self.chances(p), len(finds), axis=0)
        log = np.log(self.weight)[:, None] + self.log_missed(p)[:, :-1]
        log = log + finds[:, None, None] * np.log(self.factor)[:, None]
        weight = np.exp(log - log.max(axis=1, keepdims=True))
        return np.asarray((weight * self.chances(p)).sum(axis=1) / weight.sum(axis=1))

    def after(self, p: Floats, finds: int) -> "Richness":
        """Return the kinds with their weights after these documents were read with this many finds."""
        log = np.log(self.weight) + self.log_missed(p)[:, -1] + finds * np.log(self.factor)
        weight = np.exp(log - log.max())
        kept = weight > 1e-12
        return Richness(self.factor[kept], weight[kept] / weight[kept].sum())


SAME = Richness(np.ones(1), np.ones(1))  # A single kind, whose chances stay as they are


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """Best plans from one place in a list on, one a cost, for as long as nothing is found."""

    p: Floats  # Chance that each of the documents left is included, in their order, shape (N,)
    knowledge: Knowledge
    payoffs: Payoffs
    costs: Floats  # Costs of a document, in the payoffs' unit, with a plan for each, shape (C,)
    share: float = 1.0  # P(data | included)
    full_cost: float = 0.0  # Cost of reading an included document in full, which is done at once
    waiting: int = 0  # Reports that wait; when screening stops, those that pay are read
    richness: Richness = SAME
    most: float = math.inf  # Most studies that can still come
    needed: float = 0.0  # Further studies before a⁺ may be taken
    after_one: tuple[Floats, Floats] | None = None
    """Beliefs after the next study and their chances, shape (outcomes,) each; those of the normal model unless given."""
    by_score: bool = False
    """Whether the reader goes on after a find wherever the paper's score of the next document exceeds its cost, not where it is best."""

    # --- states that may come

    @property
    def _inclusion_informs(self) -> bool:
        """Whether documents included without data carry information."""
        return len(self.richness.factor) > 1 and self.share < 1

    @cached_property
    def states(self) -> States:
        """States of knowledge that studies may lead to."""
        expected = self.share * (float(self._root_chances.sum()) + self.waiting)
        likely = expected + 3 * np.sqrt(expected) + 2
        most = min(likely, self.most, len(self.p) + self.waiting)
        return states_ahead(self.knowledge, self.payoffs, most, self.after_one)

    @cached_property
    def _as_now(self) -> Floats:
        """Utility in each state of the option that is best now, shape (states,).

        All values are differences from it. It is linear in the belief, so further studies do not change its expectation. A
        grid of states reproduces that only roughly, and the error would exceed the value of studies that hardly ever change
        the action.
        """
        b = self.states.b
        return self.payoffs.utility_of(int(self.payoffs.best(b[0], plus_open=self.needed <= 0)), b)

    @cached_property
    def _root_chances(self) -> Floats:
        """Chance of each document as long as nothing is included, shape (N,)."""
        return np.asarray(self.richness.mean_chances(self.p, np.zeros(1))[0])

    def _reading(self, values: Floats) -> Floats:
        """Expected value after reading a report in full, which brings a study or nothing new; shape (…, states) as `values`."""
        read = self.states.after(values)
        return (read if self.share == 1 else self.share * read + (1 - self.share) * values) - self.full_cost

    @cached_property
    def _allowed(self) -> Floats:
        """Utility in each state of the best option that may be taken, shape (states,)."""
        enough = self.states.number >= self.needed
        closed = self.payoffs.utility(self.states.b, plus_open=False)
        return np.where(enough, self.states.utility, closed) if self.needed > 0 else self.states.utility

    @cached_property
    def acting(self) -> Floats:
        """Value of stopping in each state after reading the waiting reports that pay, relative to `_as_now`; shape (states,)."""
        value = utility = self._allowed - self._as_now
        for _ in range(self.waiting):
            further = np.maximum(utility, self._reading(value))
            if np.abs(further - value).max() < TOLERANCE * self.payoffs.K:
                break
            value = further
        return value

    # --- the table

    @cached_property
    def _lengths(self) -> Depths:
        """Depth beyond which no document can pay in any state of knowledge, at each cost, shape (C,)."""
        # The largest EVPI at any belief.
        most = sum(two.K * two.q_star * (1 - two.q_star) for two in self.payoffs.neighbours())
        if self.needed > 0:
            # What the last study that is needed opens counts on top. It is linear between these beliefs.
            kinks = np.array(
                [0.0, 1.0, *self.payoffs.ranges().ends, *self.payoffs.ranges(plus_open=False).ends]
            )
            opened = self.payoffs.utility(kinks) - self.payoffs.utility(kinks, plus_open=False)
            most += float(opened.max())
        chance = self.richness.chances(self.p).max(axis=0) if len(self.p) else self.p
        gain = chance * (self.share * most - self.full_cost)
        pays = gain > self.costs[:, None]
        return np.asarray((pays * np.arange(1, len(gain) + 1)).max(axis=1, initial=0))

    @property
    def length(self) -> int:
        """The largest number of documents that the table covers."""
        return int(self._lengths.max())

    @cached_property
    def nodes(self) -> Depths:
        """Depths that the table holds, from 0 to `length`."""
        n, nodes = self.length, [0]
        finds = self.share * np.append(0.0, np.cumsum(self._root_chances[:n]))
        while (at := nodes[-1]) < n:
            most = finds[at] + min(FINDS + BLOCK * finds[at], STABLE)
            step = min(int(BLOCK * at), int(np.searchsorted(finds, most)) - 1 - at)
            dearest = self.costs[self._lengths > at].max()
            if dearest:
                step = min(step, int(DEAR * self.payoffs.K / dearest))
            nodes.append(min(n, at + max(1, step)))
        return np.array(nodes)

    def _chosen(self, ahead: Floats, chance: Floats, costs: Floats) -> Floats:
        """Value in each state of acting, or of going on if the reader does so with this chance of the next document; as `ahead`."""
        if not self.by_score:
            return np.maximum(self.acting, ahead)
        evpi = self.states.utility + self.payoffs.evpi(self.states.b) - self._allowed
        score = chance * (self.share * evpi - self.full_cost)
        return np.where(score > costs[:, None], ahead, self.acting)

    @cached_property
    def _ahead(self) -> tuple[Floats, Floats]:
        """Value after a first find at each node, shape (nodes, C), and of each state at the beginning, shape (I, C, states).

        I counts the documents included since. The first find is an included document if inclusion carries information,
        otherwise a study.
        """
        states, nodes, stop = self.states, self.nodes, self.acting
        finds, of = np.zeros(1), np.zeros(1, dtype=np.intp)
        if self._inclusion_informs:
            finds = np.arange(INCLUDED + 1.0)
        elif len(self.richness.factor) > 1:
            numbers, of = np.unique(states.number, return_inverse=True)
            finds = numbers.astype(float)
        p = self.richness.mean_chances(self.p[: self.length], finds)
        # Chances of all the documents up to the next node, shape (nodes − 1, I, 1, states or 1).
        rates = np.add.reduceat(p, nodes[:-1], axis=1).T if self.length else p.T
        rates = rates[:, :, None, None] if self._inclusion_informs else rates[:, None, None, of]
        spent = np.diff(nodes)[:, None, None] * self.costs[:, None]

        def included(values: Floats) -> Floats:
            """Values after one more inclusion."""
            return np.concatenate((values[1:], values[-1:])) if self._inclusion_informs else values

        def first_find(values: Floats) -> Floats:
            """Expected value after the first find, from values after it."""
            after = included(values)[0]
            data = self.share * states.after_first(after)
            return data + (1 - self.share) * after[:, 0] if self._inclusion_informs else data

        value = np.tile(stop, (len(p) if self._inclusion_informs else 1, len(self.costs), 1))
        worth = np.tile(first_find(value), (len(nodes), 1))
        for at in range(len(nodes) - 2, -1, -1):
            # At costs that no document can repay, values do not change.
            pays = slice(None) if (self._lengths > nodes[at]).all() else self._lengths > nodes[at]
            now = value[:, pays]
            slope = rates[at] * (self._reading(included(now)) - now)
            ahead = now + slope - spent[at, pays]
            documents, costs = nodes[at + 1] - nodes[at], self.costs[pays]
            if documents > 1:
                guess = self._chosen(ahead, rates[at] / documents, costs)
                ahead += (rates[at] * (self._reading(included(guess)) - guess) - slope) / 2
            value[:, pays] = self._chosen(ahead, rates[at] / documents, costs)
            worth[at, pays] = first_find(value[:, pays])
        return worth, value

    # --- the plan

    def _of_documents(self, count: int) -> tuple[Floats, Floats]:
        """Gain of each of the first documents, less its cost, if nothing is found before, and its chance of no find.

        Shapes (C, count) and (count,). After a find beyond `length` nothing more is read.
        """
        p, now = self._root_chances[:count], float(self.acting[0])
        depths = np.arange(1, count + 1)
        after_find = np.array([np.interp(depths, self.nodes, worth) for worth in self._ahead[0].T])
        # A report without data changes nothing, unless it carries information about the list.
        finds = p if self._inclusion_informs else self.share * p
        lost = now * (1.0 if self._inclusion_informs else self.share)
        return p * (after_find - lost - self.full_cost) - self.costs[:, None], 1 - finds

    @cached_property
    def gains(self) -> Floats:
        """Gain of the best plan over stopping at each depth, if nothing is found until there; shape (C, `length` + 1)."""
        of_document, no_find = self._of_documents(self.length)
        missed = no_find.tolist()
        gains = np.zeros((len(self.costs), self.length + 1))
        for own, gain in zip(gains, of_document.tolist(), strict=True):
            ahead = 0.0
            for at in range(self.length - 1, -1, -1):
                ahead = gain[at] + missed[at] * ahead
                if ahead < 0:
                    ahead = 0.0
                own[at] = ahead
        return gains

    def stop(self, start: int = 0) -> Depths:
        """First depth from `start` on at which acting is as good as going on, if nothing is found, shape (C,)."""
        if start >= self.length:
            return np.full(len(self.costs), start)
        # No plan gains at the last depth.
        return np.asarray(start + (self.gains[:, start:] <= TOLERANCE * self.payoffs.K).argmax(axis=1))

    def gain(self, start: int = 0) -> Floats:
        """Gain of the best plan over stopping, in the payoffs' unit, shape (C,)."""
        return np.asarray(self.gains[:, min(start, self.length)])

    def gain_to(self, depths: Depths, start: int = 0) -> Floats:
        """Gain over stopping of reading until the next find, at most to each depth, shape (C,)."""
        of_document, missed = self._of_documents(int(depths.max()))
        reached = np.append(1.0, np.cumprod(missed[start:]))[:-1]
        gains = np.cumsum(np.pad(reached * of_document[:, start:], ((0, 0), (1, 0))), axis=1)
        return np.asarray(gains[np.arange(len(gains)), depths - start])

    @property
    def value(self) -> Floats:
        """Expected utility of the best plan from the beginning on, in the payoffs' unit, shape (C,)."""
        return np.asarray(self._as_now[0] + self.acting[0] + self.gain())
