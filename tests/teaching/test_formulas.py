"""The formulas of a step: each ends with the number of the lesson, and is explained."""

import pytest

from tarstop_core.policies import parse_policy
from tarstop_core.teaching.formulas import filled, tex
from tarstop_core.teaching.reference import formulas
from tests.teaching.test_lesson import KEYS, given


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("depth", [0, 1, 5, 15])
def test_formulas_end_with_the_numbers_of_the_step(key: str, depth: int) -> None:
    one = given(key, parse_policy("budget:d=15"))
    step = one.step(depth)
    by_name = {formula.name: formula for formula in filled(one, step)}
    assert [
        by_name[name].value for name in ("belief", "chance", "rho", "evpi", "score", "evsi", "worth")
    ] == [
        step.now.b,
        step.p,
        step.now.rho,
        step.now.evpi,
        step.now.value,
        step.evsi,
        step.value_rate,
    ]
    for name in ("belief", "chance", "rho", "evpi", "evsi"):
        assert tex(by_name[name].value) in by_name[name].lines[-1].rsplit("=", 1)[-1], name
    assert by_name["actions"].value == pytest.approx(float(one.settings.payoffs.utility(step.now.b)))
    for formula in filled(one, step):
        assert formula.words and formula.place and formula.latex.count("{") == formula.latex.count("}")
        assert "nan" not in formula.latex and "inf" not in formula.latex


def test_every_formula_is_explained() -> None:
    for key in KEYS:
        one = given(key)
        found = {
            formula.name: formula.explained for depth in range(3) for formula in filled(one, one.step(depth))
        }
        assert found.pop("decision") == one.policy.name
        assert set(found.values()) <= set(formulas()) and len(found) >= 7


def test_tex_by_example() -> None:
    assert (tex(0.04312), tex(1234.0), tex(-0.25), tex(1.2e-7), tex(0.99962)) == (
        "0.0431",
        "1{,}230",
        "-0.25",
        "1.2 \\times 10^{-7}",
        "0.99962",
    )
