"""Windows lose no document, targets and rewards are the formulas', and where the published code differs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.grlstop.world import NEVER, Episodes, rate_scale, target_windows
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.policies.grlstop import INPUTS, TARGETS, W, window_counts, window_edges, window_rates
from tests.reference.recorded import recorded, sequences

LABELS = st.lists(st.booleans(), min_size=1, max_size=450).map(np.array)


def topic_of(labels: Any, name: str = "t") -> Topic:
    labels = np.asarray(labels, dtype=bool)
    return Topic(name, np.array([f"d{i}" for i in range(len(labels))]), labels=labels)


@pytest.fixture
def golden() -> dict[str, Any]:
    return recorded("baselines/rl_env")


@given(LABELS)
def test_every_document_is_in_exactly_one_window(labels: np.ndarray) -> None:
    edges = window_edges(len(labels))
    assert edges[0] == 0 and edges[-1] == len(labels)
    assert len(edges) == min(len(labels), W) + 1
    sizes = np.diff(edges)
    assert sizes.min() >= 1 and sizes.max() - sizes.min() <= 1 + (len(labels) / W % 1 > 0)
    assert window_counts(labels).sum() == labels.sum()


@given(LABELS)
def test_rates_are_shares_window_by_window(labels: np.ndarray) -> None:
    edges = window_edges(len(labels))
    rates = window_rates(labels)
    for i in range(W):
        if i < len(edges) - 1:
            assert rates[i] == pytest.approx(labels[edges[i] : edges[i + 1]].mean())
        else:
            assert rates[i] == -1


@given(LABELS)
def test_target_windows_are_the_first_with_that_recall(labels: np.ndarray) -> None:
    edges = window_edges(len(labels))
    for target, found in zip(TARGETS, target_windows(labels, TARGETS), strict=True):
        x = 1
        while labels.any() and labels[: edges[x]].sum() / labels.sum() < target:
            x += 1
        assert found == (x if labels.any() else NEVER)


def test_a_recall_that_equals_the_target_reaches_it() -> None:
    for tenths in range(1, 11):
        labels = np.arange(1000) % 100 == 0  # one in every tenth window
        assert target_windows(labels, [tenths / 10]) == [10 * (tenths - 1) + 1]


def test_the_paper_pays_two_for_success_and_charges_a_hundredth_a_window() -> None:
    labels = np.zeros(1000, dtype=bool)
    labels[[5, 25]] = True  # windows 1 and 3
    episodes = Episodes.of([topic_of(labels), topic_of(np.zeros(1000))], scale=1.0)
    half, full, nothing = TARGETS.index(0.5), TARGETS.index(1.0), len(TARGETS) + TARGETS.index(0.5)
    assert episodes.stop_reward[half].tolist() == [2.0] * 99
    assert episodes.stop_reward[full].tolist() == [-2.0] * 2 + [2.0] * 97
    assert episodes.stop_reward[nothing].tolist() == [-2.0] * 99
    # Going on to the last window ends the episode: +2 or −2 as well.
    for episode, end in ((half, 2.0), (full, 2.0), (nothing, -2.0)):
        assert episodes.next_reward[episode] == pytest.approx([-0.01] * 98 + [end - 0.01])


def test_a_short_list_has_as_many_windows_as_documents() -> None:
    episodes = Episodes.of([topic_of([0, 1, 0, 1])], scale=1.0)
    full = TARGETS.index(1.0)
    assert episodes.windows.tolist() == [4] * len(TARGETS)
    assert episodes.stop_reward[full][:3].tolist() == [-2, -2, -2]
    assert episodes.next_reward[full][:3] == pytest.approx([-0.25, -0.25, 1.75])


@given(LABELS, st.integers(0, len(TARGETS) - 1), st.data())
def test_a_state_shows_examined_windows_and_nothing_else(
    labels: np.ndarray, k: int, data: st.DataObject
) -> None:
    episodes = Episodes.of([topic_of(labels)], scale=3.0)
    x = data.draw(st.integers(1, min(len(labels), W)))
    state = episodes.states(np.array([k]), x)[0]
    assert state.shape == (INPUTS,)
    assert (state[:x] == 3 * window_rates(labels)[:x]).all() and (state[x:W] == -1).all()
    assert state[W:] == pytest.approx([x / min(len(labels), W), TARGETS[k]])
    changed = labels.copy()
    changed[window_edges(len(labels))[x] :] ^= True
    again = Episodes.of([topic_of(changed)], scale=3.0)
    assert (again.states(np.array([k]), np.array([x]))[0] == state).all()


def test_the_scale_is_one_over_the_mean_rate_of_windows_with_a_hit() -> None:
    labels = np.zeros(1000, dtype=bool)
    labels[[0, 1, 2, 50]] = True  # rates .3 and .1
    assert rate_scale([topic_of(labels), topic_of(np.zeros(500))]) == pytest.approx(5.0)


def test_topics_nothing_can_be_learned_from_are_refused() -> None:
    with pytest.raises(InputProblem, match="no judgments"):
        Episodes.of([Topic("t", np.array(["a"]))], 1.0)
    with pytest.raises(InputProblem, match="no documents"):
        Episodes.of([topic_of([])], 1.0)
    for topics in ([], [topic_of([0, 0])]):
        with pytest.raises(InputProblem, match="No topic holds"):
            rate_scale(topics)


def test_windows_match_those_of_the_published_environment(golden: dict[str, Any]) -> None:
    """Peer defects: its windows lose their last document, and it divides hits by W, not by the window's size."""
    for run in golden["rlstop"]:
        labels = sequences(golden)[run["seq"]]
        edges = window_edges(len(labels))
        kept = labels.copy()
        kept[edges[1:] - 1] = False
        assert window_counts(labels).sum() == run["true_relevant"]
        assert window_counts(kept).sum() == run["counted_relevant"] < run["true_relevant"]

        counted = window_counts(kept)
        assert counted.cumsum() / counted.sum() == pytest.approx(run["recall_seen"], abs=6e-4)
        target_window = target_windows(kept, run["target"])
        assert target_window == [run["target_window_0based"] + 1]

        # The first step examines window 0.
        assert run["agent_window"] == list(range(W))

        # The golden state after the sixth step: five rates, unexamined ones, and the last.
        assert counted[:5] / W == pytest.approx(run["obs_at_5"][:5])


def test_no_last_document_is_lost(golden: dict[str, Any]) -> None:
    for run in golden["rlstop"]:
        labels = sequences(golden)[run["seq"]]
        edges = window_edges(len(labels))
        rates = window_rates(labels)
        assert (rates * np.diff(edges)).sum() == pytest.approx(run["true_relevant"], rel=1e-5)
