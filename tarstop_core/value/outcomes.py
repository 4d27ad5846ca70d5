"""Paths of reviews, the truth of a fully known outcome, and the chance that reading everything changes the decision.

The number of studies still to come is a distribution, not a mean; it includes what is not known about the list
(:class:`tarstop_core.belief.mixture.Remaining`). Where these studies would lead is preposterior theory
(:mod:`tarstop_core.value.studies`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.belief.lattice import Lattice, lattice_for
from tarstop_core.belief.of_tables import beliefs, last_belief
from tarstop_core.belief.question import Question
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import INTERVAL_LEVEL
from tarstop_core.value.counts import beta_binomial, binomial
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.payoffs import TOLERANCE, Depths, Floats, Payoffs
from tarstop_core.value.studies import EvidenceState, NextStudy, Pooling, next_studies
from tarstop_core.value.worth import chance_of_another

BY_DEFAULT = Question()


@dataclass(frozen=True, eq=False)
class ReviewPath(CumulativePath):
    """The path of a review, with the value of waiting reports and the chance that the decision is wrong."""

    # Expected number of relevant documents among those that all readers excluded
    overlooked: float = 0.0
    # Share of the relevant documents that the readers include; `p` is the chance that they do
    recognised: float = 1.0

    @cached_property
    def otherwise(self) -> Floats:
        """Chance that the studies not found by each depth would lead to another option, shape (N + 1,)."""
        unread = (self.included_to[-1] - self.included_to) / self.recognised
        return self._worth.turned(self.share * (unread + self.overlooked), self.studies)

    def disagreement(self, truth: str) -> Floats:
        """Chance that the action on stopping at each depth is wrong, shape (N + 1,).

        The truth is whether what is pooled exceeds its threshold ("pooled"), or what the whole list would have led to
        ("full_evidence").
        """
        if truth == "full_evidence":
            return self.otherwise
        # If ω were known, the first or the last option would be right, never one between.
        chosen, (minus, *_, plus) = self._chosen[self.studies], self.payoffs.ranges().options
        return np.where(chosen == plus, 1 - self.b, np.where(chosen == minus, self.b, 1.0))

    def worth_of_reading(self, depth: Depths, start: int) -> Floats:
        """Expected gain of reading from `start` to each depth; a reader who stops at once still reads the reports that pay."""
        worth = super().worth_of_reading(depth, start)
        if not self.waiting:
            return worth
        _, gain = self.best_reports(round(self.reports_waiting))
        return np.where(depth == start, gain, worth)

    def worth_of_reports(self, waiting: int) -> Floats:
        """Value of reading 0 … `waiting` reports in full now, in the payoffs' unit, shape (waiting + 1,)."""
        bring = np.arange(waiting + 1)
        # The number of reports with data is binomial.
        chances = binomial(bring, bring[:, None], self.share)
        whole = self._worth.alone(len(self.states) - 1)
        # Beyond the table one more study adds nothing worth counting.
        return np.asarray(chances @ whole[np.minimum(bring, len(whole) - 1)])

    def best_reports(self, waiting: int) -> tuple[int, float]:
        """Return how many of the waiting reports are worth reading in full, and what that gains beyond its cost."""
        gain = self.worth_of_reports(waiting) - self.full_cost * np.arange(waiting + 1)
        best = int(gain.argmax())
        return best, float(gain[best])


def outcome_path(
    outcome: Outcome, p: Floats, payoffs: Payoffs, question: Question = BY_DEFAULT
) -> ReviewPath:
    """Return the path of an experiment, in which every study is known from the beginning: paper mode, one stage.

    Parameters
    ----------
    outcome : Outcome
        Studies and the documents that bring them; studies whose document is not ranked are never met.
    p : ndarray, shape (N,)
        Chance that each document brings data.
    payoffs : Payoffs
        Payoffs of the options.
    question : Question
        Thresholds, engine and prior.

    Returns
    -------
    ReviewPath
        A path over the documents of the topic.

    Raises
    ------
    InputProblem
        When the topic has no labels.
    """
    labels = outcome.topic.labels
    if labels is None:
        raise InputProblem(f"Outcome {outcome.name} has no labels; replaying needs them.")
    states = states_of(outcome.tables, question)
    return ReviewPath(p, states, studies_after(outcome.positions, len(p)), payoffs, labels)


@lru_cache(maxsize=4096)
def _full_belief(cells: bytes, theta: float, theta_sp: float | None) -> float:
    """Bivariate belief by the weak prior, cached by the counts."""
    return bivariate_belief(_tables(cells), theta, theta_sp=theta_sp)


