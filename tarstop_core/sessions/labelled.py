"""What finished sessions can teach: labelled lists and first hits.

What nobody read is unlabelled, not irrelevant.
"""

from collections.abc import Sequence

import numpy as np

from tarstop_core.calibration import calibration_monitor
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.first_hit import DEEPEST, PastCase
from tarstop_core.documents.topic import Topic
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.rows import SessionRow


def session_scenario(state: State) -> str:
    """What the labels of a session can teach, as calibrators call it."""
    return scenario_of(state.settings).chance_of(state.settings)


def teaches(state: State) -> bool:
    """Whether a session says how documents of a rank turn out: not where labels, or what joined later, decided which were read."""
    return not state.reordered or state.depth == len(state.labels)


def session_list(row: SessionRow, state: State) -> Topic:
    """The list of a session with the labels that were given: those read with a verdict, nothing else.

    In reviews in one stage a document counts as relevant when it brought a 2×2 table, and one whose report waits is
    not known.
    """
    known, relevant = state.judged, state.came_true
    # Documents that came with labels stand first, whatever their rank.
    order = np.arange(len(row.ids)) if state.ranks is None else np.argsort(state.ranks)
    ids = np.asarray(row.ids, dtype=str)[order]
    scores = None if row.scores is None else row.scores[order]
    return Topic(row.name, ids, scores, relevant[order], int(relevant.sum()), known[order])


def across(calibrator: Calibrator, lists: Sequence[Topic]) -> calibration_monitor.AcrossLists | None:
    """Whether the level of a calibrator is right over finished lists of reviews; None while they are few.

    The lists are as :func:`session_list` gives them; those without the scores that the calibrator reads are left out.
    """
    foreseen = []
    for each in lists:
        if calibrator.by_rank or each.scores is not None:
            assert each.known is not None and each.labels is not None  # as every list of a session says
            p, nothing = calibrator.probabilities(each.scores, len(each)), np.zeros(len(each), dtype=bool)
            left = calibrator.left(p, nothing, nothing, each.known)
            foreseen.append(calibration_monitor.levels_of_number(left, int(each.labels.sum())))
    return calibration_monitor.across_lists(foreseen)


def across_searches(
    calibrator: Calibrator, states: Sequence[State]
) -> calibration_monitor.AcrossLists | None:
    """The same over finished patent searches; those that say nothing of a first hit (:func:`session_case`) are left out."""
    foreseen = []
    for state in states:
        case, settings = session_case(state), state.settings
        if case is not None:
            p = settings.s * calibrator.probabilities(None, len(state.labels))
            log_M = calibrator.curve(p, kappa=settings.kappa, silent=state.silent).log_M
            is_hit = case.outcome == "hit"
            foreseen.append(calibration_monitor.levels_of_first_hit(log_M, case.at, is_hit, 1 - settings.b_0))
    return calibration_monitor.across_lists(foreseen)


def session_case(state: State) -> PastCase | None:
    """What a patent session says of when the first hit comes.

    None when nothing was read, when documents were not read in the order of their ranks, while a hit waits
    for confirmation, or when it was read beyond the ranks that a curve of first hits knows of.

    A session that stopped without a hit does not say whether there was one: it counts as stopped, not as none.
    """
    if state.ranks is not None or (state.hit is None and len(state.pending)):
        return None
    at = state.depth if state.hit is None else state.hit
    if not 1 <= at <= DEEPEST:
        return None
    return PastCase("stopped" if state.hit is None else "hit", at)
