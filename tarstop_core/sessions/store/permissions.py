"""Permissions: one table of who may do what, and the one place where the store checks it.

A store is opened for a person (:meth:`~tarstop_core.sessions.store.store.Store.for_person`). What that person may not see
does not exist for them. Opened for nobody by name, as on one's own machine, it holds everything back from nobody.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.database import BUSY_SECONDS, Database
from tarstop_core.sessions.store.tables import (
    METADATA,
    Account,
    AuditLine,
    GrantedRole,
    Member,
    StoredEvent,
    StoredSession,
    new_id,
    now,
)

Kind = Literal["session", "collection", "calibrator"]
Role = Literal["owner", "adjudicator", "reader", "guest"]
ROLES: tuple[Role, ...] = ("owner", "adjudicator", "reader", "guest")
_READING: tuple[Role, ...] = ("owner", "adjudicator", "reader")
MAY: Mapping[Kind, Mapping[str, tuple[Role, ...]]] = {
    "session": {
        "see": ROLES,
        "export": _READING,
        "label": _READING,
        "adjudicate": ("owner", "adjudicator"),
        "manage": ("owner",),
    },
    "collection": {"see": ROLES, "use": _READING, "manage": ("owner",)},
    "calibrator": {"see": ROLES, "use": _READING, "manage": ("owner",)},
}
"""The roles that allow each action, by kind of object; everything else is forbidden.

A role in a session is one in its documents and its calibrators too, but does not make anybody their owner.
"""
EVENTS: Mapping[str, str] = {
    **dict.fromkeys(("label", "relabel", "undo", "note", "reasons", "report", "confirm", "fit"), "label"),
    **dict.fromkeys(("set_aside", "returned"), "label"),
    **dict.fromkeys(("resolved", "resolved_report", "checked"), "adjudicate"),
}
"""The action needed to record each kind of event in a session; for other kinds, to manage it."""
PROJECT = "project:"
"""Prefix of a project's name where it stands for its members."""
LONGEST_NAME = 200

_AUDIT = logging.getLogger("tarstop.audit")
"""The audit log for the server's output, one JSON line an entry, without contents."""
_COLUMNS: Mapping[Kind, sa.ColumnElement[str]] = {
    "session": METADATA.tables["session"].c.id,
    "collection": METADATA.tables["collection"].c.id,
    "calibrator": METADATA.tables["calibrator"].c.digest,
}
S = TypeVar("S", bound="Permissions")
P = ParamSpec("P")
T = TypeVar("T")


class Forbidden(InputProblem):
    """A person's role does not allow what they asked for."""


class Reach(NamedTuple):
    """What another process needs to open a store as it was opened here: its URL, password included, and the person."""

    url: str
    person: str | None


def asks(
    kind: Kind, action: str
) -> Callable[[Callable[Concatenate[S, str, P], T]], Callable[Concatenate[S, str, P], T]]:
    """Restrict a method of the store, whose first argument names an object, to people who may do this with it.

    What a method changes it does in :meth:`Permissions.changing`, which asks in the same transaction.
    """

    def guarded(method: Callable[Concatenate[S, str, P], T]) -> Callable[Concatenate[S, str, P], T]:
        @wraps(method)
        def asked(self: S, key: str, /, *args: P.args, **more: P.kwargs) -> T:
            self.require(kind, key, action)
            return method(self, key, *args, **more)

        return asked

    return guarded


