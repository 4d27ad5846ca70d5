"""Accounts of people who log in, their roles in sessions and projects, and what is stored about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import delete, func, select, update

from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.permissions import (
    ROLES,
    Forbidden,
    Permissions,
    Role,
    asks,
)
from tarstop_core.sessions.store.tables import (
    Account,
    AuditLine,
    CalibratorLabel,
    Draft,
    GrantedRole,
    Member,
    StoredEvent,
    new_id,
    now,
)

PROJECT = "project:"
"""Prefix of a project's name, which tells it from a person's name."""
LONGEST_NAME = 200
"""Most characters in the name of a person or project."""
ERASED = "former reader "
"""Beginning of the name that replaces an erased person's name in logs."""


@dataclass(frozen=True)
class AccountSummary:
    """An account, and how much is stored about its person."""

    name: str
    administers: bool
    locked: bool
    created: str
    seen: str
    """Time of their last visit."""
    shares: int
    """Sessions, documents and calibrators in which they have a role."""
    events: int
    """Entries of logs under their name."""
    drafts: int
    audit: int
    """Lines of the audit log."""


@dataclass(frozen=True)
class LogEntries:
    """Entries in the log of a session under one name."""

    session: str
    entries: int
    first: str
    last: str


@dataclass(frozen=True)
class PersonalData:
    """Everything that is stored about a person; of what they wrote, only where and how much."""

    projects: list[str]
    roles: list[dict[str, str]]
    """Kind and id of each object, and the role in it."""
    logs: list[LogEntries]
    drafts: int
    audit: list[dict[str, str]]
    """Lines of the audit log by or about them."""


