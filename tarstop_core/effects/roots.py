"""Where falling functions cross 0, for whole arrays of brackets."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import elementwise

from tarstop_core.effects.sizes import Floats


def roots(f: Callable[..., Floats], low: Floats, high: Floats, *args: np.ndarray) -> Floats:
    """Solve f(x, *args) = 0 within each bracket (Chandrupatla 1997).

    Parameters
    ----------
    f : callable
        Takes x of shape (r,) and what `args` hold for the same brackets.
    low, high : array of shape (r,)
        Ends at which f has different signs.
    *args : array of shape (r,)
        What else differs from bracket to bracket.

    Returns
    -------
    array of shape (r,)
    """
    return np.asarray(elementwise.find_root(f, (low, high), args=args).x, dtype=float)
