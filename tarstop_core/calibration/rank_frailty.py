"""The rank of the first hit in a list from a new collection, learned from lists of several other collections.

In a list of a collection the first hit has not come by rank k with chance

    M(k) = 1 − κ + κ·S(k),    S(k) = (1 + Λ(k)/a)^(−a),    Λ(k) = e^v·(k/10)^w,

given that there is something to find: κ is the chance that the list holds any of it, 1/a how much lists of one collection
vary (a frailty), v how rich collections are (log Λ at rank 10) and w how fast hits thin out. Lists vary on two levels: v,
w and κ are drawn again for every collection, v and w each from a normal distribution of unknown mean and spread. A few
collections hardly tell how far the next one may lie, so the spread has a weak prior, half-normal, and all that is not known
is averaged over, on a grid: what comes out are weights of (v, w, a), for a list of a *new* collection. Lists of your own
are one more collection: they multiply each weight by how likely they are under it, so how much the learned curve still
counts is what they make it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from tarstop_core.belief.mixture import Mixture, log_passed, mixture, power_exposure, weighted_quantiles
from tarstop_core.calibration.calibrator import PATENT, Calibrator
from tarstop_core.calibration.coverage import UNKNOWN
from tarstop_core.calibration.first_hit import DEEPEST, SURE, PastCase, provenance, ranks
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem

RICHNESS = np.arange(-4.0, 4.1, 0.5)
SLOPES = np.arange(3, 16, 2) / 10
VARIANCES = np.array([2.0, 1.0, 0.5, 0.2, 0.0])
"""Grid over v, w and 1/a; each point of it is a kind of list in :mod:`tarstop_core.belief.mixture`."""
LACKING = np.array([0.002, 0.006, 0.012, 0.025, 0.05, 0.1, 0.2, 0.4])  # Grid over 1 − κ
LACKING_MEANS = np.array([0.005, 0.01, 0.02, 0.04, 0.08, 0.16])
SURE_OF_LACKING = 20.0
"""In a collection, 1 − κ has a beta distribution with the weight of this many lists; its mean is one of LACKING."""
SPREADS = 2.0, 0.25
"""Standard deviations of the half-normal priors of the spread between collections in v and in w."""
STEPS = np.array([0.1, 0.4, 0.8, 1.3, 2.0])  # Spreads, in units of those, over which results are averaged
SHARES = (np.arange(20) + 0.5) / 20
"""Grid over the share of lists with something to find, if that is not known of every list."""
RANKINGS = 2
"""Number of rankings that a merged list counts as: its rank k says as much as rank k/2 of a single one."""
LEAST = 1e-5  # Smallest weight of a point of the grid that a file keeps
DIGITS = 6  # Significant digits of each number in a file


@dataclass(frozen=True, eq=False)
class LearnedKind:
    """What is learned about a list: its probable kind, and how likely it lacks the relevant documents that exist."""

    weight: Floats  # Weight of each point of the grid, adding up to 1; shape (G,)
    lacking: float  # 1 − κ, posterior mean: the chance that it holds nothing although something exists
    sure: float = SURE_OF_LACKING  # How many lists `lacking` weighs as much as


def grid() -> Floats:
    """v, w and 1/a of every point of the grid, shape (3, G)."""
    return np.stack(np.meshgrid(RICHNESS, SLOPES, VARIANCES, indexing="ij")).reshape(3, -1)


def survival(k: int) -> Floats:
    """S(k) at every point of the grid: the chance of no hit in the first k given that the list holds one; shape (G,)."""
    rich, slope, variance = grid()
    return np.exp(log_passed(_kinds_of(variance), np.exp(rich) * power_exposure(k, slope)))


def _kinds_of(variance: Floats, weight: ArrayLike = 1.0) -> Mixture:
    """Return a mixture of kinds of lists, each of which varies by a gamma factor of this variance, or 0 for none."""
    with np.errstate(divide="ignore"):
        return mixture(np.broadcast_to(weight, variance.shape), 1 / variance)


def log_likelihood(cases: Iterable[PastCase]) -> Floats:
    """Log-likelihood of cases of one collection, shape (G, len(LACKING)).

    If there is something to find, a hit at k has the chance κ·(S(k−1) − S(k)), and none among n documents 1 − κ + κ·S(n). How
    often there is something to find is averaged over where cases stopped or had nothing.
    """
    counted = Counter(cases)
    open_ended = [case for case in counted if case.outcome in ("stopped", "none")]
    share = SHARES if open_ended else np.array([1.0])
    total = np.zeros((grid().shape[1], len(LACKING), len(share)))
    with np.errstate(divide="ignore"):
        for case, times in counted.items():
            if case.outcome == "none":
                total += times * np.log(1 - share)
                continue
            no_hit = survival(case.at)[:, None]
            if case.outcome == "hit":
                chance = (1 - LACKING) * (survival(case.at - 1)[:, None] - no_hit)
            else:
                chance = LACKING + (1 - LACKING) * no_hit
            there = share * chance[:, :, None]
            total += times * np.log(there + 1 - share if case.outcome == "stopped" else there)
    return np.asarray(logsumexp(total, axis=2) - np.log(len(share)))


def learn(collections: Sequence[Sequence[PastCase]], spreads: tuple[float, float] = SPREADS) -> LearnedKind:
    """Learn about a list of a new collection from lists of several others; from none at all, return the prior.

    Normal distributions between collections, half-normal priors of their spread: A. Gelman (2006), Prior distributions
    for variance parameters in hierarchical models, Bayesian Analysis 1, 515–534.

    >>> learned = learn([[PastCase("hit", 3), PastCase("hit", 9)], [PastCase("hit", 1), PastCase("missed", 50)]])
    >>> round(float(learned.weight.sum()), 6), learned.lacking < 0.1
    (1.0, True)
    """
    shape = len(RICHNESS), len(SLOPES), len(VARIANCES)
    of_rich, rich_prior = _between(RICHNESS, np.arange(-2, 3.1, 0.5), spreads[0])
    of_slope, slope_prior = _between(SLOPES, np.arange(4, 14) / 10, spreads[1])
    of_lacking = np.array([_lacking(mean) for mean in LACKING_MEANS])
    # Axes: mean and spread of v (g); of w (h); 1/a (a); mean of 1 − κ (l). Of the grid itself: v, w.
    log = np.zeros((1, 1, len(VARIANCES), len(LACKING_MEANS))) + (
        rich_prior[:, None, None, None] + slope_prior[:, None, None]
    )
    for cases in collections:
        likely = log_likelihood(cases).reshape(*shape, -1)
        top = likely.max()
        of_point = np.exp(likely - top) @ of_lacking.T
        of_collection = np.einsum("gv,vwal,hw->ghal", of_rich, of_point, of_slope, optimize=True)
        log = log + np.log(np.maximum(of_collection, 1e-300)) + top
    posterior = np.exp(log - logsumexp(log))
    weight = np.einsum("ghal,gv,hw->vwa", posterior, of_rich, of_slope, optimize=True)
    return LearnedKind(weight.ravel() / weight.sum(), float(posterior.sum(axis=(0, 1, 2)) @ LACKING_MEANS))


def updated(start: LearnedKind, cases: Sequence[PastCase]) -> LearnedKind:
    """Return what is known of a list after other lists of the same collection.

    >>> start = learn([])  # lists whose first hit comes early speak for kinds that have it early
    >>> after = updated(start, [PastCase("hit", 1)] * 5)
    >>> bool(after.weight @ survival(10) < start.weight @ survival(10))
    True
    """
    with np.errstate(divide="ignore"):
        prior = np.log(start.weight)[:, None] + np.log(_lacking(start.lacking, start.sure))
    log = prior + log_likelihood(cases)
    posterior = np.exp(log - logsumexp(log))
    # After cases, kind and κ depend on each other; the kinds are weighted as those of lists that hold a hit.
    holds = posterior @ (1 - LACKING)
    return LearnedKind(holds / holds.sum(), float(posterior.sum(axis=0) @ LACKING))


def _between(points: Floats, means: Floats, scale: float) -> tuple[Floats, Floats]:
    """Weights of the points for every pair of mean and spread, shape (pairs, points), and the log prior of the pairs."""
    step = float(points[1] - points[0])
    spread = np.tile(scale * STEPS, len(means))
    mean = np.repeat(means, len(STEPS))
    # Spreads below half a step are too small for the grid.
    away = (points - mean[:, None]) / np.maximum(spread, step / 2)[:, None]
    weight = np.exp(-(away**2) / 2)
    prior = -(STEPS**2) / 2 + np.log(np.gradient(STEPS))
    return weight / weight.sum(axis=1, keepdims=True), np.tile(prior, len(means))


def _lacking(mean: float, sure: float = SURE_OF_LACKING) -> Floats:
    """Distribution of 1 − κ over its grid: a beta distribution with this mean and weight in lists."""
    density = LACKING ** (mean * sure - 1) * (1 - LACKING) ** ((1 - mean) * sure - 1) * np.gradient(LACKING)
    return np.asarray(density / density.sum())


# --- lists, and calibrators ----------------------------------------------------------------------------


def cases_of(topics: Iterable[Topic]) -> list[PastCase]:
    """Return labelled lists with something to find as cases; each counts as read down to its first document without a label."""
    cases = []
    for topic in topics:
        read = len(topic) if topic.labelled is None else int(np.argmin([*topic.labelled, False]))
        hit, read = topic.first_hit, min(read, DEEPEST)
        if read:
            cases.append(PastCase("missed", read) if hit is None or hit > read else PastCase("hit", hit))
    return cases


def fit_rank_frailty(
    topics: Sequence[Topic], collections: Sequence[str] | None = None, start: Calibrator | None = None
) -> LearnedKind:
    """Learn about the next list from labelled lists with something to find.

    Parameters
    ----------
    topics : sequence of Topic
        Labelled lists.
    collections : sequence of str, optional
        Collection of each list; the next list is then of a new one. Without them all are of one, and so is the next.
    start : Calibrator, optional
        Calibrator of this kind that says what is known of the one collection before.

    Returns
    -------
    LearnedKind
        Kinds of the next list, and the chance that it lacks what there is.
    """
    if collections is None:
        return updated(learn([]) if start is None else learned_by(start), cases_of(topics))
    by_collection: dict[str, list[Topic]] = {}
    for topic, collection in zip(topics, collections, strict=True):
        by_collection.setdefault(collection, []).append(topic)
    return learn([cases_of(lists) for lists in by_collection.values()])


def with_learned(calibrator: Calibrator, learned: LearnedKind) -> Calibrator:
    """Return the calibrator with the chances, kinds of lists and band that were learned."""
    return _with_kinds(calibrator, np.vstack((learned.weight, grid())), learned.lacking)


def for_merged_lists(calibrator: Calibrator, rankings: int = RANKINGS) -> Calibrator:
    """Return the calibrator for a list merged from several rankings, each of which has part of the relevant documents.

    Its first k documents go as deep as the first k/R of one ranking: Λ(k/R) = R^(−w)·Λ(k), so v falls by w·log R.

    Parameters
    ----------
    calibrator : Calibrator
        Of kind "rank-frailty", for lists of one ranking.
    rankings : int
        R, how many rankings are merged.

    Returns
    -------
    Calibrator
        It cannot be updated by cases, since its kinds lie beside the grid.
    """
    kinds = np.array(calibrator.list_kinds).T
    kinds[1] -= kinds[2] * np.log(rankings)
    return _with_kinds(calibrator, kinds, calibrator.lacking)


def _with_kinds(calibrator: Calibrator, kinds: Floats, lacking: float) -> Calibrator:
    """Return the calibrator with these kinds of lists, as rows weight, v, w and 1/a, and the chances and band they imply."""
    weight, rich, slope, variance = kinds
    kept = kinds[:, weight >= LEAST]
    kept[0] /= kept[0].sum()
    at, start, mix = ranks(), np.exp(rich)[:, None], _kinds_of(variance, weight)
    passed = log_passed(mix, start * power_exposure(at, slope[:, None]))
    ends = np.array([weighted_quantiles(each, weight, SURE) for each in (1 - lacking) * -np.expm1(passed.T)])
    # The ends of the interval are only as fine as the grid.
    ends = np.maximum.accumulate(ends, axis=0)
    exposure = start * (power_exposure(at, slope[:, None]) - power_exposure(at - 1, slope[:, None]))
    chance = np.minimum.accumulate(weight @ -np.expm1(log_passed(mix, exposure)))
    return replace(
        calibrator,
        x=_short(np.log(at), 12),
        y=_short(chance),
        band=tuple(zip(_short(ends[:, 0]), _short(ends[:, 1]), strict=True)),
        list_kinds=tuple((a, b, c, d) for a, b, c, d in map(_short, kept.T)),
        lacking=_short(np.array([lacking]))[0],
    )


def _short(values: Floats, digits: int = DIGITS) -> tuple[float, ...]:
    """Round to this many significant digits, so that every machine writes the same file."""
    return tuple(float(f"{value:.{digits}g}") for value in values)


def learned_by(calibrator: Calibrator) -> LearnedKind:
    """Return what a calibrator learned, on the grid; raise InputProblem if it is of another kind or grid.

    Only a person's own lists say something about κ; for other calibrators it is as if nobody had said how they searched.
    """
    points = {tuple(each): at for at, each in enumerate(grid().T.round(6))}
    weight, name = np.zeros(len(points)), calibrator.fitted_on.name
    for kind_weight, *point in calibrator.list_kinds:
        at = points.get(tuple(np.round(point, 6)))
        if at is None:
            raise InputProblem(f"“{name}” cannot be updated by this version; fit it again.")
        weight[at] = kind_weight
    if not weight.sum() > 0:
        raise InputProblem(f"“{name}” is not a calibrator of kind 'rank-frailty'; choose one.")
    weight /= weight.sum()
    if calibrator.fitted_on.own:
        return LearnedKind(weight, calibrator.lacking)
    return LearnedKind(weight, 1 - UNKNOWN.mean, UNKNOWN.sure)


def from_cases(
    start: Calibrator,
    cases: Sequence[PastCase],
    name: str,
    simulated: bool = False,
    own: str = "cases",
    lists: tuple[str, ...] = (),
) -> Calibrator:
    """Update a calibrator by a person's own lists.

    Parameters
    ----------
    start : Calibrator
        Calibrator of kind "rank-frailty" that says what was known before.
    cases : sequence of PastCase
        How each list ended.
    name, simulated, own, lists
        As in :class:`~tarstop_core.calibration.calibrator.FittedOn`.

    Returns
    -------
    Calibrator
        One of the same kind, fitted on these cases too.

    Raises
    ------
    InputProblem
        If there is no case.
    """
    if not cases:
        raise InputProblem("There is no case to learn from; enter at least one.")
    fitted_on = provenance(cases, name, simulated, own, lists)
    fitted_on = replace(fitted_on, source=f"{fitted_on.source}; going on from “{start.fitted_on.name}”")
    empty = Calibrator("rank-frailty", PATENT, (), (), fitted_on)
    return with_learned(empty, updated(learned_by(start), cases))
