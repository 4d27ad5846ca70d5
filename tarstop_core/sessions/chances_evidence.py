"""What the sessions of a store say together against the chances that they were begun with."""

from functools import lru_cache

from tarstop_core.documents.tables import Floats
from tarstop_core.errors import InputProblem
from tarstop_core.screening.fold import replay
from tarstop_core.screening.live_check import session_ratios
from tarstop_core.screening.paths import chances
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.store import Store


def ratios_of_others(store: Store, settings: Settings, but: str = "") -> tuple[Floats, ...]:
    """What other sessions say against the chances of these settings, each up to its last label.

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
    """What one session says, remembered until something is recorded in it; None too where it cannot be read."""
    try:
        events, row = store.events(session_id), store.session(session_id)
        state = replay(row.settings, row.ids, events)
        settings = next((by for _, by in state.foreseen_by if by.chances_from == chances_from), None)
        if settings is None:
            return None
        calibrator = store.calibrator(settings.calibrator)
        return session_ratios(settings, calibrator, chances(settings, calibrator, row.scores, state), state)
    except InputProblem:
        return None
