"""Steps from the tables of one version to those of the next, a file a step; only an upgrade loads them."""

from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

STEPS = Path(__file__).parent


def steps(folder: Path = STEPS) -> ScriptDirectory:
    """The steps in a folder, as Alembic orders them."""
    return ScriptDirectory(str(folder), version_locations=[str(folder)])


def is_known(revision: str) -> bool:
    """Whether a step of this programme leads to this revision."""
    return any(each.revision == revision for each in steps().walk_revisions())


def upgrade(connection: Connection, folder: Path = STEPS) -> None:
    """Take a stamped database to the newest revision, within the transaction that the connection is in.

    Parameters
    ----------
    connection : Connection
        In a transaction that writes; whoever began it commits or rolls all steps back.
    folder : Path
        Where the steps are.
    """
    script = steps(folder)
    # Alembic would commit after every step of SQLite, whose tables can be changed in a transaction as well.
    options = {
        "fn": lambda revision, _: script._upgrade_revs("head", revision),
        "transactional_ddl": True,
        "transaction_per_migration": False,
    }
    context = MigrationContext.configure(connection, opts=options)
    with Operations.context(context):
        context.run_migrations()
