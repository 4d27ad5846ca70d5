"""How chances of a list that learns came out: on a session that was read to its end, its labels known."""

from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.calibration.fitting import ece, reliability
from tarstop_core.calibration.reranked import RerankedChances, ahead, forecasts
from tarstop_core.documents.tables import Flags, Floats

READ = (20, 50, 100, 500)
"""Documents read when it is said how many are left."""
LEAST = 1e-12
"""Chance that a log is taken of."""


def log_loss(p: Floats, relevant: Flags) -> float:
    """Mean of −log of the chance that was given to what came true."""
    return float(-np.log(np.maximum(np.where(relevant, p, 1 - p), LEAST)).mean())


def said(model: RerankedChances, relevant: Flags) -> dict[str, Any]:
    """`log_loss` and `ece` of the next document, and what was said to be `left` at :data:`READ`.

    `relevant` says of each document, in the order read, whether it is, shape (N,); what is said at a depth knows those
    before it alone.
    """
    p, length = forecasts(model, relevant, len(relevant))[:-1], len(relevant)
    left = {}
    for read in READ:
        if read < length:
            found = ahead(model, relevant[:read], length).left()
            low, high = found.interval()
            true = int(relevant[read:].sum())
            left[str(read)] = {"mean": found.mean, "low": low, "high": high, "true": true}
    return {"log_loss": log_loss(p, relevant), "ece": ece(reliability(p, relevant)), "left": left}


def table(model: RerankedChances, ids: np.ndarray, relevant: Flags) -> pd.DataFrame:
    """Chance of each document as it stood when it was next, in the order read: a row each."""
    p = forecasts(model, relevant, len(relevant))[:-1]
    return pd.DataFrame({"rank": np.arange(1, len(ids) + 1), "id": ids, "chance": p, "relevant": relevant})
