"""Drafts: what was entered for a session that is not started yet."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select

from tarstop_core.sessions.store import values
from tarstop_core.sessions.store.database import DRAFT, Database

FORGOTTEN = timedelta(days=90)
"""After which a draft that nobody came back to is removed."""


class Drafts:
    """What is done with drafts."""

    _database: Database

    def save_draft(self, content: dict[str, Any], draft_id: str = "") -> str:
        """Keep what was entered (JSON values), in place of what the draft held before; its id, fit for an address."""
        row = {"id": draft_id or values.new_id(), "saved": values.now(), "json": values.dump(content)}
        old = (datetime.now(UTC) - FORGOTTEN).isoformat(timespec="milliseconds")
        with self._database.write() as connection:
            connection.execute(delete(DRAFT).where((DRAFT.c.id == row["id"]) | (DRAFT.c.saved < old)))
            connection.execute(insert(DRAFT), row)
        return row["id"]

    def draft(self, draft_id: str) -> dict[str, Any]:
        """What was entered for a session that is not started yet; nothing where there is no such draft (any more)."""
        text = self._database.value(select(DRAFT.c.json).where(DRAFT.c.id == draft_id))
        with values.intact(f"The draft {draft_id}"):
            return dict(json.loads(text)) if text is not None else {}

    def delete_draft(self, draft_id: str) -> None:
        """A session came of it, or nothing will."""
        with self._database.write() as connection:
            connection.execute(delete(DRAFT).where(DRAFT.c.id == draft_id))
