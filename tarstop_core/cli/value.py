"""``tarstop value``: compute what certainty or a study is worth in a decision between any number of actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarstop_core.cli import shared
from tarstop_core.errors import InputProblem

if TYPE_CHECKING:
    from tarstop_core.value.actions.schema import DrawColumns, Entry, PeopleConcerned

LABELS = {
    "belief": "chance that adopting is right",
    "best": "best action now",
    "best_enbs": "net benefit of that study",
    "best_n_per_arm": "best size of a study, people per arm",
    "chance_best": "chance of being the best action",
    "commission": "the study is worth its price",
    "enbs": "net benefit of studies of these sizes",
    "evpi": "knowing everything is worth (EVPI)",
    "evpi_se": "standard error of EVPI",
    "evppi": "knowing parameters is worth (EVPPI)",
    "evsi": "the study is worth (EVSI)",
    "inb_mean": "net benefit of adopting",
    "net_benefit_now": "net benefit now",
    "net_benefit_none_all_test": "net benefit of none, all, test",
    "population_evpi": "knowing everything is worth, for everyone",
    "population_evpi_start_of_year": "knowing everything is worth, for everyone",
    "population_evsi": "the study is worth, for everyone",
    "prior_inb": "net benefit of adopting",
}
"""Names of results in printed text; a result that is not here keeps its own name."""


@click.command()
@click.argument("file", type=shared.PATH)
@click.option("--net-benefits", help="Draws: columns with net benefits, COL,COL,…, one per action.")
@click.option("--effects", help="Draws, instead of net benefits: columns with effects, one per action.")
@click.option("--costs", help="Columns with costs, in the order of --effects.")
@click.option("--willingness-to-pay", type=float, help="What one unit of effect is worth.")
@click.option("--ceac", help="Other willingness to pay, X,X,…, for the acceptability curve.")
@click.option("--know", multiple=True, help="Draws: parameters COL,COL,… to learn together; repeatable.")
@click.option("--people", type=float, help="People per year whom the decision concerns.")
@click.option("--years", type=float, help="Number of years.")
@click.option("--rate", type=float, default=0.0, help="Discount rate per year (default 0).")
@shared.json_option
def value(
    file: Path,
    net_benefits: str | None,
    effects: str | None,
    costs: str | None,
    willingness_to_pay: float | None,
    ceac: str | None,
    know: tuple[str, ...],
    people: float | None,
    years: float | None,
    rate: float,
    as_json: bool,
) -> None:
    """Compute what certainty or a study is worth in the decisions of FILE.

    FILE is JSON or TOML with "kind" and "inputs" (one decision, or a list "rows"), a CSV of actions × consequences (one column per
    state, a line "chance"), or, with --net-benefits or --effects, a CSV of draws.
    """
    from tarstop_core.files.cells import SUFFIXES
    from tarstop_core.value.actions.schema import DrawColumns, PeopleConcerned, columns_named

    if (people is None) != (years is None):
        raise InputProblem("Give both --people and --years, or neither.")
    everyone = None
    if people is not None and years is not None:
        everyone = PeopleConcerned(annual_population=people, years=years, rate=rate)
    columns = DrawColumns(
        net_benefit=columns_named(net_benefits),
        effect=columns_named(effects),
        cost=columns_named(costs),
        willingness_to_pay=willingness_to_pay,
        sets=[columns_named(names) for names in know],
        thresholds=_amounts("--ceac", ceac),
    )
    if file.name.casefold().endswith(SUFFIXES):
        entries, is_list = [_from_cells(file, columns, everyone)], False
    else:
        entries, is_list = _from_text(file, columns, everyone)
    values = [entry.values() for entry in entries]
    if as_json:
        results = [
            {**({"id": entry.name} if entry.name else {}), "kind": entry.decision.kind, "value": result}
            for entry, result in zip(entries, values, strict=True)
        ]
        shared.print_json(results if is_list else results[0])
        return
    for entry, result in zip(entries, values, strict=True):
        click.echo(f"{entry.name or file.name} ({entry.decision.kind})")
        for name, content in result.items():
            click.echo(f"  {LABELS.get(name, name):<44} {_in_words(content)}")


def _from_text(
    file: Path, columns: DrawColumns, everyone: PeopleConcerned | None
) -> tuple[list[Entry], bool]:
    """Read the decisions of a JSON or TOML file; return also whether the file has a list of them."""
    from tarstop_core.envelope import read_file
    from tarstop_core.value.actions.schema import DrawColumns, entries_of_text

    if columns != DrawColumns(sets=[], thresholds=()):
        raise InputProblem(f"{file.name} is not a table of draws; leave out the options about columns.")
    return entries_of_text(read_file(file, file.name), file.name, everyone)


def _from_cells(file: Path, columns: DrawColumns, everyone: PeopleConcerned | None) -> Entry:
    """Read the one decision of a table: draws if columns are named, else actions by consequences."""
    from tarstop_core.files.cells import read_cells
    from tarstop_core.value.actions.schema import (
        CHANCES,
        DrawColumns,
        Entry,
        draws_of_table,
        table_of_actions,
    )

    name, titles, rows, notes = read_cells(file)
    if columns == DrawColumns(sets=[], thresholds=()):
        shared.say(notes)
        if not any(cells and cells[0].strip().casefold() in CHANCES for _, cells in rows):
            raise InputProblem(
                f"{name} has no line that begins with chance; give the chance of each state there. If each line is a draw, "
                "name the columns of the actions with --net-benefits, or with --effects and --costs."
            )
        return Entry(table_of_actions(name, titles, rows), everyone=everyone)
    draws, passed_over = draws_of_table(name, titles, rows, columns)
    shared.say((*notes, *passed_over))
    return Entry(draws, everyone=everyone)


def _amounts(option: str, text: str | None) -> tuple[float, ...]:
    """Parse the comma-separated numbers of an option; raise InputProblem if one is no number."""
    try:
        return tuple(map(float, filter(None, (text or "").split(","))))
    except ValueError:
        raise InputProblem(f"{option} is '{text}'; give numbers X,X,….") from None


def _in_words(content: object) -> str:
    """Return a result as text for people."""
    from tarstop_core.presentation.numbers import number

    if isinstance(content, bool):
        return "yes" if content else "no"
    if isinstance(content, dict):
        return "; ".join(f"{name} {_in_words(part)}" for name, part in content.items())
    if isinstance(content, list):
        return ", ".join(map(_in_words, content))
    return number(float(content)) if isinstance(content, (int, float)) else str(content)
