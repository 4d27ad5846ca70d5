"""``tarstop decide``: one decision."""

import click

from tarstop_core.cli.shared import given_stakes, json_option, print_json, q_star_option
from tarstop_core.errors import InputProblem


@click.command()
@q_star_option
@click.option("--payoffs", help="B,L_r,L_g,G: four amounts, none negative, in the unit of the cost.")
@click.option("--belief", "b", type=float, required=True, help="Belief in ω⁺ now, 0 to 1.")
@click.option("--rho", type=float, required=True, help="Chance that the next document is a hit, 0 to 1.")
@click.option("--cost", type=float, required=True, help="Cost of reading it, in the payoffs' unit.")
@json_option
def decide(
    q_star: float | None, payoffs: str | None, b: float, rho: float, cost: float, as_json: bool
) -> None:
    """One decision of the paper's rule, explained: is the next document worth its cost?"""
    from tarstop_core.value.payoffs import check_cost, exceeds

    stakes = given_stakes(q_star, payoffs)
    for name, value in (("--belief", b), ("--rho", rho)):
        if not 0 <= value <= 1:
            raise InputProblem(f"{name} is {value:g}; give a number from 0 to 1.")
    check_cost(cost)
    evpi = float(stakes.evpi(b))
    value, plus = rho * evpi, bool(stakes.chooses_plus(b))
    go_on = bool(exceeds(value, cost))
    if as_json:
        weighed = {"q_star": stakes.q_star, "evpi": evpi, "value": value}
        print_json({**weighed, "action": "a+" if plus else "a-", "continue": go_on})
        return
    from tarstop_core.presentation.numbers import number

    verdict = "continue" if go_on else "stop"
    sign = ">" if go_on else "≤"
    click.echo(
        f"{verdict.capitalize()}: the paper's score ρ·EVPI = {number(rho)} × {number(evpi)} = {number(value)} "
        f"{sign} {number(cost)}, the cost.\n"
        f"Stopping now means {'a+' if plus else 'a-'}: belief {number(b)} is "
        f"{'above' if plus else 'not above'} q* = {number(stakes.q_star)}."
    )