def is_plus(tables: Tables, theta: float, truth: str, q_star: float, theta_sp: float | None = None) -> bool:
    """Whether the truth of an outcome is ω⁺.

    It is always computed from all studies, ranked or not, with the bivariate engine, b_0 = .5 and the weak prior, whatever
    engine or prior is being tested.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    truth : {"pooled", "full_evidence"}
        Whether ω⁺ is that pooled sensitivity exceeds θ (b_N > .5), or that full evidence chooses a⁺ (b_N > q*), which is
        what the paper's Table 2 implies.
    q_star : float
        Threshold belief above which a⁺ is chosen.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1).

    Returns
    -------
    bool
        True under ω⁺.
    """
    b = _full_belief(_cells(tables), theta, theta_sp)
    return b > (q_star if truth == "full_evidence" else 0.5) + TOLERANCE


KEPT = 256  # Sets of tables whose states are cached
_cached_states: dict[tuple[bytes, Question, bool], tuple[NextStudy, ...]] = {}


def states_of(tables: Tables, question: Question, *, last_only: bool = False) -> tuple[NextStudy, ...]:
    """Return the belief and what the next study may find, after each study; cached.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    question : Question
        Thresholds, engine and prior.
    last_only : bool
        Whether only the state after all n studies is wanted.

    Returns
    -------
    tuple of NextStudy
        States after 0 … n studies, or only the last.
    """
    key = (_cells(tables), question, last_only)
    states = _cached_states.get(key)
    if states is None:
        states = _cached_states[key] = _states(tables, question, last_only)
        while len(_cached_states) > KEPT:
            _cached_states.pop(next(iter(_cached_states)), None)
    return states


def _cells(tables: Tables) -> bytes:
    """All counts as bytes, a cache key."""
    return np.stack([getattr(tables, cell) for cell in CELLS]).tobytes()


def _tables(cells: bytes) -> Tables:
    """Tables with the counts of :func:`_cells`, without names."""
    counts = np.frombuffer(cells, dtype=float).reshape(len(CELLS), -1)
    return Tables(("",) * counts.shape[1], *counts)


def _states(tables: Tables, question: Question, last_only: bool) -> tuple[NextStudy, ...]:
    """Compute :func:`states_of`."""
    of_margins = question.theta, question.prior, question.theta_sp
    if last_only and question.engine == "reml":
        return states_of(tables, question)[-1:]
    if last_only:
        # Every other engine has a belief.
        now = np.array([last_belief(tables, question)], dtype=float)
        return tuple(next_studies(tables, *of_margins, beliefs=now, last_only=True))
    if len(tables) and question.engine != "reml":
        # When a review grows, only the state after its newest study is computed, unless that needs other lattices.
        earlier = tables.first(len(tables) - 1)
        before = _cached_states.get((_cells(earlier), question, False))
        if before and _lattices(earlier, question) == _lattices(tables, question):
            return (*before, *states_of(tables, question, last_only=True))
    return tuple(next_studies(tables, *of_margins, beliefs=beliefs(tables, question)))


def _lattices(tables: Tables, question: Question) -> list[Lattice]:
    """The lattices on which the belief is computed."""
    return [lattice_for(*margin) for margin in question.margins(tables)]


INTERVAL_REACH = round(float(ndtri((1 + INTERVAL_LEVEL) / 2)), 3)
"""Standard deviations on either side of its mean that an interval of a normal distribution reaches."""
ROWS = 48  # Equally probable numbers of reports that represent their distribution


def studies_to_come(unread: ArrayLike, waiting: int = 0, shapes: tuple[float, float] | None = None) -> Floats:
    """Distribution of the number of further studies.

    Parameters
    ----------
    unread : array_like, shape (M + 1,)
        Chance of 0, 1, 2, … relevant documents among those that nobody has read.
    waiting : int
        Number of reports that were included and are still to be read in full.
    shapes : (float, float), optional
        Shapes of the beta distribution of the share of reports that bring data; without them every report does.

    Returns
    -------
    ndarray, shape (K + 1,)
        Chance of 0, 1, 2, … studies.

    Examples
    --------
    >>> studies_to_come([0.5, 0.5], waiting=1)
    array([0. , 0.5, 0.5])
    >>> studies_to_come([0.0, 1.0], shapes=(1.0, 1.0))
    array([0.5, 0.5])
    """
    chance = np.asarray(unread, dtype=float)
    if shapes is None:
        return np.concatenate((np.zeros(waiting), chance))
    reports = np.arange(len(chance))
    if len(chance) > ROWS:
        # Quantiles represent the numbers, because what follows is smooth in them.
        levels = (np.arange(ROWS) + 0.5) / ROWS
        reports = np.minimum(np.searchsorted(np.cumsum(chance), levels), len(chance) - 1)
        chance = np.full(ROWS, 1 / ROWS)
    reports = reports + waiting
    bring = np.arange(reports.max() + 1)
    return np.asarray(chance @ beta_binomial(bring, reports[:, None], *shapes))


