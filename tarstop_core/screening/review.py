"""A review in progress: from settings and labels to its path, and what a reviewer is told beside the advice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.data_share import DataShare
from tarstop_core.calibration.unseen import unseen
from tarstop_core.screening.labels import RELEVANT, UNSEEN
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.cumulative import CumulativePath, known_at
from tarstop_core.value.outcomes import states_of
from tarstop_core.value.studies import chance_otherwise

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
    plan : int
        "Screen about m more": the best plan; 0 where none gains.
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
    plan, _ = path.best_plan(depth, settings.cost)
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
        unseen=unseen(
            float(p[state.judged].sum()),
            int(state.came_true.sum()),
            float(p[state.labels == UNSEEN].sum()),
            calibrator.dispersion,
        ),
        share=(share.mean, *share.interval()),
        floor_holds=floor_holds,
    )
