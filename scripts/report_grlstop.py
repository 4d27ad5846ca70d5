"""What GRLStop's agents came to: writes ``docs/grlstop.md``.

Reads the agents (made by ``scripts/train_grlstop.py``), ``sample_data/results`` (``scripts/make_results.py`` and
``scripts/make_variations.py``) and nothing else.
"""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.agent_quality import Quality, assess
from scripts.report_results import table
from scripts.train_grlstop import SEED, TOPICS
from tarstop_core.evaluation.agents import FOLDER
from tarstop_core.evaluation.findings import variations
from tarstop_core.evaluation.findings.aggregate import beside_paper, compare, pairs
from tarstop_core.evaluation.findings.shipped import load_small, shipped
from tarstop_core.evaluation.findings.tables import headline_cost, signed
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.named import TASKS
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop import training as ppo
from tarstop_core.policies.grlstop.environment import TARGETS
from tarstop_core.policies.grlstop.rule import shipped_weights
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

REPORT = Path(__file__).resolve().parents[1] / "docs" / "grlstop.md"
TEST_SEED = 2


def reliability(qualities: Sequence[Quality]) -> str:
    """Quality by target."""
    return table(
        pd.DataFrame(
            {
                "target": f"{q.target:g}",
                "reliability": f"{q.reliability:.3f}",
                "mean recall": f"{q.recall:.3f}",
                "windows, ω⁺": f"{q.windows:.1f}",
                "needed, ω⁺": f"{q.oracle:.1f}",
                "windows, ω⁻": f"{q.windows_without:.1f}",
                "reward": f"{q.reward:.3f}",
            }
            for q in qualities
        )
    )


def as_measured() -> list[Results]:
    """The shipped results under the truth of the paper's tables."""
    found = []
    for each in shipped():
        said = TASKS[each.settings["scenario"]].paper
        if said is not None and each.truth == said.truth:
            found.append(load_small(each.path))
    return found


def trained() -> str:
    """The agents of the benchmarks: what each took, a row a benchmark."""
    known = pd.read_csv(sample_dir() / FOLDER / "trained.csv")
    titles = {each.benchmark: each.title for each in shipped()}
    rows = []
    for name, own in known.groupby("benchmark", sort=False):
        lists = sorted(set(own["lists"]))
        rows.append(
            {
                "benchmark": titles.get(str(name), str(name)),
                "agents": len(own),
                "lists of each": f"{lists[0]:,}" + (f" to {lists[-1]:,}" if len(lists) > 1 else ""),
                "choices of each": f"{own['steps'].iloc[0]:,}",
                "seconds of each": f"{own['seconds'].mean():.0f}",
                "reward on them": f"{own['reward'].mean():.3f}",
            }
        )
    return table(pd.DataFrame(rows))


def against_greedy(every: Sequence[Results]) -> str:
    """Net utility of GRLStop beside Greedy's and the paper's, at the paper's cost."""
    rows = []
    for results in every:
        cost = headline_cost(results.scenario, results.costs)
        gaps = compare(results.only(["grlstop", "greedy"]), "greedy").set_index(["q_star", "cost"])
        printed = beside_paper(results).set_index(["q_star", "method"])["net_utility_paper"]
        m, c = results.method("grlstop"), results.c(cost)
        for q, q_star in enumerate(results.q_stars):
            gap = gaps.loc[(q_star, cost)]
            means = np.average(results.net_utility[:, m, q, c], weights=results.weights)
            paper = "" if not results.simulated else signed(printed[q_star, "grlstop"])
            there = (
                ""
                if not results.simulated
                else signed(printed[q_star, "grlstop"] - printed[q_star, "greedy"])
            )
            rows.append(
                {
                    "benchmark": results.settings["title"],
                    "cost": f"{cost:g}",
                    "q*": f"{q_star:g}",
                    "net utility": signed(float(means)),
                    "paper": paper,
                    "less Greedy's": f"{signed(gap['difference'])} ({signed(gap['difference_low'])} to {signed(gap['difference_high'])})",
                    "paper ": there,
                    "screened": f"{np.average(results.screened[:, m, q, c], weights=results.weights):.1f}",
                }
            )
    return table(pd.DataFrame(rows))


