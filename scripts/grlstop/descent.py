"""Training of GRLStop's two networks: how they begin, their gradient, and Adam."""

from collections.abc import Callable, Sequence

import numpy as np

from tarstop_core.policies.grlstop import HIDDEN, Network, Single


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
