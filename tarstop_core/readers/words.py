"""Sentences about several readers of one list."""

from collections.abc import Iterator, Sequence

from tarstop_core.presentation.messages import Messages
from tarstop_core.readers.agreement import Agreement
from tarstop_core.readers.overlooked import Overlooked
from tarstop_core.readers.table import ReadersTable

message = Messages("readers/messages.jinja")


def said(
    table: ReadersTable, agree: Agreement, course: Sequence[float | None], overlooked: Overlooked, most: int
) -> Iterator[str]:
    """Paragraphs on agreement, what waits, what may be overlooked, and each reader.

    Parameters
    ----------
    table : ReadersTable
        Who read what.
    agree : Agreement
        Between all of them.
    course : sequence of float or None
        AC1 in equal stretches of the list.
    overlooked : Overlooked
        What everybody excluded, and how well each reads.
    most : int
        Disagreements that are listed at most.

    Yields
    ------
    str
        One line each.
    """
    yield message("agreement", agree=agree)
    if all(value is not None for value in course):
        yield message("course", values=[f"{value:.2f}".replace("-", "−") for value in course])
    waiting = table.disagreements
    yield message("queue", waiting=len(waiting))
    for at in waiting[:most]:
        row = table.verdicts.included[at]
        included, excluded = (
            [name for name, verdict in zip(table.readers, row, strict=True) if verdict == wanted]
            for wanted in (1, 0)
        )
        yield f"  {message('waits', record=table.names[at], included=included, excluded=excluded)}"
    if len(waiting) > most:
        yield f"  {message('more', number=len(waiting) - most)}"
    if table.taken_as_relevant:
        yield message("taken", records=table.taken_as_relevant)
    yield message("overlooked", found=overlooked)
    if overlooked.remaining.high:
        yield message("draws", found=overlooked)
    if overlooked.within is not None:
        yield message("within", bound=overlooked.within)
    for name, one in zip(table.readers, overlooked.readers, strict=True):
        yield message("reader", name=name, one=one)
