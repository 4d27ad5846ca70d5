"""Roles × objects × actions as a table, and a store with somebody in every role."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tarstop_core.screening.log import Event
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.calibrators import Damaged
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection, now
from tests.session_cases import INCLUSION, PATENT
from tests.sessions.store.cases import SETTINGS, label, some_records

OWNER = "ann@example.org"
ROLES = ("owner", "adjudicator", "reader", "guest")
PEOPLE = (
    *ROLES,
    "stranger",
    "administrator",
    "nobody with an account",
    "locked owner",
    *(f"project {role}" for role in ROLES),
)
"""Whose every cell is tried. `administrator` has no share, and a project's members have its role."""
MINE = replace(SETTINGS, calibrator=PATENT.digest)


@dataclass
class Case:
    """What is owned by somebody and perhaps shared."""

    session: str
    collection: str


# By method: who may, and the call. Letters are those of ROLES: o, a, r, g.
CELLS: dict[str, tuple[str, Callable[[Store, Case], Any]]] = {
    "session": ("oarg", lambda store, case: store.session(case.session)),
    "heading": ("oarg", lambda store, case: store.heading(case.session)),
    "events": ("oarg", lambda store, case: store.events(case.session)),
    "log": ("oarg", lambda store, case: store.log(case.session)),
    "news": ("oarg", lambda store, case: store.news(case.session)),
    "shares": ("oarg", lambda store, case: store.shares(case.session)),
    "snapshot": ("oarg", lambda store, case: session_snapshot(store, case.session)),
    "collection": ("oarg", lambda store, case: store.collection(case.collection)),
    "records": ("oarg", lambda store, case: store.records(case.collection)),
    "scores": ("oarg", lambda store, case: store.scores(case.collection)),
    "record_texts": ("oarg", lambda store, case: store.record_texts(case.collection, [0])),
    "document_ids": ("oarg", lambda store, case: store.document_ids(case.collection)),
    "calibrator": ("oarg", lambda store, case: store.calibrator(PATENT.digest)),
    "note_export": ("oar", lambda store, case: store.note_export(case.session, ".json")),
    "create_session": (
        "oar",
        lambda store, case: store.create_session("copy", case.collection, [0], None, MINE, "", "own order"),
    ),
    "append label": ("oar", lambda store, case: store.append(case.session, label(1), _seen(case))),
    "append undo": ("oar", lambda store, case: store.append(case.session, Event("undo"), _seen(case))),
    "append resolved": (
        "oa",
        lambda store, case: store.append(
            case.session, Event("resolved", {"doc": "EP1", "label": "relevant"}), _seen(case)
        ),
    ),
    "append resolved_report": (
        "oa",
        lambda store, case: store.append(
            case.session, Event("resolved_report", {"doc": "EP1", "outcome": "no data"}), _seen(case)
        ),
    ),
    "append stopped": (
        "o",
        lambda store, case: store.append(
            case.session, Event("stopped", {"advice": "x", "depth": 1}), _seen(case)
        ),
    ),
    "append settings": (
        "o",
        lambda store, case: store.append(
            case.session, Event("settings", {"settings": MINE.to_dict(), "reason": ""}), _seen(case)
        ),
    ),
    "rename": ("o", lambda store, case: store.rename(case.session, "other")),
    "archive": ("o", lambda store, case: store.archive(case.session)),
    "purge_counts": ("o", lambda store, case: store.purge_counts(case.session)),
    "share": ("o", lambda store, case: store.share(case.session, "zoe@example.org", "guest")),
    "name_databases": ("o", lambda store, case: store.name_databases(case.collection, {})),
    "rename_calibrator": ("o", lambda store, case: store.rename_calibrator(PATENT.digest, "x")),
    "delete_calibrator": ("o", lambda store, case: store.delete_calibrator(PATENT.digest)),
    "restore_calibrator": ("o", lambda store, case: store.restore_calibrator(PATENT.digest)),
    "grow": ("o", lambda store, case: _grow(store, case)),
    "delete_session": ("o", lambda store, case: store.delete_session(case.session)),
    "restore_session": ("o", lambda store, case: store.restore_session(case.session)),
    "discard": ("o", lambda store, case: store.discard(Damaged("session", case.session, "", ""))),
    "purge_session": ("o", lambda store, case: store.purge_session(case.session)),
    "delete_collection": ("o", lambda store, case: store.delete_collection(case.collection)),
}
NOT_BY_ROLE = {
    "rename_calibrator",
    "delete_calibrator",
    "restore_calibrator",
    "name_databases",
    "delete_collection",
}
"""A role in a session owns neither its documents nor its calibrators: nobody of PEOPLE may."""
LAST = {"append resolved", "append resolved_report", "discard", "purge_session"}
"""After these the session is gone, or its log is one that no page would write: the next call gets another."""
ADMINISTRATORS: dict[str, tuple[Any, ...]] = {
    "accounts": (),
    "audit": (),
    "kept_about": ("zoe@example.org",),
    "note_backup": ("tarstop.db",),
    "appoint": ("zoe@example.org", True),
    "lock_out": ("zoe@example.org", True),
    "set_member": ("hips", "zoe@example.org", True),
    "erase": ("zoe@example.org",),
    "discard_calibrator": (INCLUSION.digest,),
}
LISTS = {
    "sessions",
    "damaged",
    "collections",
    "same_collection",
    "of_same_records",
    "kept_calibrators",
    "projects",
}
"""Those that leave out what is not to be seen."""
ONES_OWN = {"save_calibrator", "save_collection", "arriving", "save_draft", "draft", "delete_draft", "arrive"}
"""Those that begin something of the person's own, or are asked of nothing else."""
BESIDE = {"for_person", "record_digests", "remove_unfinished"}
"""Opening a store for a person; hashes alone; what is already let go."""
_seen_by: dict[str, Store] = {}


