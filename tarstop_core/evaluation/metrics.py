"""Measures of an experiment (Fletcher & Stevenson, Evaluation), as functions of arrays.

They take the chance that a topic ends in a⁺ (0 or 1 unless the rule draws a random sample), the truth, and the number
of documents screened.
"""

import math
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Flags, Floats, Payoffs

Icer = float | str

REFERENCE, DOMINANT, DOMINATED, NEITHER = "Ref.", "Dominant", "Dominated", "--"


class NoRatio(Enum):
    """Reasons why an ICER is "--"."""

    ALONE = "alone"  # The reference was not run
    SAME_DOCUMENTS = "same_documents"
    SAME_AGREEMENT = "same_agreement"


TARGET_RECALL = 0.95
"""Default recall that recall-centred rules aim at."""
REACHED = 1e-6
"""Recall that is below the target by no more than this reaches it, because files store it in single precision."""
SEED = 1
"""Seed of the bootstrap samples."""
PRINTED_SCREENED, PRINTED_AGREEMENT = 1, 4
"""Decimals in the paper's tables; numbers that agree to these count as equal."""


def payoff(payoffs: Payoffs, plus: ArrayLike, omega: ArrayLike) -> Floats:
    """Expected payoff of choosing a⁺ with a given chance under a given truth.

    Parameters
    ----------
    payoffs : Payoffs
        Payoffs, in the unit of the result.
    plus, omega : array_like
        Chance of a⁺, and whether ω⁺ holds; both broadcast.

    Returns
    -------
    ndarray
    """
    plus = np.asarray(plus, dtype=float)
    under_plus = plus * payoffs.B - (1 - plus) * payoffs.L_g
    under_minus = (1 - plus) * payoffs.G - plus * payoffs.L_r
    return np.asarray(np.where(np.asarray(omega, dtype=bool), under_plus, under_minus))


def net_utility(
    payoffs: Payoffs, plus: ArrayLike, omega: ArrayLike, screened: ArrayLike, cost: ArrayLike
) -> Floats:
    """U = u(a, ω) − c·n of each topic.

    Parameters
    ----------
    payoffs, plus, omega
        As of :func:`payoff`.
    screened, cost : array_like
        Documents read, and the cost of one; all broadcast.

    Returns
    -------
    ndarray
    """
    spent = np.asarray(cost, dtype=float) * np.asarray(screened, dtype=float)
    return np.asarray(payoff(payoffs, plus, omega) - spent)


def agreement(plus: ArrayLike, omega: ArrayLike) -> Floats:
    """Chance that the action is right."""
    return np.where(omega, plus, 1 - np.asarray(plus, dtype=float))


def false_adopt(plus: ArrayLike, omega: ArrayLike) -> Floats:
    """Chance of a⁺ under ω⁻ (Type I)."""
    return np.where(omega, 0.0, plus)


def false_reject(plus: ArrayLike, omega: ArrayLike) -> Floats:
    """Chance of a⁻ under ω⁺ (Type II)."""
    return np.where(omega, 1 - np.asarray(plus, dtype=float), 0.0)


def recall(seen: ArrayLike, n_relevant: ArrayLike) -> Floats:
    """Relevant documents seen over R; 0 where R = 0, as in the paper."""
    seen, total = np.broadcast_arrays(np.asarray(seen, dtype=float), np.asarray(n_relevant, dtype=float))
    return np.asarray(np.divide(seen, total, out=np.zeros(seen.shape), where=total > 0))


def regret(utilities: ArrayLike) -> Floats:
    """Best net utility of any of the methods on a topic, minus the method's own, shape (T, M, …); give no Oracles."""
    utilities = np.asarray(utilities, dtype=float)
    return np.asarray(utilities.max(axis=1, keepdims=True) - utilities)


def icer(screened: float, agrees: float, reference_screened: float, reference_agrees: float) -> Icer:
    """ICER: additional documents read for each additional right decision, against the reference method.

    "Dominant" means fewer documents and more agreement, "Dominated" the opposite, "--" that either is equal at the
    printed precision. If both are lower, the ratio is positive as well: documents saved for each right decision
    that is given up.

    Parameters
    ----------
    screened, agrees : float
        Documents read and share of right decisions, means of the method.
    reference_screened, reference_agrees : float
        The same means of the reference.

    Returns
    -------
    float or str
    """
    if no_ratio(screened, agrees, reference_screened, reference_agrees) is not None:
        return NEITHER
    more, better = screened - reference_screened, agrees - reference_agrees
    if more < 0 < better:
        return DOMINANT
    if better < 0 < more:
        return DOMINATED
    return more / better


def no_ratio(
    screened: float, agrees: float, reference_screened: float, reference_agrees: float
) -> NoRatio | None:
    """Reason why :func:`icer` of these means is "--"; None if it is not.

    Parameters
    ----------
    screened, agrees, reference_screened, reference_agrees
        As of :func:`icer`.

    Returns
    -------
    NoRatio or None
    """
    if _print_alike(screened, reference_screened, PRINTED_SCREENED):
        return NoRatio.SAME_DOCUMENTS
    if _print_alike(agrees, reference_agrees, PRINTED_AGREEMENT):
        return NoRatio.SAME_AGREEMENT
    return None


