"""Chances of a list whose labels decide what is read next: from what was found so far, in the order read.

They say nothing of single documents, only of places: of the next document, and of the list as it would go on.
"""

from functools import lru_cache

import numpy as np

from tarstop_core.belief.mixture import Left
from tarstop_core.calibration.live_check import CONFIDENCE, OTHER_FACTORS, Check
from tarstop_core.calibration.reranked import RerankedChances, ahead, path_chances
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Floats


def foretold(state: State) -> tuple[Floats, Left]:
    """Chance of every place in the order of reading, shape (N,), and how many relevant documents are still unread.

    An audit draw ahead has the chance of any document that is unread.
    """
    history = state.came_true[: state.depth]
    p, left = _foretold(reranked_chances(), history.tobytes(), len(state.labels))
    if state.drawn is not None and state.depth < len(p):
        p = p.copy()
        p[state.depth :][state.drawn[state.depth :]] = p[state.depth :].mean()
    return p, left


@lru_cache(maxsize=4)
def _foretold(model: RerankedChances, history: bytes, length: int) -> tuple[Floats, Left]:
    return path_chances(model, np.frombuffer(history, dtype=bool), length)


def check_foretold(state: State) -> Check:
    """What was foreseen of the documents read before the first of them, and what was found.

    Each chance was said before its document was read, so the ratio that is set against them, of other odds held from the
    first document on, is a martingale if they are right.
    """
    read, found = state.came_true[: state.depth], int(state.came_true.sum())
    before = ahead(reranked_chances(), np.zeros(0, dtype=bool), len(state.labels)).left(state.depth)
    low, high = before.interval(CONFIDENCE)
    odds = foretold(state)[0][: state.depth]
    odds = np.clip(odds, 1e-9, 1 - 1e-9) / (1 - np.clip(odds, 1e-9, 1 - 1e-9))
    factors = np.array(OTHER_FACTORS)[:, None]
    other = (np.log1p(odds) - np.log1p(factors * odds) + np.where(read, np.log(factors), 0.0)).sum(axis=1)
    against = float(np.exp(np.minimum(other, 50)).mean())
    return Check(
        state.depth,
        before.mean,
        low,
        high,
        found,
        1.0,
        1.0,
        1.0,
        False,
        unsure=len(state.unsure),
        against=against,
    )
