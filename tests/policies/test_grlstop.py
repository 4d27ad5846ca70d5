"""GRLStop's depths against an agent that goes window by window, its restarts, and how the shipped one does."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scripts.grlstop.training import initial
from scripts.grlstop.world import assess
from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.policies import parse_policy
from tarstop_core.policies.grlstop import (
    HIDDEN,
    INPUTS,
    TARGETS,
    GRLStop,
    Weights,
    depths_for_targets,
    shipped_weights,
    window_edges,
)
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference.baselines import agent_depth

PAYOFFS = Payoffs.from_q_star(0.5)
SIZES = st.one_of(st.integers(1, 120), st.integers(121, 4000))


@st.composite
def rankings(draw: st.DrawFn) -> np.ndarray:
    n = draw(SIZES)
    labels = np.zeros(n, dtype=bool)
    labels[draw(st.lists(st.integers(0, n - 1), max_size=12))] = True
    return labels


@st.composite
def agents(draw: st.DrawFn) -> Weights:
    """The shipped agent, or one that has learned nothing and stops anywhere."""
    seed = draw(st.one_of(st.none(), st.integers(0, 1000)))
    if seed is None:
        return shipped_weights()
    rng = np.random.default_rng(seed)
    begun = initial(rng, INPUTS, 3.0, draw(st.floats(-2, 0.5)))
    b1, b2 = rng.normal(size=(2, HIDDEN)).astype(np.float32)
    return Weights(begun._replace(b1=b1, b2=b2), rng.uniform(1, 40))


def window_by_window(labels: np.ndarray, target: float, agent: Weights) -> int:
    """The loop's depth; nothing beyond what was read is ever looked at."""
    depth, clear = agent_depth(labels.astype(int).tolist(), target, agent)
    assume(clear > 1e-3)  # closer, rounding chooses
    return depth


def with_agent(agent: Weights) -> type[GRLStop]:
    return type("WithAgent", (GRLStop,), {"weights": agent})


def path_of(labels: np.ndarray) -> DecisivePath:
    return DecisivePath(hit_curve(np.full(len(labels), 0.01)), 0.5, PAYOFFS, labels=labels)


@given(rankings(), st.sampled_from(TARGETS), agents())
def test_depths_are_those_of_an_agent_that_goes_window_by_window(
    labels: np.ndarray, target: float, agent: Weights
) -> None:
    expected = window_by_window(labels, target, agent)
    assert depths_for_targets(labels, [target], agent).tolist() == [expected]
    assert depths_for_targets(labels, TARGETS, agent)[TARGETS.index(target)] == expected
    policy = with_agent(agent)(target)
    assert policy.depths(path_of(labels), [0.0, 0.01, 1.0]).tolist() == [expected] * 3


@given(rankings(), st.sampled_from(TARGETS), agents(), st.data())
def test_from_any_start_before_the_stop_it_stops_there(
    labels: np.ndarray, target: float, agent: Weights, data: st.DataObject
) -> None:
    policy = with_agent(agent)(target)
    depth = int(policy.depths(path_of(labels), [0.01])[0])
    start = data.draw(st.integers(0, depth))
    unread = labels & (np.arange(len(labels)) < max(start, depth))  # as in a session: nothing known beyond
    assert policy.depths(path_of(unread), [0.01], start).tolist() == [depth]
    changed = labels.copy()
    changed[depth:] ^= True
    assert policy.depths(path_of(changed), [0.01]).tolist() == [depth]


@given(rankings(), agents(), st.data())
def test_a_window_that_was_begun_is_finished(labels: np.ndarray, agent: Weights, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(labels)))
    edges = window_edges(len(labels))
    for depth in depths_for_targets(labels, TARGETS, agent, start):
        assert depth in edges and depth >= max(start, edges[1])
    assert (depths_for_targets(labels, TARGETS, agent, len(labels)) == len(labels)).all()


def test_an_empty_list_is_read_to_its_end() -> None:
    assert depths_for_targets(np.zeros(0, dtype=bool), [0.1, 1.0]).tolist() == [0, 0]


def test_it_describes_itself() -> None:
    policy = GRLStop(0.7)
    assert policy.spec == "grlstop:target=0.7" and repr(policy) == "GRLStop(target=0.7)"
    assert "re-implementation" in policy.source and "not the authors' model" in policy.source
    assert policy.parameters[0].grid == TARGETS == (0.02, 0.05, *(tenths / 10 for tenths in range(1, 11)))
    assert not policy.acts_on_belief
    with pytest.raises(InputProblem, match=r"target is 1\.2"):
        GRLStop(1.2)


def test_an_agent_of_ones_own_is_followed_from_a_file(tmp_path: Path) -> None:
    labels = np.arange(500) % 60 == 0
    agent = Weights(initial(np.random.default_rng(5), INPUTS, 3.0, -0.5), 10.0)
    agent.save(tmp_path / "my.npz")
    file = tmp_path / "agent.py"
    file.write_text(
        "from tarstop_core.policies.grlstop import GRLStop, Weights\n\n\n"
        "class MyAgent(GRLStop):\n"
        f"    weights = Weights.load({str(tmp_path / 'my.npz')!r})\n",
        encoding="utf-8",
    )
    policy = parse_policy(f"{file}:MyAgent:target=0.5")
    expected = depths_for_targets(labels, [0.5], agent)
    assert policy.depths(path_of(labels), [0.1]) == expected
    assert GRLStop(0.5).depths(path_of(labels), [0.1]) != expected


def test_the_shipped_agent_on_topics_it_has_not_seen() -> None:
    qualities = [*assess(None, simulate_patent_rankings(400, seed=77)).itertuples()]
    by_target = {quality.target: quality for quality in qualities}
    # Stopping at once would earn −.25 at the lowest target and −1.8 at the highest; reading all, −1.
    assert np.mean([quality.reward for quality in qualities]) > -0.55
    assert by_target[0.02].reliability > 0.85 and by_target[1.0].reliability > 0.8
    assert by_target[0.02].windows < 12 < 60 < by_target[1.0].windows
    assert all(quality.windows_without < 25 for quality in qualities)