def wss(recall: ArrayLike, screened: ArrayLike, documents: ArrayLike) -> Floats:
    """Work saved over sampling: the share of documents left unread minus the share of relevant ones missed.

    WSS = (TN + FN) / N − (1 − recall) at the depth where a rule stops (Cohen et al. 2006). NaN without documents.

    Parameters
    ----------
    recall, screened : array_like
        Recall and documents read at the depth where a rule stops.
    documents : array_like
        Length of the list.

    Returns
    -------
    ndarray
    """
    unread = 1 - np.asarray(screened, dtype=float) / np.asarray(documents, dtype=float)
    return np.asarray(unread - (1 - np.asarray(recall, dtype=float)))


def reaches(recall: ArrayLike, target: float) -> Flags:
    """Whether recall is at least the target."""
    return np.asarray(np.asarray(recall) >= target - REACHED)


def _print_alike(one: float, other: float, decimals: int) -> bool:
    # Halves are not exact in binary: 1e-9 is added, so that 5.45 and 5.450000000000001 print alike.
    one, other = (value + math.copysign(1e-9, value) for value in (one, other))
    return f"{one:.{decimals}f}" == f"{other:.{decimals}f}"


Row = Mapping[Any, Any]
"""A row of a table of the paper: ``topics, screened, cost`` and, where needed, ``net_utility, decision_agreement``."""


def net_utility_of_errors(
    payoffs: Payoffs, row: Row, omega_plus: float, adopts: float, rejects: float
) -> float:
    """Mean net utility of a table row from its counts of errors.

    Parameters
    ----------
    payoffs, row : Payoffs, mapping
        Normalised payoffs, and a row of a table of the paper.
    omega_plus, adopts, rejects : float
        Numbers of ω⁺ topics, of wrong a⁺ and of wrong a⁻; fractions if they are means of replications.

    Returns
    -------
    float
    """
    lost = adopts * payoffs.wrong_plus + rejects * payoffs.wrong_minus
    gained = _payoff_if_right(payoffs, row, omega_plus) - lost
    return float(gained / row["topics"] - row["cost"] * row["screened"])


def _payoff_if_right(payoffs: Payoffs, row: Row, omega_plus: float) -> float:
    """Sum of payoffs over all topics if every decision were right."""
    return float(omega_plus * payoffs.B + (row["topics"] - omega_plus) * payoffs.G)


def errors_of_net_utility(payoffs: Payoffs, row: Row, omega_plus: float) -> tuple[float, float]:
    """Counts of both kinds of errors that a table row's net utility implies.

    They solve two equations: their sum is the number of wrong decisions, and their sum weighted by the loss of each
    is the missing utility. NaN if both kinds lose the same (q* = .5), where only their sum is known.

    Parameters
    ----------
    payoffs, row : Payoffs, mapping
        Normalised payoffs, and a row of a table of the paper.
    omega_plus : float
        Number of ω⁺ topics.

    Returns
    -------
    tuple of float
        Numbers of wrong a⁺ and of wrong a⁻.
    """
    wrong = (1 - row["decision_agreement"]) * row["topics"]
    gained = row["topics"] * (row["net_utility"] + row["cost"] * row["screened"])
    lost = _payoff_if_right(payoffs, row, omega_plus) - gained
    difference = payoffs.wrong_plus - payoffs.wrong_minus
    if abs(difference) < 1e-9 * payoffs.K:
        return math.nan, math.nan
    adopts = (lost - wrong * payoffs.wrong_minus) / difference
    return adopts, wrong - adopts


def share_weights(omega: ArrayLike, share: float | None, base: ArrayLike | None = None) -> Floats:
    """Weights of topics that add up to 1, those of ω⁺ topics to `share`.

    Parameters
    ----------
    omega : array_like of bool, shape (T,)
        Truth of each topic.
    share : float or None
        Total weight of the ω⁺ topics; None keeps that of `base`.
    base : array_like, shape (T,), optional
        Relative weights among topics of the same truth; equal by default.

    Returns
    -------
    ndarray, shape (T,)

    Raises
    ------
    InputProblem
        When the share is not between 0 and 1, or gives weight to a truth that no topic has.
    """
    omega = np.asarray(omega, dtype=bool)
    base = np.ones(len(omega)) if base is None else np.asarray(base, dtype=float)
    if share is None:
        return np.asarray(base / base.sum())
    if not 0 <= share <= 1:
        raise InputProblem(f"The share of ω⁺ topics is {share:g}; give a number from 0 to 1.")
    weights = np.zeros(len(omega))
    for name, state, part in (("ω⁺", omega, share), ("ω⁻", ~omega, 1 - share)):
        if part == 0:
            continue
        if not state.any():
            raise InputProblem(
                f"No topic is {name}, so results cannot be reweighted to a share of {share:g} ω⁺; do not set "
                "the share."
            )
        weights[state] = part * base[state] / base[state].sum()
    return weights


@lru_cache(maxsize=8)
def bootstrap_weights(groups: int, draws: int) -> Floats:
    """How often each group is in each bootstrap sample, shape (draws, groups); always the same samples."""
    counts = np.random.default_rng(SEED).multinomial(groups, np.full(groups, 1 / groups), size=draws)
    weights = counts.astype(float)
    weights.setflags(write=False)  # It is cached and shared
    return weights
