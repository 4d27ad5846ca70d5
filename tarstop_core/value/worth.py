"""What any number of studies is worth in each state of knowledge, computed for the states that somebody asks about."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarstop_core.value.counts import poisson
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.mixtures import chance_of_plus, worth_of_studies
from tarstop_core.value.payoffs import TOLERANCE, Depths, Floats, Payoffs
from tarstop_core.value.studies import chance_plus, evsi_of_studies

# What expected studies are worth is smooth on a log axis of their number: a table of it is exact to 1e-4.
FEWEST, MOST, NODES = 1e-4, 1e4, 512
# This many expected studies turn up in about their expected number.
MANY = 100.0
_EXPECTED = np.geomspace(FEWEST, MOST, NODES)
_TURN_UP = np.arange(1, 200)
_CHANCES = poisson(_TURN_UP, np.minimum(_EXPECTED, MANY)[:, None])


@dataclass(frozen=True, eq=False)
class WorthOfStudies:
    """V of each state, in the payoffs' unit."""

    b: Floats  # Belief, shape (states,)
    n_0: Floats  # How many studies the state is worth, shape (states,)
    one: Floats  # Exact EVSI of one study where a⁺ may be taken, shape (states,)
    payoffs: Payoffs
    needed: Depths | None  # Further studies before a⁺ may be taken, shape (states,); None where it always may
    held: Floats  # What it costs in each state that a⁺ may not be taken there, shape (states,)
    mixtures: Sequence[Knowledge | None] = ()
    """What is known by heterogeneity, of states where that is not taken as one normal distribution worth n_0 studies."""

    def of(self, expected: Floats, state: Depths) -> Floats:
        """What expected numbers of studies are worth in these states."""
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
        """Chance that this many studies lead to the other action, shape (states, numbers)."""
        b, n_0, q_star = self.b[:, None], self.n_0[:, None], self.payoffs.q_star
        leads_to_plus = chance_plus(b, n_0, studies, q_star)
        for state, mixture in self._mixed:
            leads_to_plus[state] = chance_of_plus(mixture, studies, q_star)
        turned = np.where(b > q_star + TOLERANCE, 1 - leads_to_plus, leads_to_plus)
        if self.needed is None:
            return turned
        short = self.needed[:, None]
        return np.where(short > 0, np.where(studies >= short, leads_to_plus, 0.0), turned)

    @property
    def _mixed(self) -> list[tuple[int, Knowledge]]:
        return [(state, mixture) for state, mixture in enumerate(self.mixtures) if mixture is not None]

    def _evsi(self, studies: Floats | Depths) -> Floats:
        """EVSI of this many studies if a⁺ is available, shape (states, numbers)."""
        worth = evsi_of_studies(self.b[:, None], self.n_0[:, None], studies, self.payoffs)
        for state, mixture in self._mixed:
            worth[state] = worth_of_studies(mixture, studies, self.payoffs)
        return worth

    @cached_property
    def of_one(self) -> Floats:
        """Worth of one study, exact, shape (states,)."""
        return self._allowed(self.one[:, None], _TURN_UP[:1])[:, 0]

    @cached_property
    def _whole(self) -> Floats:
        """Rows of :meth:`of_whole`, NaN where nobody asked yet: mostly one is asked about the last state alone."""
        return np.full((len(self.b), len(_TURN_UP)), np.nan)

    @cached_property
    def _tables(self) -> Floats:
        """V at the nodes of the expected number of studies, as far as it was asked for, shape (states, NODES)."""
        return np.full((len(self.b), NODES), np.nan)

    def _compute(self, state: Depths) -> None:
        """Fill the rows of these states."""
        asked = np.unique(state)
        asked = asked[np.isnan(self._tables[asked, -1])]
        if not len(asked):
            return
        own, many = self._only(asked), _EXPECTED > MANY
        whole = own._evsi(_TURN_UP)
        whole[:, 0] = own.one
        self._whole[asked] = own._allowed(whole, _TURN_UP)
        worth = np.array([_CHANCES @ row for row in self._whole[asked]])
        worth[:, many] = own._allowed(own._evsi(_EXPECTED[many]), _EXPECTED[many])
        self._tables[asked] = np.maximum.accumulate(worth, axis=1)

    def _only(self, states: Depths) -> "WorthOfStudies":
        """Some of the states."""
        return WorthOfStudies(
            self.b[states],
            self.n_0[states],
            self.one[states],
            self.payoffs,
            None if self.needed is None else self.needed[states],
            self.held[states],
            [self.mixtures[state] for state in states] if self.mixtures else (),
        )

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
