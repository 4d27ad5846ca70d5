"""Calibrators, which are kept for ever under a person's names for them, listed or put away; and drafts of sessions."""

import json
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from tarstop_core.calibration.calibrator import Calibrator, from_json
from tarstop_core.sessions.store.accounts import Accounts
from tarstop_core.sessions.store.permissions import asks, forget_shares, unknown
from tarstop_core.sessions.store.tables import (
    CalibratorLabel,
    Damaged,
    Draft,
    KeptCalibrator,
    StoredCalibrator,
    dump,
    intact,
    new_id,
    now,
    readable,
    storable_text,
)

FORGOTTEN = timedelta(days=90)
"""Age at which an untouched draft is removed."""


class Calibrators(Accounts):
    """The store's methods for calibrators and drafts."""

    def save_calibrator(self, calibrator: Calibrator) -> str:
        """Keep a calibrator and return its digest; saving it again changes nothing."""
        digest = calibrator.digest
        with self.read() as session:
            there = session.get(StoredCalibrator, digest) is not None
        if not there:
            # Another process may have saved the same one meanwhile.
            with suppress(IntegrityError), self.write() as session:
                session.add(StoredCalibrator(digest=digest, json=calibrator.to_json(), created=now()))
        if self.person is not None:
            with self.write() as session:
                self.take(session, "calibrator", digest)  # whoever has it may keep it
        return digest

    @asks("calibrator", "see")
    def calibrator(self, digest: str) -> Calibrator:
        """Return the calibrator with this digest; InputProblem when it was never saved here."""
        text = self.value(select(StoredCalibrator.json).where(StoredCalibrator.digest == digest))
        if text is None:
            raise unknown("calibrator", digest, self.name)
        return from_json(text, f"The calibrator {digest} in {self.name}")

    def kept_calibrators(self) -> list[KeptCalibrator]:
        """Return all readable calibrators with their names, oldest first, including those put away."""
        return [kept for kept in self._all_calibrators() if isinstance(kept, KeptCalibrator)]

    def _all_calibrators(self) -> list[KeptCalibrator | Damaged]:
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
                partial(row.kept, named.get(row.digest)),
            )
            for row in stored
        ]

    def rename_calibrator(self, digest: str, name: str) -> None:
        """Rename a calibrator; what it was fitted on, and its digest, stay."""
        self._label(digest, name=storable_text(name))

    def delete_calibrator(self, digest: str) -> None:
        """Take a calibrator off the list; sessions that use it keep it, and it can be restored."""
        self._label(digest, deleted=now())

    def restore_calibrator(self, digest: str) -> None:
        """Put a calibrator back on the list."""
        self._label(digest, deleted="")

    def discard_calibrator(self, digest: str) -> None:
        """Delete permanently a calibrator that cannot be read; sessions of any owner that name it say that it is missing."""
        with self.administering() as session:
            for table in (CalibratorLabel, StoredCalibrator):
                session.execute(delete(table).where(table.digest == digest))
            forget_shares(session, "calibrator", digest)

    def _label(self, digest: str, **changed: str) -> None:
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
        """Store what was entered (JSON values) as the draft's new contents; return its id, which an address can hold."""
        draft = Draft(id=draft_id or new_id(), saved=now(), json=dump(content), person=self.person or "")
        with self.write() as session:
            session.execute(delete(Draft).where(Draft.saved < now(FORGOTTEN)))
            if session.scalar(select(Draft.id).where(Draft.id == draft.id, ~self.own(Draft.person))):
                draft.id = new_id()  # that one is somebody else's
            session.merge(draft)
        return draft.id

    def draft(self, draft_id: str) -> dict[str, Any]:
        """Return what was entered for a session that is not started yet; nothing if the draft does not exist (any more)."""
        text = self.value(select(Draft.json).where(Draft.id == draft_id, self.own(Draft.person)))
        with intact(f"The draft {draft_id}"):
            return dict(json.loads(text)) if text is not None else {}

    def delete_draft(self, draft_id: str) -> None:
        """Remove a draft, because its session was started or never will be."""
        with self.write() as session:
            session.execute(delete(Draft).where(Draft.id == draft_id, self.own(Draft.person)))
