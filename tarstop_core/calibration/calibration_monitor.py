"""A test of whether chances fit the labels, over all lists that a person began; it may be looked at after every label.

Lists differ, and chances that are right allow for it, so one list says little. Each list that was begun with the same
chances multiplies the evidence of the others: how many times more likely its labels are if hits come otherwise than forecast. Hits
come otherwise at another level (a factor on every chance) or elsewhere along the list (earlier or later ranks). The mean of
the products over these alternatives is an e-value. If the chances are right it is a martingale of mean 1, so that it ever
reaches 20 for one person in twenty at most, whenever and however often somebody looks. That holds because a list counts
from its first label to its last, however it ended, and because its chances were fixed before it began.

Notes
-----
J. Ville (1939), Étude critique de la notion de collectif, Gauthier-Villars. The alternatives are this program's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, logsumexp, polygamma

from tarstop_core.calibration.hit_rate_model import (
    TOTAL_SHAPE,
    Thinning,
    hit_rates,
    in_given_order,
    share_among,
    share_at,
    share_of,
)
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.presentation.numbers import INTERVAL_LEVEL

CONFIDENCE = INTERVAL_LEVEL  # Of the interval of the number of hits
E_LIMIT = 20.0
"""E-value from which chances count as not fitting: one person in twenty at most reaches it although the chances are right."""
LEVELS = (0.25, 0.35, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0)  # Alternatives: every chance times this
TILTS = (0.5, 2.0)
"""Alternatives: hits come earlier (below 1) or later along the list, as if relative ranks had been raised to this power."""
STEP = 0.2  # Between nodes of the log of the number of hits
REACH = 3.5  # Standard deviations that these nodes reach
LEAST = 1e-300  # Smallest exposure or chance whose log is taken


@dataclass(frozen=True)
class EvidenceAgainst:
    """Evidence against chances from all lists that were begun with them."""

    lists: int  # How many lists
    e_value: float  # How many times more likely the labels are if hits come otherwise
    level: float | None
    """Factor on the chances of the most likely alternative; None if that is hits elsewhere along the list."""

    @property
    def warned(self) -> bool:
        """Whether the chances fit less well than differences between lists explain."""
        return self.e_value >= E_LIMIT


@dataclass(frozen=True)
class Check:
    """How many relevant documents were expected among those read, how many there were, and the evidence of all lists."""

    read: int
    """Documents with a label that counts: not unsure ones, hits that wait for confirmation or, in a review in one stage,
    reports that wait.
    """
    low: int
    high: int
    """`low` and `high`: interval of :data:`CONFIDENCE` of the number relevant, over lists that differ as training lists do."""
    relevant: int  # How many of the documents read are relevant
    evidence: EvidenceAgainst
    offered: float | None = None
    """Factor by which multiplying the chances is offered; only after a warning, and if another level fits best."""
    misses: float | None = None  # In patents without a hit, the chance of that if prior art exists
    unsure: int = 0
    waiting: int = 0
    """`unsure` and `waiting`: documents left out because they are unsure; because a hit is to be confirmed or a report
    waits.
    """

    @property
    def outside(self) -> bool:
        """Whether the number of hits lies outside its interval."""
        return not self.low <= self.relevant <= self.high


def combined(log_ratios: Sequence[Floats]) -> EvidenceAgainst:
    """Combine the log likelihood ratios of lists, each of shape (A,) as the functions below return it, into one e-value.

    >>> half_as_many = np.log(np.where(np.array((*LEVELS, *TILTS)) == 0.5, 4.0, 0.5))
    >>> combined([half_as_many]).warned, combined([half_as_many] * 5).warned
    (False, True)
    """
    if not len(log_ratios):
        return EvidenceAgainst(0, 1.0, None)
    total = np.sum(log_ratios, axis=0)
    best = int(total.argmax())
    e_value = math.exp(min(float(np.logaddexp.reduce(total)) - math.log(len(total)), 700.0))
    return EvidenceAgainst(len(log_ratios), e_value, LEVELS[best] if best < len(LEVELS) else None)


def ratios_of_curves(
    thinning: Thinning, judged: Flags, relevant: Flags, before: Flags, scale: float = 1.0
) -> Floats:
    """Log likelihood ratio of each of A alternatives to the chances, for a list in which hits add up.

    Parameters
    ----------
    thinning : Thinning
        How hits thin out along the training lists.
    judged, relevant : ndarray of bool, shape (N,)
        By rank, which documents have a label, and which of these are relevant.
    before : ndarray of bool, shape (N,)
        Labels that were there before the chances were given, on which the others are conditioned.
    scale : float
        Factor on all chances.

    Returns
    -------
    ndarray, shape (A,)
        Natural logarithms.
    """
    now, then = (
        _of_curves(thinning, read.tobytes(), (relevant & read).tobytes(), scale)
        for read in (judged, judged & before)
    )
    return _log_ratios(now - then)


@lru_cache(maxsize=32)
def _of_curves(thinning: Thinning, judged_flags: bytes, relevant_flags: bytes, scale: float) -> Floats:
    """Log probability of these labels if the chances are right, and by each alternative, shape (1 + A,)."""
    # A press that gives no label, such as a table from a report, asks for the same labels again.
    judged, relevant = (np.frombuffer(flags, dtype=bool) for flags in (judged_flags, relevant_flags))
    if not judged.any():
        return np.zeros(1 + len(LEVELS) + len(TILTS))
    length = len(judged)
    rates = hit_rates(in_given_order(thinning), length)
    # Chances that are right allow for a gamma factor of each list, whose log has this mean and this variance.
    log_total = rates.log_total + math.log(scale) + float(digamma(TOTAL_SHAPE)) - math.log(TOTAL_SHAPE)
    spread = np.hypot(rates.deviation, math.sqrt(float(polygamma(1, TOTAL_SHAPE))))[:, None]
    edge = math.log(LEVELS[-1]) + REACH * float(spread.max())
    log_number = np.arange(log_total.min() - edge, log_total.max() + edge, STEP)
    number, hits = np.exp(log_number), np.flatnonzero(relevant)
    logs = []
    for tilt in (1.0, *TILTS):
        parameters = rates.parameters + np.array([math.log(tilt), 0.0])
        share = share_at(hits, length, *np.exp(parameters.T))
        among = share_among(partial(share_of, "beta", parameters, length=length), judged)
        missed = np.maximum(among - share.sum(axis=1), 0.0)
        # A document of exposure λ is a hit with chance 1 − exp(−λ).
        exposure = np.maximum(share[:, None] * number[:, None], LEAST)
        log_labels = np.log(-np.expm1(-exposure)).sum(axis=2) - np.outer(missed, number)
        for level in (1.0, *LEVELS) if tilt == 1 else (1.0,):
            off = (log_number - log_total[:, None] - math.log(level)) / spread
            log_chance = -0.5 * off**2
            log_chance += (rates.log_weight - logsumexp(log_chance, axis=1))[:, None]
            logs.append(float(logsumexp(log_chance + log_labels)))
    return np.array(logs)


def ratios_of_first_hit(log_M: Floats, read: int, hit: bool, none: float, before: int = 0) -> Floats:
    """Log likelihood ratio of each of A alternatives to the chances, for a search that one hit ends.

    Parameters
    ----------
    log_M : ndarray, shape (N + 1,)
        Log of the chance of no hit in the first d documents, if there is something to find.
    read : int
        Number of documents read.
    hit : bool
        Whether the last of them was a hit.
    none : float
        Chance that there is nothing to find.
    before : int
        Number of documents read without a hit before the chances were given.

    Returns
    -------
    ndarray, shape (A,)
        Natural logarithms.
    """
    depths = np.array([read - 1, read, before]) if read else np.zeros(3, dtype=int)
    length = max(len(log_M) - 1, 1)
    tilted = length * (depths / length) ** np.array([1.0, *TILTS])[:, None]
    M = np.exp(np.interp(tilted, np.arange(len(log_M)), log_M))
    M = np.vstack((M[:1], np.exp(np.outer(LEVELS, log_M[depths])), M[1:]))
    none_by = none + (1 - none) * M
    # Every alternative gives the same chance that there is something to find, so it cancels after a hit.
    end = M[:, 0] - M[:, 1] if hit else none_by[:, 1]
    return _log_ratios(np.log(np.maximum(end, LEAST)) - np.log(none_by[:, 2]))


def ratios_of_forecasts(p: Floats, relevant: Flags) -> Floats:
    """Log likelihood ratio of each of A alternatives to forecasts of single documents, shape (A,).

    `p`, shape (d,), is the chance forecast for each document when it was next, and `relevant`, shape (d,), its label. Levels
    multiply the odds. Ranks mean nothing here, so tilts bring the odds nearer to even or farther from it instead.
    """
    p = np.clip(p, 1e-9, 1 - 1e-9)
    logit = np.log(p / (1 - p))
    moved = np.vstack((logit, *(logit + math.log(f) for f in LEVELS), *(power * logit for power in TILTS)))
    return _log_ratios(-np.logaddexp(0, np.where(relevant, -1.0, 1.0) * moved).sum(axis=1))


def _log_ratios(logs: NDArray[np.float64]) -> Floats:
    """Subtract the first entry, that of the unchanged chances, from those of the alternatives; shape (A,)."""
    return np.asarray(logs[1:] - logs[0])
