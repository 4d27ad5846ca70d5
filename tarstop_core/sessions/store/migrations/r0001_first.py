"""The tables of the first store (commit 44dc997)."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TEXTS = (
    *("title", "abstract", "authors", "date", "doi", "pmid", "publication_number", "url", "label"),
    "source",
)


def upgrade() -> None:
    """Make all of them."""
    op.create_table("tarstop_schema", sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))
    op.create_table(
        "collection",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.Column("files", sa.Text, nullable=False),
        sa.Column("duplicates", sa.Integer, nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("ids", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "record",
        sa.Column("collection_id", sa.String, sa.ForeignKey("collection.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in TEXTS),
        sa.Column("score", sa.Double),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("collection_id", sa.String, sa.ForeignKey("collection.id"), nullable=False, index=True),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.Column("positions", sa.LargeBinary, nullable=False),
        sa.Column("scores", sa.LargeBinary),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("ranking", sa.Text, nullable=False),
        sa.Column("archived", sa.Boolean, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
    )
    op.create_table(
        "event",
        sa.Column("session_id", sa.String, sa.ForeignKey("session.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time", sa.String, nullable=False),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
    )
    op.create_table(
        "calibrator",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("json", sa.Text, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
