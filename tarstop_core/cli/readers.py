"""``tarstop readers`` and ``who-reads``: how far readers agree, what all may have overlooked, and who should read next."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarstop_core.cli.shared import PATH, json_option, print_json, say

if TYPE_CHECKING:
    from tarstop_core.readers.agreement import Agreement
    from tarstop_core.readers.strategies import Prices
    from tarstop_core.readers.table import ReadersTable

MOST_LISTED = 20
"""Disagreements that are printed; --json has all."""
QUARTERS = 4
"""Stretches of the list for which agreement is reported separately."""


@click.command()
@click.argument("file", type=PATH)
@click.option(
    "--reader", "names", multiple=True, help="Column with a reader's verdicts; repeat for each reader."
)
@click.option("--resolved", help="Column with the final verdicts.")
@click.option("--audit", help="Column that marks (or numbers) random draws from what all excluded.")
@click.option("--include-from", type=float, help="Score from which a verdict counts as included.")
@click.option("--limit", type=float, help="Highest odds ratio between two readers' misses to assume.")
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
    """Report how far the readers in FILE agree, which disagreements are open, and what all readers may have overlooked.

    FILE is a table (CSV, TSV, Excel) with a line for each record and a column for each reader.
    """
    from tarstop_core.readers.agreement import agreement, in_stretches
    from tarstop_core.readers.overlooked import overlooked
    from tarstop_core.readers.table import Columns, read_readers
    from tarstop_core.readers.words import readers_report

    table = read_readers(file, Columns(names, resolved, audit, include_from))
    verdicts, waiting = table.verdicts, table.disagreements
    agree, quarters = agreement(verdicts.included), in_stretches(verdicts.included, QUARTERS)
    missed = overlooked(verdicts, limit=limit)
    say(table.notes)
    if as_json:
        by_reader = zip(table.readers, missed.readers, strict=True)
        result = {"records": len(table.names), "agreement": asdict(agree)}
        result |= {"quarters": [_ac1(part) for part in quarters]}
        result |= {"disagreements": [table.names[at] for at in waiting]}
        result |= {"taken_as_relevant": table.taken_as_relevant, **asdict(missed)}
        result |= {"draws_needed": missed.draws_needed, "draws_expected": missed.draws_expected}
        print_json(result | {"readers": [{"name": name, **asdict(one)} for name, one in by_reader]})
        return
    for line in readers_report(table, agree, [_ac1(part) for part in quarters], missed, MOST_LISTED):
        click.echo(line)


def _ac1(part: Agreement | None) -> float | None:
    """Gwet's AC1 of a stretch; None if no record of it has two verdicts."""
    return None if part is None else part.ac1.value


@click.command("who-reads")
@click.argument("file", type=PATH)
@click.option("--machine", required=True, help="Column with the machine's verdicts, on every record.")
@click.option("--person", required=True, help="Column with a person's verdicts, as far as they have read.")
@click.option("--worth", type=float, required=True, help="What finding a relevant record is worth.")
@click.option("--price", type=float, required=True, help="Cost of a person reading a record.")
@click.option("--machine-price", type=float, default=0.0, help="Cost of a verdict of the machine.")
@click.option("--follow-up", type=float, default=0.0, help="Further cost of every included record.")
@click.option("--next", "records", type=int, default=100, show_default=True, help="Records to plan for.")
@click.option(
    "--sensitivity", type=float, help="Chance that the person recognises a relevant record (default 0.866)."
)
@click.option("--resolved", help="Column with the final verdicts.")
@click.option("--include-from", type=float, help="Score from which a verdict counts as included.")
@click.option("--whole", is_flag=True, help="FILE has every verdict: compare whole strategies on it.")
@json_option
def who_reads(
    file: Path,
    machine: str,
    person: str,
    worth: float,
    price: float,
    machine_price: float,
    follow_up: float,
    records: int,
    sensitivity: float | None,
    resolved: str | None,
    include_from: float | None,
    whole: bool,
    as_json: bool,
) -> None:
    """Compare ways of reading the next records of FILE (in reading order): what each finds, overlooks, costs and teaches."""
    from tarstop_core.readers import who_reads as asking
    from tarstop_core.readers.strategies import SENSITIVITY, Prices
    from tarstop_core.readers.table import Columns, read_readers

    table = read_readers(file, Columns((machine, person), resolved, include_from=include_from))
    prices = Prices(price, machine_price, follow_up)
    sensitivity = SENSITIVITY if sensitivity is None else sensitivity
    if whole:
        _compare_strategies(table, prices, worth, sensitivity, as_json)
        return
    who = asking.who_reads(table.verdicts, records, prices, worth, sensitivity)
    say(table.notes)
    if as_json:
        ways = [{**asdict(one), "way": one.way.name.lower(), "value": one.value} for one in who.options]
        rates = {name: getattr(who.learned, name).mean for name in ("included", "excluded")}
        stretches = {"next": asdict(who.stretch), "rest": asdict(who.rest)}
        print_json({"read": who.read, **stretches, "relevant": rates, "ways": ways})
        return
    click.echo(asking.message("so_far", who=who))
    for at, one in enumerate(who.options):
        click.echo(asking.message("option", one=one, first=at == 0))


def _compare_strategies(
    table: ReadersTable, prices: Prices, worth: float, sensitivity: float, as_json: bool
) -> None:
    """Print the result of each strategy on a list that has every verdict."""
    from tarstop_core.readers import who_reads as asking
    from tarstop_core.readers.played import strategies_on
    from tarstop_core.readers.strategies import ReaderKnowledge

    asking.check_worth(worth, sensitivity)
    labelled = asking.labelled_throughout(table.verdicts)
    compared = strategies_on(labelled, prices, worth, replace(ReaderKnowledge(), sensitivity=sensitivity))
    relevant = int(labelled.relevant.sum())
    say(table.notes)
    if as_json:
        named = [(one.way.name.lower() if one.way else "advice", one) for one in compared]
        rows = [{**one._asdict(), "way": name} for name, one in named]
        print_json({"records": len(labelled.machine), "relevant": relevant, "strategies": rows})
        return
    for one in compared:
        less = compared[0].net - one.net
        click.echo(asking.message("strategy", **one._asdict(), relevant=relevant, less=less))
