"""The network's gradient is the derivative, Adam is its formulas, and files come back as they were."""

from pathlib import Path

import numpy as np
import pytest

from scripts.grlstop.training import Adam, gradient, initial
from tarstop_core.errors import InputProblem
from tarstop_core.policies.grlstop import HIDDEN, INPUTS, Network, Weights


def network(seed: int = 0) -> Network:
    return initial(np.random.default_rng(seed), INPUTS, 1.0, -0.3)


def test_the_gradient_is_the_derivative() -> None:
    rng = np.random.default_rng(1)
    double = Network(*(array.astype(float) for array in network()))  # type: ignore[arg-type]
    states, wanted = rng.standard_normal((5, INPUTS)), rng.standard_normal(5)

    def loss() -> float:
        return float(((double(states) - wanted) ** 2).sum())

    slopes = gradient(double, states, lambda output: 2 * (output - wanted))
    for array, part in zip(double, slopes, strict=True):
        assert part.shape == array.shape
        for index in rng.integers(0, array.size, 20):
            before, step = array.flat[index], 1e-6
            array.flat[index] = before + step
            above = loss()
            array.flat[index] = before - step
            slope = (above - loss()) / (2 * step)
            array.flat[index] = before
            assert part.flat[index] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_it_begins_orthogonal_with_the_bias_asked_for() -> None:
    begun = network()
    for hidden in (begun.W1, begun.W2):
        assert np.abs(hidden.T @ hidden - 2 * np.eye(HIDDEN)).max() < 1e-5
    assert begun.w3 @ begun.w3 == pytest.approx(1.0, abs=1e-5)
    assert begun.b3 == pytest.approx([-0.3])


def test_adam_takes_the_published_steps() -> None:
    learner = network()
    w, mean, square = learner.w3.astype(float), np.zeros(HIDDEN), np.zeros(HIDDEN)
    descent = Adam(learner)
    rng = np.random.default_rng(2)
    for t in range(1, 6):
        slopes = [np.zeros_like(array) for array in learner]
        slopes[4] = rng.standard_normal(HIDDEN).astype(np.float32)
        descent.step(slopes, 0.01)
        g = slopes[4].astype(float)
        g *= min(1.0, 0.5 / np.linalg.norm(g))
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g**2
        w -= 0.01 * (mean / (1 - 0.9**t)) / np.sqrt(square / (1 - 0.999**t))
        assert learner.w3 == pytest.approx(w, abs=1e-5)
    assert (learner.W1 == network().W1).all()


def test_a_file_comes_back_and_equal_weights_give_equal_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    Weights(network(), 19.5).save(one)
    back = Weights.load(one)
    back.save(two)
    assert back.scale == 19.5
    assert all((a == b).all() for a, b in zip(back.network, network(), strict=True))
    assert one.read_bytes() == two.read_bytes()


def test_other_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputProblem, match="There is no file"):
        Weights.load(tmp_path / "none.npz")
    path = tmp_path / "x.npz"
    for content in (b"", b"not an archive", b"PK\x03\x04 cut off"):
        path.write_bytes(content)
        with pytest.raises(InputProblem, match="contains no weights of GRLStop"):
            Weights.load(path)
    arrays = dict(zip(("W1", "b1", "W2", "b2", "w3", "b3"), network(), strict=True))
    spoiled = (
        {"W1": arrays["W1"][:5]},
        {"W1": np.full_like(arrays["W1"], np.nan)},
        {"w3": np.array(["text"])},
        {"scale": np.array(np.inf)},
        {"scale": np.zeros(3)},
    )
    for change in spoiled:
        with path.open("wb") as file:
            np.savez(file, **({"scale": np.array(1.0)} | arrays | change))
        with pytest.raises(InputProblem, match="contains no weights of GRLStop"):
            Weights.load(path)
    np.save(tmp_path / "single.npy", np.zeros(3))
    with pytest.raises(InputProblem, match="contains no weights of GRLStop"):
        Weights.load(tmp_path / "single.npy")
