"""The BM25 recipe that scored a list; earlier versions only say it in the sentence on the list's order."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

SENTENCES = {"words": "(BM25 on word stems of titles and abstracts)", "paper": "(BM25"}
"""What sentences of earlier versions contain, by recipe; the first one that fits counts."""


def upgrade() -> None:
    """Add the column, and fill it in for the lists that are there."""
    op.add_column("session", sa.Column("recipe", sa.Text, nullable=False, server_default=""))
    session = sa.table("session", *map(sa.column, ("id", "ranking", "recipe")))
    rows = op.get_bind().execute(sa.select(session.c.id, session.c.ranking)).all()
    for key, sentence in rows:
        op.execute(session.update().where(session.c.id == key).values(recipe=recipe_told(sentence)))


def recipe_told(sentence: str) -> str:
    """Name of the BM25 recipe in a sentence that an earlier version stored; empty if it names none.

    A copy of the function in `ranking.bm25`, so that this step stays as it is whatever changes there.
    """
    return next((name for name, words in SENTENCES.items() if words in sentence), "")
