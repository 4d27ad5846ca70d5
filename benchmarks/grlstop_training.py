"""GRLStop: how long its training takes, what comes of it, and how fast the trained agent is.

Run it as ``python benchmarks/grlstop_training.py``. Trains as ``scripts/train_grlstop.py`` does and
compares with the shipped agent on 1,000 simulated topics that neither has seen. Exits with 1 when training
takes more than 5 minutes, when the new agent's mean reward there is more than .05 below the shipped one's,
or when all 12 targets take more than 1 ms a topic.
"""

import sys
import time

from scripts.grlstop import training as ppo
from scripts.grlstop.world import assess
from tarstop_core.policies.grlstop import TARGETS, depths_for_targets, shipped_weights
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

TOPICS, TRAIN_SEED, TEST_SEED = 1_000, 1, 2
TARGET_SECONDS, TARGET_LOSS, TARGET_MILLISECONDS = 300, 0.05, 1.0


def main() -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    topics = simulate_patent_rankings(TOPICS, TRAIN_SEED)
    begun = time.perf_counter()
    weights = ppo.train(topics)
    seconds = time.perf_counter() - begun

    others = simulate_patent_rankings(TOPICS, TEST_SEED)
    new, shipped = (assess(agent, others)["reward"].mean() for agent in (weights, shipped_weights()))
    begun = time.perf_counter()
    for topic in others:
        depths_for_targets(topic.labels)
    milliseconds = 1000 * (time.perf_counter() - begun) / len(others)

    print(f"{TOPICS:,} topics x {len(TARGETS)} targets, {ppo.STEPS:,} choices")
    print(f"training               {seconds:6.1f} s (at most {TARGET_SECONDS} s)")
    print(f"mean reward, held out  {new:6.3f}   (shipped {shipped:.3f}; at most {TARGET_LOSS} below)")
    print(f"{len(TARGETS)} targets, one topic  {milliseconds:6.2f} ms (at most {TARGET_MILLISECONDS:g} ms)")
    met = seconds <= TARGET_SECONDS and new >= shipped - TARGET_LOSS and milliseconds <= TARGET_MILLISECONDS
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
