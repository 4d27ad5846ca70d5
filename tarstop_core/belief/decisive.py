"""Belief from decisive evidence, where one relevant document settles the question.

The belief after d documents without a hit depends only on the survival curve
M_d = P(no hit in the first d | ω⁺). Everything else (marginal, hazard or frailty
calibration, coverage of the list, sensitivity of a reading, unsure documents) is a way of
arriving at that curve. It is kept in logs: p may be 1e-12 or 1.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.belief.mixture import ListMixture
from tarstop_core.documents.tables import Floats
from tarstop_core.errors import InputProblem


@dataclass(frozen=True, eq=False)
class HitCurve:
    """Distribution of the depth of the first hit in a list, given ω⁺."""

    log_M: Floats
    """Log of M_d, the chance of no hit in the first d documents given ω⁺. Starts at 0, never rises; shape (N + 1,)."""
    h: Floats
    """h_d: the chance that document d (1-based) is a hit given ω⁺ and none before it; the paper's p_d when M is the
    product of 1 − p; shape (N,).
    """

    def __len__(self) -> int:
        return len(self.h)


def hit_curve(
    p: ArrayLike,
    *,
    frailty: float = math.inf,
    kappa: float = 1.0,
    s: float = 1.0,
    uninformative: ArrayLike | None = None,
    kinds: ListMixture | None = None,
) -> HitCurve:
    """Return the distribution of the depth of the first hit in a ranking, from the chances of its documents.

    Parameters
    ----------
    p : array_like, shape (N,)
        Chance that each document is relevant given ω⁺ (or already the hazard), in screening order.
    frailty : float
        Shape a of a gamma frailty shared by the documents of a topic: M = (1 + Λ/a)^(−a) with Λ = −Σ log(1 − p);
        infinite for independent documents, the paper's model.
    kappa : float
        κ, the chance that a deciding document, if it exists, is in this list at all: M becomes 1 − κ(1 − M).
    s : float
        Chance that a reader recognises a relevant document: p becomes s·p.
    uninformative : array_like of bool, shape (N,), optional
        Documents read without a verdict (unsure, or a hit that waits for confirmation). Their 1 − p is left out, so that
        belief does not move there; their h stays, as before they were read.
    kinds : ListMixture, optional
        Kinds of lists of which this is one, each with exposures and a frailty of its own; replaces `frailty`.

    Returns
    -------
    HitCurve
        Of all N documents.

    Raises
    ------
    InputProblem
        When a chance, κ or s lies outside [0, 1], or the frailty is not above 0.

    Notes
    -----
    Fletcher & Stevenson, belief for decisive evidence; κ, s and frailty go beyond the paper.

    Examples
    --------
    >>> hit_curve([0.5, 0.5]).h
    array([0.5, 0.5])
    >>> float(np.exp(hit_curve([0.5, 0.5], kappa=0.8).log_M[-1]).round(3))
    0.4
    """
    p = np.asarray(p, dtype=float)
    if not ((p >= 0) & (p <= 1)).all():
        raise InputProblem("A document's chance of being relevant is outside 0 to 1; check the calibrator.")
    for name, value in (("κ (coverage of the list)", kappa), ("s (reading sensitivity)", s)):
        if not 0 <= value <= 1:
            raise InputProblem(f"{name} is {value:g}; give a number from 0 to 1.")
    if not frailty > 0:
        raise InputProblem(f"The frailty shape a is {frailty:g}; give a number above 0.")
    if s != 1:
        p = s * p

    def survival(exposure: Floats, rising: bool = True) -> Floats:
        """Log of M from Σ log(1 − p), which is 0 or below; with kinds, from that of each profile."""
        log_M = exposure
        if kinds is not None:
            log_M = kinds.log_survival(-exposure) if rising else kinds.log_no_hit(-exposure)
        elif math.isfinite(frailty):
            log_M = -frailty * np.log1p(-exposure / frailty)
        return log_M if kappa == 1 else np.log1p(kappa * np.expm1(log_M))

    with np.errstate(divide="ignore", invalid="ignore"):
        exposures = np.log1p(-p) if kinds is None else kinds.ratio * np.log1p(-p)
        passed = np.cumsum(
            exposures if uninformative is None else np.where(uninformative, 0.0, exposures), axis=-1
        )
        exposure = np.concatenate((np.zeros((*exposures.shape[:-1], 1)), passed), axis=-1)
        log_M = survival(exposure)
        if kappa == 1 and math.isinf(frailty) and kinds is None:
            # The hazard of a product of 1 − p is p itself. After a certain hit (p = 1) the curve is 0, and later
            # documents never matter.
            h = p
        else:
            # h compares log M after each document, uninformative or not, with log M before it. After a certain hit that is
            # −inf − (−inf): no later document can be the first.
            after = log_M[1:].copy()
            if uninformative is not None:
                at = np.flatnonzero(uninformative)
                after[at] = survival(exposure[..., at] + exposures[..., at], rising=False)
            h = np.nan_to_num(-np.expm1(after - log_M[:-1]), nan=0.0, posinf=1.0)
    return HitCurve(log_M=log_M, h=np.clip(h, 0.0, 1.0))


def belief(curve: HitCurve, b_0: float) -> Floats:
    """Belief b_d after d documents without a hit, shape (N + 1,): b_0·M_d / (b_0·M_d + 1 − b_0).

    >>> belief(hit_curve([0.5, 1.0, 0.2]), 0.5).round(4)
    array([0.5   , 0.3333, 0.    , 0.    ])
    """
    check_prior(b_0)
    # 1 / (1 + exp(−logit)), never overflowing: log odds only fall from logit(b_0).
    odds = np.exp(curve.log_M) * (b_0 / (1 - b_0))
    return odds / (1 + odds)


def check_prior(b_0: float) -> float:
    """Return b_0; raise InputProblem unless it is strictly between 0 and 1."""
    if 0 < b_0 < 1:
        return b_0
    raise InputProblem(f"The starting belief b_0 is {b_0:g}; give a number between 0 and 1, both excluded.")
