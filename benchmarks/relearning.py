"""A list that learns: what it takes to fit again at 500 labels and to score every document anew.

Run it as ``python -m benchmarks.relearning``. The texts are synthetic, about 200 words of Zipf's law each. Seconds are
the processor's, on one thread. Beside it stands the same with all words and pairs in one product. Exits with 1 when the
scores of both are not the same to the last bit, or the ratio is higher than below.
"""

import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.bm25 import ZipfTexts
from tarstop_core.ranking.features import Features, Matrix, make_features
from tarstop_core.ranking.learning import Feedback, Label, SVMRanker

DOCUMENTS = {50_000: (50, 1.1), 200_000: (90, 0.8)}
"""With the milliseconds that it may take, on the machine it is built on, and the ratio at most."""
LABELS, RELEVANT, TIMES = 500, 0.1, 9


@dataclass(frozen=True, eq=False)
class Whole(Features):
    """Features whose rare terms are all looked at."""

    whole: Matrix

    def times(self, weights: np.ndarray) -> np.ndarray:
        """One product."""
        return np.asarray(self.whole @ weights)


def measure(features: Features) -> bool:
    """Print what it takes; true when it is within the target and exact."""
    N, rng = len(features), np.random.default_rng(0)
    labels = np.zeros(N, dtype=np.int8)
    said = np.where(rng.random(LABELS) < RELEVANT, Label.RELEVANT, Label.NOT_RELEVANT)
    labels[rng.choice(N, LABELS, replace=False)] = said
    told, most, limit = Feedback("w5 w100 w2000", labels, rng.random(N)), *DOCUMENTS[N]
    ways: dict[str, Features] = {
        "as it is": features,
        "one product": Whole(**vars(features), whole=features.matrix),
    }
    scores = [SVMRanker().scores(each, told, 0) for each in ways.values()]
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TIMES):  # by turns, so that what else the machine does is shared
        for name, each in ways.items():
            begun = time.process_time()
            SVMRanker().scores(each, told, 0)
            taken[name].append(1e3 * (time.process_time() - begun))
    here, whole = (statistics.median(each) for each in taken.values())
    exact = np.array_equal(*scores)
    print(f"{N:,} documents")
    print(f"  as it is          {here:9.1f} ms (at most {most} on the machine it is built on)")
    print(f"  one product       {whole:9.1f} ms")
    print(f"  ratio             {here / whole:9.2f} x (at most {limit} x)")
    print(f"  the same scores   {'yes' if exact else 'NO':>9}")
    return exact and here / whole <= limit


def main() -> int:
    """Measure and print."""
    print(f"Medians of {TIMES}, processor time")
    source = ZipfTexts()
    within = [measure(make_features(source.documents(N))) for N in DOCUMENTS]
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main())
