"""Records have a patent family, a reason for their exclusion and a reviewer's remark."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns, of which a store from before there were revisions may hold some."""
    held = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("record")}
    for name in ("family", "reason", "remark"):
        if name not in held:
            # The default is for programmes that do not know the column and go on writing records.
            op.add_column("record", sa.Column(name, sa.Text, nullable=False, server_default=""))
