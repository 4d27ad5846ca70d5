"""Records have an assignee and, beside the date of publication, those of priority, filing and grant."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns, of which a store from before there were revisions may hold some."""
    held = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("record")}
    for name in ("assignee", "priority_date", "filing_date", "grant_date"):
        if name not in held:
            # The default is for programmes that do not know the column and go on writing records.
            op.add_column("record", sa.Column(name, sa.Text, nullable=False, server_default=""))
