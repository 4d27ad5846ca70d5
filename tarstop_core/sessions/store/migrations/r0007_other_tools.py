"""What other tools know of a record: its number there, and in which order and when it was labelled."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

COLUMNS = ("record_number", "read_order", "labelled_at")


def upgrade() -> None:
    """Add the columns that are not there."""
    held = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("record")}
    for name in COLUMNS:
        if name not in held:
            # The default is for programs that do not know the column and go on writing records.
            op.add_column("record", sa.Column(name, sa.Text, nullable=False, server_default=""))
