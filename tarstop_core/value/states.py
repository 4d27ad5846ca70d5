"""States of knowledge that further studies may lead to, and the chances of getting from one to the next.

States lie on a grid of (ȳ, √S), the mean and the root of the sum of squares of further studies, for each number of studies.
It is laid out around the ȳ where the action changes, so that linear interpolation is right at that kink.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_array
from scipy.special import chdtri, ndtri

from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.payoffs import Floats, Payoffs

MEANS = 81  # Nodes of ȳ if there is one part
FINER = 181  # Nodes of ȳ if there are several
SPREADS = 21  # Nodes of √S, if there are several parts
REACH = 5.0  # Standard deviations that the nodes reach
FLAT = 1.5  # Standard deviations around the kink within which nodes are evenly spaced
LEGENDRE = 32  # Nodes of an expectation on each side of the kink
FIRST = 128  # Such nodes for the first study
NARROW = 2.0  # Standard deviations of the narrowest part within which they are evenly spaced
ONE_BY_ONE = 4  # Up to this many further studies every number is a level of its own
GROWTH = 0.2  # From there on each level adds this share of all studies, present knowledge included
LEVELS = 12  # Most levels
SURE = 1e-300, 1 - 1e-16  # Beliefs nearest to 0 and 1 that a grid reaches
ROUNDS = 24  # Bisections that find where the belief crosses q*


@dataclass(frozen=True, eq=False)
class Level:
    """The grid of (ȳ, √S) after one number of further studies."""

    studies: int  # That number
    batches: int  # Number of means in which they came; several studies at once have one mean
    kink: Floats  # ȳ at which the action changes, for each √S; shape (S,)
    scale: float  # Distance from the kink within which nodes are about evenly spaced
    ends: tuple[float, float]  # Least and largest asinh((ȳ − kink)/scale)
    roots: Floats  # Nodes of √S, from 0 on; shape (S,)
    count: int  # M, the number of nodes of ȳ

    @cached_property
    def xi(self) -> Floats:
        """Nodes of asinh((ȳ − kink)/scale), 0 among them, shape (M,)."""
        low, high = self.ends
        below = max(1, round((self.count - 1) * -low / (high - low)))
        return np.append(np.linspace(low, 0, below + 1), np.linspace(0, high, self.count - below)[1:])

    @property
    def means(self) -> Floats:
        """ȳ at each node, shape (S, M)."""
        return self.kink[:, None] + self.scale * np.sinh(self.xi)

    @property
    def size(self) -> int:
        """Number of nodes, S·M."""
        return len(self.roots) * self.count

    def weights_at(self, mean: Floats, squares: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Indices and weights of the nodes that interpolate at these points, shape (4, …), or (2, …) without √S."""
        if len(self.roots) == 1:
            at, right = self._between(mean, self.kink[0])
            return np.stack([at, at + 1]), np.stack([1 - right, right])
        root = np.sqrt(squares)
        row = np.clip(np.searchsorted(self.roots, root) - 1, 0, len(self.roots) - 2)
        up = np.clip((root - self.roots[row]) / (self.roots[row + 1] - self.roots[row]), 0.0, 1.0)
        at, right = self._between(mean, self.kink[row] * (1 - up) + self.kink[row + 1] * up)
        here, above = row * self.count + at, (row + 1) * self.count + at
        weights = [(1 - up) * (1 - right), (1 - up) * right, up * (1 - right), up * right]
        return np.stack([here, here + 1, above, above + 1]), np.stack(weights)

    def _between(self, mean: Floats, kink: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Index of the node of ȳ below, and the share of the way to the next one."""
        xi = np.arcsinh((mean - kink) / self.scale)
        at = np.clip(np.searchsorted(self.xi, xi) - 1, 0, self.count - 2)
        return at, np.clip((xi - self.xi[at]) / (self.xi[at + 1] - self.xi[at]), 0.0, 1.0)


@lru_cache(maxsize=2)
def _legendre(order: int) -> tuple[Floats, Floats]:
    """Gauss–Legendre nodes on [0, 1], and their weights, which add up to 2."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return (nodes + 1) / 2, weights


def numbers_of_studies(n_0: float, most: float) -> list[int]:
    """Numbers of further studies that have a level: 0, 1, … and then ever farther apart, up to about `most`.

    >>> numbers_of_studies(2.0, 12)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12]
    >>> numbers_of_studies(30.0, 20)
    [0, 1, 2, 3, 4, 10, 18, 27]
    """
    numbers = [0, *range(1, ONE_BY_ONE + 1)][: max(2, math.ceil(most) + 1)]
    while numbers[-1] < most and len(numbers) < LEVELS:
        numbers.append(numbers[-1] + max(1, int(GROWTH * (n_0 + numbers[-1]))))
    return numbers


@dataclass(frozen=True, eq=False)
class States:
    """States of knowledge that further studies may lead to, the present one first, and the transitions between them."""

    number: NDArray[np.intp]  # Further studies known, shape (states,)
    b: Floats  # Belief, shape (states,)
    utility: Floats  # EU*(b), shape (states,)
    first: Floats  # Chance of each of the M states after one study, shape (M,)
    later: Floats | csr_array
    """Chances of the states of the next level from those of each, shape (L − 1, M, M); one sparse matrix for all if levels
    differ in size.
    """
    moving: Floats
    """Chance that the next study leads on to the next level, for the states between the first and the last level: below 1 if
    levels are several studies apart, so that studies come one at a time on average; shape (states between,).
    """

    def after(self, values: Floats) -> Floats:
        """Expected value after the next study in each state, shape (…, states) as `values`; unchanged in the last level."""
        expected = np.array(values)
        expected[..., 0] = self.after_first(values)
        later, between = values[..., 1 + len(self.first) :], expected[..., 1 : 1 + len(self.moving)]
        if isinstance(self.later, csr_array):
            moved = (self.later @ later.reshape(-1, later.shape[-1]).T).T
        else:
            # All values together: each level needs one product of two matrices.
            shape = (math.prod(later.shape[:-1]), len(self.later), len(self.first))
            columns = later.reshape(shape).transpose(1, 2, 0)
            moved = (self.later @ columns).transpose(2, 0, 1)
        between += self.moving * (moved.reshape(between.shape) - between)
        return expected

    def after_first(self, values: Floats) -> Floats:
        """Expected value after the next study in the present state alone, shape (…)."""
        return np.asarray(values[..., 1 : 1 + len(self.first)] @ self.first)

    def _with_beliefs_after_first(self, belief: Floats, chance: Floats) -> Self:
        """Return these states of one part with another distribution of the belief after the next study.

        Each belief is divided between the two states nearest to it, so that the mean belief stays.
        """
        nodes = self.b[1 : 1 + len(self.first)]
        below = np.clip(np.searchsorted(nodes, belief) - 1, 0, len(nodes) - 2)
        above, gap = belief - nodes[below], nodes[below + 1] - nodes[below]
        right = np.clip(np.divide(above, gap, out=np.zeros_like(above), where=gap > 0), 0.0, 1.0)
        nearest, shares = np.append(below, below + 1), np.append(chance * (1 - right), chance * right)
        return replace(self, first=np.asarray(np.bincount(nearest, shares, len(nodes)), dtype=float))


def states_ahead(
    knowledge: Knowledge, payoffs: Payoffs, most: float, after_one: tuple[Floats, Floats] | None = None
) -> States:
    """Compute the states of knowledge that further studies may lead to, and the transitions between them.

    Parameters
    ----------
    knowledge : Knowledge
        What is known now.
    payoffs : Payoffs
        Payoffs of the options.
    most : float
        About the largest number of further studies.
    after_one : pair of ndarray, shape (outcomes,) each, optional
        Beliefs after the next study and their chances, if `knowledge` has one part; those of the normal model unless given.

    Returns
    -------
    States
        At the levels of :func:`numbers_of_studies`.
    """
    numbers = tuple(numbers_of_studies(knowledge.n_0, most))
    if after_one is None:
        return _states(knowledge, payoffs, numbers, None)
    belief, chance = after_one
    ends = float(belief.min()), float(belief.max())
    return _states(knowledge, payoffs, numbers, ends)._with_beliefs_after_first(belief, chance)


@lru_cache(maxsize=16)
def _states(
    knowledge: Knowledge, payoffs: Payoffs, numbers: tuple[int, ...], ends: tuple[float, float] | None
) -> States:
    """States at these numbers of further studies, cached; `ends` are the beliefs that the first level has to reach."""
    # The grid is centred on one change of action; interpolating across others loses little.
    now = ndtri(knowledge.b)
    q_star = min(payoffs.ranges().ends, key=lambda end: abs(float(ndtri(end) - now)))
    levels = [_level(knowledge, q_star, n, batches, ends) for batches, n in enumerate(numbers) if n]
    dense: list[Floats] = []
    sparse: list[csr_array] = []
    for before, level in zip((None, *levels), levels, strict=False):
        mean, squares = _points(before) if before else (np.zeros(1), np.zeros(1))
        nodes, weights = _expectation(knowledge, q_star, before, level, mean, squares)
        shape = (len(mean), level.size)
        if before and len(knowledge.weight) > 1:
            ends = np.arange(len(mean) + 1) * nodes.shape[1]
            sparse.append(csr_array((weights.ravel(), nodes.ravel(), ends), shape))
            sparse[-1].sum_duplicates()
        else:
            cells = np.arange(len(mean))[:, None] * level.size + nodes
            chances = np.bincount(cells.ravel(), weights.ravel(), math.prod(shape))
            dense.append(chances.astype(float, copy=False).reshape(shape))
    first = dense[0][0]
    steps = np.array(dense[1:]).reshape(-1, len(first), len(first))
    later = csr_array(block_diag(sparse)) if sparse else steps
    sizes = [level.size for level in levels]
    b = [knowledge.belief_after(level.studies, level.batches, *_points(level)) for level in levels]
    belief = np.concatenate([[knowledge.b], *b])
    moving = np.repeat(1 / np.diff(numbers)[1:], sizes[:-1])
    return States(np.repeat(numbers, [1, *sizes]), belief, payoffs.utility(belief), first, later, moving)


def _points(level: Level) -> tuple[Floats, Floats]:
    """ȳ and S of every node, shape (size,)."""
    return level.means.ravel(), np.repeat(level.roots**2, level.count)


def _level(
    knowledge: Knowledge, q_star: float, studies: int, batches: int, ends_of_first: tuple[float, float] | None
) -> Level:
    """Lay out the grid after this many further studies; that after one reaches these beliefs."""
    spread = np.sqrt(1 / knowledge.precision + 1 / (studies * knowledge.study))
    low, high = float((knowledge.mean - REACH * spread).min()), float((knowledge.mean + REACH * spread).max())
    if batches == 1 and ends_of_first:
        least, largest = knowledge.mean_leading_to(np.clip(ends_of_first, *SURE))
        low, high = min(low, float(least)), max(high, float(largest))
    roots = np.zeros(1)
    if batches > 1 and len(knowledge.weight) > 1:
        end = np.sqrt(chdtri(batches - 1, 1e-4) / knowledge.study.min())
        unit = float((knowledge.study**-0.5).min())
        roots = unit * np.sinh(np.linspace(0, np.arcsinh(end / unit), SPREADS))
    ends = np.full(len(roots), low), np.full(len(roots), high)
    kink = _kink(knowledge, q_star, (studies, batches), lambda mean: (mean, roots**2), *ends)
    # The range of ȳ over which the belief crosses from one side to the other.
    precision = knowledge.precision + studies * knowledge.study
    scale = FLAT * float((np.sqrt(precision) / (studies * knowledge.study)).min())
    least = float(np.arcsinh((low - kink.max()) / scale)) - 1e-3
    largest = float(np.arcsinh((high - kink.min()) / scale)) + 1e-3
    count = MEANS if len(knowledge.weight) == 1 else FINER
    return Level(studies, batches, kink, scale, (least, largest), roots, count)


def _kink(
    knowledge: Knowledge,
    q_star: float,
    after: tuple[int, int],
    then: Callable[[Floats], tuple[Floats, Floats]],
    low: Floats,
    high: Floats,
) -> Floats:
    """Point between `low` and `high` at which the belief crosses q*; `then` leads from a point to ȳ and S. Shape of both."""
    if len(knowledge.weight) == 1:
        # ȳ is linear in the point, and the belief is Φ of a linear function of ȳ.
        precision = knowledge.precision[0] + after[0] * knowledge.study[0]
        wanted = ndtri(q_star) * np.sqrt(precision) - knowledge.precision[0] * knowledge.mean[0]
        wanted /= after[0] * knowledge.study[0]
        first, last = then(low)[0], then(high)[0]
        return np.asarray(np.clip(low + (wanted - first) * (high - low) / (last - first), low, high))
    near, far = low, high
    for _ in range(ROUNDS):
        middle = (near + far) / 2
        above = knowledge.belief_after(*after, *then(middle)) > q_star
        near, far = np.where(above, near, middle), np.where(above, middle, far)
    return (near + far) / 2


def _expectation(
    knowledge: Knowledge, q_star: float, before: Level | None, after: Level, mean: Floats, squares: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """Indices and weights of the nodes after the next studies, from each point before; shape (points, 2 or 4 · quadrature)."""
    n, batches = (before.studies, before.batches) if before else (0, 0)
    more = after.studies - n
    if before is None:
        weight, centre = knowledge.weight[None], knowledge.mean[None]
        precision = knowledge.precision
    else:
        weight, centre, precision = knowledge.after(n, batches, mean, squares)
    sd = np.sqrt(1 / precision + 1 / (more * knowledge.study))
    low, high = (centre - REACH * sd).min(axis=-1), (centre + REACH * sd).max(axis=-1)

    def then(y: Floats) -> tuple[Floats, Floats]:
        """ȳ and S once y is known, shape (points, …)."""
        old, own = mean[(..., *(None,) * (y.ndim - 1))], squares[(..., *(None,) * (y.ndim - 1))]
        together = n + more
        if not n:
            return y, np.zeros_like(y)
        return (n * old + more * y) / together, own + n * more / together * (y - old) ** 2

    kink = _kink(knowledge, q_star, (after.studies, after.batches), then, low, high)
    nodes, shares = _legendre(LEGENDRE if n else FIRST)
    # Points are close together where the narrowest part lies, and reach as far as the widest.
    middle, unit = (weight * centre).sum(axis=-1), NARROW * sd.min()
    first, turn, last = (np.arcsinh((y - middle) / unit)[:, None] for y in (low, kink, high))
    u = np.concatenate([first + (turn - first) * nodes, turn + (last - turn) * nodes], axis=1)
    y = middle[:, None] + unit * np.sinh(u)
    width = np.cosh(u) * np.concatenate([(turn - first) * shares, (last - turn) * shares], axis=1)
    z = (y[..., None] - centre[:, None]) / sd
    density = ((weight / sd)[:, None] * np.exp(-0.5 * z**2)).sum(axis=-1) * width
    density /= density.sum(axis=1, keepdims=True)
    at, by = after.weights_at(*then(y))
    shape = (len(mean), -1)
    return np.moveaxis(at, 0, -1).reshape(shape), np.moveaxis(by * density, 0, -1).reshape(shape)
