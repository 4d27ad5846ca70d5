"""Permissions: one table of who may do what, and the one place where the store checks it.

A store is opened for a person (:meth:`~tarstop_core.sessions.store.store.Store.for_person`), for whom everything that they
may not see does not exist. A store that is opened for nobody by name, as on one's own machine, allows everything.
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

A role in a session also counts as a role in its documents and calibrators, but never allows "manage" there.
"""
EVENTS: Mapping[str, str] = {
    **dict.fromkeys(("label", "relabel", "undo", "note", "reasons", "report", "confirm", "fit"), "label"),
    **dict.fromkeys(("set_aside", "returned"), "label"),
    **dict.fromkeys(("resolved", "resolved_report", "checked"), "adjudicate"),
}
"""The action that a person must be allowed in a session to record each kind of event; for other kinds it is "manage"."""

_AUDIT = logging.getLogger("tarstop.audit")
"""Logger that repeats the audit log in the server's output, a line of JSON for each entry, without contents."""
_COLUMNS: Mapping[Kind, sa.ColumnElement[str]] = {
    "session": METADATA.tables["session"].c.id,
    "collection": METADATA.tables["collection"].c.id,
    "calibrator": METADATA.tables["calibrator"].c.digest,
}
"""Column with the ids of each kind of object."""
S = TypeVar("S", bound="Permissions")
P = ParamSpec("P")
T = TypeVar("T")


class Forbidden(InputProblem):
    """A person's role does not allow what they asked for."""


class Reach(NamedTuple):
    """What another process needs to open the same store: its URL, with the password, and the person."""

    url: str
    person: str | None


def asks(
    kind: Kind, action: str
) -> Callable[[Callable[Concatenate[S, str, P], T]], Callable[Concatenate[S, str, P], T]]:
    """Decorator that restricts a method of the store to people who may do this with the object of its first argument.

    A method that changes something also does so in :meth:`Permissions.changing`, which checks within the same
    transaction.
    """

    def restrict(method: Callable[Concatenate[S, str, P], T]) -> Callable[Concatenate[S, str, P], T]:
        @wraps(method)
        def checked(self: S, key: str, /, *args: P.args, **more: P.kwargs) -> T:
            self.require(kind, key, action)
            return method(self, key, *args, **more)

        return checked

    return restrict


