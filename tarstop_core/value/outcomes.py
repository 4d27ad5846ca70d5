"""An outcome of a review with every study known: its path, its truth, and states of knowledge remembered."""

from functools import lru_cache

import numpy as np

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.belief.lattice import lattice_for
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.univariate import univariate_belief
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.errors import InputProblem
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.payoffs import TOLERANCE, Floats, Payoffs
from tarstop_core.value.studies import NextStudy, next_studies


def outcome_path(
    outcome: Outcome,
    p: Floats,
    payoffs: Payoffs,
    theta: float = 0.75,
    engine: str = "bivariate",
    prior: Prior | None = None,
) -> CumulativePath:
    """The path of an experiment, where every study is known from the outset: paper mode, one stage.

    Parameters
    ----------
    outcome : Outcome
        Studies, and the documents that bring them; studies whose document is not ranked are never met.
    p : ndarray, shape (N,)
        Chance that each document brings data.
    payoffs : Payoffs
        What right and wrong decisions bring.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    engine : str
        One of :data:`~tarstop_core.belief.engines.ENGINES`.
    prior : Prior, optional
        What is believed before any study; the weak default without one.

    Returns
    -------
    CumulativePath
        Over the documents of the outcome's topic.

    Raises
    ------
    InputProblem
        When the topic has no labels.
    """
    labels = outcome.topic.labels
    if labels is None:
        raise InputProblem(f"Outcome {outcome.name} has no labels; replaying needs them.")
    states = states_of(outcome.tables, theta, engine, prior or Prior())
    return CumulativePath(p, states, studies_after(outcome.positions, len(p)), payoffs, labels)


@lru_cache(maxsize=4096)
def _full_belief(cells: bytes, theta: float) -> float:
    return bivariate_belief(_tables(cells), theta)


def is_plus(tables: Tables, theta: float, truth: str, q_star: float) -> bool:
    """Whether the truth of an outcome is ω⁺.

    Always from all studies, ranked or not, with the bivariate engine, b_0 = .5 and the weak prior, whatever
    engine or prior is being tested.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    truth : {"pooled", "full_evidence"}
        Whether ω⁺ is that pooled sensitivity exceeds θ (b_N > .5), or that full evidence chooses a⁺ (b_N > q*), which is
        what the paper's Table 2 implies.
    q_star : float
        Threshold belief above which a⁺ is chosen.

    Returns
    -------
    bool
        True under ω⁺.
    """
    b = _full_belief(_cells(tables), theta)
    return b > (q_star if truth == "full_evidence" else 0.5) + TOLERANCE


KEPT = 256
_known: dict[tuple[bytes, float, str, Prior, bool], tuple[NextStudy, ...]] = {}


def states_of(
    tables: Tables, theta: float, engine: str, prior: Prior, *, last_only: bool = False
) -> tuple[NextStudy, ...]:
    """What is believed, and what the next study may find, after each study; remembered.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    engine : str
        One of :data:`~tarstop_core.belief.engines.ENGINES`.
    prior : Prior
        What is believed before any study.
    last_only : bool
        Whether only the state after all n studies is wanted.

    Returns
    -------
    tuple of NextStudy
        n + 1 of them, or one with `last_only`.
    """
    key = (_cells(tables), theta, engine, prior, last_only)
    states = _known.get(key)
    if states is None:
        states = _known[key] = _states(tables, theta, engine, prior, last_only)
        while len(_known) > KEPT:
            _known.pop(next(iter(_known)), None)
    return states


def _cells(tables: Tables) -> bytes:
    return np.stack([getattr(tables, cell) for cell in CELLS]).tobytes()


def _tables(cells: bytes) -> Tables:
    counts = np.frombuffer(cells, dtype=float).reshape(len(CELLS), -1)
    return Tables(("",) * counts.shape[1], *counts)


def _states(
    tables: Tables, theta: float, engine: str, prior: Prior, last_only: bool
) -> tuple[NextStudy, ...]:
    if last_only and engine == "reml":
        return states_of(tables, theta, engine, prior)[-1:]
    if last_only:
        b = (bivariate_belief if engine == "bivariate" else univariate_belief)(tables, theta, prior)
        return tuple(next_studies(tables, theta, prior, beliefs=[b], last_only=True))
    if len(tables) and engine != "reml":
        # A growing review pays for its newest study only, unless that changes the lattice all are computed on.
        earlier = tables.first(len(tables) - 1)
        before = _known.get((_cells(earlier), theta, engine, prior, False))
        if before and lattice_for(earlier, theta, prior) is lattice_for(tables, theta, prior):
            return (*before, *states_of(tables, theta, engine, prior, last_only=True))
    return tuple(next_studies(tables, theta, prior, beliefs=beliefs(tables, theta, engine, prior)))
