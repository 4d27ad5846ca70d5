"""What the shipped experiments say about the paper's claims and beside its tables."""

from collections.abc import Callable, Iterator
from itertools import chain

import pandas as pd

from scripts.study import Tables
from tarstop_core.evaluation.findings import reliability
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.claims import PAIRS, RECALL_CENTRIC, UTILITY_AWARE, lead, pair
from tarstop_core.evaluation.findings.paper import (
    PAPER_NAMES,
    OrderCheck,
    beside_paper,
    pairs,
    reasons,
    spread,
    variation_of,
    variations,
)
from tarstop_core.evaluation.findings.tables import headline_cost
from tarstop_core.evaluation.results import Results, load, shipped
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.presentation.pictures import still

PAGE = "results"
READS = "sample_data/results (made by scripts/make_results.py and scripts/make_variations.py)"
TABLES = tuple(f"results_{name}" for name in "claims baselines rules paper pairs draws reliability".split())
SHOWN = 0.5  # the q* that the page shows; the tables hold the others
GAINS = {
    "greedy_pays": ("greedy", "decide-now"),
    "optimal_pays": ("optimal", "decide-now"),
    "optimal_over_greedy": ("optimal", "greedy"),
}
"""Pairs of methods whose difference the page shows."""
COUNTS, MEAN = "cells better better_surely worse worse_surely".split(), ("difference", "low", "high")
Row = dict[str, object]


def named(results: Results) -> Row:
    """The columns that say which experiment a row is of."""
    return {"benchmark": results.settings["title"], "truth": results.settings["truth"]}


def claims(results: Results) -> Iterator[Row]:
    """Each claim that one method beats another, over all cells of q* and cost."""
    run = {method.name for method in results.methods}
    for one, other, claim in (names for names in PAIRS if {*names[:2]} <= run):
        of = pair(results, one, other)
        cells = of.cells, of.better, of.surely_better, of.worse, of.surely_worse
        mean = of.average.value, of.average.low, of.average.high
        row = named(results) | {"cases": len(results.cases), "one": one, "other": other, "claim": claim}
        row |= dict(zip(COUNTS, map(len, cells), strict=True))
        yield row | dict(zip(MEAN, map(float, mean), strict=True))


def beaten(results: Results) -> Iterator[Row]:
    """In how many cells each utility-aware rule beats every recall-centred one."""
    baselines = [method.name for method in results.methods if method.name in RECALL_CENTRIC]
    for rule in UTILITY_AWARE:
        cells = lead(results, rule, baselines)
        sums = {"ahead": int(cells["ahead"].sum()), "surely": int(cells["surely"].sum())}
        yield named(results) | {"rule": rule, "cells": len(cells)} | sums


def panel(results: Results) -> pd.DataFrame:
    """Every rule at the headline cost."""
    cost = headline_cost(results.scenario, results.costs)
    found = rows(results, costs=[cost])
    columns = ["approach", "q_star", "cost", "net_utility", "net_utility_low", "net_utility_high"]
    columns += ["recall", "wss", "reliability", "screened", "icer", "decision_agreement"]
    return found[columns].assign(**named(results))


def measure() -> Tables:
    """Everything that follows from ``sample_data/results``."""
    every = [load(each.path) for each in shipped()]
    printed = [
        each
        for each in every
        if each.simulated and (paper := TASKS[each.scenario].paper) and each.settings["truth"] == paper.truth
    ]

    def of_printed(table: Callable[[Results], pd.DataFrame]) -> pd.DataFrame:
        return pd.concat([table(each).assign(**named(each)) for each in printed])

    tables = {
        "results_reliability": reliability.by_rule(reliability.shipped()),
        "results_claims": pd.DataFrame(chain.from_iterable(map(claims, every))),
        "results_baselines": pd.DataFrame(chain.from_iterable(map(beaten, every))),
        "results_rules": pd.concat(map(panel, every)),
        "results_paper": of_printed(lambda each: beside_paper(each).assign(differs_by=reasons(each))),
        "results_pairs": of_printed(pairs),
        "results_draws": of_printed(lambda each: spread(str(each.settings["benchmark"]))),
    }
    return {name: table.round(6) for name, table in tables.items()}


def summarise(tables: Tables) -> Row:
    """One row an experiment, and the paper's table beside this run and its twenty draws."""
    about = ["benchmark", "truth"]
    claimed = tables["results_claims"].set_index([*about, "one", "other"]).sort_index()
    experiments = []
    for experiment, own in tables["results_baselines"].groupby(about, sort=False):
        by_pair = claimed.loc[experiment]
        row = dict(zip(about, experiment, strict=True))
        row |= {"cases": by_pair["cases"].iloc[0], "cells": own["cells"].iloc[0]}
        gains = {name: by_pair.loc[pair].to_dict() for name, pair in GAINS.items()}
        experiments.append(row | own.set_index("rule")["ahead"].to_dict() | gains)
    drawn = tables["results_draws"].assign(approach=tables["results_draws"]["method"].map(PAPER_NAMES))
    paper = tables["results_paper"].merge(drawn, on=[*about, "q_star", "cost", "approach"])
    gaps = tables["results_pairs"]
    surely = gaps["order"] == OrderCheck.SURELY_TURNED
    gaps = gaps.assign(pairs=1, turned=surely | (gaps["order"] == OrderCheck.TURNED), surely=surely)
    kinds = tables["results_claims"]["one"].isin(["optimal@hazard", "optimal@frailty"])
    tuning = variations().query("variation == 'tuning'")
    readings = variation_of("patent", "reading").query(f"q_star == {SHOWN}").set_index("value")
    return {
        "experiments": experiments,
        "paper": paper[paper["q_star"] == SHOWN],
        "turned": gaps.groupby("benchmark", sort=False)[["turned", "surely", "pairs"]].sum(),
        "most_by_kind": tables["results_claims"].loc[kinds, "difference"].abs().max(),
        "tuning": tuning.groupby(["benchmark", "method"])["difference"].mean().abs().max(),
        "readings": readings["net_utility"].to_dict(),
        "reliability": tables["results_reliability"],
    }


def figure(tables: Tables) -> str:
    """How often every rule reaches a recall, and what it reads."""
    return still(reliability.figure(tables["results_reliability"]), reliability.SAYS)
