"""A PostgreSQL server that goes away: a sentence without host, user and folder, and work goes on when it is back."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.backup import backup, restore
from tarstop_core.sessions.store.calibrators import Damaged
from tarstop_core.sessions.store.permissions import Permissions
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection
from tests import postgres
from tests.session_cases import INCLUSION, PATENT
from tests.sessions.store.cases import SETTINGS, label, new_session, record, some_records

LOCAL = ("arriving", "arrive", "for_person", "allows", "note_export", "note_backup")
"""What asks the database nothing on one's own machine, or is asked by another method."""


def arguments(session: str, held: Collection) -> dict[str, tuple[Any, ...]]:
    """What to call every method of a store with."""
    collection = held.id
    return {
        "append": (session, label(1), 1),
        "archive": (session,),
        "calibrator": (PATENT.digest,),
        "check": (),
        "collection": (collection,),
        "accounts": (),
        "appoint": ("ann", True),
        "audit": (),
        "erase": ("ann",),
        "lock_out": ("ann", True),
        "projects": (),
        "record_digests": (),
        "set_member": ("hips", "ann", True),
        "share": (session, "ann", "reader"),
        "shares": (session,),
        "collections": (),
        "damaged": (),
        "create_session": ("s", collection, [0, 1], None, SETTINGS, "", "own order"),
        "delete_calibrator": (PATENT.digest,),
        "delete_collection": (collection,),
        "delete_draft": ("none",),
        "delete_session": (session,),
        "discard": (Damaged("calibrator", PATENT.digest, "", ""),),
        "discard_calibrator": (PATENT.digest,),
        "document_ids": (collection,),
        "draft": ("none",),
        "events": (session,),
        "purge_counts": (session,),
        "grow": (session, label(1), held, some_records(), [], 0),
        "heading": (session,),
        "news": (session,),
        "log": (session,),
        "kept_about": ("ann",),
        "kept_calibrators": (),
        "name_databases": (collection, {}),
        "of_same_records": (some_records(),),
        "purge_session": (session,),
        "record_texts": (collection, [0]),
        "records": (collection,),
        "remove_unfinished": (collection,),
        "rename": (session, "other"),
        "rename_calibrator": (PATENT.digest, "Mine"),
        "restore_calibrator": (PATENT.digest,),
        "restore_session": (session,),
        "same_collection": ("c", some_records(), []),
        "save_calibrator": (INCLUSION,),
        "save_draft": ({},),
        "save_collection": ("c", some_records(), [], 0),
        "scores": (collection,),
        "session": (session,),
        "sessions": (),
    }


def test_whatever_is_asked_of_a_store_says_so_and_it_recovers(
    server_to_stop: postgres.Server, tmp_path: Path
) -> None:
    with postgres.database(server_to_stop) as url, Store(url) as store:
        session = new_session(store)
        store.save_calibrator(PATENT)
        (first,) = record(store, session, label(0))
        asked = arguments(session, store.collections()[0])
        public = {
            name
            for name, _ in inspect.getmembers(Store, inspect.isfunction)
            if not name.startswith("_") and not hasattr(Permissions, name) and name not in LOCAL
        }
        assert set(asked) == public, "every method needs its line above"
        server_to_stop.stop()
        calls: dict[str, Callable[[], object]] = {
            name: lambda name=name: getattr(store, name)(*asked[name]) for name in asked
        }
        calls["opening"] = lambda: Store(url)
        calls["backup"] = lambda: backup(tmp_path / "b.db", url)
        for name, call in calls.items():
            with pytest.raises(InputProblem) as caught:
                call()
            said = str(caught.value)
            assert "server cannot be reached" in said, name
            assert "tester" not in said and str(server_to_stop.folder) not in said, name
        server_to_stop.start()
        assert store.events(session) == [first]
        assert store.append(session, label(1), 1).seq == 2
        store.append(session, Event("undo"), 2)
        assert [row.labelled for row in store.sessions()] == [1]


def test_a_restore_that_loses_the_server_leaves_what_was_there(
    server_to_stop: postgres.Server, tmp_path: Path
) -> None:
    with postgres.database(server_to_stop) as url:
        with Store(url) as store:
            session = new_session(store)
            backup(tmp_path / "b.db", url)
            record(store, session, label(0))
        stopped = False

        def stop(share: float) -> None:
            nonlocal stopped
            if share > 0.5 and not stopped:
                server_to_stop.stop("immediate")
                stopped = True

        with pytest.raises(InputProblem, match="cannot be reached"):
            restore(tmp_path / "b.db", url, replace=True, progress=stop)
        server_to_stop.start()
        with Store(url) as store:
            assert len(store.events(session)) == 1
