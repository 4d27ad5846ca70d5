"""A review in progress: from settings and labels to its path, and what a reviewer is told beside the advice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.bayes import lattice_for, univariate_belief
from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.data_share import DataShare
from tarstop_core.calibration.unseen import unseen
from tarstop_core.cumulative import CumulativePath, known_at
from tarstop_core.documents.outcome import Outcome
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.errors import InputProblem
from tarstop_core.payoffs import TOLERANCE, Payoffs
from tarstop_core.session import RELEVANT, UNSEEN, Settings, State
from tarstop_core.value_of_studies import NextStudy, chance_otherwise, next_studies

Floats = NDArray[np.float64]

COULD_CHANGE = 0.01
"""Chance from which waiting reports count as able to change the decision."""


@dataclass(frozen=True)
class ReviewFacts:
    """What a reviewer sees beside every advice.

    Parameters
    ----------
    studies : int
        2×2 tables that count.
    waiting : int
        Included reports that were not read in full yet.
    report_worth, report_cost : float
        What one waiting report is worth now, and what reading it in full costs, in the payoffs' unit.
    reports_to_read : int
        How many of the waiting reports pay.
    reports_may_change : float
        Chance that the waiting reports, all bringing data, would lead to the other action.
    otherwise : float
        Chance that what is left, waiting reports and list, would lead to the other action.
    disagreement : float
        Chance that the action on stopping now is not that of the truth the session is held against.
    plan, gain : int, float
        "Screen about m more": the best plan and what it gains, in the payoffs' unit; 0 where none gains.
    unseen : tuple of float
        Relevant documents probably still unread: expected number, and an interval of 90 %.
    share : tuple of float
        P(data | included): mean, and an interval of 90 %.
    floor_holds : bool
        Whether a rule would stop but for the floor on the chance of the right decision.
    """

    studies: int
    waiting: int
    report_worth: float
    report_cost: float
    reports_to_read: int
    reports_may_change: float
    otherwise: float
    disagreement: float
    plan: int
    gain: float
    unseen: tuple[float, float, float]
    share: tuple[float, float, float]
    floor_holds: bool = False

    @property
    def reports_first(self) -> bool:
        """Whether reading waiting reports pays."""
        return self.reports_to_read > 0

    @property
    def reports_open(self) -> bool:
        """Whether waiting reports could change the decision: no rule says stop meanwhile."""
        return self.waiting > 0 and (self.reports_first or self.reports_may_change > COULD_CHANGE)


def data_share(settings: Settings, state: State) -> DataShare:
    """P(data | included) after the reports that were read in full."""
    read = [report for report in state.read_in_full.values() if report.was_read]
    with_data = sum(report.outcome == "data" for report in read)
    return settings.data_share.updated(with_data, len(read) - with_data)


def review_path(settings: Settings, p: Floats, state: State) -> CumulativePath:
    """The path that a review's labels, tables and settings stand for.

    In two stages `p` is the chance of being included by title and abstract, in one that of bringing data.

    Parameters
    ----------
    settings : Settings
        May differ from those in force: that is a what-if.
    p : ndarray, shape (N,)
    state : State
    """
    evidence = state.evidence
    share = data_share(settings, state).mean
    two_stages = settings.stages == 2
    return CumulativePath(
        p=p,
        states=states_of(evidence.tables, settings.theta, settings.engine, settings.belief_prior),
        known=known_at(evidence.positions, len(p)),
        payoffs=settings.payoffs,
        labels=np.asarray(state.labels == RELEVANT),
        share=share if two_stages else 1.0,
        full_cost=settings.full_cost if two_stages else 0.0,
        waiting=(share if two_stages else 1.0) * len(state.waiting),
    )


def with_b_0(path: CumulativePath, settings: Settings, state: State) -> CumulativePath:
    """The path from another starting chance, true from the present depth on.

    Only the present belief is computed anew: the depths behind are not asked for.
    """
    tables = state.evidence.tables
    now = states_of(tables, settings.theta, settings.engine, settings.belief_prior, last_only=True)
    return replace(path, states=now, known=np.zeros_like(path.known))


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
        N documents; studies whose document is not ranked are never met.
    p : ndarray, shape (N,)
        Chance that each document brings data.
    payoffs : Payoffs
    theta, engine, prior
        As for :func:`~tarstop_core.belief.of_tables.beliefs`.
    """
    labels = outcome.topic.labels
    if labels is None:
        raise InputProblem(f"Outcome {outcome.name} has no labels; replaying needs them.")
    states = states_of(outcome.tables, theta, engine, prior or Prior())
    return CumulativePath(p, states, known_at(outcome.positions, len(p)), payoffs, labels)


