"""What was entered for a session that is not started yet is kept."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "draft",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("saved", sa.String, nullable=False),
        sa.Column("json", sa.Text, nullable=False),
        if_not_exists=True,
    )
