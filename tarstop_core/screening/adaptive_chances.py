"""Chances of documents that adapt to what was found so far.

If labels decide what is read next, a chance belongs to a position in the order of reading, not to a document: to the
next position, and to those after it. If a list is read in its given order, a chance belongs to a rank.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from tarstop_core.belief.mixture import Remaining
from tarstop_core.calibration.calibrator import INCLUSION, REVIEW, Calibrator
from tarstop_core.calibration.hit_rate_model import chances_as_read
from tarstop_core.calibration.reranked import RerankedChances, ahead, path_chances
from tarstop_core.readers.overlooked import Overlooked
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening.labels import UNSEEN
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Floats

NODES = 32
"""Number of equally probable values that represent a distribution of a number of documents."""


def adaptive_chances(settings: Settings, state: State) -> tuple[Floats, Remaining]:
    """Chances by position in the order of reading, shape (N,), and distribution of the number of unread relevant documents.

    A coming audit draw has the mean chance of the unread documents. Documents that came with labels were not read in an
    order that this list learned, so the forecast is for the list after them; each of them gets the share of them that
    is relevant as its chance.
    """
    kept, history = state.kept, state.came_true[state.kept : state.depth]
    p, left = _adaptive_chances(_chances(settings), history.tobytes(), len(state.labels) - kept)
    if kept:
        p = np.append(np.full(kept, state.came_true[:kept].mean()), p)
    if state.drawn is not None and state.depth < len(p):
        p = p.copy()
        p[state.depth :][state.drawn[state.depth :]] = p[state.depth :].mean()
    return p, left


def chances_after_finds(calibrator: Calibrator, p: Floats, state: State) -> Floats:
    """Chances in a list in its given order, given what was found in it so far.

    They go by rank; measurements showed that scores add nothing to it. The chances stay the same if labels decided what
    was read, because the finds then say nothing about the ranks, and with calibrators of earlier versions, which have no
    curves.

    Parameters
    ----------
    calibrator : Calibrator
        Its curves say how the share of relevant documents falls with rank.
    p : ndarray, shape (N,)
        Chances from the calibrator, in the order of reading.
    state : State
        The labels.

    Returns
    -------
    ndarray, shape (N,)
        Adapted chances in the order of reading.
    """
    if calibrator.thinning is None or state.reordered:
        return p
    order = np.arange(len(p)) if state.ranks is None else np.argsort(state.ranks)
    unread = state.labels == UNSEEN
    flags = (by_position[order] for by_position in (state.judged, state.came_true, unread))
    by_rank = chances_as_read(calibrator.thinning, *flags)
    chances = np.empty_like(by_rank)
    chances[order] = by_rank
    return np.where(state.counts, chances, 0.0)


def still_unread(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, depth: int | None = None
) -> Remaining:
    """Distribution of the number of unread relevant documents.

    Parameters
    ----------
    settings : Settings
        Settings in force.
    calibrator : Calibrator
        Where the chances come from, unless they adapt to labels alone.
    p : ndarray, shape (N,)
        Chances from the calibrator, in the order of reading.
    state : State
        The labels.
    depth : int, optional
        Number of documents read, by default those of the state. An earlier depth uses the labels until then; a later
        one assumes that nothing more is found.

    Returns
    -------
    Remaining
        Distribution of the number.
    """
    depth = state.depth if depth is None else depth
    if settings.adapts_chances and depth == state.depth:
        return adaptive_chances(settings, state)[1]
    if settings.adapts_chances:
        history = state.came_true[state.kept : depth]
        return _left(_chances(settings), history.tobytes(), len(state.labels) - state.kept)
    read = np.arange(len(state.labels)) < depth
    judged = read & (state.judged | (state.labels == UNSEEN))
    return calibrator.left(p, judged, state.came_true & read, ~read, state.ranks)


def list_facts(left: Remaining, state: State) -> dict[str, Any]:
    """Fields of :class:`~tarstop_core.screening.advised.ListFacts`: what is unread, found and overlooked.

    Readers who overlooked a share of the relevant documents probably overlook the same share of the unread ones. So if
    audit draws estimate that share, they also correct the forecast.

    Parameters
    ----------
    left : Remaining
        Distribution of the number of unread documents that the readers would include.
    state : State
        The labels, and what several readers overlooked.

    Returns
    -------
    dict
        Values by field.
    """
    mean, (low, high) = left.mean, left.interval()
    overlooked = state.overlooked
    if overlooked is not None and overlooked.is_audited and overlooked.share_found is not None:
        least, most = overlooked.share_found
        mean = min(mean / overlooked.share_estimate, left.documents)
        low = min(math.floor(low / (most or 1.0)), left.documents)
        high = min(math.ceil(high / least), left.documents) if least else left.documents
    relevant = int(state.came_true.sum())
    return {"left": (mean, low, high), "relevant": relevant, "overlooked": overlooked}


def not_found(left: Remaining, overlooked: Overlooked) -> Floats:
    """Chance of 0, 1, 2 … relevant documents that are not found, overlooked or unread, by audit draws.

    The larger the share that all readers overlooked of what they read, the fewer they would recognise among the rest.
    Both numbers follow from the same draws.

    Parameters
    ----------
    left : Remaining
        Distribution of the number of unread documents that the readers would include.
    overlooked : Overlooked
        What they overlooked, estimated from audit draws.

    Returns
    -------
    ndarray, shape (K + 1,)
        Chances of 0 … K documents; their sum is 1.
    """
    levels = (np.arange(NODES) + 0.5) / NODES
    unread, missed = (
        np.searchsorted(np.cumsum(chance), levels) for chance in (left.chance, overlooked.chance_remaining)
    )
    included = overlooked.relevant_found
    times = (included + missed) / included if included else np.ones(NODES)
    numbers = np.minimum(np.rint(np.outer(unread, times)), left.documents) + missed
    return np.asarray(np.bincount(numbers.astype(int).ravel()) / numbers.size)


def _chances(settings: Settings) -> RerankedChances:
    """Model of the chances of being included by title and abstract or, in one stage, of bringing data."""
    return reranked_chances(INCLUSION if settings.judges_abstracts else REVIEW)


@lru_cache(maxsize=32)
def _adaptive_chances(model: RerankedChances, history: bytes, length: int) -> tuple[Floats, Remaining]:
    """Chances and forecast of a list of some length, given which of the documents read were relevant (bytes of flags)."""
    return path_chances(model, np.frombuffer(history, dtype=bool), length)


@lru_cache(maxsize=256)  # a rule that searches for its stopping depth needs these again after every label
def _left(model: RerankedChances, history: bytes, length: int) -> Remaining:
    """Forecast of a list of some length, given which of the documents read were relevant (bytes of flags)."""
    return ahead(model, np.frombuffer(history, dtype=bool), length).left()


def forecast_for_read(settings: Settings, state: State) -> Remaining:
    """Forecast from before reading: how many of the documents read here, without kept ones, are relevant."""
    rest = ahead(_chances(settings), np.zeros(0, dtype=bool), len(state.labels) - state.kept)
    return rest.left(state.depth - state.kept)
