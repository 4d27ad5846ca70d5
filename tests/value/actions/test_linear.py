"""Any number of actions: reference figures, bounds, units, limits, today's two actions, and brute force."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.joint import ActionTable, JointNormal, LinearParameters
from tarstop_core.value.actions.linear import ActionsLinear, EffectNetBenefit, Linear, Threshold
from tarstop_core.value.actions.lines import _turn, gain_of_normals
from tarstop_core.value.payoffs import Payoffs
from tests.value.actions.golden import differing, name, rows

KINDS = {
    kind.kind: kind for kind in (ActionsLinear, ActionTable, JointNormal, Linear, LinearParameters, Threshold)
}
AMOUNTS = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
SPREADS = st.floats(0.01, 50)
KNOWLEDGE = st.fixed_dictionaries(
    {
        "post_mean": st.floats(-5, 5),
        "post_var": SPREADS,
        "k_new": st.integers(1, 50),
        "se2_new": SPREADS,
        "tau2": st.floats(0, 2),
    }
)
LINES = st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=2, max_size=6)
CHANCES = st.lists(st.floats(0.01, 1), min_size=2, max_size=5).map(lambda p: (np.array(p) / sum(p)).tolist())


@pytest.mark.parametrize("seed", range(6))
def test_of_three_actions_no_border_is_parallel_to_what_is_integrated_in_closed_form(seed: int) -> None:
    # Three borders leave a direction that none is nearer to than 30°.
    loadings = np.random.default_rng(seed).normal(size=(3, 2))
    borders = loadings[[0, 0, 1]] - loadings[[1, 2, 2]]
    along = borders @ _turn(loadings)[:, 0] / np.linalg.norm(borders, axis=1)
    assert np.abs(along).min() > 0.49


def test_actions_of_which_all_is_known_gain_nothing_by_more_knowledge() -> None:
    assert gain_of_normals([3.0, 1.0, 2.0], np.zeros((3, 3))) == (0.0, 0.0)
    known: Any = LinearParameters(intercept=0.3, coef=[1, 2], mean=[0, 0], cov=[[0, 0], [0, 0]]).values()
    assert known["evpi"] == known["evppi_1"] == 0


@pytest.mark.parametrize("row", rows(*KINDS), ids=name)
def test_reference_figures_are_met(row: dict[str, Any]) -> None:
    values = KINDS[row["kind"]](**row["inputs"]).values()  # type: ignore[operator]
    scale = np.abs(np.hstack(list(row["value"].values()))).max()
    assert differing(values, row, 1e-8, 1e-11 * max(1.0, scale)) == {}


def lines(of: list[tuple[float, float]], **knowledge: Any) -> ActionsLinear:
    return ActionsLinear(intercept=[a for a, _ in of], slope=[b for _, b in of], **knowledge)


@given(LINES, KNOWLEDGE)
def test_a_study_is_worth_no_more_than_certainty(of: list[tuple[float, float]], knowledge: Any) -> None:
    values = lines(of, **knowledge).values()
    assert 0 <= values["evsi"] <= values["evpi"] + 1e-9  # type: ignore[operator]
    endless = lines(of, **knowledge | {"k_new": 1e15}).values()["evsi"]
    assert endless == pytest.approx(values["evpi"], rel=1e-5, abs=1e-6)


@given(LINES, KNOWLEDGE, st.sampled_from([1e-3, 100.0, 1e6]))
def test_units_change_nothing_else(of: list[tuple[float, float]], knowledge: Any, factor: float) -> None:
    one, other = (
        lines(scaled, **knowledge).values() for scaled in (of, [(a * factor, b * factor) for a, b in of])
    )
    for key in ("evpi", "evsi"):
        assert other[key] == pytest.approx(factor * one[key], rel=1e-6, abs=1e-8 * factor)  # type: ignore[operator]


@given(LINES, KNOWLEDGE, st.data())
def test_the_order_of_actions_and_doubles_change_nothing(
    of: Any, knowledge: Any, data: st.DataObject
) -> None:
    other = data.draw(st.permutations([*of, of[0]]))
    assert lines(other, **knowledge).values()["evpi"] == pytest.approx(
        lines(of, **knowledge).values()["evpi"], rel=1e-7, abs=1e-7
    )


@given(st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0, 1))
def test_two_actions_and_two_states_are_the_payoffs(
    B: float, L_r: float, L_g: float, G: float, b: float
) -> None:
    certain = [[1.0, 0.0], [0.0, 1.0]]  # A result that says which state it is
    table = ActionTable(consequences=[[-L_g, G], [B, -L_r]], chances=[b, 1 - b], likelihood=certain).values()
    payoffs = Payoffs(B=B, L_r=L_r, L_g=L_g, G=G)
    assert table["evpi"] == pytest.approx(float(payoffs.evpi(b)), abs=1e-9)
    assert table["evsi"] == pytest.approx(table["evpi"], abs=1e-9)


@given(CHANCES, st.data())
def test_what_a_table_says_is_bounded(chances: list[float], data: st.DataObject) -> None:
    states = len(chances)
    row = st.lists(AMOUNTS, min_size=states, max_size=states)
    results = np.array(
        data.draw(
            st.lists(st.lists(st.floats(0.01, 1), min_size=states, max_size=states), min_size=2, max_size=4)
        )
    )
    values = ActionTable(
        consequences=data.draw(st.lists(row, min_size=2, max_size=5)),
        chances=chances,
        likelihood=(results / results.sum(axis=0)).tolist(),
        partitions={"first": ["a"] + ["b"] * (states - 1)},
    ).values()
    for key in ("evsi", "evppi_first"):
        assert 0 <= values[key] <= values["evpi"] + 1e-9  # type: ignore[operator]


@given(
    st.lists(AMOUNTS, min_size=2, max_size=2), st.floats(0.1, 5), st.floats(0.1, 5), st.floats(-0.95, 0.95)
)
def test_no_parameter_is_worth_more_than_both(coef: list[float], sd_1: float, sd_2: float, r: float) -> None:
    cov = [[sd_1**2, r * sd_1 * sd_2], [r * sd_1 * sd_2, sd_2**2]]
    values = LinearParameters(intercept=1.0, coef=coef, mean=[0.5, -0.5], cov=cov).values()
    assert all(0 <= values[key] <= values["evpi"] for key in ("evppi_1", "evppi_2"))  # type: ignore[operator]


def test_brute_force_agrees() -> None:
    draw = np.random.default_rng(1)
    three = ActionsLinear(
        intercept=[0, -5, -30], slope=[0, 40, 90], post_mean=0.4, post_var=0.09, k_new=2, se2_new=0.05
    )
    values, mu = three.values(), draw.normal(0.4, 0.3, 10**6)
    moved = draw.normal(0.4, np.sqrt(three.v_k or 0), 10**6)
    for key, x in (("evpi", mu), ("evsi", moved)):
        net = np.maximum(np.maximum(0, -5 + 40 * x), -30 + 90 * x)
        assert values[key] == pytest.approx(net.mean() - 11, abs=5 * net.std() / 1000)
    threshold = Threshold(
        post_mean=0.3, post_var=0.2, delta=0.1, adopt_if="mu>delta", q_star=0.7, K=2, k_new=3, se2_new=0.4
    )
    mu, noise = draw.normal(0.3, np.sqrt(0.2), 10**6), draw.normal(0, np.sqrt(0.4 / 3), 10**6)
    weight = 0.2 / (0.2 + 0.4 / 3)
    after = 0.3 + weight * (mu + noise - 0.3)
    adopt = after - 0.1 > np.sqrt(0.2 * (1 - weight)) * 0.5244005127080407  # Φ⁻¹(.7)
    gain = np.where(adopt, np.where(mu > 0.1, 0.6, -1.4), 0.0)
    assert threshold.values()["evsi"] == pytest.approx(gain.mean(), abs=5 * gain.std() / 1000)


@pytest.mark.parametrize("actions", [3, 4, 6])
def test_joint_normal_net_benefits_agree_with_draws(actions: int) -> None:
    draw = np.random.default_rng(actions)
    root = draw.normal(size=(actions, actions))
    mean, cov = draw.normal(size=actions), root @ root.T
    net = draw.multivariate_normal(mean, cov, 4 * 10**5)
    gain = net.max(axis=1) - net[:, mean.argmax()]
    evpi = JointNormal(nb_mean=mean.tolist(), nb_cov=cov.tolist()).values()["evpi"]
    assert evpi == pytest.approx(gain.mean(), abs=5 * gain.std() / np.sqrt(len(gain)))


def test_an_effect_is_bought_at_a_willingness_to_pay() -> None:
    effect = EffectNetBenefit(
        post_mean=0.2,
        post_var=0.01,
        willingness_to_pay=20_000,
        gain=[0, 1],
        cost=[0, 3000],
        actions=["usual care", "new"],
        thresholds=[0, 15_000, 1e9],
    )
    values = effect.values()
    same = Linear(post_mean=0.2, post_var=0.01, value_per_unit=20_000, delta=0.15).values()
    assert values["best"] == "new" and values["evpi"] == pytest.approx(same["evpi"])
    assert [row[1] for row in values["ceac"]["chance_best"]] == pytest.approx([0, 0.5, 0.97725], abs=1e-5)  # type: ignore[index]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Threshold(post_mean=0, post_var=0, delta=0, adopt_if="mu>delta", q_star=0.5),
        lambda: Threshold(post_mean=0, post_var=1, delta=0, adopt_if="mu>delta"),
        lambda: Threshold(post_mean=0, post_var=1, delta=0, adopt_if="mu>delta", q_star=0.5, B=1.0),
        lambda: Threshold(post_mean=0, post_var=1, delta=0, adopt_if="mu>delta", q_star=0.5, K=0),
        lambda: Linear(post_mean=0, post_var=1, value_per_unit=1, delta=0, se2_new=float("nan")),
        lambda: ActionsLinear(intercept=[1], slope=[1], post_mean=0, post_var=1),
        lambda: ActionsLinear(intercept=[1, 2], slope=[1], post_mean=0, post_var=1),
        lambda: ActionsLinear(intercept=[1, 2], slope=[], post_mean=0, post_var=1),
        lambda: JointNormal(nb_mean=[0, 1], nb_cov=[[1, 2], [2, 1]]),
        lambda: JointNormal(nb_mean=[0, 1], nb_cov=[[1, 0], [1]]),
        lambda: JointNormal(nb_mean=[0, 1], nb_cov=[[1, 0.5], [0, 1]]),
        lambda: LinearParameters(intercept=0, coef=[1, 2], mean=[], cov=[[1, 0], [0, 1]]),
        lambda: ActionTable(consequences=[[1, 2], [3, 4]], chances=[0.5, 0.6]),
        lambda: ActionTable(consequences=[[1, 2], [3]], chances=[0.5, 0.5]),
        lambda: ActionTable(consequences=[[1, 2], [3, 4]], chances=[0.5, 0.5], likelihood=[[0.5, 0.5]]),
        lambda: ActionTable(consequences=[[1, 2], [3, 4]], chances=[0.5, 0.5], partitions={"p": ["a"]}),
    ],
)
def test_what_cannot_be_is_refused(make) -> None:
    with pytest.raises(InputProblem):
        make()


@pytest.mark.parametrize("likelihood", [(), [[0.5, 0.4], [0.5]]])
def test_the_row_of_a_table_that_is_wrong_is_named(likelihood: Any) -> None:
    named, rows = ("likelihood", [[1, 2], [3, 4]]) if likelihood else ("consequences", [[1, 2], [3]])
    with pytest.raises(InputProblem, match=f"Row 2 of {named}"):
        ActionTable(consequences=rows, chances=[0.5, 0.5], likelihood=likelihood)
