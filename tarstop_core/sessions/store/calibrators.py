"""Calibrators, which stay stored when a person takes them off the list, and drafts of sessions."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from tarstop_core.calibration.calibrator import Calibrator, from_json
from tarstop_core.envelope import check_time
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.accounts import Accounts
from tarstop_core.sessions.store.permissions import Kind, asks, forget_shares, unknown
from tarstop_core.sessions.store.tables import (
    CalibratorLabel,
    Draft,
    StoredCalibrator,
    dump,
    intact,
    new_id,
    now,
    storable_text,
)

T = TypeVar("T")
FORGOTTEN = timedelta(days=90)
"""Age at which an untouched draft is removed."""


@dataclass(frozen=True)
class KeptCalibrator:
    """A stored calibrator, with what a person calls it."""

    digest: str
    calibrator: Calibrator
    name: str
    """Name that the person gave it, by default the calibrator's own."""
    created: str
    """Time when it was stored here: ISO 8601, UTC."""
    deleted: bool
    """Whether the person took it off their list."""


@dataclass(frozen=True)
class Damaged:
    """Something stored that cannot be read."""

    kind: Kind
    id: str
    name: str
    problem: str
    """Sentence on what is wrong."""


def readable(kind: Kind, key: str, name: object, read: Callable[[], T]) -> T | Damaged:
    """Something stored or, if it is damaged, what is wrong with it.

    Parameters
    ----------
    kind, key, name
        Kind, id and name of what is read.
    read
        Function that reads it; InputProblem if it is damaged.

    Returns
    -------
    object or Damaged
        The result of `read`, or what is wrong.
    """
    try:
        return read()
    except InputProblem as problem:
        return Damaged(kind, key, str(name), str(problem))


class Calibrators(Accounts):
    """Methods of the store for calibrators and drafts."""

    def save_calibrator(self, calibrator: Calibrator) -> str:
        """Store a calibrator and return its digest; storing it again changes nothing."""
        digest = calibrator.digest
        with self.read() as session:
            there = session.get(StoredCalibrator, digest) is not None
        if not there:
            # Another process may have saved the same one meanwhile.
            with suppress(IntegrityError), self.write() as session:
                session.add(StoredCalibrator(digest=digest, json=calibrator.to_json(), created=now()))
        if self.person is not None:
            with self.write() as session:
                self.take(session, "calibrator", digest)  # whoever has its content may own a copy
        return digest

    @asks("calibrator", "see")
    def calibrator(self, digest: str) -> Calibrator:
        """The calibrator with this digest; InputProblem if it was never stored here, or cannot be read."""
        text = self.value(select(StoredCalibrator.json).where(StoredCalibrator.digest == digest))
        if text is None:
            raise unknown("calibrator", digest, self.name)
        return from_json(text, f"The calibrator {digest} in {self.name}")

    def kept_calibrators(self) -> list[KeptCalibrator]:
        """All calibrators that can be read, with their names, the oldest first; also those taken off the list."""
        return [stored for stored in self._all_calibrators() if isinstance(stored, KeptCalibrator)]

    def _all_calibrators(self) -> list[KeptCalibrator | Damaged]:
        """All calibrators of the person, and those that cannot be read."""
        statement = select(StoredCalibrator).where(self.may("calibrator", "see", directly=True))
        # A person's own name for it comes before one from the time before accounts.
        person = CalibratorLabel.person
        labels = select(CalibratorLabel).where(person == "" if self.person is None else self.own(person))
        with self.read() as session:
            stored = session.scalars(
                statement.order_by(StoredCalibrator.created, StoredCalibrator.digest)
            ).all()
            named = {label.digest: label for label in session.scalars(labels.order_by(person))}
        return [
            readable(
                "calibrator",
                row.digest,
                named[row.digest].name or row.digest if row.digest in named else row.digest,
                partial(_kept, row, named.get(row.digest)),
            )
            for row in stored
        ]

    def rename_calibrator(self, digest: str, name: str) -> None:
        """Rename a calibrator for this person; its content and digest stay the same."""
        self._label(digest, name=storable_text(name))

    def delete_calibrator(self, digest: str) -> None:
        """Take a calibrator off the person's list; sessions that use it keep it, and it can be restored."""
        self._label(digest, deleted=now())

    def restore_calibrator(self, digest: str) -> None:
        """Put a calibrator back on the person's list."""
        self._label(digest, deleted="")

    def discard_calibrator(self, digest: str) -> None:
        """Delete a damaged calibrator permanently; sessions of any owner that name it then say that it is missing."""
        with self.administering() as session:
            for table in (CalibratorLabel, StoredCalibrator):
                session.execute(delete(table).where(table.digest == digest))
            forget_shares(session, "calibrator", digest)

    def _label(self, digest: str, **changed: str) -> None:
        """Change columns of the person's label for a calibrator."""
        with self.changing("calibrator", digest, "manage") as session:
            if session.get(StoredCalibrator, digest) is None:
                raise unknown("calibrator", digest, self.name)
            person = self.person or ""
            label = session.get(CalibratorLabel, (digest, person))
            if label is None:
                label = CalibratorLabel(digest=digest, person=person, name="", deleted="")
                session.add(label)
            for column, value in changed.items():
                setattr(label, column, value)

    def save_draft(self, content: dict[str, Any], draft_id: str = "") -> str:
        """Store what a person entered (JSON values) as a draft, and return its id, which fits into an address.

        Without `draft_id`, or with one of somebody else's draft, the draft is a new one.
        """
        draft = Draft(id=draft_id or new_id(), saved=now(), json=dump(content), person=self.person or "")
        with self.write() as session:
            session.execute(delete(Draft).where(Draft.saved < now(FORGOTTEN)))
            if session.scalar(select(Draft.id).where(Draft.id == draft.id, ~self.own(Draft.person))):
                draft.id = new_id()  # that one is somebody else's
            session.merge(draft)
        return draft.id

    def draft(self, draft_id: str) -> dict[str, Any]:
        """What was entered for a session that is not started yet; empty if there is no such draft of this person."""
        text = self.value(select(Draft.json).where(Draft.id == draft_id, self.own(Draft.person)))
        with intact(f"The draft {draft_id}"):
            return dict(json.loads(text)) if text is not None else {}

    def delete_draft(self, draft_id: str) -> None:
        """Remove a draft, because its session was started or never will be."""
        with self.write() as session:
            session.execute(delete(Draft).where(Draft.id == draft_id, self.own(Draft.person)))


def _kept(stored: StoredCalibrator, label: CalibratorLabel | None) -> KeptCalibrator:
    """The calibrator with the name that a label gives it, or its own; InputProblem if it is damaged."""
    calibrator = from_json(stored.json, f"The calibrator {stored.digest}")
    name = (label and label.name) or calibrator.fitted_on.name
    deleted = label is not None and label.deleted != ""
    return KeptCalibrator(stored.digest, calibrator, name, check_time(stored.created), deleted)
