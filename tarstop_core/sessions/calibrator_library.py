"""All calibrators, a person's own and the included ones; what sessions teach a calibrator, and their evidence about its chances.

Documents of a session that nobody read are unlabelled, not irrelevant.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.calibrator import INCLUSION, PATENT, REVIEW, Calibrator
from tarstop_core.calibration.first_hit import DEEPEST, PastCase
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.html import IN_PRINT
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
"""What a kind of calibrator is called in a list."""
CHANCE_OF = {
    PATENT: "of being relevant in a patent search",
    INCLUSION: "of being included by title and abstract",
    REVIEW: "of bringing data for the outcome",
}
"""What the chances of a calibrator are chances of, by its scenario: the end of "chance …"."""
NAMES = {PATENT: "Patent searches", INCLUSION: "Reviews: inclusion", REVIEW: "Reviews: data"}
"""Short names of the scenarios of calibrators, for buttons."""


@dataclass(frozen=True)
class ListedCalibrator:
    """A calibrator in a list."""

    key: str  # Short name of an included calibrator; "own-" and the digest for a person's own
    calibrator: Calibrator
    name: str
    own: bool = False  # Whether a person fitted or imported it
    created: str = ""  # When it was stored here (ISO 8601); empty for included ones


def all_calibrators(store: Store, deleted: bool = False) -> dict[str, ListedCalibrator]:
    """All calibrators by key, the person's own first; with `deleted`, only their own that were taken off the list."""
    own = [
        ListedCalibrator(f"own-{kept.digest}", kept.calibrator, kept.name, True, kept.created)
        for kept in store.kept_calibrators()
        if kept.deleted == deleted and kept.digest not in shipped.digests()
    ]
    included = [
        ListedCalibrator(key, calibrator, calibrator.fitted_on.name.translate(IN_PRINT))
        for key, calibrator in shipped.calibrators().items()
    ]
    return {entry.key: entry for entry in (own if deleted else [*own, *included])}


def fitting_calibrators(store: Store, scenario: str, has_scores: bool = True) -> dict[str, ListedCalibrator]:
    """Calibrators whose chances suit a list.

    Parameters
    ----------
    store
        Holds the person's own calibrators.
    scenario
        Which chances the list needs: a key of :data:`CHANCE_OF`.
    has_scores
        Whether the list has scores; without, only calibrators that go by rank suit it.

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
    """Name of a calibrator in a list, with its kind, and a mark if it is the person's own."""
    return f"{entry.name} ({KIND_WORDS[entry.calibrator.kind]}){' · yours' if entry.own else ''}"


def updated_by_own(entry: ListedCalibrator) -> bool:
    """Whether a calibrator is an included one that was updated with a person's own real lists; it is then offered first."""
    training = entry.calibrator.fitted_on
    return (
        entry.own
        and entry.calibrator.kind == "rank-frailty"
        and bool(training.own)
        and not training.simulated
    )


def keep(store: Store, calibrator: Calibrator) -> str:
    """Store a calibrator, or put it back on the list if it was taken off, and return its key."""
    digest = store.save_calibrator(calibrator)
    if digest in shipped.digests():
        return shipped.digests()[digest]
    if any(kept.deleted and kept.digest == digest for kept in store.kept_calibrators()):
        store.restore_calibrator(digest)
    return f"own-{digest}"


def session_scenario(state: State) -> str:
    """Which calibrators the labels of a session can teach: a key of :data:`CHANCE_OF`."""
    return scenario_of(state.settings).chance_of(state.settings)


def teaches(state: State) -> bool:
    """Whether the labels of a session show how often documents of each rank are relevant.

    They do not if labels, or documents that joined later, decided which documents were read.
    """
    return not state.reordered or state.depth == len(state.labels)


def session_list(row: SessionRow, state: State) -> Topic:
    """List of a session by rank, with the labels of the documents that were read and have a verdict.

    In a review in one stage a document is relevant if it brought data, and has no label while its report waits.
    """
    relevant = state.came_true
    # Documents that came with labels stand first, whatever their rank.
    order = np.arange(len(row.ids)) if state.ranks is None else np.argsort(state.ranks)
    ids = np.asarray(row.ids, dtype=str)[order]
    scores = None if row.scores is None else row.scores[order]
    return Topic(row.name, ids, scores, relevant[order], int(relevant.sum()), state.judged[order])


def session_case(state: State) -> PastCase | None:
    """What a patent session teaches about the rank of the first hit.

    None if nothing was read, if documents were not read in the order of their ranks, while a hit waits for
    confirmation, or if reading went beyond the ranks that a curve of first hits covers.

    A session that stopped without a hit does not show whether the list has one: it counts as "stopped", not as "none".
    """
    if state.ranks is not None or (state.hit is None and len(state.pending)):
        return None
    at = state.depth if state.hit is None else state.hit
    if not 1 <= at <= DEEPEST:
        return None
    return PastCase("stopped" if state.hit is None else "hit", at)


# --- evidence of all sessions about the chances
def ratios_of_others(store: Store, settings: Settings, but: str = "") -> tuple[Floats, ...]:
    """Evidence of other sessions against the chances of these settings, each up to its last label.

    Every session with a label counts, archived and deleted ones too: leaving out those that went badly would bias the
    evidence. Of several sessions on the same documents only the first counts, because the others began with known
    labels. Sessions that came in a file count in the store where they were started.

    Parameters
    ----------
    store
        Holds the sessions.
    settings
        Settings that the chances come from.
    but
        Id of the session whose own evidence the caller adds; it and others on its documents are left out.

    Returns
    -------
    tuple of ndarray, shape (A,)
        One array a session, from :func:`tarstop_core.screening.live_check.session_ratios`, by time of start.
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
    """Evidence of one session, cached until something is recorded in it; None without evidence, or if it cannot be read."""
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
