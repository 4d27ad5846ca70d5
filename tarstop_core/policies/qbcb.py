"""QBCB: a quantile of relevant documents that were drawn at random bounds recall."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import bdtr

from tarstop_core.policies.base import Parameter
from tarstop_core.policies.sampled import OrderStatistic, Pair
from tarstop_core.value.payoffs import TOLERANCE

TENTHS = tuple(tenths / 10 for tenths in range(1, 11))


@dataclass(frozen=True)
class QBCB(OrderStatistic):
    """Draw at random until n_min relevant documents are found; stop at the j-th of them in the ranking.

    j is the least rank whose coverage P(Bin(n_min, τ) ≤ j − 1) reaches 1 − α: then recall is at least τ
    with confidence 1 − α. Where even j = n_min does not (τ^n_min > α) there is no bound and all is read.

    Assumptions where the paper is silent: sampling is one document at a time; the binomial stands although
    the relevant documents are finitely many, because their number is unknown; a document that is both
    sampled and above the depth is paid for once; recall is that of the ranking down to the depth.
    """

    tau: float = 0.8
    n_min: int = 15
    alpha: float = 0.1

    name = "qbcb"
    title = "QBCB"
    rule = "Draw at random until some relevant documents are known, then read on until enough of them came up again."
    formula = r"j = \min\lbrace j : P(\mathrm{Bin}(n_{\min}, \tau) \le j - 1) \ge 1 - \alpha \rbrace"
    source = (
        "Lewis, Yang & Frieder 2021 (quantile binomial confidence bound); grid and 50 replications: "
        "Fletcher & Stevenson"
    )
    family = "paper's baseline"
    place, colour, marker = 70, "#7A5195", "triangle-down"
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, TENTHS, "float"),
        Parameter("n_min", "relevant documents in the sample", 1, 10_000, (1, 3, 5, 10, 15)),
        Parameter("alpha", "1 − confidence, α", 0.0001, 1.0, TENTHS, "float"),
    )

    @property
    def pair(self) -> Pair:
        return self.n_min, order_statistic(self.tau, self.n_min, self.alpha)


@lru_cache(maxsize=4096)
def order_statistic(tau: float, r: int, alpha: float) -> int | None:
    """Least j with P(Bin(r, τ) ≤ j − 1) ≥ 1 − α.

    Parameters
    ----------
    tau : float
        Recall to reach, in (0, 1].
    r : int
        Relevant documents in the sample.
    alpha : float
        1 − confidence. Exact ties (τ = .5, α = .5, r = 1) are decided with a small tolerance, as rational arithmetic does.

    Returns
    -------
    int or None
        From 1 to r; None where there is none.

    Examples
    --------
    >>> order_statistic(0.8, 14, 0.05), order_statistic(0.8, 13, 0.05)
    (14, None)
    """
    coverage = bdtr(np.arange(r, dtype=float), r, tau)
    enough = np.flatnonzero(coverage >= 1 - alpha - TOLERANCE)
    return int(enough[0]) + 1 if len(enough) else None
