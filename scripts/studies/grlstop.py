"""How the GRLStop agents that ship do, and how the length of their training decides it."""

import pandas as pd

from scripts.grlstop.world import assess
from scripts.study import Tables
from scripts.train_grlstop import TOPICS
from tarstop_core.evaluation.findings.aggregate import compare, rows
from tarstop_core.evaluation.findings.paper import beside_paper, variation_of
from tarstop_core.evaluation.findings.tables import headline_cost
from tarstop_core.evaluation.methods import AGENTS
from tarstop_core.evaluation.results import Results, load, shipped
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop import shipped_weights
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

PAGE = "grlstop"
READS = "the shipped agents and sample_data/results (made by scripts/train_grlstop.py and scripts/make_results.py)"
TABLES = tuple(f"grlstop_{name}" for name in ("agents", "against_greedy", "training", "targets", "peer"))
MEASURED_ONCE = ("grlstop_peer",)
UNSEEN_SEED = 2  # of the simulated topics that the package's agent has not seen


def against_greedy(results: Results) -> pd.DataFrame:
    """Net utility of GRLStop beside Greedy's and the paper's, at the paper's cost."""
    cost, cell = headline_cost(results.scenario, results.costs), ["q_star", "cost"]
    both = results.only(["grlstop", "greedy"])
    own = rows(both, costs=[cost], draws=0).query("method == 'grlstop'")
    gaps = compare(both, "greedy").rename(columns={"difference_low": "low", "difference_high": "high"})
    own = own[[*cell, "net_utility", "screened"]].merge(gaps[[*cell, "difference", "low", "high"]], on=cell)
    if results.simulated:
        printed = beside_paper(results).pivot(index="q_star", columns="method", values="net_utility_paper")
        printed = printed.loc[own["q_star"]].reset_index(drop=True)
        own = own.assign(paper=printed["grlstop"], paper_difference=printed["grlstop"] - printed["greedy"])
    return own.assign(benchmark=results.settings["title"])


def measure() -> Tables:
    """Everything that follows from the shipped agents and results."""
    every = [
        load(each.path)
        for each in shipped()
        if (paper := TASKS[each.settings["scenario"]].paper) and each.truth == paper.truth
    ]
    titles = {each.benchmark: each.title for each in shipped()}
    agents = pd.read_csv(sample_dir() / AGENTS / "trained.csv")
    agents = agents.groupby("benchmark", sort=False).agg(
        agents=("file", "size"),
        fewest_lists=("lists", "min"),
        most_lists=("lists", "max"),
        choices=("steps", "first"),
        seconds=("seconds", "mean"),
        reward=("reward", "mean"),
    )
    by_agent = variation_of("review", "agent")
    training = by_agent["value"].str.extract(r"(?P<choices>\d+) choices, seed (?P<seed>\d+)").astype(int)
    training = training.join(by_agent[["q_star", "net_utility", "screened"]])
    tables = {
        "grlstop_agents": agents.rename(index=titles).reset_index(),
        "grlstop_against_greedy": pd.concat(map(against_greedy, every)),
        "grlstop_training": training.sort_values(["choices", "seed", "q_star"]),
        "grlstop_targets": assess(shipped_weights(), simulate_patent_rankings(TOPICS, UNSEEN_SEED)),
    }
    return {name: table.round(6) for name, table in tables.items()}


def summarise(tables: Tables) -> dict[str, object]:
    """The training by length and the targets that the page names."""
    first = tables["grlstop_training"].query("seed == 0")
    by_length = first.pivot(index="choices", columns="q_star", values="net_utility")
    by_length = by_length.set_axis(["low", "middle", "high"], axis=1)
    by_length = by_length.assign(screened=first.groupby("choices")["screened"].mean())
    targets = tables["grlstop_targets"]
    peers = tables["grlstop_peer"].query("target == 0.8").groupby(["agent", "choices"], sort=False).mean()
    return {
        "middle": tables["grlstop_against_greedy"].query("q_star == 0.5"),
        "training": by_length.reset_index(),
        "targets": targets,
        "peer": peers.reset_index(),
        "unreached": targets.loc[targets["reliability"] < targets["target"], "target"].tolist(),
    }
