"""The worth of any number of studies in each state of knowledge, computed for a state when it is first needed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from tarstop_core.value.counts import poisson
from tarstop_core.value.payoffs import Depths, Floats, Payoffs
from tarstop_core.value.studies import EvidenceState

# Worth is smooth in the log of the expected number of studies; a table of it is exact to 1e-4.
FEWEST, MOST, NODES = 1e-4, 1e4, 512
# From this many on, the number of studies is taken to be its expectation.
MANY = 100.0
_EXPECTED = np.geomspace(FEWEST, MOST, NODES)
_TURN_UP = np.arange(1, 200)
_CHANCES = poisson(_TURN_UP, np.minimum(_EXPECTED, MANY)[:, None])


@dataclass(frozen=True, eq=False)
class WorthOfStudies:
    """The worth of further studies in each state of knowledge, in the payoffs' unit."""

    states: Sequence[EvidenceState]
    payoffs: Payoffs
    # Further studies needed before a⁺ may be taken, shape (states,); None if it always may
    needed: Depths | None
    held: Floats  # Loss in each state because a⁺ may not be taken yet, in the payoffs' unit, shape (states,)

    def of(self, expected: Floats, state: Depths) -> Floats:
        """Worth of these expected numbers of studies in these states."""
        self._compute(state)
        return _at(self._tables.ravel(), expected, state)

    def of_whole(self, state: Depths) -> Floats:
        """Worth of 1, 2, 3 … studies in these states, the first exact, shape (…, 199)."""
        self._compute(state)
        return self._whole[state]

    def turned(self, expected: Floats, state: Depths) -> Floats:
        """Chance that a Poisson number of studies leads to the other action, by its mean and the state."""
        return _at(self._turned, expected, state)

    @cached_property
    def _turned(self) -> Floats:
        """Chance at the nodes of :attr:`_tables`. If a⁺ is held back, the other action is a⁺ once enough studies are in."""
        chances = _CHANCES @ self._other(_TURN_UP).T
        chances[_EXPECTED > MANY] = self._other(_EXPECTED[_EXPECTED > MANY]).T
        return np.asarray(chances.T).ravel()

    def _other(self, studies: Floats | Depths) -> Floats:
        """Chance that this many studies lead to another option, shape (states, numbers)."""
        needed = np.zeros(len(self.states), dtype=np.intp) if self.needed is None else self.needed
        rows = [
            chance_of_another(state, studies, self.payoffs, int(least))
            for state, least in zip(self.states, needed, strict=True)
        ]
        return np.array(rows).reshape(len(self.states), len(studies))

    @cached_property
    def of_one(self) -> Floats:
        """Worth of one study, exact, shape (states,)."""
        rows = [self._allowed(at, np.ones(1), state.evsi) for at, state in enumerate(self.states)]
        return np.array(rows).reshape(len(self.states))

    @cached_property
    def _whole(self) -> Floats:
        """Rows of :meth:`of_whole`, NaN until they are needed: mostly only the last state is."""
        return np.full((len(self.states), len(_TURN_UP)), np.nan)

    @cached_property
    def _tables(self) -> Floats:
        """Worth at the nodes of the expected number of studies, shape (states, NODES); NaN until it is needed."""
        return np.full((len(self.states), NODES), np.nan)

    def _compute(self, state: Depths) -> None:
        """Fill the rows of these states."""
        for at in np.unique(state[np.isnan(self._tables[state, -1])]):
            self._whole[at] = self._evsi(at, _TURN_UP)
            self._whole[at, 0] = self.of_one[at]
            worth = _CHANCES @ self._whole[at]
            worth[_EXPECTED > MANY] = self._evsi(at, _EXPECTED[_EXPECTED > MANY])
            self._tables[at] = np.maximum.accumulate(worth)

    def _evsi(self, at: int, studies: Floats | Depths) -> Floats:
        """EVSI of these numbers of studies in one state, shape of `studies`."""
        return self._allowed(at, studies, partial(self.states[at].worth_of_studies, studies))

    def _allowed(
        self, at: int, studies: Floats | Depths, evsi: Callable[[Payoffs], Floats | float]
    ) -> Floats:
        """Worth of studies in one state, from that of a decision between two options: while a⁺ may not be taken the others
        alone count.
        """
        none = np.zeros(len(studies))
        among_all = np.asarray(sum(map(evsi, self.payoffs.neighbours()), none))
        if self.needed is None:
            return among_all
        among_others = np.asarray(sum(map(evsi, self.payoffs.neighbours(plus_open=False)), none))
        return np.where(studies >= self.needed[at], among_all + self.held[at], among_others)


def chance_of_another(
    state: EvidenceState, studies: Floats | Depths, payoffs: Payoffs, needed: int = 0
) -> Floats:
    """Chance that further studies lead to another option than the one that is best now.

    Parameters
    ----------
    state : EvidenceState
        What is known now.
    studies : array_like, shape (K,)
        Numbers of further studies, rising, each at least 1.
    payoffs : Payoffs
        What the options bring.
    needed : int
        Further studies before a⁺ may be taken.

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
    """Interpolate between the nodes of the expected number of studies."""
    with np.errstate(divide="ignore"):
        place = np.log(expected / FEWEST) * ((NODES - 1) / math.log(MOST / FEWEST))
    place = np.clip(place, 0.0, NODES - 1.000001)
    node = place.astype(np.intp)
    part = place - node
    node = node + state * NODES
    worth = table[node] * (1 - part) + table[node + 1] * part
    # Below the first node, worth is proportional to the number.
    return np.asarray(worth * np.minimum(1.0, expected / FEWEST))
