"""Databases in the shapes that they had, and what is in one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, create_engine, select, text
from sqlalchemy.pool import NullPool

from tarstop_core.sessions.store.backup import TABLES

Rows = dict[str, list[tuple[Any, ...]]]

DRAFTS = "DROP TABLE draft"
RECIPE = "ALTER TABLE session DROP COLUMN recipe"
ACCOUNTS = (
    *(f"DROP TABLE {name}" for name in ("account", "member", "share", "audit", "calibrator_shelf")),
    "ALTER TABLE draft DROP COLUMN person",
    "CREATE TABLE calibrator_shelf (digest VARCHAR PRIMARY KEY REFERENCES calibrator, name TEXT NOT NULL, "
    "deleted VARCHAR NOT NULL)",
    RECIPE,
)
SHAPES = {
    "0001": (DRAFTS, "DROP TABLE calibrator_shelf", "columns", "dates", "tools", "DROP TABLE deleted"),
    "0002": (DRAFTS, "DROP TABLE calibrator_shelf", "columns", "dates", "tools"),
    "0003": (DRAFTS, "DROP TABLE calibrator_shelf", "dates", "tools"),
    "0004": (DRAFTS, "dates", "tools"),
    "0005": (DRAFTS, "tools"),
    "0006": ("tools",),
    "0007": (),
    # Nobody has these, but a step must not stumble over what is there already.
    "0001 with a shelf": ("columns", "DROP TABLE deleted"),
    "0001 with families": ("DROP TABLE deleted",),
    "0002 with a column": ("ALTER TABLE record DROP COLUMN remark",),
}
"""What each lacks beside accounts and recipes, which none had."""
GROUPS = {
    "columns": ("family", "reason", "remark"),
    "dates": ("assignee", "priority_date", "filing_date", "grant_date"),
    "tools": ("record_number", "read_order", "labelled_at"),
}


@contextmanager
def raw(url: str) -> Iterator[Connection]:
    """A transaction beside the store's own connections."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        yield connection


def make_old(url: str, shape: str) -> None:
    """Give a database of today the shape of one from before there were revisions."""
    with raw(url) as connection:
        for statement in (*ACCOUNTS, *SHAPES[shape], "DROP TABLE alembic_version"):
            dropped = [f"ALTER TABLE record DROP COLUMN {name}" for name in GROUPS.get(statement, ())]
            for each in dropped or [statement]:
                connection.execute(text(each))


def content(url: str) -> Rows:
    """Every row of every table."""
    with raw(url) as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in TABLES
        }
