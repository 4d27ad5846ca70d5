"""The expected value of any number of studies in each state of knowledge, computed when a state is first needed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from tarstop_core.value.counts import poisson
from tarstop_core.value.payoffs import Depths, Floats, Payoffs
from tarstop_core.value.studies import EvidenceState

# The value is smooth in the log of the expected number of studies; a table of it is exact to 1e-4.
FEWEST, MOST = 1e-4, 1e4  # Smallest and largest expected number in the table
NODES = 512  # Entries of the table for each state
MANY = 100.0  # Above this, the number of studies is taken to be its expectation
_EXPECTED = np.geomspace(FEWEST, MOST, NODES)
_TURN_UP = np.arange(1, 200)
_CHANCES = poisson(_TURN_UP, np.minimum(_EXPECTED, MANY)[:, None])


@dataclass(frozen=True, eq=False)
class WorthOfStudies:
    """Expected value of further studies in each state of knowledge, in the payoffs' unit."""

    states: Sequence[EvidenceState]
    payoffs: Payoffs
    # Further studies needed before a⁺ may be taken, shape (states,); None if it always may
    needed: Depths | None
    held: Floats  # Loss in each state because a⁺ may not be taken yet, in the payoffs' unit, shape (states,)
    waiting: Floats  # Chance of 0, 1, 2 … studies from reports that wait, whatever else is read

    def of_waiting(self, state: Depths) -> Floats:
        """Value of the studies from waiting reports in these states, shape of `state`."""
        self._compute(state)
        return np.asarray(self._whole[state, 0])

    def of_more(self, expected: Floats, state: Depths) -> Floats:
        """Value that Poisson numbers of studies with these means add to those from waiting reports, shape of both arguments."""
        self._compute(state)
        return _at(self._tables.ravel(), expected, state)

    def of_whole(self, state: Depths) -> Floats:
        """Value that 1, 2, 3 … studies add to those from waiting reports in these states, shape (…, 199)."""
        self._compute(state)
        return self._whole[state, 1:] - self._whole[state, :1]

    def alone(self, at: int) -> Floats:
        """Value of 0, 1, 2 … studies in one state, whatever waits; the first is exact, shape (200,)."""
        return np.concatenate(([0.0], self.of_one[at : at + 1], self._evsi(at, _TURN_UP[1:])))

    def turned(self, expected: Floats, state: Depths) -> Floats:
        """Chance that Poisson numbers of studies with these means, and those from waiting reports, lead to another option.

        Shape of both arguments.
        """
        by_waiting, more = self._turned
        return by_waiting[state] + _at(more, expected, state)

    @cached_property
    def _turned(self) -> tuple[Floats, Floats]:
        """Chance that studies from waiting reports lead to another option, shape (states,), and what more studies add to it.

        That is at the nodes, shape (states · NODES,). a⁺ counts once enough studies are in.
        """
        whole = np.array([self._with_waiting(np.append(0.0, row)) for row in self._other(_TURN_UP)])
        by_waiting = whole[:, 0]
        chances = _CHANCES @ (whole[:, 1:] - whole[:, :1]).T
        chances[_EXPECTED > MANY] = (self._other(self._many) - whole[:, :1]).T
        return by_waiting, np.asarray(chances.T).ravel()

    @property
    def _many(self) -> Floats:
        """The studies at the nodes that are so many that their number is taken to be its expectation."""
        return _EXPECTED[_EXPECTED > MANY] + self.waiting @ np.arange(len(self.waiting))

    def _with_waiting(self, values: Floats) -> Floats:
        """Expected values of 0, 1, 2 … studies beside those from waiting reports, from values of so many in all; (200,)."""
        # Beyond the table one more study adds nothing worth counting.
        return np.correlate(np.pad(values, (0, len(self.waiting) - 1), "edge"), self.waiting, "valid")

    def _other(self, studies: Floats | Depths) -> Floats:
        """Chance that these numbers of studies lead to another option in each state, shape (states, numbers)."""
        needed = np.zeros(len(self.states), dtype=np.intp) if self.needed is None else self.needed
        rows = [
            chance_of_another(state, studies, self.payoffs, int(least))
            for state, least in zip(self.states, needed, strict=True)
        ]
        return np.array(rows).reshape(len(self.states), len(studies))

    @cached_property
    def of_one(self) -> Floats:
        """Exact value of one study, shape (states,)."""
        rows = [self._allowed(at, np.ones(1), state.evsi) for at, state in enumerate(self.states)]
        return np.array(rows).reshape(len(self.states))

    @cached_property
    def _whole(self) -> Floats:
        """Value of those from waiting reports and 0, 1, 2 … studies, NaN until a row is computed; shape (states, 200).

        Mostly only the row of the last state is needed.
        """
        return np.full((len(self.states), len(_TURN_UP) + 1), np.nan)

    @cached_property
    def _tables(self) -> Floats:
        """Values of :meth:`of_more` at the nodes, shape (states, NODES); NaN until they are computed."""
        return np.full((len(self.states), NODES), np.nan)

    def _compute(self, state: Depths) -> None:
        """Compute the rows of these states."""
        for at in np.unique(state[np.isnan(self._tables[state, -1])]):
            self._whole[at] = self._with_waiting(self.alone(at))
            worth = _CHANCES @ (self._whole[at, 1:] - self._whole[at, 0])
            worth[_EXPECTED > MANY] = self._evsi(at, self._many) - self._whole[at, 0]
            self._tables[at] = np.maximum.accumulate(worth)

    def _evsi(self, at: int, studies: Floats | Depths) -> Floats:
        """EVSI of these numbers of studies in one state, shape of `studies`."""
        return self._allowed(at, studies, partial(self.states[at].worth_of_studies, studies))

    def _allowed(
        self, at: int, studies: Floats | Depths, evsi: Callable[[Payoffs], Floats | float]
    ) -> Floats:
        """Value of studies in one state, where only the other options count while a⁺ may not be taken.

        `evsi` returns the value for a decision between two options; shape of `studies`.
        """
        nothing = np.zeros(len(studies))
        among_all = np.asarray(sum(map(evsi, self.payoffs.neighbours()), nothing))
        if self.needed is None:
            return among_all
        among_others = np.asarray(sum(map(evsi, self.payoffs.neighbours(plus_open=False)), nothing))
        return np.where(studies >= self.needed[at], among_all + self.held[at], among_others)