def tempered(chance: ArrayLike, power: float) -> Floats:
    """Raise the odds of a chance to a power; below 1 this moves it towards one half, never past it.

    >>> tempered([0.0, 0.1, 0.5, 0.9], 0.5).round(3)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    chance = np.asarray(chance, dtype=float)
    yes, no = chance**power, (1 - chance) ** power
    return np.asarray(yes / (yes + no))


def pooled_move(state: Pooling, to_come: ArrayLike) -> float:
    """Standard deviation of the change that further studies make to the pooled result, on the scale of analysis.

    k studies move its posterior mean with variance v·k/(k + n_0) (:mod:`tarstop_core.value.studies`). `to_come` is the chance
    of 0, 1, 2, … of them.
    """
    assert state.pooled is not None, "a state of tables knows what they pool to"
    chance = np.asarray(to_come, dtype=float)
    k = np.arange(len(chance))
    moves = np.divide(k, k + state.n_0, out=np.zeros(len(k)), where=k > 0)
    return state.pooled[1] * math.sqrt(float(chance @ moves))


def pooled_range(
    state: Pooling, to_come: ArrayLike, widening: float = 1.0, unit: Callable[[float], float] = expit
) -> tuple[float, float]:
    """Interval of 90 % for the pooled result of all studies, if further ones come as expected.

    Parameters
    ----------
    state : Pooling
        The state of knowledge now, which knows what is pooled.
    to_come : array_like, shape (K + 1,)
        Chance of 0, 1, 2, … further studies (:func:`studies_to_come`).
    widening : float
        Factor on the standard deviation of the move, learned from past reviews.
    unit : callable
        Function from the scale of analysis to the unit of the result; by default a sensitivity.

    Returns
    -------
    low, high : float
        Ends of the interval, in that unit.

    Examples
    --------
    >>> state = NextStudy(40, 0.5, np.ones(1), np.ones(1), n_0=2.0, pooled=(1.0, 0.5))
    >>> [round(end, 2) for end in pooled_range(state, [0.0, 0.0, 1.0])]
    [0.6, 0.83]
    >>> [round(end, 2) for end in pooled_range(state, [1.0])]
    [0.73, 0.73]
    """
    assert state.pooled is not None, "a state of tables knows what they pool to"
    reach = INTERVAL_REACH * widening * pooled_move(state, to_come)
    return float(unit(state.pooled[0] - reach)), float(unit(state.pooled[0] + reach))


def chance_turned(
    state: EvidenceState, to_come: ArrayLike, payoffs: Payoffs, needed: int = 0, tempering: float = 1.0
) -> float:
    """Chance that the decision after all studies differs from the one taken now.

    Parameters
    ----------
    state : EvidenceState
        The state of knowledge now.
    to_come : array_like, shape (K + 1,)
        Chance of 0, 1, 2, … further studies (:func:`studies_to_come`).
    payoffs : Payoffs
        Payoffs of the options.
    needed : int
        Number of further studies before a⁺ may be taken.
    tempering : float
        Power to which the odds that studies change the decision, if any come, are taken; the chance that they come stays.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> even, state = Payoffs.from_q_star(0.5), NextStudy(40, 0.7, np.ones(1), np.ones(1), n_0=2.0)
    >>> round(chance_turned(state, [0.0, 1.0], even), 2), chance_turned(state, [1.0], even)
    (0.18, 0.0)
    >>> surer = NextStudy(40, 0.9, np.ones(1), np.ones(1), n_0=2.0)
    >>> round(chance_turned(surer, [0.5, 0.0, 0.5], even, needed=2), 2)
    0.48
    >>> round(chance_turned(state, [0.9, 0.1], even, tempering=0.5), 3)
    0.032
    """
    least = max(needed, 1)
    chance = np.asarray(to_come, dtype=float)[least:]
    if not chance.any():
        return 0.0
    turns = chance_of_another(state, np.arange(least, least + len(chance)), payoffs, needed)
    given = min(1.0, float(chance @ turns / chance.sum()))
    return float(chance.sum() * tempered(given, tempering))
