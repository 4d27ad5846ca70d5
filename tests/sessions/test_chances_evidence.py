"""Which sessions say together whether chances fit."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from tarstop_core.documents.records import as_records
from tarstop_core.screening.events import settings_event
from tarstop_core.screening.live_check import live_check
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.calibrator_library import ratios_of_others
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import IDS, INCLUSION, PATENT, START, N, log


def started(
    store: Store, name: str, verdicts: str, settings: Settings = START, collection: str | None = None
) -> str:
    """A session over a collection of its own, or over that of another one, with these verdicts."""
    store.save_calibrator(PATENT)
    store.save_calibrator(INCLUSION)
    if collection is None:
        frame = as_records(pd.DataFrame({"id": IDS, "title": [f"{name} {at}" for at in range(N)]}))
        collection = store.save_collection(name, frame, [], 0, simulated=False)
    session = store.create_session(name, collection, list(range(N)), None, settings, "a test", "own order")
    names = {"-": "irrelevant", "+": "relevant"}
    log(
        store,
        session,
        *(Event("label", {"doc": IDS[at], "label": names[each]}) for at, each in enumerate(verdicts)),
    )
    return session


def test_every_session_that_was_started_counts_however_it_went_on(store: Store) -> None:
    for name in ("going on", "archived", "deleted"):
        started(store, name, "-" * 9)
    by_name = {each.name: each.id for each in store.sessions()}
    store.archive(by_name["archived"])
    store.delete_session(by_name["deleted"])
    started(store, "not begun", "")
    started(store, "other chances", "---", replace(START, calibrator=INCLUSION.digest))
    assert len(ratios_of_others(store, START)) == 3
    assert len(ratios_of_others(store, START, but=by_name["going on"])) == 2


def test_documents_that_were_read_before_and_sessions_from_files_do_not_count(
    store: Store, tmp_path: Path
) -> None:
    first = started(store, "first", "-" * 9)
    again = started(store, "again", "-" * 5, collection=store.session(first).collection_id)
    assert len(ratios_of_others(store, START)) == 1
    assert len(ratios_of_others(store, START, but=again)) == 0, "it is about the same documents"
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        file = export_session(elsewhere, started(elsewhere, "from elsewhere", "---"))
        assert len(ratios_of_others(elsewhere, START)) == 1
    import_session(store, file, "session.json")
    assert len(ratios_of_others(store, START)) == 1


def test_what_is_recorded_later_counts_and_a_remedy_begins_anew(store: Store) -> None:
    session = started(store, "one", "-" * 9)
    (before,) = ratios_of_others(store, START)
    log(store, session, Event("label", {"doc": IDS[9], "label": "irrelevant"}))
    (after,) = ratios_of_others(store, START)
    assert (before != after).any()
    half = replace(START, scale=0.5)
    log(store, session, settings_event(session_snapshot(store, session).state, half, "too many"))
    assert ratios_of_others(store, half) == () and len(ratios_of_others(store, START)) == 1
    log(store, session, Event("label", {"doc": IDS[10], "label": "irrelevant"}))
    assert len(ratios_of_others(store, half)) == 1


def test_what_cannot_be_read_is_left_out(store: Store) -> None:
    session = started(store, "damaged", "-" * 9)
    log(store, session, Event("label", {"doc": "unheard of", "label": "irrelevant"}))
    assert ratios_of_others(store, START) == ()


def test_report_and_page_say_the_same_of_all_sessions(store: Store) -> None:
    for at in range(30):
        started(store, f"search {at}", "-" * N, replace(START, b_0=0.95))
    session = started(store, "this one", "-" * 9, replace(START, b_0=0.95))
    work = OpenSession.load(store, session)
    others = ratios_of_others(store, work.state.settings, session)
    check = live_check(START, *work.chances(START), work.state, others)
    assert check is not None and check.evidence.warned and check.evidence.lists == 31
    assert "over 31 sessions" in report_html(session_snapshot(store, session))
