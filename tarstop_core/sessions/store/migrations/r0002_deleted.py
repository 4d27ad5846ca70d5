"""Sessions can be deleted and brought back."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the table of deleted sessions, which a store from before there were revisions may hold."""
    op.create_table(
        "deleted",
        sa.Column("session_id", sa.String, sa.ForeignKey("session.id"), primary_key=True),
        sa.Column("time", sa.String, nullable=False),
        if_not_exists=True,
    )
