"""``tarstop who-reads``: ways of reading the next stretch of a list, compared."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tarstop_core.cli.shared import PATH, json_option, print_json, say


@click.command("who-reads")
@click.argument("file", type=PATH)
@click.option("--machine", required=True, help="Column with the machine's verdicts, on every record.")
@click.option("--person", required=True, help="Column with a person's verdicts, as far as he read.")
@click.option("--worth", type=float, required=True, help="What finding a relevant record is worth.")
@click.option("--price", type=float, required=True, help="What it costs that a person reads a record.")
@click.option("--machine-price", type=float, default=0.0, help="What a verdict of the machine costs.")
@click.option("--follow-up", type=float, default=0.0, help="What every included record costs further.")
@click.option("--next", "records", type=int, default=100, show_default=True, help="Records to plan for.")
@click.option("--sensitivity", type=float, help="Chance that the person recognises a relevant record; 0.866.")
@click.option("--resolved", help="Column that says what is relevant in the end.")
@click.option("--include-from", type=float, help="Score from which a verdict counts as included.")
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
    as_json: bool,
) -> None:
    """Compare ways of reading the next records of FILE, which is in the order of reading: what each finds, overlooks, costs and teaches."""
    from tarstop_core.readers import who_reads as asking
    from tarstop_core.readers.strategies import SENSITIVITY, Prices
    from tarstop_core.readers.table import Columns, read_readers

    table = read_readers(file, Columns((machine, person), resolved, include_from=include_from))
    prices = Prices(price, machine_price, follow_up)
    who = asking.who_reads(
        table.verdicts, records, prices, worth, SENSITIVITY if sensitivity is None else sensitivity
    )
    say(table.notes)
    if as_json:
        ways = [{**asdict(one), "way": one.way.name.lower(), "value": one.value} for one in who.options]
        rates = {name: getattr(who.learned, name).mean for name in ("included", "excluded")}
        print_json(
            {
                "read": who.read,
                "next": asdict(who.stretch),
                "rest": asdict(who.rest),
                "relevant": rates,
                "ways": ways,
            }
        )
        return
    click.echo(asking.message("so_far", who=who))
    for at, one in enumerate(who.options):
        click.echo(asking.message("option", one=one, first=at == 0))
