"""All calibrators, a person's own and the included ones, and the evidence of sessions about them.

What nobody read in a session is unlabelled, not irrelevant.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.calibrator import INCLUSION, PATENT, REVIEW, Calibrator
from tarstop_core.calibration.first_hit import DEEPEST, PastCase
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.samples import shipped
from tarstop_core.screening.fold import replay
from tarstop_core.screening.live_check import session_ratios
from tarstop_core.screening.paths import chances
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import SessionRow

KIND_WORDS = {
    "marginal": "from scores",
    "hazard": "from scores, until the first hit",
    "frailty": "from scores, misses go together",
    "rank": "from ranks",
    "first-hit": "from ranks, until the first hit",
    "rank-frailty": "by rank, for lists from elsewhere",
}
CHANCE_OF = {
    PATENT: "of being relevant in a patent search",
    INCLUSION: "of being included by title and abstract",
    REVIEW: "of bringing data for the outcome",
}
"""What a calibrator's chances are chances of, by its scenario."""
NAMES = {PATENT: "Patents", INCLUSION: "Inclusion", REVIEW: "Data"}
"""The same, for a button."""


@dataclass(frozen=True)
class ListedCalibrator:
    """A calibrator in a list."""

    key: str  # Short name of an included one, otherwise "own-" and its digest
    calibrator: Calibrator
    name: str
    own: bool = False
    created: str = ""  # When it was stored here (ISO 8601); empty for shipped ones


def all_calibrators(store: Store, deleted: bool = False) -> dict[str, ListedCalibrator]:
    """All calibrators by key, a person's own first; or only those of their own that were put away."""
    own = [
        ListedCalibrator(f"own-{kept.digest}", kept.calibrator, kept.name, True, kept.created)
        for kept in store.kept_calibrators()
        if kept.deleted == deleted and kept.digest not in shipped.digests()
    ]
    included = [
        ListedCalibrator(key, calibrator, calibrator.fitted_on.name)
        for key, calibrator in shipped.calibrators().items()
    ]
    return {entry.key: entry for entry in (own if deleted else [*own, *included])}


def fitting_calibrators(store: Store, scenario: str, has_scores: bool = True) -> dict[str, ListedCalibrator]:
    """Return the calibrators that fit a list.

    Parameters
    ----------
    store
        Where a person's own are.
    scenario
        The chances that the list needs, one of :data:`CHANCE_OF`.
    has_scores
        Whether the list has scores.

    Returns
    -------
    dict
        Calibrators by key.
    """
    entries = {
        key: entry for key, entry in all_calibrators(store).items() if entry.calibrator.scenario == scenario
    }
    return {key: entry for key, entry in entries.items() if has_scores or entry.calibrator.by_rank}


def title(entry: ListedCalibrator) -> str:
    """Return the name of a calibrator in a list."""
    return f"{entry.name} ({KIND_WORDS[entry.calibrator.kind]}){' · yours' if entry.own else ''}"


def updated_by_own(entry: ListedCalibrator) -> bool:
    """Whether it is an included one updated by a person's own real lists; then it is offered first."""
    seen = entry.calibrator.fitted_on
    return entry.own and entry.calibrator.kind == "rank-frailty" and bool(seen.own) and not seen.simulated


def keep(store: Store, calibrator: Calibrator) -> str:
    """Store a calibrator, or bring it back if it had been put away, and return its key."""
    digest = store.save_calibrator(calibrator)
    if digest in shipped.digests():
        return shipped.digests()[digest]
    if any(kept.deleted and kept.digest == digest for kept in store.kept_calibrators()):
        store.restore_calibrator(digest)
    return f"own-{digest}"


def session_scenario(state: State) -> str:
    """What the labels of a session can teach, in the terms of calibrators."""
    return scenario_of(state.settings).chance_of(state.settings)


def teaches(state: State) -> bool:
    """Whether a session tells how documents of each rank turn out; not if labels, or documents that joined later, decided which were read."""
    return not state.reordered or state.depth == len(state.labels)


def session_list(row: SessionRow, state: State) -> Topic:
    """The list of a session with only the labels of documents that were read and have a verdict.

    In reviews in one stage a document counts as relevant when it brought a 2×2 table, and one whose report waits is
    not known.
    """
    relevant = state.came_true
    # Documents that came with labels stand first, whatever their rank.
    order = np.arange(len(row.ids)) if state.ranks is None else np.argsort(state.ranks)
    ids = np.asarray(row.ids, dtype=str)[order]
    scores = None if row.scores is None else row.scores[order]
    return Topic(row.name, ids, scores, relevant[order], int(relevant.sum()), state.judged[order])


def session_case(state: State) -> PastCase | None:
    """What a patent session says about when the first hit comes.

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


# --- what sessions say together --------------------------------------------------------------------------
def ratios_of_others(store: Store, settings: Settings, but: str = "") -> tuple[Floats, ...]:
    """Evidence of other sessions against the chances of these settings, each up to its last label.

    Every session that was started counts, however it ended: also archived and deleted ones, for to leave out what went badly would
    make right chances look wrong. Of sessions on the same documents the first counts, for the others began with labels known;
    what came in a file counts where it was started.

    Parameters
    ----------
    store
        The store.
    settings
        Those of the chances.
    but
        The session that is held together with these.

    Returns
    -------
    tuple of ndarray, shape (A,)
        As :func:`tarstop_core.screening.live_check.session_ratios` gives it, by time of start.
    """
    summaries = [*store.sessions(), *store.sessions(archived=True), *store.sessions(deleted=True)]
    started = sorted((row for row in summaries if row.labelled), key=lambda row: row.created)
    taken = {row.collection_id for row in started if row.id == but}
    ratios = []
    for row in started:
        if row.collection_id not in taken:
            taken.add(row.collection_id)
            if not row.imported and row.scenario == settings.scenario:
                ratios.append(_ratios(store, row.id, row.last_activity, settings.chances_from))
    return tuple(of_session for of_session in ratios if of_session is not None)


@lru_cache(maxsize=1000)
def _ratios(
    store: Store, session_id: str, last_activity: str, chances_from: tuple[str, float, bool]
) -> Floats | None:
    """Evidence of one session, cached until something is recorded in it; None also if it cannot be read."""
    try:
        events, row = store.events(session_id), store.session(session_id)
        state = replay(row.settings, row.ids, events)
        settings = next((by for _, by in state.forecast_settings if by.chances_from == chances_from), None)
        if settings is None:
            return None
        calibrator = store.calibrator(settings.calibrator)
        return session_ratios(settings, calibrator, chances(settings, calibrator, row.scores, state), state)
    except InputProblem:
        return None
