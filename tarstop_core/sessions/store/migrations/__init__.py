"""Steps from the tables of one version to those of the next, one file each; only what is old loads them."""

from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, delete

from tarstop_core.sessions.store.tables import STAMP

STEPS = Path(__file__).parent
MERGED = ("0001", "0002", "0003", "0004", "0005")
"""Revisions whose steps were merged into the one that follows, which adds whatever a store lacks."""


def steps(folder: Path = STEPS) -> ScriptDirectory:
    """The steps in a folder, as Alembic orders them."""
    return ScriptDirectory(str(folder), version_locations=[str(folder)])


def is_known(revision: str) -> bool:
    """Whether a step of this program leads to a revision."""
    return revision in (*MERGED, *(step.revision for step in steps().walk_revisions()))


def upgrade(connection: Connection, folder: Path = STEPS) -> None:
    """Upgrade a database to the newest revision, by the steps in a folder.

    The caller began the transaction of the connection, and commits all steps or rolls them back.
    """
    STAMP.create(connection, checkfirst=True)
    # Alembic has no step for a merged revision; without the stamp it begins with the first step.
    connection.execute(delete(STAMP).where(STAMP.c.version_num.in_(MERGED)))
    script = steps(folder)
    # By default Alembic commits after every step on SQLite, although SQLite can change tables within a transaction.
    options = {
        "fn": lambda revision, _: script._upgrade_revs("head", revision),
        "transactional_ddl": True,
        "transaction_per_migration": False,
    }
    context = MigrationContext.configure(connection, opts=options)
    with Operations.context(context):
        context.run_migrations()
