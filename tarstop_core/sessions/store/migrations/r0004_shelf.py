"""Calibrators have names of a person's own, and can be taken off the list."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the table, which a store from before there were revisions may hold."""
    op.create_table(
        "calibrator_shelf",
        sa.Column("digest", sa.String, sa.ForeignKey("calibrator.digest"), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("deleted", sa.String, nullable=False),
        if_not_exists=True,
    )
