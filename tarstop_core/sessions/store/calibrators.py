"""Calibrators: kept for ever, under the names that a person gives them, on or off the list."""

from functools import partial
from typing import Any

from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tarstop_core.calibration.calibrator import Calibrator, from_json
from tarstop_core.envelope import check_time
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.database import CALIBRATOR, SHELF, Database
from tarstop_core.sessions.store.rows import Damaged, KeptCalibrator
from tarstop_core.sessions.store.values import now, readable, storable_text


class Calibrators:
    """What is done with calibrators."""

    _database: Database

    def save_calibrator(self, calibrator: Calibrator) -> str:
        """Keep a calibrator and return its digest; saving it again changes nothing."""
        row = {"digest": calibrator.digest, "json": calibrator.to_json(), "created": now()}
        known = select(CALIBRATOR.c.digest).where(CALIBRATOR.c.digest == row["digest"])
        if self._database.value(known) is not None:
            return row["digest"]
        try:
            with self._database.write() as connection:
                connection.execute(insert(CALIBRATOR), row)
        except IntegrityError:
            pass  # Another process saved the same one in the meantime.
        return row["digest"]

    def calibrator(self, digest: str) -> Calibrator:
        """The calibrator with this digest.

        Raises
        ------
        InputProblem
            When it was never saved here.
        """
        text = self._database.value(select(CALIBRATOR.c.json).where(CALIBRATOR.c.digest == digest))
        if text is None:
            raise InputProblem(
                f"There is no calibrator '{digest}' in {self._database.name}; choose another calibrator."
            )
        return from_json(text, f"The calibrator {digest} in {self._database.name}")

    def kept_calibrators(self) -> list[KeptCalibrator]:
        """All calibrators that can be read with their names, oldest first, those taken off the list too."""
        return [kept for kept in self._all_calibrators() if isinstance(kept, KeptCalibrator)]

    def _all_calibrators(self) -> list[KeptCalibrator | Damaged]:
        statement = select(*CALIBRATOR.c, SHELF.c.name, SHELF.c.deleted).outerjoin_from(CALIBRATOR, SHELF)
        rows = self._database.rows(statement.order_by(CALIBRATOR.c.created, CALIBRATOR.c.digest))
        return [
            readable("calibrator", row.digest, row.name or row.digest, partial(_kept, row)) for row in rows
        ]

    def rename_calibrator(self, digest: str, name: str) -> None:
        """Call a calibrator otherwise; what it was fitted on, and its digest, stay."""
        self._shelve(digest, name=storable_text(name))

    def delete_calibrator(self, digest: str) -> None:
        """Take a calibrator off the list; sessions that use it keep it, and it can be restored."""
        self._shelve(digest, deleted=now())

    def discard_calibrator(self, digest: str) -> None:
        """Delete for good a calibrator that cannot be read; sessions that name it say that it is missing."""
        with self._database.write() as connection:
            connection.execute(delete(SHELF).where(SHELF.c.digest == digest))
            connection.execute(delete(CALIBRATOR).where(CALIBRATOR.c.digest == digest))

    def restore_calibrator(self, digest: str) -> None:
        """Put a calibrator back on the list."""
        self._shelve(digest, deleted="")

    def _shelve(self, digest: str, **values: str) -> None:
        with self._database.write() as connection:
            known = select(CALIBRATOR.c.digest).where(CALIBRATOR.c.digest == digest)
            if connection.execute(known).scalar() is None:
                raise InputProblem(f"There is no calibrator '{digest}' in {self._database.name}.")
            changed = connection.execute(update(SHELF).where(SHELF.c.digest == digest).values(**values))
            if not changed.rowcount:
                connection.execute(insert(SHELF), {"digest": digest, "name": "", "deleted": "", **values})


def _kept(row: Row[*tuple[Any, ...]]) -> KeptCalibrator:
    calibrator = from_json(row.json, f"The calibrator {row.digest}")
    check_time(row.created)
    return KeptCalibrator(
        row.digest, calibrator, row.name or calibrator.fitted_on.name, row.created, bool(row.deleted)
    )