def of_choices(results: Results) -> str:
    """GRLStop by how long it was trained, with Greedy for comparison."""
    cost = headline_cost(results.scenario, results.costs)
    found = variations.of(str(results.settings["benchmark"]), "agent")
    steps = found["value"].str.extract(r"(\d+) choices, seed (\d+)").astype(int)
    found = found.assign(steps=steps[0], seed=steps[1]).sort_values(["steps", "seed"])
    rows = [
        {"choices": f"{count:,}", "seed": seed}
        | {f"q* = {row['q_star']:g}": signed(row["net_utility"]) for row in own.to_dict("records")}
        | {"screened": f"{own['screened'].mean():.1f}"}
        for (count, seed), own in found.groupby(["steps", "seed"])
    ]
    m, c = results.method("greedy"), results.c(cost)
    greedy = np.average(results.net_utility[:, m, :, c], weights=results.weights, axis=0)
    read = np.average(results.screened[:, m, :, c], weights=results.weights, axis=0).mean()
    cells = {f"q* = {q:g}": signed(float(u)) for q, u in zip(results.q_stars, greedy, strict=True)}
    rows.append({"choices": "Greedy", "seed": ""} | cells | {"screened": f"{read:.1f}"})
    return table(pd.DataFrame(rows))


def order(results: Results) -> str:
    """GRLStop's place against each other rule, in words."""
    found = pairs(results)
    own = found[(found["ahead"] == "GRLStop") | (found["behind"] == "GRLStop")]
    counted = own["order"].value_counts()
    rest = found.drop(own.index)["order"].value_counts()

    def said(counts: pd.Series) -> str:
        return (
            f"{counts.filter(like='as there').sum()} of {counts.sum()} stand as in the paper "
            f"({counts.get('as there, surely', 0)} with a 95 % interval that excludes 0) and "
            f"{counts.filter(like='other').sum()} the other way round ({counts.get('other way round, surely', 0)})"
        )

    return (
        f"{results.settings['title']}, a cost of {headline_cost(results.scenario, results.costs):g}, all three q*: of "
        f"GRLStop's pairs {said(counted)}; of the pairs without it {said(rest)}."
    )


def order_in_draws(results: Results) -> str:
    """In how many other draws of the data GRLStop ends below Greedy, as in the paper."""
    name = str(results.settings["benchmark"])
    found = variations.of(name, "seed").pivot(
        index=["q_star", "value"], columns="method", values="net_utility"
    )
    below = (found["grlstop"] < found["greedy"]).groupby("q_star").agg(["sum", "count"])
    gap = (found["grlstop"] - found["greedy"]).groupby("q_star").agg(["mean", "min", "max"])
    parts = [
        f"at q* = {q_star:g} in {row['sum']} of {row['count']} (GRLStop less Greedy {signed(at['mean'])} on average, "
        f"{signed(at['min'])} to {signed(at['max'])})"
        for (q_star, row), (_, at) in zip(below.iterrows(), gap.iterrows(), strict=True)
    ]
    return (
        f"Over other draws of the simulated reviews, each with an agent trained on its own training outcomes, GRLStop ends "
        f"below Greedy, as in the paper, {', '.join(parts)}; a cost of {headline_cost(results.scenario, results.costs):g}."
    )


def paragraphs(*texts: str) -> str:
    """Texts at the width of the page; tables, lists and code as they are."""
    return (
        "\n\n".join(
            text if text.startswith(("|", "#", "-", "```")) else textwrap.fill(text, 118) for text in texts
        )
        + "\n"
    )


