"""``tarstop readers``: how far readers agree, what waits to be resolved, and what all of them may have overlooked."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarstop_core.cli.shared import PATH, json_option, print_json, say

if TYPE_CHECKING:
    from tarstop_core.readers.agreement import Agreement

MOST_LISTED = 20
"""Disagreements that are printed; --json has all."""
QUARTERS = 4


@click.command()
@click.argument("file", type=PATH)
@click.option(
    "--reader", "names", multiple=True, help="Column with a reader's verdicts; repeat for each reader."
)
@click.option("--resolved", help="Column that says what is relevant in the end.")
@click.option(
    "--audit", help="Column that marks (or numbers) what was drawn at random among what all excluded."
)
@click.option("--include-from", type=float, help="Score from which a verdict counts as included.")
@click.option("--limit", type=float, help="Highest odds ratio between two readers' misses to reckon with.")
@json_option
def readers(
    file: Path,
    names: tuple[str, ...],
    resolved: str | None,
    audit: str | None,
    include_from: float | None,
    limit: float | None,
    as_json: bool,
) -> None:
    """How far the readers in FILE agree, what waits to be resolved, and what all of them may have overlooked.

    FILE is a table (CSV, TSV, Excel) with a line for each record and a column for each reader.
    """
    from tarstop_core.readers.agreement import agreement, in_stretches
    from tarstop_core.readers.overlooked import overlooked
    from tarstop_core.readers.table import Columns, read_readers
    from tarstop_core.readers.words import said

    table = read_readers(file, Columns(names, resolved, audit, include_from))
    verdicts, waiting = table.verdicts, table.disagreements
    agree, quarters = agreement(verdicts.included), in_stretches(verdicts.included, QUARTERS)
    missed = overlooked(verdicts, limit=limit)
    say(table.notes)
    if as_json:
        both = zip(table.readers, missed.readers, strict=True)
        print_json(
            {
                "records": len(table.names),
                "agreement": asdict(agree),
                "quarters": [_ac1(part) for part in quarters],
                "disagreements": [table.names[at] for at in waiting],
                "taken_as_relevant": table.taken_as_relevant,
                **asdict(missed),
                "draws_needed": missed.draws_needed,
                "draws_expected": missed.draws_expected,
                "readers": [{"name": name, **asdict(one)} for name, one in both],
            }
        )
        return
    for line in said(table, agree, [_ac1(part) for part in quarters], missed, MOST_LISTED):
        click.echo(line)


def _ac1(part: Agreement | None) -> float | None:
    return None if part is None else part.ac1.value
