"""Train GRLStop: the agent that is shipped, or one on rankings of one's own.

``python scripts/train_grlstop.py`` trains on simulated patent rankings, judges the agent on others, and
writes ``tarstop_core/policies/grlstop/grlstop.npz`` and ``docs/grlstop.md``. Run again on the same machine, it
writes the same files.

``python scripts/train_grlstop.py --run my.run --qrels my.qrels --out my.npz`` trains on these topics and
says how the agent does on them; how it does on others, only others can tell.
"""

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies.grlstop import training as ppo
from tarstop_core.policies.grlstop.assessment import Quality, assess
from tarstop_core.policies.grlstop.environment import TARGETS
from tarstop_core.policies.grlstop.rule import SHIPPED
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

REPORT = Path(__file__).resolve().parents[1] / "docs" / "grlstop.md"
TOPICS, TRAIN_SEED, TEST_SEED = 1000, 1, 2  # as the calibrators of simulated patents


def table(qualities: Sequence[Quality]) -> list[str]:
    """Quality by target as a Markdown table."""
    lines = [
        "| target | reliability | mean recall | windows, ω⁺ | needed, ω⁺ | windows, ω⁻ | reward |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for q in qualities:
        lines.append(
            f"| {q.target:g} | {q.reliability:.3f} | {q.recall:.3f} | {q.windows:.1f} | {q.oracle:.1f} "
            f"| {q.windows_without:.1f} | {q.reward:.3f} |"
        )
    return lines


def report(seen: Sequence[Quality], held_out: Sequence[Quality], seed: int, steps: int) -> str:
    """The note on the shipped agent."""
    rewards = [float(np.mean([q.reward for q in qualities])) for qualities in (seen, held_out)]
    over = max(held_out, key=lambda q: q.windows / q.oracle)
    short = [q for q in held_out if q.reliability < q.target]
    shortfall = (
        f"Reliability is below the target itself at {', '.join(f'{q.target:g}' for q in short)}."
        if short
        else "At no target is reliability below the target itself."
    )
    paragraphs = [
        "A re-implementation of the variant that Fletcher & Stevenson describe, not the authors' model. The paper "
        "states windows, targets and rewards; what it leaves open is listed as assumptions in "
        "`tarstop_core/policies/grlstop/environment.py` and `training.py`. `python scripts/train_grlstop.py` wrote this page and "
        "the weights.",
        f"Trained by PPO on {TOPICS:,} simulated patent rankings (seed {TRAIN_SEED}; half without relevant documents) "
        f"for {len(TARGETS)} targets: {steps:,} choices, seed {seed}. The table is about {TOPICS:,} **simulated** topics "
        f"that it has not seen (seed {TEST_SEED}). A window is 1 % of the list; reliability is the share of ω⁺ topics "
        "whose recall reaches the target, and *needed* is where an oracle would stop.",
        f"Mean reward {rewards[1]:.3f}, on the training topics {rewards[0]:.3f}. {shortfall} It reads most beyond need "
        f"at target {over.target:g}: {over.windows:.1f} windows where {over.oracle:.1f} would do. An error costs as "
        "much as 400 windows, so the agent reads to the end where hits have turned up and the target is high, and "
        "gives a topic up after a few windows without a hit; the ω⁺ topics it fails are mostly those. In the paper "
        "GRLStop stops after one window in every panel; here even the lowest target takes a few more before it "
        "gives up.",
        "On rankings unlike these (reviews, lists denser in relevant documents) the shipped agent does badly. Train "
        "one on topics of one's own, for fewer steps where there are only a few dozen, which are soon known by "
        "heart; judge it on others; and name it in a file:",
    ]
    head, about, result, own = (textwrap.fill(paragraph, 118) for paragraph in paragraphs)
    parts = ["# GRLStop as shipped", "", head, "", about, "", *table(held_out), "", result, "", own, ""]
    parts += [
        "```",
        "python scripts/train_grlstop.py --run my.run --qrels my.qrels --out my.npz",
        "```",
        "",
        "```python",
        "from tarstop_core.policies.grlstop.rule import GRLStop",
        "from tarstop_core.policies.grlstop.network import Weights",
        "",
        "",
        "class MyAgent(GRLStop):",
        '    weights = Weights.load("my.npz")',
        "```",
        "",
        "With these lines in `agent.py`, `--policy agent.py:MyAgent` follows it.",
    ]
    return "\n".join(parts) + "\n"


def show(share: float) -> None:
    """Progress on one line."""
    print(f"\r{share:5.0%}", end="" if share < 1 else "\n", file=sys.stderr, flush=True)


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--run", type=Path, help="rankings of one's own, TREC format")
    parser.add_argument("--qrels", type=Path, help="their judgments, TREC format")
    parser.add_argument("--out", type=Path, help="where to write the weights")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=ppo.STEPS, help="choices to play")
    given = parser.parse_args()
    own = [given.run, given.qrels, given.out]
    if any(own) and not all(own):
        parser.error("give --run, --qrels and --out together")
    try:
        if given.run:
            topics = list(label_topics(read_run(given.run), read_qrels(given.qrels))[0].values())
        else:
            topics = simulate_patent_rankings(TOPICS, TRAIN_SEED)
        weights = ppo.train(topics, given.seed, given.steps, progress=show)
    except InputProblem as problem:
        sys.exit(str(problem))
    weights.save(given.out or SHIPPED)
    seen = assess(weights, topics)
    if given.run:
        print("\n".join(table(seen)))
    else:
        held_out = assess(weights, simulate_patent_rankings(TOPICS, TEST_SEED))
        REPORT.write_text(report(seen, held_out, given.seed, given.steps), encoding="utf-8")


if __name__ == "__main__":
    main()
