"""Calibrators, kept for ever under the names that a person gives them, on or off the list; and drafts of sessions."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from tarstop_core.calibration.calibrator import Calibrator, from_json
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.database import Database
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
"""After which a draft that nobody came back to is removed."""


class Calibrators(Database):
    """What is done with calibrators and drafts."""

    def save_calibrator(self, calibrator: Calibrator) -> str:
        """Keep a calibrator and return its digest; saving it again changes nothing."""
        digest = calibrator.digest
        with self.read() as session:
            if session.get(StoredCalibrator, digest) is not None:
                return digest
        # Another process may have saved the same one in the meantime.
        with suppress(IntegrityError), self.write() as session:
            session.add(StoredCalibrator(digest=digest, json=calibrator.to_json(), created=now()))
        return digest

    def calibrator(self, digest: str) -> Calibrator:
        """Return the calibrator with this digest; InputProblem when it was never saved here."""
        text = self.value(select(StoredCalibrator.json).where(StoredCalibrator.digest == digest))
        if text is None:
            raise InputProblem(
                f"There is no calibrator '{digest}' in {self.name}; choose another calibrator."
            )
        return from_json(text, f"The calibrator {digest} in {self.name}")

    def kept_calibrators(self) -> list[KeptCalibrator]:
        """Return all calibrators that can be read with their names, oldest first, those taken off the list too."""
        return [kept for kept in self._all_calibrators() if isinstance(kept, KeptCalibrator)]

    def _all_calibrators(self) -> list[KeptCalibrator | Damaged]:
        statement = select(StoredCalibrator).order_by(StoredCalibrator.created, StoredCalibrator.digest)
        with self.read() as session:
            stored = session.scalars(statement).all()
        return [
            readable("calibrator", row.digest, (row.label and row.label.name) or row.digest, row.kept)
            for row in stored
        ]

    def rename_calibrator(self, digest: str, name: str) -> None:
        """Call a calibrator otherwise; what it was fitted on, and its digest, stay."""
        self._label(digest, name=storable_text(name))

    def delete_calibrator(self, digest: str) -> None:
        """Take a calibrator off the list; sessions that use it keep it, and it can be restored."""
        self._label(digest, deleted=now())

    def restore_calibrator(self, digest: str) -> None:
        """Put a calibrator back on the list."""
        self._label(digest, deleted="")

    def discard_calibrator(self, digest: str) -> None:
        """Delete for good a calibrator that cannot be read; sessions that name it say that it is missing."""
        with self.write() as session:
            for table in (CalibratorLabel, StoredCalibrator):
                session.execute(delete(table).where(table.digest == digest))

    def _label(self, digest: str, **changed: str) -> None:
        with self.write() as session:
            stored = session.get(StoredCalibrator, digest)
            if stored is None:
                raise InputProblem(f"There is no calibrator '{digest}' in {self.name}.")
            if stored.label is None:
                stored.label = CalibratorLabel(name="", deleted="")
            for column, value in changed.items():
                setattr(stored.label, column, value)

    def save_draft(self, content: dict[str, Any], draft_id: str = "") -> str:
        """Keep what was entered (JSON values), in place of what the draft held before; its id, fit for an address."""
        draft = Draft(id=draft_id or new_id(), saved=now(), json=dump(content))
        with self.write() as session:
            session.execute(delete(Draft).where(Draft.saved < now(FORGOTTEN)))
            session.merge(draft)
        return draft.id

    def draft(self, draft_id: str) -> dict[str, Any]:
        """Return what was entered for a session that is not started yet; nothing where there is no such draft (any more)."""
        text = self.value(select(Draft.json).where(Draft.id == draft_id))
        with intact(f"The draft {draft_id}"):
            return dict(json.loads(text)) if text is not None else {}

    def delete_draft(self, draft_id: str) -> None:
        """Remove a draft: a session came of it, or nothing will."""
        with self.write() as session:
            session.execute(delete(Draft).where(Draft.id == draft_id))
