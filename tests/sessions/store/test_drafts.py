"""Drafts are kept, replaced, let go of and, in the end, forgotten."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import update

from tarstop_core.sessions.store.calibrators import FORGOTTEN
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Draft
from tests.sessions.store.shapes import raw


def test_a_draft_is_what_was_saved_last_until_it_is_let_go_of(store: Store) -> None:
    first = store.save_draft({"fields": {"a": "q*\x00 ≥ 0.5", "b": None}})
    other = store.save_draft({"fields": {}})
    assert first != other and store.draft(first) == {"fields": {"a": "q*\x00 ≥ 0.5", "b": None}}
    assert store.save_draft({"fields": {"a": 2}}, first) == first
    assert store.draft(first) == {"fields": {"a": 2}}
    store.delete_draft(first)
    assert store.draft(first) == {} and store.draft(other) == {"fields": {}}


def test_a_draft_that_nobody_came_back_to_is_forgotten(url: str, store: Store) -> None:
    old = store.save_draft({"fields": {}})
    long_ago = (datetime.now(UTC) - FORGOTTEN - timedelta(hours=1)).isoformat(timespec="milliseconds")
    with raw(url) as connection:
        connection.execute(update(Draft).values(saved=long_ago))
    new = store.save_draft({"fields": {"a": 1}})
    assert store.draft(old) == {} and store.draft(new) == {"fields": {"a": 1}}