def _seen(case: Case) -> int:
    return len(_seen_by["machine"].events(case.session))


def _grow(store: Store, case: Case) -> object:
    held = Collection(id=case.collection, name="c", query="")
    joined = Event(
        "joined", {"source": "x", "docs": ["EP5"], "positions": [5], "ranks": [6], "duplicates": 0}
    )
    return store.grow(case.session, joined, held, some_records(6), [], 0)


def people(store: Store) -> Iterator[Store]:
    """A store with accounts; the first of them administers."""
    for name in (
        "administrator",
        OWNER,
        *ROLES,
        "stranger",
        "locked owner",
        *(f"project {role}" for role in ROLES),
    ):
        store.for_person(name).arrive(now())
    root = store.for_person("administrator")
    for role in ROLES:
        root.set_member(f"{role}s", f"project {role}", True)
    root.set_member("owners", OWNER, True)
    root.lock_out("locked owner", True)
    _seen_by["machine"] = store
    yield store
    del _seen_by["machine"]


def made(store: Store) -> Case:
    """A session of the owner's, shared with everybody who has a role."""
    ann = store.for_person(OWNER)
    ann.save_calibrator(PATENT)
    collection = ann.save_collection("c", some_records(5), [], 0)
    session = ann.create_session("hips", collection, range(5), None, MINE, "", "own order")
    for role in ROLES:
        ann.share(session, role, role)
    ann.share(session, "locked owner", "owner")
    _share_with_projects(store, session)
    ann.append(session, label(0), 0)
    return Case(session, collection)


def _share_with_projects(store: Store, session: str) -> None:
    for role in ROLES:
        store.share(session, f"project:{role}s", role)


def letter(person: str) -> str:
    """The role of a person, as CELLS writes it; empty for none."""
    role = person.removeprefix("project ")
    return role[0] if role in ROLES else ""


def everything(store: Store) -> tuple[object, ...]:
    return (
        sorted((row.id, row.name, row.archived) for row in store.sessions()),
        sorted(row.id for row in store.collections()),
        [(kept.digest, kept.name) for kept in store.kept_calibrators()],
        sum(len(store.events(row.id)) for row in store.sessions()),
    )