def chance_of_another(
    state: EvidenceState, studies: Floats | Depths, payoffs: Payoffs, needed: int = 0
) -> Floats:
    """Chance that further studies lead to another option than the one that is best now.

    Parameters
    ----------
    state : EvidenceState
        The state of knowledge now.
    studies : array_like, shape (K,)
        Numbers of further studies, rising, each at least 1.
    payoffs : Payoffs
        Payoffs of the options.
    needed : int
        Number of further studies before a⁺ may be taken.

    Returns
    -------
    ndarray, shape (K,)
        Chances.
    """
    now = int(payoffs.best(state.b, plus_open=needed <= 0))

    chances = []
    for plus_open in (True, False):
        between = payoffs.ranges(plus_open).of(now)
        low, high = between or (0.0, 1.0)
        left = np.full(len(studies), 0.0 if between else 1.0)
        if low > 0:
            left = left + 1 - state.chance_above(studies, low)
        if high < 1:
            left = left + state.chance_above(studies, high)
        chances.append(left)
        if needed <= 0:
            return left
    return np.where(np.asarray(studies) >= needed, *chances)


def _at(table: Floats, expected: Floats, state: Depths) -> Floats:
    """Interpolate a table, shape (states · NODES,), between the nodes of the expected number of studies."""
    with np.errstate(divide="ignore"):
        place = np.log(expected / FEWEST) * ((NODES - 1) / math.log(MOST / FEWEST))
    place = np.clip(place, 0.0, NODES - 1.000001)
    node = place.astype(np.intp)
    part = place - node
    node = node + state * NODES
    worth = table[node] * (1 - part) + table[node + 1] * part
    # Below the first node, the value is proportional to the number.
    return np.asarray(worth * np.minimum(1.0, expected / FEWEST))
