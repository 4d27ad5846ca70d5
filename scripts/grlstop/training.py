"""GRLStop's training: proximal policy optimisation (Schulman et al. 2017) on whole batches of episodes.

Two networks: one gives the logit of STOP, the other what an episode will still earn. Settings follow the
published GRLStop where the paper is silent, with these exceptions (assumptions): episodes end after at most
W choices and the paper's reward has a price for every step, so there is no discount; the first policy
seldom stops, so that it sees the far end of rankings; learning rate and entropy bonus fall to nothing.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from scripts.grlstop.world import Episodes, Integers, rate_scale
from tarstop_core.documents.topic import Topic
from tarstop_core.policies.grlstop import HIDDEN, INPUTS, Network, Single, W, Weights

Choices = NDArray[np.int8]

STEPS = 5_000_000  # Choices to play
FEW = 100  # Fewer lists than this are soon known by heart
STEPS_ON_FEW = 1_000_000  # Choices to play on so few
EPISODES = 512  # Played in a round
BATCH = 2048  # Choices behind one step of descent
EPOCHS = 6  # Passes over the choices of a round
CLIP = 0.2  # How far PPO lets a chance move in a round
DISCOUNT = 1.0  # Of later rewards: none
TRACE = 0.98  # λ of the generalised advantage estimate
ENTROPY = 0.01  # at the beginning
LEARNING_RATE = 1e-3  # at the beginning
FIRST_LOGIT = -2.0  # of STOP: an untrained policy goes on for 8 windows on average

NEXT, STOP, NOT_REACHED = 0, 1, -1


# --- the networks: how they begin, their gradient, and Adam ---------------------------------------


def initial(rng: np.random.Generator, inputs: int, gain: float, bias: float = 0.0) -> Network:
    """A network with orthogonal weights, as PPO is usually begun, in single precision.

    `gain` scales the output's weights, where the hidden layers have √2; `bias` is that of the output.
    """
    zeros = np.zeros(HIDDEN, dtype=np.float32)
    return Network(
        W1=_orthogonal(rng, inputs, HIDDEN, np.sqrt(2)),
        b1=zeros,
        W2=_orthogonal(rng, HIDDEN, HIDDEN, np.sqrt(2)),
        b2=zeros.copy(),
        w3=_orthogonal(rng, HIDDEN, 1, gain)[:, 0],
        b3=np.full(1, bias, dtype=np.float32),
    )


def gradient(network: Network, states: Single, slope: Callable[[Single], Single]) -> Network:
    """Gradient in all weights of a loss; `slope` is its derivative in each output, from the outputs, both (n,)."""
    first = np.tanh(states @ network.W1 + network.b1)
    second = np.tanh(first @ network.W2 + network.b2)
    d_output = slope(second @ network.w3 + network.b3)
    d_second = np.outer(d_output, network.w3) * (1 - second * second)
    d_first = (d_second @ network.W2.T) * (1 - first * first)
    return Network(
        states.T @ d_first,
        d_first.sum(axis=0),
        first.T @ d_second,
        d_second.sum(axis=0),
        second.T @ d_output,
        d_output.sum(keepdims=True),
    )


class Adam:
    """Kingma and Ba's descent on the weights of a network, in place, with the gradient's norm clipped."""

    MEAN, SQUARE, TINY, MAX_NORM = 0.9, 0.999, 1e-8, 0.5

    def __init__(self, network: Network) -> None:
        self.network = network
        self.mean = [np.zeros_like(array) for array in network]
        self.square = [np.zeros_like(array) for array in network]
        self.steps = 0

    def step(self, gradient: Sequence[Single], rate: float) -> None:
        """One step against the gradient at a learning rate."""
        norm = np.sqrt(sum(float((part * part).sum()) for part in gradient))
        clip = np.float32(min(1.0, self.MAX_NORM / (norm + self.TINY)))
        self.steps += 1
        correction = np.sqrt(1 - self.SQUARE**self.steps) / (1 - self.MEAN**self.steps)
        for array, part, mean, square in zip(self.network, gradient, self.mean, self.square, strict=True):
            part = clip * part
            mean += np.float32(1 - self.MEAN) * (part - mean)
            square += np.float32(1 - self.SQUARE) * (part * part - square)
            array -= np.float32(rate * correction) * mean / (np.sqrt(square) + np.float32(self.TINY))


def _orthogonal(rng: np.random.Generator, rows: int, columns: int, gain: float) -> Single:
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return np.ascontiguousarray(gain * (q if rows >= columns else q.T), dtype=np.float32)


# --- training -------------------------------------------------------------------------------------


def steps_for(topics: int) -> int:
    """Choices to play on so many topics (assumption; ``docs/grlstop.md`` says what others come to)."""
    return STEPS if topics >= FEW else STEPS_ON_FEW


def train(
    topics: Sequence[Topic],
    seed: int = 0,
    steps: int = STEPS,
    *,
    progress: Callable[[float], None] | None = None,
) -> Weights:
    """Train an agent on labelled topics, for all targets at once.

    Parameters
    ----------
    topics : sequence of Topic
        Labelled rankings.
    seed : int
        Equal seeds, topics and machines give equal weights.
    steps : int
        About how many choices to play; a few dozen topics are soon known by heart: play fewer (:func:`steps_for`).
    progress : callable, optional
        Called with the share done, in (0, 1], after every round; an exception from it ends the training.

    Returns
    -------
    Weights
        The trained agent.

    Raises
    ------
    InputProblem
        When a topic has no labels or no documents, or none holds a relevant document.
    """
    rng = np.random.default_rng(seed)
    scale = rate_scale(topics)
    episodes = Episodes.of(topics, scale)
    policy = initial(rng, INPUTS, 0.01, FIRST_LOGIT)
    value = initial(rng, INPUTS, 1.0)
    policy_descent, value_descent = Adam(policy), Adam(value)
    done = 0
    # These matrices are too small to share between threads, which would also change the rounding.
    with threadpool_limits(limits=1):
        while done < steps:
            for played in np.array_split(rng.permutation(len(episodes)), -(-len(episodes) // EPISODES)):
                left = 1.0 - done / steps
                choices = _play_and_judge(episodes, played, policy, value, rng)
                count = len(choices.stops)
                for _ in range(EPOCHS):
                    for batch in np.array_split(rng.permutation(count), -(-count // BATCH)):
                        taken = _Played(*(part[batch] for part in choices))
                        _learn(taken, policy_descent, value_descent, left)
                done += count
                if progress is not None:
                    progress(min(done / steps, 1.0))
                if done >= steps:
                    break
    return Weights(policy, scale)


def play(
    episodes: Episodes, played: Integers, policy: Network, rng: np.random.Generator
) -> tuple[Choices, Single]:
    """Play some episodes once: choices and logits after 1 … W − 1 windows, shape (p, W − 1).

    `policy` goes from the state to the logit of STOP; `NOT_REACHED` stands after an episode's end.
    """
    choices = np.full((len(played), W - 1), NOT_REACHED, dtype=np.int8)
    logits = np.zeros((len(played), W - 1), dtype=np.float32)
    going = np.arange(len(played))
    for x in range(1, W):
        going = going[episodes.windows[played[going]] > x]
        if not len(going):
            break
        logit = policy(episodes.states(played[going], x))
        stops = rng.random(len(going)) < _sigmoid(logit)
        choices[going, x - 1] = stops
        logits[going, x - 1] = logit
        going = going[~stops]
    return choices, logits


def advantages(choices: Choices, reward: Single, values: Single) -> Single:
    """Generalised advantage estimates (Schulman et al. 2016), all of shape (n, W − 1), 0 where not reached.

    An episode ends with its last choice that is not `NOT_REACHED`; `values` are the rewards expected before each choice.
    """
    reached = choices != NOT_REACHED
    estimates = np.zeros(values.shape, dtype=np.float32)
    later_value = later_estimate = np.zeros(len(values), dtype=np.float32)
    for k in range(values.shape[1] - 1, -1, -1):
        surprise = reward[:, k] + DISCOUNT * later_value - values[:, k]
        later_estimate = np.where(reached[:, k], surprise + DISCOUNT * TRACE * later_estimate, 0.0)
        later_value = np.where(reached[:, k], values[:, k], 0.0)
        estimates[:, k] = later_estimate
    return estimates


def policy_slope(logit: Single, stops: Single, before: Single, gain: Single, entropy: float) -> Single:
    """Derivative of PPO's clipped loss, less the entropy bonus, in the logit that STOP has now, each of shape (n,).

    `stops` is 1 where the choice was STOP, `before` the log of the chance that the choice had when it was made, `gain` its
    advantage, `entropy` the weight of the bonus.
    """
    chance = _sigmoid(logit)
    ratio = np.exp(log_chance(logit, stops) - before)
    unclipped = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    slope = -gain * ratio * unclipped * (stops - chance) + entropy * logit * chance * (1 - chance)
    return np.asarray(slope / len(logit), dtype=np.float32)


def log_chance(logit: Single, stops: Single) -> Single:
    """Logarithm of the chance of the choice made."""
    return np.asarray(-np.logaddexp(0.0, np.where(stops > 0, -logit, logit)))


class _Played(NamedTuple):
    """Choices of a round, one after another: shape (n, INPUTS) and, else, (n,)."""

    states: Single
    stops: Single
    before: Single
    gain: Single
    earned: Single


def _play_and_judge(
    episodes: Episodes, played: Integers, policy: Network, value: Network, rng: np.random.Generator
) -> _Played:
    choices, logits = play(episodes, played, policy, rng)
    reward = np.where(choices == STOP, episodes.stop_reward[played], episodes.next_reward[played])
    at = np.nonzero(choices != NOT_REACHED)
    states = episodes.states(played[at[0]], at[1] + 1)
    values = np.zeros(logits.shape, dtype=np.float32)
    values[at] = value(states)
    gain = advantages(choices, reward, values)[at]
    stops = (choices[at] == STOP).astype(np.float32)
    return _Played(states, stops, log_chance(logits[at], stops), gain, gain + values[at])


def _learn(batch: _Played, policy: Adam, value: Adam, left: float) -> None:
    gain = (batch.gain - batch.gain.mean()) / (batch.gain.std() + np.float32(1e-8))

    def policy_loss(logit: Single) -> Single:
        return policy_slope(logit, batch.stops, batch.before, gain, ENTROPY * left)

    def value_loss(expected: Single) -> Single:
        return (expected - batch.earned) / np.float32(len(expected))

    policy.step(gradient(policy.network, batch.states, policy_loss), LEARNING_RATE * left)
    value.step(gradient(value.network, batch.states, value_loss), LEARNING_RATE * left)


def _sigmoid(logit: Single) -> Single:
    return np.asarray(1 / (1 + np.exp(-logit)))