class Accounts(Permissions):
    """Methods of the store for accounts, projects and roles."""

    def arrive(self, since: str, administrators: Sequence[str] | None = None) -> bool:
        """Whether the person of this store may log in; their account is created the first time.

        Parameters
        ----------
        since
            Time at which their login began, as :func:`~tarstop_core.sessions.store.tables.now` writes it. A login that
            began after their last visit is noted in the audit log.
        administrators
            Names of all administrators; None if none are configured: the first account is then one.

        Returns
        -------
        bool
            False if an administrator locked them out.
        """
        if self.person is None:
            return True
        with self.write() as session:
            account = session.get(Account, self.person, with_for_update=True)
            if account is None:
                first = not session.scalar(select(func.count()).select_from(Account))
                account = Account(name=self.person, administers=first, locked=False, created=now(), seen="")
                session.add(account)
            if administrators is not None:
                account.administers = self.person in administrators
            if account.seen < since:
                account.seen = now()
                self.note(session, "refused" if account.locked else "login")
            return not account.locked

    @asks("session", "see")
    def shares(self, session_id: str) -> list[tuple[str, Role]]:
        """Who has which role in a session, owners first."""
        shares = select(GrantedRole.holder, GrantedRole.role).where(
            GrantedRole.kind == "session", GrantedRole.object_id == session_id
        )
        with self.read() as session:
            held = [(row.holder, cast(Role, row.role)) for row in session.execute(shares)]
        return sorted(held, key=lambda share: (ROLES.index(share[1]), share[0]))

    def share(self, session_id: str, holder: str, role: Role | None) -> None:
        """Give a person or a project a role in a session, in place of any earlier one.

        Parameters
        ----------
        session_id
            Id of the session.
        holder
            Name of a person, or of a project after :data:`PROJECT`.
        role
            Their role from now on; None to take the present one away.

        Raises
        ------
        InputProblem
            If the session would have no owner, there is no such role, or the person of this store is not in the project.
        """
        name = self._project(holder) if holder.startswith(PROJECT) else check_name(holder)
        if role is not None and role not in ROLES:
            raise InputProblem(f"There is no role '{role}'; use one of {', '.join(ROLES)}.")
        of_it = (GrantedRole.kind == "session") & (GrantedRole.object_id == session_id)
        with self.changing("session", session_id, "manage") as session:
            # Locked, so that two owners cannot remove each other at once.
            before = {
                share.holder: share
                for share in session.scalars(select(GrantedRole).where(of_it).with_for_update())
            }
            others = any(share.role == "owner" for share in before.values() if share.holder != name)
            if name in before and before[name].role == "owner" and role != "owner" and not others:
                raise InputProblem("A session needs an owner; make somebody else its owner first.")
            session.execute(delete(GrantedRole).where(of_it, GrantedRole.holder == name))
            if role is not None:
                session.add(GrantedRole(kind="session", object_id=session_id, holder=name, role=role))
            self.note(session, f"shared as {role}" if role else "share ended", "session", session_id, name)

    def _project(self, holder: str) -> str:
        """The project, if the person of this store is in it; InputProblem otherwise."""
        project = select(Member.project).where(Member.project == holder)
        if self.person is not None:
            project = project.where(Member.person == self.person)
        if not self.rows(project.limit(1)):
            raise InputProblem("You are not in such a project; an administrator can make one.")
        return holder

    def note_export(self, session_id: str, what: str) -> None:
        """Note in the audit log that a session is exported; Forbidden if the person's role does not allow that."""
        if self.person is not None:
            with self.changing("session", session_id, "export") as session:
                self.note(session, "exported", "session", session_id, what)

    def accounts(self) -> list[AccountSummary]:
        """Everybody who ever logged in, with how much is stored about them; for administrators only."""
        self.require_administrator()
        columns = {
            "shares": GrantedRole.holder,
            "events": StoredEvent.reviewer,
            "drafts": Draft.person,
            "audit": AuditLine.person,
        }
        with self.read() as session:
            people = session.scalars(select(Account).order_by(Account.name)).all()
            numbers = {
                what: {
                    row[0]: row[1] for row in session.execute(select(column, func.count()).group_by(column))
                }
                for what, column in columns.items()
            }
        return [
            AccountSummary(
                *(account.name, account.administers, account.locked, account.created, account.seen),
                *(numbers[what].get(account.name, 0) for what in columns),
            )
            for account in people
        ]

    def kept_about(self, name: str) -> PersonalData:
        """Everything that is stored about a person; for administrators only."""
        self.require_administrator()
        entries = (
            StoredEvent.session_id,
            func.count(),
            func.min(StoredEvent.time),
            func.max(StoredEvent.time),
        )
        of_them = (AuditLine.person == name) | (AuditLine.about == name)
        columns = ("time", "person", "what", "kind", "object_id", "about")
        with self.read() as session:
            projects = session.scalars(select(Member.project).where(Member.person == name))
            roles = session.scalars(select(GrantedRole).where(GrantedRole.holder == name))
            logs = session.execute(
                select(*entries).where(StoredEvent.reviewer == name).group_by(StoredEvent.session_id)
            )
            drafts = session.scalar(select(func.count()).select_from(Draft).where(Draft.person == name))
            lines = session.scalars(select(AuditLine).where(of_them).order_by(AuditLine.time))
            return PersonalData(
                projects=sorted(projects),
                roles=[{"kind": share.kind, "id": share.object_id, "role": share.role} for share in roles],
                logs=[LogEntries(*row) for row in logs],
                drafts=drafts or 0,
                audit=[{what: str(getattr(line, what)) for what in columns} for line in lines],
            )

    def note_backup(self, file: str) -> None:
        """Note in the audit log that a backup of everything is written to a file; for administrators only."""
        with self.administering() as session:
            self.note(session, "backed up", about=file)

    def lock_out(self, name: str, locked: bool) -> None:
        """Lock a person out, or let them in again; they keep what they own. InputProblem for oneself."""
        if name == self.person:
            raise InputProblem("You cannot lock yourself out; another administrator can.")
        with self.administering() as session:
            session.execute(update(Account).where(Account.name == name).values(locked=locked))
            self.note(session, "locked out" if locked else "let in again", "account", about=name)

    def appoint(self, name: str, administers: bool) -> None:
        """Make a person an administrator, or no longer one; InputProblem for oneself."""
        if name == self.person:
            raise InputProblem("You cannot end your own administration; another administrator can.")
        with self.administering() as session:
            session.execute(update(Account).where(Account.name == name).values(administers=administers))
            self.note(session, "appointed" if administers else "dismissed", "account", about=name)

    def audit(self, most: int = 200) -> list[AuditLine]:
        """The newest `most` lines of the audit log, the newest first; for administrators only."""
        self.require_administrator()
        with self.read() as session:
            return list(session.scalars(select(AuditLine).order_by(AuditLine.time.desc()).limit(most)))

    def projects(self) -> dict[str, list[str]]:
        """Projects with their members: those of the person, or all for an administrator."""
        my_projects = select(Member.project).where(Member.person == self.person)
        members = select(Member.project, Member.person).order_by(Member.project, Member.person)
        members_of: dict[str, list[str]] = {}
        with self.read() as session:
            for row in session.execute(
                members if self.administers else members.where(Member.project.in_(my_projects))
            ):
                members_of.setdefault(row.project, []).append(row.person)
        return members_of

    def set_member(self, project: str, person: str, belongs: bool) -> None:
        """Add a person to a project, or remove them; a project exists while it has members. For administrators only.

        Parameters
        ----------
        project, person
            Names of the project and of the person.
        belongs
            Whether the person is a member from now on.
        """
        holder, name = PROJECT + check_name(project.removeprefix(PROJECT)), check_name(person)
        with self.administering() as session:
            session.execute(delete(Member).where(Member.project == holder, Member.person == name))
            if belongs:
                session.add(Member(project=holder, person=name))
            self.note(session, "joined a project" if belongs else "left a project", "project", holder, name)

    def erase(self, name: str) -> str:
        """Delete a person's account, roles, drafts and names of calibrators, and replace their name in logs.

        What they alone owned then belongs to the administrators.

        Parameters
        ----------
        name
            Name of the person.

        Returns
        -------
        str
            Name that stands for them in logs from now on.

        Raises
        ------
        Forbidden
            For oneself, or if the person of this store is no administrator.
        """
        if name == self.person:
            raise Forbidden("You cannot erase yourself; another administrator can.")
        other = ERASED + new_id()
        with self.administering() as session:
            for column in (
                Account.name,
                GrantedRole.holder,
                Member.person,
                Draft.person,
                CalibratorLabel.person,
            ):
                session.execute(delete(column.class_).where(column == name))
            session.execute(update(StoredEvent).where(StoredEvent.reviewer == name).values(reviewer=other))
            for about in (AuditLine.person, AuditLine.about):
                session.execute(update(AuditLine).where(about == name).values({about: other}))
            self.note(session, "erased", "account", about=other)
        return other


def check_name(name: str) -> str:
    """Name of a person as it is stored: without case and outer spaces.

    InputProblem if it is empty, too long, not printable, or begins like the name of a project.
    """
    plain = name.strip().casefold()
    if not plain or len(plain) > LONGEST_NAME or not plain.isprintable() or plain.startswith(PROJECT):
        raise InputProblem("No person here has this name; give the name they log in with.")
    return plain
