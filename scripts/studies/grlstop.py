"""How the GRLStop agents that ship do, and how the length of their training decides it."""

import io
import json
import os
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.agent_quality import assess
from scripts.grlstop import training as ppo
from scripts.grlstop.world import labels_of
from scripts.study import DOCS, Study, Tables, peer
from scripts.train_grlstop import SEED, TOPICS
from tarstop_core.evaluation.findings.aggregate import compare, rows
from tarstop_core.evaluation.findings.paper import beside_paper, variation_of
from tarstop_core.evaluation.findings.tables import headline_cost
from tarstop_core.evaluation.methods import AGENTS
from tarstop_core.evaluation.results import Results, load, shipped
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop import depths_for_targets, shipped_weights
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings

SCRIPTS = DOCS.parent / "scripts"
UNSEEN_SEED = 2  # of the simulated topics that the package's agent has not seen
PYTERRIER = "pyterrier-tar[grl]==0.1.2"
PEER_LISTS, PEER_CHOICES, PEER_TARGETS = 100, (100_000, 1_000_000, 3_000_000), (0.8, 0.9, 0.95, 1.0)


def experiments() -> list[Results]:
    """The shipped results under the truth of the paper's tables."""
    return [
        load(each.path)
        for each in shipped()
        if (paper := TASKS[each.settings["scenario"]].paper) and each.truth == paper.truth
    ]


def against_greedy(results: Results) -> pd.DataFrame:
    """Net utility of GRLStop beside Greedy's and the paper's, at the paper's cost."""
    cost, both = headline_cost(results.scenario, results.costs), results.only(["grlstop", "greedy"])
    names = {"difference_low": "low", "difference_high": "high"}
    own = rows(both, costs=[cost], draws=0).query("method == 'grlstop'")
    own = own[["q_star", "cost", "net_utility", "screened"]]
    gaps = compare(both, "greedy").rename(columns=names)
    own = own.merge(gaps[["q_star", "cost", "difference", "low", "high"]], on=["q_star", "cost"])
    if results.simulated:
        printed = beside_paper(results).pivot(index="q_star", columns="method", values="net_utility_paper")
        paper = printed["grlstop"].loc[own["q_star"]].to_numpy()
        own = own.assign(
            paper=paper, paper_difference=paper - printed["greedy"].loc[own["q_star"]].to_numpy()
        )
    return own.assign(benchmark=results.settings["title"])


def training(reviews: Results) -> pd.DataFrame:
    """Net utility on the simulated reviews by how long the agent was trained; Greedy beside it."""
    agents = variation_of(str(reviews.settings["benchmark"]), "agent")
    parts = agents["value"].str.extract(r"(?P<choices>\d+) choices, seed (?P<seed>\d+)").astype(int)
    rows = pd.concat([parts, agents[["q_star", "net_utility", "screened"]]], axis=1)
    return rows.sort_values(["choices", "seed", "q_star"])


def stops_of_peer(lists: Path, choices: int, seed: int) -> pd.DataFrame:
    """Where an agent of pyterrier-tar stops on each list and for each target."""
    play = [peer(PYTERRIER), SCRIPTS / "pyterrier_alone.py", lists, str(choices), str(seed)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    played = subprocess.run(
        play, check=True, env=alone, cwd=lists.parent, stdout=subprocess.PIPE, encoding="utf-8"
    )
    return pd.read_csv(io.StringIO(played.stdout[played.stdout.index("qid,") :]))


def beside_peer() -> pd.DataFrame:
    """Share of lists on which a target is reached, and share read, by agents of both trained on the same lists."""
    train, test = (
        [topic for topic in simulate_patent_rankings(2 * PEER_LISTS, seed) if topic.omega]
        for seed in (SEED, UNSEEN_SEED)
    )
    halves = {
        name: [
            {
                "name": each.name,
                "scores": each.scores.tolist(),
                "relevant": labels_of(each).astype(int).tolist(),
            }
            for each in half
            if each.scores is not None
        ]
        for name, half in (("train", train), ("test", test))
    }
    found = []
    with tempfile.TemporaryDirectory() as folder:
        lists = Path(folder) / "lists.json"
        lists.write_text(json.dumps({"targets": PEER_TARGETS, **halves}), encoding="utf-8")
        for choices, seed in ((choices, seed) for choices in PEER_CHOICES for seed in range(3)):
            theirs = stops_of_peer(lists, choices, seed).pivot(index="qid", columns="target", values="stop")
            weights = ppo.train(train, seed, choices)
            for topic in test:
                labels = labels_of(topic)
                ours = depths_for_targets(labels, PEER_TARGETS, weights)
                for who, stops in (
                    ("pyterrier-tar", theirs.loc[topic.name, list(PEER_TARGETS)]),
                    ("ours", ours),
                ):
                    for target, stop in zip(PEER_TARGETS, np.asarray(stops, dtype=int), strict=True):
                        reached = labels[:stop].sum() >= target * labels.sum()
                        found.append((who, choices, seed, target, reached, stop / len(labels)))
    columns = ["agent", "choices", "seed", "target", "reached", "read"]
    return pd.DataFrame(found, columns=columns).groupby(columns[:4], as_index=False).mean()


def measure() -> Tables:
    """Everything that follows from the shipped agents and results, and a peer's agents on the same lists."""
    every = experiments()
    (reviews,) = (each for each in every if each.settings["benchmark"] == "review")
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
    unseen = assess(shipped_weights(), simulate_patent_rankings(TOPICS, UNSEEN_SEED))
    tables = {
        "grlstop_agents": agents.rename(index=titles).reset_index(),
        "grlstop_against_greedy": pd.concat([against_greedy(each) for each in every]),
        "grlstop_training": training(reviews),
        "grlstop_targets": pd.DataFrame(map(asdict, unseen)),
        "grlstop_peer": beside_peer(),
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


STUDY = Study(
    page="grlstop",
    reads="the shipped agents and sample_data/results (made by scripts/train_grlstop.py and scripts/make_results.py)",
    tables=(
        *("grlstop_agents", "grlstop_against_greedy", "grlstop_training"),
        *("grlstop_targets", "grlstop_peer"),
    ),
    measure=measure,
    summarise=summarise,
)
