"""What a number of further studies is worth in each state of knowledge, and what an expected number is."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import poisson

from tarstop_core.value.payoffs import Depths, Floats, Payoffs
from tarstop_core.value.studies import chance_otherwise, chance_plus, evsi_of_studies

# What expected studies are worth is smooth on a log axis of their number: a table of it is exact to 1e-4.
FEWEST, MOST, NODES = 1e-4, 1e4, 512
# So many expected studies turn up in about their expected number.
MANY = 100.0
_EXPECTED = np.geomspace(FEWEST, MOST, NODES)
_TURN_UP = np.arange(1, 200)
_CHANCES = poisson.pmf(_TURN_UP, np.minimum(_EXPECTED, MANY)[:, None])


@dataclass(frozen=True, eq=False)
class WorthOfStudies:
    """V of each state, in the payoffs' unit."""

    b: Floats  # Belief, shape (states,)
    n_0: Floats  # How many studies the state is worth, shape (states,)
    one: Floats  # Exact EVSI of one study where a⁺ may be taken, shape (states,)
    payoffs: Payoffs
    needed: Depths | None  # Further studies before a⁺ may be taken, shape (states,); None where it always may
    held: Floats  # What it costs in each state that a⁺ may not be taken there, shape (states,)

    def of(self, expected: Floats, state: Depths) -> Floats:
        """What expected numbers of studies are worth in these states."""
        return _at(self._table, expected, state)

    def turned(self, expected: Floats, state: Depths) -> Floats:
        """Chance that a Poisson number of studies leads to the other action, by its mean and the state."""
        return _at(self._turned, expected, state)

    @cached_property
    def _turned(self) -> Floats:
        """Chance at the nodes of :attr:`_table`. Where a⁺ is held back the other action is a⁺, once enough are in."""
        chances = _CHANCES @ self._other(_TURN_UP).T
        chances[_EXPECTED > MANY] = self._other(_EXPECTED[_EXPECTED > MANY]).T
        return np.asarray(chances.T).ravel()

    def _other(self, studies: Floats | Depths) -> Floats:
        """Chance that so many studies lead to the other action, shape (states, numbers)."""
        b, n_0, q_star = self.b[:, None], self.n_0[:, None], self.payoffs.q_star
        turned = chance_otherwise(b, n_0, studies, q_star)
        if self.needed is None:
            return turned
        short = self.needed[:, None]
        plus = np.where(studies >= short, chance_plus(b, n_0, studies, q_star), 0.0)
        return np.where(short > 0, plus, turned)

    @cached_property
    def of_one(self) -> Floats:
        """Worth of one study, exact, shape (states,)."""
        return self._allowed(self.one[:, None], _TURN_UP[:1])[:, 0]

    @cached_property
    def of_whole(self) -> Floats:
        """Worth of 1, 2, 3 … studies in each state, the first exact, shape (states, 199)."""
        worth = evsi_of_studies(self.b[:, None], self.n_0[:, None], _TURN_UP, self.payoffs)
        worth[:, 0] = self.one
        return self._allowed(worth, _TURN_UP)

    @cached_property
    def _table(self) -> Floats:
        """V at the nodes of the expected number of studies, one state after the other, shape (states · NODES,)."""
        worth = _CHANCES @ self.of_whole.T
        many = _EXPECTED[_EXPECTED > MANY]
        of_many = evsi_of_studies(self.b[:, None], self.n_0[:, None], many, self.payoffs)
        worth[_EXPECTED > MANY] = self._allowed(of_many, many).T
        return np.asarray(np.maximum.accumulate(worth, axis=0).T).ravel()

    def _allowed(self, worth: Floats, studies: Floats | Depths) -> Floats:
        """Worth where a⁺ may not be taken before enough studies are in, shape (states, studies): fewer change nothing."""
        if self.needed is None:
            return worth
        return np.where(studies >= self.needed[:, None], worth + self.held[:, None], 0.0)


def _at(table: Floats, expected: Floats, state: Depths) -> Floats:
    """Between the nodes of the expected number of studies."""
    with np.errstate(divide="ignore"):
        place = np.log(expected / FEWEST) * ((NODES - 1) / math.log(MOST / FEWEST))
    place = np.clip(place, 0.0, NODES - 1.000001)
    node = place.astype(np.intp)
    part = place - node
    node = node + state * NODES
    worth = table[node] * (1 - part) + table[node + 1] * part
    # Below the first node it is in proportion to the number.
    return np.asarray(worth * np.minimum(1.0, expected / FEWEST))
