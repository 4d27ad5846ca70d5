"""Expected gain from choosing among actions after seeing an uncertain number in which their net benefits are lines."""

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from tarstop_core.value.payoffs import Floats

OUTER_NODES = 128  # Gauss–Legendre nodes of a standard normal
OUTER_RANGE = 9.0  # Standard deviations that they reach
PANEL_NODES = 40  # Nodes between two points where three lines meet
DRAWS, REPEATS = 2**13, 8  # Number of Sobol points, and of their scramblings
Values = dict[str, object]
"""Results of a decision by name: numbers, texts and lists of them."""
DIRECTIONS = 128  # Directions tried for the axis that is integrated in closed form
NEGLIGIBLE = 1e-14  # An eigenvalue below this share of the largest counts as rounding


def best_between(intercept: ArrayLike, slope: ArrayLike) -> tuple[Floats, Floats]:
    """Return the interval in which each line is the highest.

    Parameters
    ----------
    intercept : array_like
        Heights of the lines at 0, shape (…, J).
    slope : array_like
        Slopes of the lines, shape (J,).

    Returns
    -------
    lower, upper : ndarray
        Ends of the intervals, shape (…, J); `lower` is not below `upper` if a line is never the highest.

    Examples
    --------
    >>> lower, upper = best_between([0, -1, -5], [0, 1, 2])
    >>> lower.tolist(), upper.tolist()
    ([-inf, 1.0, 4.0], [1.0, 4.0, inf])
    """
    intercept, slope = np.asarray(intercept, dtype=float), np.asarray(slope, dtype=float)
    steeper = slope[:, None] - slope  # Of line j than line i
    higher = intercept[..., None, :] - intercept[..., :, None]  # Line i than line j, at 0
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = higher / steeper
    # Of parallel lines the highest stays, of equal ones the first.
    hidden = (higher > 0) | ((higher == 0) & np.tri(len(slope), k=-1, dtype=bool))
    lower = np.where(steeper > 0, crossing, np.where((steeper == 0) & hidden, np.inf, -np.inf)).max(axis=-1)
    upper = np.where(steeper < 0, crossing, np.inf).min(axis=-1)
    return lower, upper


def gain_of_lines(intercept: ArrayLike, slope: ArrayLike, mean: ArrayLike, sd: ArrayLike) -> Floats:
    """Expected gain from choosing the best line after seeing x instead of before.

    Parameters
    ----------
    intercept : array_like
        Net benefits at x = 0, shape (…, J).
    slope : array_like
        Change of each per unit of x, shape (J,).
    mean, sd : array_like
        Mean and standard deviation of x, which is normal; shape (…) or scalars.

    Returns
    -------
    ndarray
        E[max_j (α_j + β_j·x)] − max_j (α_j + β_j·E[x]), never negative; shape (…).

    Notes
    -----
    Closed form: between the crossings of the upper envelope the integral of a line over a normal needs Φ and φ alone
    (unit normal loss; Raiffa & Schlaifer 1961).

    Examples
    --------
    >>> float(gain_of_lines([0, -150], [0, 1000], 0.2, 0.1).round(4))
    19.7797
    """
    intercept, slope = np.asarray(intercept, dtype=float), np.asarray(slope, dtype=float)
    mean, sd = np.asarray(mean, dtype=float)[..., None], np.asarray(sd, dtype=float)[..., None]
    now = intercept + slope * mean
    ahead = now - now.max(axis=-1, keepdims=True)
    # In standard deviations from the mean, so that a far crossing loses no digits.
    lower, upper = best_between(ahead, slope)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        lower, upper = lower / sd, upper / sd
    chosen = lower < upper
    lower, upper = np.where(chosen, lower, 0.0), np.where(chosen, upper, 0.0)
    # Right tails are computed from the right, so that they keep their digits.
    chance = np.where(lower > 0, ndtr(-lower) - ndtr(-upper), ndtr(upper) - ndtr(lower))
    steeper = slope - slope[now.argmax(axis=-1)][..., None]  # Than the line that is best now
    gain = (ahead * chance + steeper * sd * (normal_density(lower) - normal_density(upper))).sum(axis=-1)
    return np.where(sd[..., 0] > 0, np.maximum(0.0, gain), 0.0)


def chance_best(intercept: ArrayLike, slope: ArrayLike, mean: float, sd: float) -> Floats:
    """Chance that each line is the highest at a normal x.

    Parameters
    ----------
    intercept, slope : array_like
        Heights at 0 and slopes of the lines, shape (J,).
    mean, sd : float
        Mean and standard deviation of x.

    Returns
    -------
    ndarray
        Chances, shape (J,); they add up to 1.
    """
    lower, upper = best_between(intercept, slope)
    return np.where(lower < upper, ndtr((upper - mean) / sd) - ndtr((lower - mean) / sd), 0.0)


