"""The frontier of costs and effects: an action stands on it where some willingness to pay makes it the best."""

import numpy as np
import pytest

from tarstop_core.value.actions.frontier import icers


@pytest.mark.parametrize("seed", range(20))
def test_actions_on_the_frontier_are_the_best_from_their_ratio_on(seed: int) -> None:
    rng = np.random.default_rng(seed)
    effect, cost = rng.normal(size=6).round(1), (100 * rng.random(6)).round()
    ratios = icers(effect, cost)
    on = np.flatnonzero(~np.isnan(ratios))
    worth = np.linspace(0, 1.1 * np.nanmax(ratios) + 1, 100_000)
    best = {int(at) for at in (worth[:, None] * effect - cost).argmax(axis=1)[1:]}
    assert best == {*on.tolist()}
    for at in on[ratios[on] > 0]:
        net = ratios[at] * effect - cost
        assert net[at] == pytest.approx(net.max()) and (np.isclose(net, net.max())).sum() >= 2


def test_the_cheapest_begins_and_what_costs_more_for_less_is_dominated() -> None:
    effect, cost = np.array([1.0, 0.0, 1.0, 3.0]), np.array([500.0, 0.0, 300.0, 1200.0])
    assert icers(effect, cost) == pytest.approx([np.nan, 0.0, 300.0, 450.0], nan_ok=True)
