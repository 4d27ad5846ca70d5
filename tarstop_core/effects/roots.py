"""Roots of functions within arrays of brackets."""

from collections.abc import Callable

import numpy as np

from tarstop_core.effects.sizes import Floats

MOST = 100  # Most steps; bisection alone needs about 60
EXACT = 1e-12  # The search ends if a bracket is narrower than this share of its root


def roots(f: Callable[..., Floats], low: Floats, high: Floats, *args: np.ndarray) -> Floats:
    """Solve f(x, *args) = 0 within each bracket (Chandrupatla 1997).

    Parameters
    ----------
    f : callable
        Called with x of shape (r,) and `args`.
    low, high : array of shape (r,)
        Ends at which f has different signs.
    *args : array of shape (r,)
        Further arguments of f, one entry per bracket.

    Returns
    -------
    array of shape (r,)

    Notes
    -----
    ``scipy.optimize.elementwise.find_root`` gives the same, but its bookkeeping takes ten times as long as the functions here.
    """
    a, b = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    f_a, f_b = f(a, *args), f(b, *args)
    part: float | Floats = 0.5
    for _ in range(MOST):
        x = a + part * (b - a)
        f_x = f(x, *args)
        same = np.sign(f_x) == np.sign(f_a)
        c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
        b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
        a, f_a = x, f_x
        nearer = np.where(np.abs(f_a) < np.abs(f_b), a, b)
        width = np.abs(b - a)
        least = EXACT * np.abs(nearer) + np.finfo(float).tiny
        if ((width <= least) | (f_a == 0) | (f_b == 0)).all():
            break
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
            smooth = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
            inverse = f_a / (f_b - f_a) * f_c / (f_b - f_c)
            inverse = inverse + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
            edge = np.minimum(0.5, 0.5 * least / width)
            part = np.where(smooth & np.isfinite(inverse), np.clip(inverse, edge, 1 - edge), 0.5)
    return nearer