def gain_of_normals(mean: ArrayLike, covariance: ArrayLike) -> tuple[float, float]:
    """Expected gain from choosing after seeing the net benefits of all actions, which are jointly normal.

    Parameters
    ----------
    mean : array_like
        Expected net benefits, shape (J,).
    covariance : array_like
        Covariance of the net benefits, shape (J, J).

    Returns
    -------
    gain : float
        E[max] − max E.
    error : float
        Standard error of the gain; 0 up to four actions, where nothing is simulated.

    Notes
    -----
    Differences to the best action lie in at most J − 1 dimensions. Along one of them the gain is in closed form, the next
    is integrated between its kinks and a third by nodes; where there are more, all but one by scrambled Sobol points.
    """
    mean, covariance = np.asarray(mean, dtype=float), np.asarray(covariance, dtype=float)
    best = int(mean.argmax())
    contrast = np.eye(len(mean)) - np.eye(len(mean))[best]
    size, axes = np.linalg.eigh(contrast @ covariance @ contrast.T)
    kept = size > NEGLIGIBLE * max(size[-1], 0.0)
    loadings = (axes * np.sqrt(np.where(kept, size, 0.0)))[:, kept][:, ::-1]
    if not loadings.size:
        return 0.0, 0.0
    along, across = np.split(loadings @ _turn(loadings), [1], axis=1)
    split = across.shape[1] in (1, 2)
    outer, weights = _normal_points(across.shape[1] - split)
    heights = (mean - mean[best]) + outer @ across[:, int(split) :].T
    worth = _worth_across(heights, across[:, 0], along[:, 0]) if split else _worth(heights, along[:, 0])
    values = (weights * worth).sum(axis=-1)
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return max(0.0, float(values.mean())), error


def _worth(heights: Floats, along: Floats) -> Floats:
    """E[max_j (height_j + along_j·z)] for a standard normal z; shape (…) for heights of shape (…, J)."""
    return np.asarray(gain_of_lines(heights, along, 0.0, 1.0) + heights.max(axis=-1))


def _worth_across(heights: Floats, across: Floats, along: Floats) -> Floats:
    """E[max_j (height_j + across_j·w + along_j·z)], integrated over w between the points where three lines meet."""
    triples = np.array(list(combinations(range(len(along)), 3)), dtype=np.intp).reshape(-1, 3)
    turned = np.roll(along[triples], -1, axis=1) - np.roll(along[triples], -2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = -(heights[..., triples] * turned).sum(axis=-1) / (across[triples] * turned).sum(axis=-1)
    ends = np.full((*heights.shape[:-1], 1), OUTER_RANGE)
    inner = np.clip(np.nan_to_num(meet, nan=0.0), -OUTER_RANGE, OUTER_RANGE)
    edges = np.sort(np.concatenate([-ends, 0 * ends, inner, ends], axis=-1), axis=-1)[..., None]
    nodes, weight = np.polynomial.legendre.leggauss(PANEL_NODES)
    half = np.diff(edges, axis=-2) / 2
    w = edges[..., :-1, :] + half * (1 + nodes)
    worth = _worth(heights[..., None, None, :] + across * w[..., None], along)
    return np.asarray((worth * half * weight * normal_density(w)).sum(axis=(-1, -2)))


def _turn(loadings: Floats) -> Floats:
    """Rotation whose first axis is parallel to no border between two actions where possible, so that no kink remains."""
    from scipy.stats import qmc  # slow to import, seldom needed

    apart = (loadings[:, None] - loadings)[np.triu_indices(len(loadings), 1)]
    apart = apart[(length := np.linalg.norm(apart, axis=1)) > 0] / length[length > 0, None]
    tried = qmc.MultivariateNormalQMC(np.zeros(apart.shape[1]), rng=0).random(DIRECTIONS)
    tried /= np.linalg.norm(tried, axis=1, keepdims=True)
    axis = tried[np.abs(tried @ apart.T).min(axis=1).argmax()]
    return np.linalg.qr(np.column_stack([axis, np.eye(len(axis))]))[0]


def _normal_points(dimensions: int) -> tuple[Floats, Floats]:
    """Points of independent standard normals, shape (R, N, dimensions), and their weights in each of R repeats."""
    if dimensions > 1:
        from scipy.stats import qmc  # slow to import, seldom needed

        drawn = [
            qmc.MultivariateNormalQMC(np.zeros(dimensions), rng=seed).random(DRAWS) for seed in range(REPEATS)
        ]
        return np.array(drawn), np.full((REPEATS, DRAWS), 1 / DRAWS)
    if dimensions == 0:
        return np.zeros((1, 1, 0)), np.ones((1, 1))
    nodes, weight = np.polynomial.legendre.leggauss(OUTER_NODES)
    x = OUTER_RANGE * nodes
    weight = OUTER_RANGE * weight * normal_density(x)
    return x[None, :, None], weight[None]


def normal_density(x: Floats) -> Floats:
    """Density of the standard normal distribution, shape of x."""
    return np.asarray(np.exp(-0.5 * np.square(np.clip(x, -50.0, 50.0))) / np.sqrt(2 * np.pi))
