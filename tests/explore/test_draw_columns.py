"""Columns of draws: which cost belongs to which effect is told by names, whatever the order."""

from itertools import permutations

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.explore.draw_columns import column_of, columns_held, named_alike, paired, shortly_named
from tarstop_core.value.actions.schema import DrawColumns, draws_of_table


@pytest.mark.parametrize(
    "effect, cost",
    [
        ("QALY {}", "Cost {}"),
        ("QALYs of {}", "cost_{}"),
        ("qaly_{}", "COSTS OF {}"),
        ("{} effect", "{}_cost"),
        ("effect: {}", "Cost of  {}"),
        ("e{}", "c{}"),
        ("QALY {}", "price {}"),
        ("{} (years)", "{} (pounds)"),
    ],
)
@pytest.mark.parametrize("order", list(permutations(("none", "Drug A", "Drug B"))))
def test_costs_are_paired_by_the_names_of_options(effect: str, cost: str, order: tuple[str, ...]) -> None:
    names = ("Drug A", "none", "Drug B")
    found, by_name = paired([effect.format(name) for name in names], [cost.format(name) for name in order])
    assert by_name and found == [cost.format(name) for name in names]


def test_names_that_cannot_be_paired_are_refused() -> None:
    with pytest.raises(InputProblem, match="QALY A and QALY B, costs in cost A and cost C"):
        paired(["QALY A", "QALY B"], ["cost A", "cost C"])
    with pytest.raises(InputProblem, match="cannot be paired"):
        paired(["first", "second"], ["x", "y", "z"])


@pytest.mark.parametrize(
    "effects, costs, alone",
    [
        ("AB", "ACB", "No effect belongs to cost C;"),
        ("AB", "CADB", "No effect belongs to cost C and cost D;"),
        ("CAB", "AB", "No cost belongs to QALY C;"),
    ],
)
def test_a_column_without_a_partner_is_named_and_does_not_vanish(
    effects: str, costs: str, alone: str
) -> None:
    with pytest.raises(InputProblem, match=alone):
        paired([f"QALY {name}" for name in effects], [f"cost {name}" for name in costs])


def test_position_decides_where_no_column_names_an_option() -> None:
    assert paired(["first", "second"], ["dear", "cheap"]) == (["dear", "cheap"], False)


def test_costs_that_are_parameters_are_nobodys() -> None:
    titles = ["effect A", "effect B", "cost of an event", "cost B", "cost A", "costly", "networth"]
    effects, costs = columns_held(titles, "effect"), columns_held(titles, "cost")
    assert effects == titles[:2] and costs == titles[2:5] and not columns_held(titles, "net")
    assert named_alike(effects, costs) == ["cost A", "cost B"]
    assert column_of("net benefit of A") == ("net", "A")


def test_draws_are_called_by_their_options_and_their_numbers_are_no_parameter() -> None:
    rng = np.random.default_rng(1)
    titles = ["iteration", "risk", "Cost B", "Cost A", "QALYs of A", "QALYs of B"]
    values = np.column_stack([np.arange(40), rng.random((40, 5))])
    rows = [(line, [str(x) for x in row]) for line, row in enumerate(values.tolist(), 2)]
    columns = DrawColumns(effect=titles[4:], cost=paired(titles[4:], titles[2:4])[0], willingness_to_pay=10.0)
    draws, notes = draws_of_table("psa.csv", titles, rows, columns)
    draws = shortly_named(draws)
    assert draws.actions == ("A", "B") and list(draws.parameters or ()) == ["risk"]
    assert [note.split()[2] for note in notes] == ["iteration"]
    assert draws.net()[:, 0] == pytest.approx(10 * values[:, 4] - values[:, 3])


def test_a_parameter_in_per_cent_is_read_as_a_share_and_one_that_lacks_a_number_says_where() -> None:
    titles = ["a", "b", "risk", "site", "age"]
    rows = [(at + 2, ["0", f"{at % 3}", f"{at / 2}%", "x", f"{at}.5"]) for at in range(40)]
    rows[5][1][4] = "n/a"
    draws, notes = draws_of_table("psa.csv", titles, rows, DrawColumns(net_benefit=("a", "b")))
    assert [*draws.parameters] == ["risk"] and draws.parameters["risk"][3] == 0.015
    assert [title in note for title, note in zip(("risk", "site", "age"), notes, strict=True)] == [True] * 3
    assert "line 7" in notes[2]