class Permissions(Database):
    """The rights of the person for whom a store was opened.

    Parameters
    ----------
    url, busy_seconds
        As for :class:`~tarstop_core.sessions.store.database.Database`.
    person
        The person for whom the store is opened; None on one's own machine, where everything is allowed.
    """

    def __init__(
        self, url: str | None = None, person: str | None = None, *, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        super().__init__(url, busy_seconds=busy_seconds)
        self.person = person

    @property
    def reach(self) -> Reach:
        """What another process needs to open this store for the same person; never to be shown, because it has the password."""
        return Reach(self._url.render_as_string(hide_password=False), self.person)

    def may(self, kind: Kind, action: str, *, directly: bool = False) -> sa.ColumnElement[bool]:
        """Condition of a query for the objects with which the person may do this.

        Parameters
        ----------
        kind
            Kind of the objects; the query must select from their table.
        action
            An action that :data:`MAY` lists for the kind.
        directly
            Whether only roles in the object itself count, and not those in sessions that use it.

        Returns
        -------
        ColumnElement
            The condition.
        """
        return sa.true() if self.person is None else _may(self.person, kind, action, directly)

    def require(self, kind: Kind, key: str, action: str) -> None:
        """Raise Forbidden or InputProblem if the person may not do something with an object.

        Parameters
        ----------
        kind, key
            Kind and id of the object.
        action
            An action that :data:`MAY` lists for the kind.

        Raises
        ------
        InputProblem
            If they may not even see it: the message says that there is no such object.
        Forbidden
            If they may see it but not do this.
        """
        if self.person is None or self._allowed(kind, key, action):
            return
        if self._allowed(kind, key, "see"):
            raise Forbidden(f"Your role here does not allow that; ask an owner of this {kind}.")
        raise unknown(kind, key, self.name)

    def actions(self, kind: Kind, key: str) -> frozenset[str]:
        """The actions of :data:`MAY` that are allowed to the person; InputProblem if they may not even see the object."""
        if self.person is None:
            return frozenset(MAY[kind])
        allowed = self._allowed(kind, key, *MAY[kind])
        if "see" not in allowed:
            raise unknown(kind, key, self.name)
        return allowed

    @contextmanager
    def changing(self, kind: Kind, key: str, action: str) -> Iterator[Session]:
        """Begin a transaction that writes, during which the person keeps the role that allows it.

        Parameters
        ----------
        kind, key, action
            As for :meth:`require`, which is called within.

        Yields
        ------
        Session
            The transaction. Others who take a role away or change the same session wait until it ends.
        """
        with self.write() as session:
            self._hold(session, key, all_roles=action == "manage")
            self.require(kind, key, action)
            yield session

    @contextmanager
    def administering(self) -> Iterator[Session]:
        """Begin a transaction that writes; Forbidden unless the person is an administrator."""
        with self.write() as session:
            self._hold(session)
            self.require_administrator()
            yield session

    def _hold(self, session: Session, key: str = "", *, all_roles: bool = False) -> None:
        """Make others wait who would remove the person's rights or write to the same session.

        Only a server needs this, because a file has one writer at a time.
        """
        if self.file is None:
            session.execute(_held_rows(self.person, all_roles), {"key": key})

    def _allowed(self, kind: Kind, key: str, *actions: str) -> frozenset[str]:
        """Which of these actions the person may do with an object."""
        assert self.person is not None, "nobody is asked on one's own machine"
        rows = self.rows(_asked(self.person, kind, actions), {"key": key})
        return frozenset(action for row in rows for action in actions if getattr(row, action))

    def require_administrator(self) -> None:
        """Raise Forbidden unless the person is an administrator; on one's own machine, everybody is."""
        if self.person is not None and not self.administers:
            raise Forbidden("Only an administrator may do that.")

    @property
    def administers(self) -> bool:
        """Whether the person is an administrator and not locked out."""
        return self.person is None or bool(self.rows(_account(self.person, administers=True)))

    @property
    def welcome(self) -> bool:
        """Whether the person has an account and is not locked out."""
        return self.person is None or bool(self.rows(_account(self.person)))

    def own(self, column: Any) -> sa.ColumnElement[bool]:
        """Condition that a row belongs to the person whose name is in a column; rows without a name belong to administrators."""
        if self.person is None:
            return sa.true()
        nobodys = sa.and_(column == "", _account(self.person, administers=True).exists())
        return sa.or_(sa.and_(column == self.person, _account(self.person).exists()), nobodys)

    def take(self, session: Session, kind: Kind, key: str) -> None:
        """Make the person the owner of what they just stored.

        Parameters
        ----------
        session
            The transaction in which it is stored.
        kind, key
            Kind and id of the object.
        """
        if self.person is not None:
            session.merge(GrantedRole(kind=kind, object_id=key, holder=self.person, role="owner"))

    def note(self, session: Session, what: str, kind: str = "", key: str = "", about: str = "") -> None:
        """Write a line of the audit log; on one's own machine there is none.

        Parameters
        ----------
        session
            The transaction in which it is done.
        what
            What is done.
        kind, key
            Kind and id of the object.
        about
            The other person that it concerns, or the kind of a file.
        """
        if self.person is not None:
            line = {"time": now(), "person": self.person, "what": what}
            line |= {"kind": kind, "object_id": key, "about": about}
            session.add(AuditLine(id=new_id(), **line))
            _AUDIT.info(json.dumps(line))


@lru_cache(maxsize=4096)
def _held_rows(person: str | None, all_roles: bool) -> sa.Select[Any]:
    """Query that locks everything that a change of the object with this `key` depends on.

    That is the person's account, projects and roles, or with `all_roles` everybody's, and the session.
    """
    key: sa.ColumnElement[str] = sa.bindparam("key")
    mine = sa.select(Member.project).where(Member.person == person)
    shares = sa.select(GrantedRole.holder).where(GrantedRole.object_id == key).order_by(GrantedRole.holder)
    if not all_roles:
        shares = shares.where((GrantedRole.holder == person) | GrantedRole.holder.in_(mine))
    account = sa.select(Account.name).where(Account.name == person)
    roles = [account.with_for_update(read=True), mine.with_for_update(read=True)]
    roles.append(shares.with_for_update(read=not all_roles))
    # The key is not locked, so that events that refer to the session can be stored.
    itself = sa.select(StoredSession.id).where(StoredSession.id == key).with_for_update(key_share=True)
    locked = [rows.cte() for rows in (*(roles if person is not None else ()), itself)]
    return sa.select(*(sa.select(sa.func.count()).select_from(rows).scalar_subquery() for rows in locked))


@lru_cache(maxsize=4096)
def _asked(person: str, kind: Kind, actions: tuple[str, ...]) -> sa.Select[Any]:
    """Query whether a person may do each action with the object of a `key`; built once, because that is slow."""
    whether: list[Any] = [_may(person, kind, action, False).label(action) for action in actions]
    return sa.select(*whether).where(_COLUMNS[kind] == sa.bindparam("key"))


@lru_cache(maxsize=4096)
def _may(person: str, kind: Kind, action: str, directly: bool) -> sa.ColumnElement[bool]:
    """Condition of :meth:`Permissions.may` for a person, built once."""
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
    """Query for the account of a person who is not locked out and, if asked for, is an administrator."""
    account = sa.select(Account.name).where(Account.name == person, ~Account.locked)
    return account.where(Account.administers) if administers else account


def _held(person: str, kind: Kind, roles: tuple[Role, ...]) -> sa.Select[Any]:
    """Query for the ids of objects in which the person, or a project of theirs, has one of these roles."""
    projects = sa.select(Member.project).where(Member.person == person)
    theirs = (GrantedRole.holder == person) | GrantedRole.holder.in_(projects)
    held = sa.select(GrantedRole.object_id).where(
        GrantedRole.kind == kind, GrantedRole.role.in_(roles), theirs
    )
    return held.where(_account(person).exists())


def _unowned(person: str, kind: Kind, column: Any) -> sa.ColumnElement[bool]:
    """Condition that an object has no owner, as those from before accounts, and the person is an administrator."""
    owned = sa.select(GrantedRole.object_id).where(GrantedRole.kind == kind, GrantedRole.role == "owner")
    return sa.and_(_account(person, administers=True).exists(), column.not_in(owned))


def unknown(kind: Kind, key: str, store: str) -> InputProblem:
    """The problem to raise for an object that does not exist or that the person may not see.

    Parameters
    ----------
    kind, key
        Kind and id of the object.
    store
        Public name of the store.

    Returns
    -------
    InputProblem
        The problem, still to be raised.
    """
    sentences = {
        "session": f"There is no session '{key}' here; choose one listed on the Home page.",
        "collection": f"There is no collection '{key}'; choose or upload documents on the Set up page.",
        "calibrator": f"There is no calibrator '{key}' in {store}; choose another calibrator.",
    }
    return InputProblem(sentences[kind])


def forget_shares(session: Session, kind: Kind, key: str) -> None:
    """Remove all roles in an object that is removed.

    Parameters
    ----------
    session
        The transaction in which the object is removed.
    kind, key
        Kind and id of the object.
    """
    session.execute(sa.delete(GrantedRole).where(GrantedRole.kind == kind, GrantedRole.object_id == key))
