"""Draws of a sensitivity analysis: reference figures, closed forms, bounds, units, and columns that say nothing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.joint import LinearParameters
from tarstop_core.value.actions.psa import ParameterDraws

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "reference/golden/psa_sample.json").read_text(encoding="utf-8")
)


def reference_draws(sets: list[list[str]]) -> ParameterDraws:
    sample = {name: np.array(column) for name, column in GOLDEN["sample"].items()}
    p, se, sp = sample["prev"], expit(sample["logit_se"]), expit(sample["logit_sp"])
    net = {
        "none": 0 * p,
        "all": 1000 * p - 180 * (1 - p),
        "test": 1000 * p * se - 180 * (1 - p) * (1 - sp) - 45,
    }
    return draws(net, sample, sets)


def draws(net: dict[str, Any], parameters: dict[str, Any], sets: Any = ()) -> ParameterDraws:
    return ParameterDraws(
        net_benefit={name: column.tolist() for name, column in net.items()},
        parameters={name: column.tolist() for name, column in parameters.items()},
        sets=sets,
    )


def test_reference_figures_are_met() -> None:
    expected = GOLDEN["evppi"]
    values: Any = reference_draws([names.split(",") for names in expected["pars"]]).values()
    assert values["evpi"] == pytest.approx(GOLDEN["evpi"], rel=1e-9) and values["best"] == "test"
    assert list(values["net_benefit_now"].values()) == pytest.approx(GOLDEN["mean_net_benefit"])
    for ours, gam, se in zip(values["evppi"], expected["gam"], expected["gam_se"], strict=True):
        assert abs(ours["evppi"] - gam) <= 2 * se
        assert 0.3 * se < ours["se"] < 3 * se


@pytest.mark.parametrize("seed", range(4))
def test_closed_forms_lie_within_the_error(seed: int) -> None:
    given_ = {"intercept": -50.0, "coef": [100, 200], "mean": [0.3, 0.2], "cov": [[0.04, 0.01], [0.01, 0.02]]}
    closed: Any = LinearParameters(**given_).values()  # type: ignore[arg-type]
    random = np.random.default_rng(seed)
    x = random.multivariate_normal(given_["mean"], given_["cov"], 4000)  # type: ignore[arg-type]
    values: Any = draws(
        {"no": np.zeros(4000), "yes": -50 + x @ [100, 200]},
        {"x": x[:, 0], "z": x[:, 1]},
        [["x"], ["z"], ["x", "z"]],
    ).values()
    spread = 6 / np.sqrt(4000) * 30  # The draws' own error
    for ours, exact in zip(
        values["evppi"], (closed["evppi_1"], closed["evppi_2"], closed["evpi"]), strict=True
    ):
        assert abs(ours["evppi"] - exact) < 4 * ours["se"] + spread
    assert values["evppi"][2]["evppi"] == pytest.approx(values["evpi"], rel=1e-4)


def test_errors_are_as_large_as_they_say() -> None:
    estimates = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        x, noise = random.normal(size=(2, 500))
        estimates.append(draws({"a": np.zeros(500), "b": 0.3 + x + 2 * noise}, {"x": x}).evppi(["x"]))
    closed: Any = LinearParameters(intercept=0.3, coef=[1, 2], mean=[0, 0], cov=[[1, 0], [0, 1]]).values()
    values, errors = np.array(estimates).T
    assert abs(values.mean() - closed["evppi_1"]) < 4 * values.std() / np.sqrt(40) + 0.02
    assert 0.5 < errors.mean() / values.std() < 1.5


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-9, 0.01, 100.0]))
def test_bounds_and_units(seed: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=(200, 3))
    net = {name: x @ random.normal(size=3) + random.normal(size=200) for name in "abc"}
    parameters = {"x": x[:, 0], "y": x[:, 1] ** 3}
    values: Any = draws(net, parameters).values()
    pence: Any = draws({name: column * factor for name, column in net.items()}, parameters).values()
    assert pence["evpi"] == pytest.approx(values["evpi"] * factor)
    assert pence["chance_best"] == pytest.approx(values["chance_best"])
    for ours, other in zip(values["evppi"], pence["evppi"], strict=True):
        assert 0 <= ours["evppi"] <= values["evpi"]
        assert other["evppi"] == pytest.approx(ours["evppi"] * factor, rel=1e-6, abs=1e-9 * factor)


def test_columns_that_say_nothing() -> None:
    random = np.random.default_rng(5)
    x, coin = random.normal(size=300), random.integers(0, 2, 300)
    values: Any = draws(
        {"a": 0 * x, "b": 0 * x, "c": x + coin},
        {"constant": 0 * x + 7, "coin": coin, "twice": coin, "x": x},
        [["constant"], ["coin", "twice"], ["x", "coin", "constant"]],
    ).values()
    nothing, some, every = (part["evppi"] for part in values["evppi"])
    assert nothing == 0 <= some <= every == pytest.approx(values["evpi"], rel=1e-3)
    same: Any = draws({"a": 0 * x, "b": 0 * x}, {"x": x}).values()
    assert same["evpi"] == 0 and same["chance_best"] == {"a": 0.5, "b": 0.5}


def test_a_parameter_of_few_values_says_what_each_of_them_does() -> None:
    """Whatever their order, and also beside a parameter that says the same in other units."""
    x = np.tile([0.0, 2.0, 1.0, 3.0], 50)  # Every other draw has the values 0 and 1 alone.
    gain = np.array([1.0, -1.0, 1.0, -1.0])[x.astype(int)]
    all_of = draws({"a": 0 * x, "b": gain}, {"x": x, "cm": 100 * x}, [["x"], ["x", "cm"]])
    values: Any = all_of.values()
    assert [part["evppi"] for part in values["evppi"]] == pytest.approx([0.5, 0.5], abs=1e-6)


def test_acceptability_follows_the_willingness_to_pay() -> None:
    gain = np.random.default_rng(6).normal(0.1, 0.05, 400)
    values: Any = ParameterDraws(
        effect={"new": gain.tolist(), "old": [0.0] * 400},
        cost={"old": [0.0] * 400, "new": [1000.0] * 400},
        willingness_to_pay=20_000,
        thresholds=[0, 10_000, 1e7],
    ).values()
    curve = [point["chance_best"]["new"] for point in values["ceac"]]
    assert values["best"] == "new" and curve[0] == 0 < curve[1] < curve[2] == pytest.approx(
        (gain > 1e-4).mean()
    )
    assert sum(values["chance_best"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "changed",
    [
        {"net_benefit": None},
        {"effect": {"a": [1.0] * 30}},
        {"net_benefit": {"a": [1.0] * 30}},
        {"net_benefit": {"a": [1.0] * 30, "b": [1.0] * 29}},
        {"net_benefit": {"a": [1.0] * 29, "b": [1.0] * 29}},
        {"net_benefit": {"a": [1.0] * 30, "b": [float("nan")] * 30}},
        {"sets": [["y"]]},
        {"sets": [[]]},
        {"thresholds": [1.0]},
        *(
            {
                "net_benefit": None,
                "effect": {"a": effect, "b": [1.0] * 30},
                "cost": {"a": [1.0] * 30, "b": [2.0] * 30},
                "willingness_to_pay": 1.0,
            }
            for effect in ([1.0] * 29, [float("nan")] * 30)
        ),
        {"net_benefit": {"x": [float("nan")] * 30, "b": [1.0] * 30}},
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any]) -> None:
    column = [float(x) for x in range(30)]
    with pytest.raises(InputProblem):
        ParameterDraws(**{"net_benefit": {"a": column, "b": column}, "parameters": {"x": column}} | changed)  # type: ignore[arg-type]
