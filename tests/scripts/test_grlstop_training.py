"""PPO's parts against plain loops and differences, and a task that is learned in seconds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.grlstop.training import (
    CLIP,
    DISCOUNT,
    NEXT,
    NOT_REACHED,
    STOP,
    TRACE,
    advantages,
    initial,
    log_chance,
    play,
    policy_slope,
    train,
)
from scripts.grlstop.world import Episodes, assess
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.policies.grlstop import INPUTS, TARGETS, W


def topic_of(labels: np.ndarray, name: str = "t") -> Topic:
    return Topic(name, np.array([f"d{i}" for i in range(len(labels))]), labels=labels)


def easy_topics(n: int = 20) -> list[Topic]:
    """Either everything is in the first two windows, or there is nothing."""
    rng = np.random.default_rng(0)
    topics = []
    for t in range(n):
        labels = np.zeros(1000, dtype=bool)
        if t % 2:
            labels[rng.integers(0, 10, 2)] = labels[rng.integers(10, 20, 2)] = True
        topics.append(topic_of(labels, f"t{t}"))
    return topics


@given(st.integers(1, 98), st.booleans(), st.integers(0, 2**32 - 1))
def test_advantages_are_the_sums_of_discounted_surprises(length: int, stops: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = np.full((1, W - 1), NOT_REACHED, dtype=np.int8)
    choices[0, :length] = NEXT
    if stops:
        choices[0, length - 1] = STOP
    reward = rng.standard_normal((1, W - 1)).astype(np.float32)
    values = rng.standard_normal((1, W - 1)).astype(np.float32)
    found = advantages(choices, reward, values)[0]
    v = [float(value) for value in values[0, :length]] + [0.0]
    surprises = [float(reward[0, k]) + DISCOUNT * v[k + 1] - v[k] for k in range(length)]
    for k in range(length):
        expected = sum((DISCOUNT * TRACE) ** (j - k) * surprises[j] for j in range(k, length))
        assert found[k] == pytest.approx(expected, abs=1e-3)
    assert (found[length:] == 0).all()


@given(
    st.floats(-4, 4),
    st.booleans(),
    st.floats(-2, 2).filter(lambda gain: abs(gain) > 0.01),
    st.floats(-1, 1),
    st.floats(0, 0.1),
)
def test_the_slope_is_the_derivative_of_the_clipped_loss(
    logit: float, stops: bool, gain: float, moved: float, entropy: float
) -> None:
    def log_of(z: float) -> float:
        return -math.log1p(math.exp(-z if stops else z))

    before = log_of(logit - moved)

    def loss(z: float) -> float:
        ratio = math.exp(log_of(z) - before)
        chance = 1 / (1 + math.exp(-z))
        uncertainty = -chance * math.log(chance) - (1 - chance) * math.log(1 - chance)
        clipped = min(max(ratio, 1 - CLIP), 1 + CLIP)
        return -min(ratio * gain, clipped * gain) - entropy * uncertainty

    ratio = math.exp(log_of(logit) - before)
    if min(abs(ratio - 1 - CLIP), abs(ratio - 1 + CLIP)) < 1e-3:
        return  # the loss has a kink there
    one = [np.array([value]) for value in (logit, float(stops), before, gain)]
    slope = (loss(logit + 1e-5) - loss(logit - 1e-5)) / 2e-5
    assert policy_slope(one[0], one[1], one[2], one[3], entropy)[0] == pytest.approx(slope, abs=1e-5)
    assert log_chance(one[0], one[1])[0] == pytest.approx(log_of(logit))


def test_an_episode_goes_on_until_it_stops_or_the_list_ends() -> None:
    labels = [np.arange(n) < 3 for n in (1000, 40, 1)]
    episodes = Episodes.of([topic_of(column) for column in labels], scale=1.0)
    rng = np.random.default_rng(3)
    policy = initial(rng, INPUTS, 0.01, -3.0)
    every = np.arange(len(episodes))
    stopped = 0
    for _ in range(20):
        choices, logits = play(episodes, every, policy, rng)
        for episode, row in enumerate(choices):
            reached = int((row != NOT_REACHED).sum())
            assert (row[reached:] == NOT_REACHED).all() and (row[: max(reached - 1, 0)] == NEXT).all()
            if reached and row[reached - 1] == STOP:
                stopped += 1
            else:
                assert reached == episodes.windows[episode] - 1
        k, x = 5, 1
        assert logits[k, 0] == pytest.approx(policy(episodes.states(np.array([k]), x))[0], abs=1e-5)
    assert 0 < stopped < 20 * len(episodes)


def test_it_learns_what_can_be_learned() -> None:
    """With hits: read both windows for a high target, one for a low; without: stop at once."""
    topics = easy_topics()
    qualities = {
        quality.target: quality for quality in assess(train(topics, steps=60_000), topics).itertuples()
    }
    assert np.mean([quality.reward for quality in qualities.values()]) > -0.15  # at best −.02
    assert qualities[1.0].reliability == 1.0
    assert qualities[0.1].windows_without < 10 and qualities[1.0].windows < 20


def test_equal_seeds_give_equal_weights_and_progress_is_told() -> None:
    told: list[float] = []
    topics = easy_topics(10)
    runs = [train(topics, seed=seed, steps=3_000, progress=told.append) for seed in (1, 1, 2)]
    first, same, other = (run.network for run in runs)
    assert all((a == b).all() for a, b in zip(first, same, strict=True))
    assert not (first[0] == other[0]).all()
    assert told.count(1.0) == 3 and all(0 < share <= 1 for share in told)


def test_topics_without_anything_to_find_are_refused() -> None:
    with pytest.raises(InputProblem, match="No topic holds"):
        train([topic_of(np.zeros(50, dtype=bool))])


def test_quality_is_counted_as_it_says() -> None:
    topics = [topic_of(np.arange(1000) == 15), topic_of(np.zeros(1000, dtype=bool))]
    for quality in assess(train(easy_topics(10), steps=2_000), topics).itertuples():
        assert quality.oracle == 2
        assert quality.reliability == float(quality.windows >= 2) == quality.recall
        reached = 4 * quality.reliability - 4
        assert quality.reward == pytest.approx(
            (reached - (quality.windows + quality.windows_without) / 100) / 2
        )
    assert assess(None, topics)["target"].tolist() == list(TARGETS)