@lru_cache(maxsize=4096)
def _full_belief(cells: bytes, theta: float) -> float:
    return bivariate_belief(_tables(cells), theta)


def is_plus(tables: Tables, theta: float, truth: str, q_star: float) -> bool:
    """Whether the truth of an outcome is ω⁺.

    Always from all studies, ranked or not, with the bivariate engine, b_0 = .5 and the default prior, whatever
    engine or prior is being tested.

    Parameters
    ----------
    tables : Tables
        All studies of the outcome.
    theta : float
    truth : {"pooled", "full_evidence"}
        Pooled sensitivity exceeds θ (b_N > .5), or a⁺ is what full evidence chooses (b_N > q*), which is what
        the paper's Table 2 implies.
    q_star : float
    """
    b = _full_belief(_cells(tables), theta)
    return b > (q_star if truth == "full_evidence" else 0.5) + TOLERANCE


def states_of(
    tables: Tables, theta: float, engine: str, prior: Prior, *, last_only: bool = False
) -> tuple[NextStudy, ...]:
    """What is known, and what the next study may find, after 0 … n studies, remembered.

    Parameters
    ----------
    tables : Tables
        n studies.
    theta, engine, prior
        As for :func:`~tarstop_core.belief.of_tables.beliefs`.
    last_only : bool
        Only after all n.
    """
    key = (_cells(tables), theta, engine, prior, last_only)
    states = _known.get(key)
    if states is None:
        states = _known[key] = _states(tables, theta, engine, prior, last_only)
        while len(_known) > KEPT:
            _known.pop(next(iter(_known)), None)
    return states


KEPT = 256
_known: dict[tuple[bytes, float, str, Prior, bool], tuple[NextStudy, ...]] = {}


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
    before = _states_before(tables, theta, engine, prior)
    if before is not None:
        return (*before, *states_of(tables, theta, engine, prior, last_only=True))
    return tuple(next_studies(tables, theta, prior, beliefs=beliefs(tables, theta, engine, prior)))


def _states_before(tables: Tables, theta: float, engine: str, prior: Prior) -> tuple[NextStudy, ...] | None:
    """What was remembered before the newest study: a growing review pays for that one only.

    None where nothing was, or where the newest study has changed the lattice that all are computed on.
    """
    if not len(tables) or engine == "reml":
        return None
    earlier = tables.first(len(tables) - 1)
    if lattice_for(earlier, theta, prior) is not lattice_for(tables, theta, prior):
        return None
    return _known.get((_cells(earlier), theta, engine, prior, False))


def facts(
    settings: Settings,
    calibrator: Calibrator,
    path: CumulativePath,
    p: Floats,
    state: State,
    *,
    floor_holds: bool,
) -> ReviewFacts:
    """What is said beside the advice at the depth a review has reached.

    Parameters
    ----------
    settings : Settings
    calibrator : Calibrator
        Gives how much reviews vary around its chances.
    path : CumulativePath
        Of these settings and this state.
    p : ndarray, shape (N,)
        Chances as the calibrator gives them: what was found already corrects the number still unread, and a
        scale that came from the same documents would count them twice.
    state : State
    floor_holds : bool
        Whether the floor alone keeps a rule from stopping.
    """
    depth, waiting = state.depth, len(state.waiting)
    now = path.states[-1]
    share = data_share(settings, state)
    to_read, _ = path.best_reports(waiting)
    plan, gain = path.best_plan(depth, settings.cost)
    return ReviewFacts(
        studies=len(state.evidence.tables),
        waiting=waiting,
        report_worth=path.one_report(),
        report_cost=path.full_cost,
        reports_to_read=to_read,
        reports_may_change=float(chance_otherwise(now.b, now.n_0, float(waiting), settings.payoffs.q_star)),
        otherwise=float(path.otherwise[depth]),
        disagreement=float(path.disagreement(settings.truth)[depth]),
        plan=plan,
        gain=gain,
        unseen=unseen(
            float(p[state.judged].sum()),
            int(state.came_true.sum()),
            float(p[state.labels == UNSEEN].sum()),
            calibrator.dispersion,
        ),
        share=(share.mean, *share.interval()),
        floor_holds=floor_holds,
    )
