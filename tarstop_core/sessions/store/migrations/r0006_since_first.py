"""Everything since the first tables: deletions, names of calibrators, drafts, and more columns of records.

A store of a version in between has some of it already.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = None

COLUMNS = ("family", "reason", "remark", "assignee", "priority_date", "filing_date", "grant_date")


def upgrade() -> None:
    """Add the tables and columns that are not there."""
    op.create_table(
        "deleted",
        sa.Column("session_id", sa.String, sa.ForeignKey("session.id"), primary_key=True),
        sa.Column("time", sa.String, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "calibrator_shelf",
        sa.Column("digest", sa.String, sa.ForeignKey("calibrator.digest"), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("deleted", sa.String, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "draft",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("saved", sa.String, nullable=False),
        sa.Column("json", sa.Text, nullable=False),
        if_not_exists=True,
    )
    held = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("record")}
    for name in COLUMNS:
        if name not in held:
            # The default is for programs that do not know the column and go on writing records.
            op.add_column("record", sa.Column(name, sa.Text, nullable=False, server_default=""))