class Permissions(Database):
    """The rights of the person for whom a store was opened.

    Parameters
    ----------
    url, busy_seconds
        As for :class:`~tarstop_core.sessions.store.database.Database`.
    person
        For whom it is opened; None on one's own machine, where whoever sits there owns everything.
    """

    def __init__(
        self, url: str | None = None, person: str | None = None, *, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        super().__init__(url, busy_seconds=busy_seconds)
        self.person = person

    @property
    def reach(self) -> Reach:
        """Everything that another process needs to open it for the same person, including a password; never to be shown."""
        return Reach(self._url.render_as_string(hide_password=False), self.person)

    def may(self, kind: Kind, action: str, *, directly: bool = False) -> sa.ColumnElement[bool]:
        """Return the condition of a query that leaves the objects with which the person may do this.

        Parameters
        ----------
        kind
            What the query is about; it selects from that table.
        action
            One of those that :data:`MAY` lists for the kind.
        directly
            Whether sessions that use an object do not count.

        Returns
        -------
        ColumnElement
            The condition.
        """
        return sa.true() if self.person is None else _may(self.person, kind, action, directly)

    def require(self, kind: Kind, key: str, action: str) -> None:
        """Refuse what the person may not do with an object.

        Parameters
        ----------
        kind, key
            Which object.
        action
            One of those that :data:`MAY` lists for the kind.

        Raises
        ------
        InputProblem
            As if there were none, where they may not see it.
        Forbidden
            Where they may see it, and no more.
        """
        if self.person is None or self._allowed(kind, key, action):
            return
        if self._allowed(kind, key, "see"):
            raise Forbidden(f"Your role here does not allow that; ask an owner of this {kind}.")
        raise unknown(kind, key, self.name)

    def actions(self, kind: Kind, key: str) -> frozenset[str]:
        """Return what the person may do with an object.

        Parameters
        ----------
        kind, key
            Which object.

        Returns
        -------
        frozenset of str
            Names that :data:`MAY` lists for the kind.

        Raises
        ------
        InputProblem
            As if there were none, where they may not see it.
        """
        if self.person is None:
            return frozenset(MAY[kind])
        allowed = self._allowed(kind, key, *MAY[kind])
        if "see" not in allowed:
            raise unknown(kind, key, self.name)
        return allowed

    @contextmanager
    def changing(self, kind: Kind, key: str, action: str) -> Iterator[Session]:
        """Begin a transaction that writes, in which the person keeps the role that allows it.

        Parameters
        ----------
        kind, key, action
            As for :meth:`require`, which is asked within.

        Yields
        ------
        Session
            The transaction; whoever takes a role away, or changes the session, waits for its end, or has done so before it.
        """
        with self.write() as session:
            self._hold(session, key, everybodys=action == "manage")
            self.require(kind, key, action)
            yield session

    @contextmanager
    def administering(self) -> Iterator[Session]:
        """Begin a transaction that writes, only for administrators."""
        with self.write() as session:
            self._hold(session)
            self.require_administrator()
            yield session

    def _hold(self, session: Session, key: str = "", *, everybodys: bool = False) -> None:
        """Block others who would remove the person's rights or write to the same session; a file has one writer at a time anyway."""
        if self.file is None:
            session.execute(_held_rows(self.person, everybodys), {"key": key})

    def _allowed(self, kind: Kind, key: str, *actions: str) -> frozenset[str]:
        """Which of these actions the person may do with an object."""
        assert self.person is not None, "nobody is asked on one's own machine"
        rows = self.rows(_asked(self.person, kind, actions), {"key": key})
        return frozenset(action for row in rows for action in actions if getattr(row, action))

    def require_administrator(self) -> None:
        """Refuse everybody who is not an administrator; on one's own machine nobody is refused."""
        if self.person is not None and not self.administers:
            raise Forbidden("Only an administrator may do that.")

    @property
    def administers(self) -> bool:
        """Whether the person is an administrator and not locked out."""
        return self.person is None or bool(self.rows(_account(self.person, administers=True)))

    @property
    def welcome(self) -> bool:
        """Whether the person has an account, and is not locked out."""
        return self.person is None or bool(self.rows(_account(self.person)))

    def own(self, column: Any) -> sa.ColumnElement[bool]:
        """Return the condition that a row with a person in this column belongs to the person; unowned rows belong to administrators."""
        if self.person is None:
            return sa.true()
        nobodys = sa.and_(column == "", _account(self.person, administers=True).exists())
        return sa.or_(sa.and_(column == self.person, _account(self.person).exists()), nobodys)

    def take(self, session: Session, kind: Kind, key: str) -> None:
        """Make the person the owner of what they just stored.

        Parameters
        ----------
        session
            The transaction that stores it.
        kind, key
            Which object.
        """
        if self.person is not None:
            session.merge(GrantedRole(kind=kind, object_id=key, holder=self.person, role="owner"))

    def note(self, session: Session, what: str, kind: str = "", key: str = "", about: str = "") -> None:
        """Write a line of the audit log; on one's own machine there is none.

        Parameters
        ----------
        session
            The transaction that does what the line says.
        what
            What is done.
        kind, key
            With which object.
        about
            The other person that it concerns, or the kind of a file.
        """
        if self.person is not None:
            line = AuditLine(id=new_id(), time=now(), person=self.person, what=what)
            line.kind, line.object_id, line.about = kind, key, about
            session.add(line)
            logged = {
                name: getattr(line, name) for name in ("time", "person", "what", "kind", "object_id", "about")
            }
            _AUDIT.info(json.dumps(logged))


@lru_cache(maxsize=4096)
def _held_rows(person: str | None, everybodys: bool) -> sa.Select[Any]:
    """Lock in one query what a change of the object with this `key` depends on: the person's account, projects and roles, or everybody's roles, and the session."""
    key: sa.ColumnElement[str] = sa.bindparam("key")
    mine = sa.select(Member.project).where(Member.person == person)
    shares = sa.select(GrantedRole.holder).where(GrantedRole.object_id == key).order_by(GrantedRole.holder)
    if not everybodys:
        shares = shares.where((GrantedRole.holder == person) | GrantedRole.holder.in_(mine))
    account = sa.select(Account.name).where(Account.name == person)
    roles = [account.with_for_update(read=True), mine.with_for_update(read=True)]
    roles.append(shares.with_for_update(read=not everybodys))
    # Stored events refer to the session and must go on doing so.
    itself = sa.select(StoredSession.id).where(StoredSession.id == key).with_for_update(key_share=True)
    locked = [rows.cte() for rows in (*(roles if person is not None else ()), itself)]
    return sa.select(*(sa.select(sa.func.count()).select_from(rows).scalar_subquery() for rows in locked))


@lru_cache(maxsize=4096)
def _asked(person: str, kind: Kind, actions: tuple[str, ...]) -> sa.Select[Any]:
    """Query whether a person may do things with the object of a `key`; prepared once, because every press asks and building it is slow."""
    whether: list[Any] = [_may(person, kind, action, False).label(action) for action in actions]
    return sa.select(*whether).where(_COLUMNS[kind] == sa.bindparam("key"))


@lru_cache(maxsize=4096)
def _may(person: str, kind: Kind, action: str, directly: bool) -> sa.ColumnElement[bool]:
    """The condition of :meth:`Permissions.may`."""
    column, roles = _COLUMNS[kind], MAY[kind][action]
    ways = [column.in_(_held(person, kind, roles)), _unowned(person, kind, column)]
    through = sa.select(sa.literal(1)).select_from(StoredSession)
    through = through.where(
        StoredSession.id.in_(_held(person, "session", roles)) | _unowned(person, "session", StoredSession.id)
    )
    if kind == "collection" and action != "manage" and not directly:
        ways.append(through.where(StoredSession.collection_id == column).exists())
    if kind == "calibrator" and action != "manage" and not directly:
        # Settings name it by a hash in quotes, which no text in them can contain unescaped.
        named = sa.literal('%"calibrator": "') + column + '"%'
        event = sa.select(sa.literal(1)).where(
            StoredEvent.session_id == StoredSession.id,
            StoredEvent.kind.in_(("settings", "plan")),
            StoredEvent.payload.like(named),
        )
        ways.append(through.where(StoredSession.settings.like(named) | event.exists()).exists())
    return sa.or_(*ways)


def _account(person: str, administers: bool = False) -> sa.Select[Any]:
    account = sa.select(Account.name).where(Account.name == person, ~Account.locked)
    return account.where(Account.administers) if administers else account


def _held(person: str, kind: Kind, roles: tuple[Role, ...]) -> sa.Select[Any]:
    """Ids of the objects in which the person, or a project of theirs, has one of these roles."""
    projects = sa.select(Member.project).where(Member.person == person)
    theirs = (GrantedRole.holder == person) | GrantedRole.holder.in_(projects)
    held = sa.select(GrantedRole.object_id).where(
        GrantedRole.kind == kind, GrantedRole.role.in_(roles), theirs
    )
    return held.where(_account(person).exists())


def _unowned(person: str, kind: Kind, column: Any) -> sa.ColumnElement[bool]:
    """Give unowned rows, such as those from before accounts, to the administrators."""
    owned = sa.select(GrantedRole.object_id).where(GrantedRole.kind == kind, GrantedRole.role == "owner")
    return sa.and_(_account(person, administers=True).exists(), column.not_in(owned))


def unknown(kind: Kind, key: str, store: str) -> InputProblem:
    """Return the problem for an object that does not exist or that the person may not see.

    Parameters
    ----------
    kind, key
        Which object.
    store
        What the store is called.

    Returns
    -------
    InputProblem
        To be raised.
    """
    sentences = {
        "session": f"There is no session '{key}' here; choose one listed on the Home page.",
        "collection": f"There is no collection '{key}'; choose or upload documents on the Set up page.",
        "calibrator": f"There is no calibrator '{key}' in {store}; choose another calibrator.",
    }
    return InputProblem(sentences[kind])


def check_name(name: str) -> str:
    """Return the name of a person as it is stored; InputProblem for one that could be taken for another."""
    plain = name.strip().casefold()
    if not plain or len(plain) > LONGEST_NAME or not plain.isprintable() or plain.startswith(PROJECT):
        raise InputProblem("No person here has this name; give the name they log in with.")
    return plain


def forget_shares(session: Session, kind: Kind, key: str) -> None:
    """Remove all shares of an object that is removed.

    Parameters
    ----------
    session
        The transaction in which it goes.
    kind, key
        Which object.
    """
    session.execute(sa.delete(GrantedRole).where(GrantedRole.kind == kind, GrantedRole.object_id == key))