def page() -> str:
    """The whole page."""
    agent = shipped_weights()
    seen, held_out = (assess(agent, simulate_patent_rankings(TOPICS, seed)) for seed in (SEED, TEST_SEED))
    rewards = [float(np.mean([q.reward for q in qualities])) for qualities in (seen, held_out)]
    over = max(held_out, key=lambda q: q.windows / q.oracle)
    short = [q for q in held_out if q.reliability < q.target]
    shortfall = (
        f"Reliability is below the target itself at {', '.join(f'{q.target:g}' for q in short)}."
        if short
        else "At no target is reliability below the target itself."
    )
    every = as_measured()
    simulated = [results for results in every if results.simulated]
    reviews = next(each for each in simulated if each.scenario == "review")
    return paragraphs(
        "# GRLStop as shipped",
        "A re-implementation of the variant that Fletcher & Stevenson describe, not the authors' model. The paper "
        "states windows, targets and rewards; what it leaves open, the length of training among it, is listed as "
        "assumptions in `tarstop_core/policies/grlstop/environment.py` and `training.py`. "
        "`python scripts/train_grlstop.py` trains the agents, `python -m scripts.report_grlstop` wrote this page.",
        "## Trained on each benchmark's own training cases",
        "In an experiment GRLStop follows an agent that was trained by PPO on the training cases of the same fold and has "
        "seen none of its test cases; its target is then chosen on these training cases like every rule's setting, although it knows them: of lists known by "
        "heart every target looks good. "
        f"`python scripts/train_grlstop.py --benchmark all` trained them (seed 0; {ppo.STEPS:,} choices, "
        f"{ppo.STEPS_ON_FEW:,} on fewer than {ppo.FEW} lists, which are soon known by heart) in the seconds of one core "
        "below; experiments find them in `sample_data/agents` by the training cases.",
        trained(),
        "Net utility at the paper's cost (elsewhere the same one), with the paired 95 % interval of the difference from "
        "Greedy; the simulated benchmarks beside the paper's tables:",
        against_greedy(every),
        "\n".join(f"- {order(results)}" for results in simulated),
        order_in_draws(reviews),
        "[What the experiments say](results.md) has every pair.",
        "## How long it is trained decides where it stands",
        f"On the {len(reviews.cases)} test outcomes of the simulated reviews, net utility at a cost of "
        f"{headline_cost(reviews.scenario, reviews.costs):g}, with agents trained on their training outcomes for more and "
        "fewer choices:",
        of_choices(reviews),
        "Trained briefly the agent reads nearly everything, as the paper's does in its Table 2 (6,012.4 documents, net "
        "utility −.30 to −.35); the longer it is trained, the sooner it stops. So where GRLStop stands here neither refutes nor "
        "confirms the paper's Table 2: its place is one of the agent's training, whose length the paper does not state.",
        "## The agent that is followed elsewhere",
        "Wherever nothing was trained on the cases at hand (the live page, a replay, an experiment of one's own) GRLStop "
        f"follows an agent trained on {TOPICS:,} simulated patent rankings (seed {SEED}; half without relevant "
        f"documents) for {len(TARGETS)} targets: {ppo.STEPS:,} choices, seed 0. The table is about {TOPICS:,} **simulated** "
        f"topics that it has not seen (seed {TEST_SEED}). A window is 1 % of the list; reliability is the share of ω⁺ "
        "topics whose recall reaches the target, and *needed* is where an oracle would stop.",
        reliability(held_out),
        f"Mean reward {rewards[1]:.3f}, on the training topics {rewards[0]:.3f}. {shortfall} It reads most beyond need "
        f"at target {over.target:g}: {over.windows:.1f} windows where {over.oracle:.1f} would do. An error costs as "
        "much as 400 windows, so the agent reads to the end where hits have turned up and the target is high, and "
        "gives a topic up after a few windows without a hit; the ω⁺ topics it fails are mostly those. In the paper's "
        "patents GRLStop stops after one window in every panel; here even the lowest target takes a few more before it "
        "gives up.",
        "On rankings unlike these train one on topics of one's own (a folder as in "
        "[benchmarks of your own](benchmarks_of_your_own.md) by `--benchmark FOLDER`, which experiments on it then "
        "follow), or on a run and name it in a file; judge it on others:",
        "```\npython scripts/train_grlstop.py --run my.run --qrels my.qrels --out my.npz\n```",
        "```python\nfrom tarstop_core.policies.grlstop.rule import GRLStop\n"
        "from tarstop_core.policies.grlstop.network import Weights\n\n\n"
        'class MyAgent(GRLStop):\n    weights = Weights.load("my.npz")\n```',
        "With these lines in `agent.py`, `--policy agent.py:MyAgent` follows it.",
    )


def main() -> int:
    """Write the page."""
    REPORT.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
