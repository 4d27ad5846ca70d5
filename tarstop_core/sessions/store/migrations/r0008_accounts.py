"""Accounts, roles and the audit log; drafts and names of calibrators are a person's own."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the tables, and a column for the person; what is there belongs to nobody by name."""
    op.create_table(
        "account",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("administers", sa.Boolean, nullable=False),
        sa.Column("locked", sa.Boolean, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("seen", sa.String, nullable=False),
    )
    op.create_table(
        "member",
        sa.Column("project", sa.String, primary_key=True),
        sa.Column("person", sa.String, primary_key=True),
    )
    op.create_table(
        "share",
        *(sa.Column(name, sa.String, primary_key=True) for name in ("kind", "object_id", "holder")),
        sa.Column("role", sa.String, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.String, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("time", "person", "what", "kind")),
        sa.Column("object_id", sa.String, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.add_column("draft", sa.Column("person", sa.Text, nullable=False, server_default=""))
    # SQLite changes no primary key.
    op.create_table(
        "calibrator_shelf_new",
        sa.Column("digest", sa.String, sa.ForeignKey("calibrator.digest"), primary_key=True),
        sa.Column("person", sa.String, primary_key=True, server_default=""),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("deleted", sa.String, nullable=False),
    )
    op.execute(
        "INSERT INTO calibrator_shelf_new (digest, name, deleted) SELECT digest, name, deleted FROM calibrator_shelf"
    )
    op.drop_table("calibrator_shelf")
    op.rename_table("calibrator_shelf_new", "calibrator_shelf")
