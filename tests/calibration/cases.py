"""Labelled lists to fit on."""

import math

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tarstop_core.documents.topic import Topic

SCORES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def topic(
    scores: ArrayLike | None, labels: ArrayLike, name: str = "t", n_relevant: int | None = None
) -> Topic:
    labels = np.asarray(labels, dtype=bool)
    return Topic(
        name=name,
        ids=np.array([f"d{i}" for i in range(len(labels))]),
        scores=None if scores is None else np.asarray(scores, dtype=float),
        labels=labels,
        n_relevant=int(labels.sum()) if n_relevant is None else n_relevant,
    )


def simulated(
    topics: int, n: int, seed: int, frailty: float = math.inf, top: float = 0.15, ties: bool = False
) -> list[Topic]:
    """Topics whose document k has a chance top·k^−.8 of relevance, times a gamma factor of the topic."""
    rng = np.random.default_rng(seed)
    rate = -np.log1p(-top * np.arange(1, n + 1) ** -0.8)
    made = []
    for t in range(topics):
        factor = 1.0 if math.isinf(frailty) else rng.gamma(frailty, 1 / frailty)
        labels = rng.random(n) < -np.expm1(-factor * rate)
        scores = 100 - 10 * np.log(np.arange(1, n + 1))
        if ties:
            scores = np.round(scores, -1)
        # omega+ whether or not anything relevant was ranked, so that no topic is left out
        made.append(
            topic(rng.uniform(0.5, 5) * scores + rng.normal(0, 50), labels, f"t{t}", 1 + int(labels.sum()))
        )
    return made


# --- fitting --------------------------------------------------------------------------------------


@st.composite
def labelled(draw: st.DrawFn) -> list[Topic]:
    made = []
    for t in range(draw(st.integers(1, 5))):
        scores = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, 7.0, -3.0]), min_size=1, max_size=15))
        labels = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
        made.append(topic(sorted(scores, reverse=True), labels, f"t{t}"))
    made.append(topic([2, 1], [True, False], "last"))
    return made
