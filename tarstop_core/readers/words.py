"""Sentences about several readers of one list."""

from collections.abc import Iterator, Sequence

from tarstop_core.presentation.messages import Messages
from tarstop_core.readers.agreement import Agreement
from tarstop_core.readers.overlooked import Overlooked
from tarstop_core.readers.table import ReadersTable

message = Messages("readers/messages.jinja")


def readers_report(
    table: ReadersTable, agree: Agreement, course: Sequence[float | None], overlooked: Overlooked, most: int
) -> Iterator[str]:
    """Lines on agreement, open disagreements, records that may be missed, and each reader.

    Parameters
    ----------
    table : ReadersTable
        The verdicts.
    agree : Agreement
        Agreement between all readers.
    course : sequence of float or None
        AC1 in equal stretches of the list.
    overlooked : Overlooked
        Records that everybody excluded, and each reader's sensitivity and specificity.
    most : int
        Largest number of disagreements that are listed.

    Yields
    ------
    str
        One line.
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
