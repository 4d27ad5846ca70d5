"""What the shipped experiments say about the paper's claims and beside its tables."""

import pandas as pd

from scripts.study import Tables
from tarstop_core.evaluation.findings import reliability
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.claims import PAIRS, RECALL_CENTRIC, UTILITY_AWARE, lead, pair
from tarstop_core.evaluation.findings.paper import (
    PAPER_NAMES,
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

PAGE, READS = (
    "results",
    "sample_data/results (made by scripts/make_results.py and scripts/make_variations.py)",
)
TABLES = tuple(
    f"results_{name}" for name in ("claims", "baselines", "rules", "paper", "pairs", "draws", "reliability")
)
SHOWN = 0.5  # the q* that the page shows; the tables hold the others


def named(results: Results) -> dict[str, object]:
    """The columns that say which experiment a row is of."""
    return {"benchmark": results.settings["title"], "truth": results.settings["truth"]}


def claims(results: Results) -> list[dict[str, object]]:
    """Each claim that one method beats another, over all cells of q* and cost."""
    run = {method.name for method in results.methods}
    rows = []
    for one, other, claim in PAIRS:
        if {one, other} <= run:
            compared = pair(results, one, other)
            mean = compared.average
            rows.append(
                named(results)
                | {"cases": len(results.cases), "one": one, "other": other, "claim": claim}
                | {"cells": len(compared.cells), "better": len(compared.better)}
                | {"better_surely": len(compared.surely_better), "worse": len(compared.worse)}
                | {"worse_surely": len(compared.surely_worse), "difference": float(mean.value)}
                | {"low": float(mean.low), "high": float(mean.high)}
            )
    return rows


def beaten(results: Results) -> list[dict[str, object]]:
    """In how many cells each utility-aware rule beats every recall-centred one."""
    baselines = [method.name for method in results.methods if method.name in RECALL_CENTRIC]
    leads = {rule: lead(results, rule, baselines) for rule in UTILITY_AWARE}
    return [
        named(results)
        | {"rule": rule, "cells": len(cells)}
        | {"ahead": int(cells["ahead"].sum()), "surely": int(cells["surely"].sum())}
        for rule, cells in leads.items()
    ]


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
    of_printed = {
        "results_paper": lambda each: beside_paper(each).assign(differs_by=reasons(each)),
        "results_pairs": pairs,
        "results_draws": lambda each: spread(str(each.settings["benchmark"])),
    }
    tables = {
        "results_reliability": reliability.by_rule(reliability.shipped()),
        "results_claims": pd.DataFrame([row for each in every for row in claims(each)]),
        "results_baselines": pd.DataFrame([row for each in every for row in beaten(each)]),
        "results_rules": pd.concat([panel(each) for each in every]),
    } | {
        name: pd.concat([table(each).assign(**named(each)) for each in printed])
        for name, table in of_printed.items()
    }
    return {name: table.round(6) for name, table in tables.items()}


def summarise(tables: Tables) -> dict[str, object]:
    """One row an experiment, and the paper's table beside this run and its twenty draws."""
    claimed = tables["results_claims"].set_index(["benchmark", "truth"])
    experiments = []
    for (benchmark, truth), own in tables["results_baselines"].groupby(["benchmark", "truth"], sort=False):
        by_pair = claimed.loc[[(benchmark, truth)]].set_index(["one", "other"])
        experiments.append(
            {"benchmark": benchmark, "truth": truth, "cases": by_pair["cases"].iloc[0]}
            | {row.rule: row.ahead for row in own.itertuples()}
            | {"cells": own["cells"].iloc[0]}
            | {
                name: by_pair.loc[pair].to_dict()
                for name, pair in {
                    "greedy_pays": ("greedy", "decide-now"),
                    "optimal_pays": ("optimal", "decide-now"),
                    "optimal_over_greedy": ("optimal", "greedy"),
                }.items()
            }
        )
    drawn = tables["results_draws"].assign(approach=tables["results_draws"]["method"].map(PAPER_NAMES))
    paper = tables["results_paper"].merge(drawn, on=["benchmark", "truth", "q_star", "cost", "approach"])
    gaps = tables["results_pairs"]
    turned = gaps["gap"].lt(0) & (gaps[["gap", "gap_paper"]].abs() >= 5e-5).all(axis=1)
    counts = gaps.assign(turned=turned, surely=turned & gaps["gap_high"].lt(0)).groupby(
        "benchmark", sort=False
    )
    kinds = tables["results_claims"]["one"].isin(["optimal@hazard", "optimal@frailty"])
    tuning = variations().query("variation == 'tuning'")
    readings = variation_of("patent", "reading").query(f"q_star == {SHOWN}").set_index("value")
    return {
        "experiments": experiments,
        "paper": paper[paper["q_star"] == SHOWN],
        "turned": counts[["turned", "surely"]].sum().assign(pairs=counts.size()).reset_index(),
        "most_by_kind": tables["results_claims"].loc[kinds, "difference"].abs().max(),
        "tuning": tuning.groupby(["benchmark", "method"])["difference"].mean().abs().max(),
        "readings": readings["net_utility"].to_dict(),
        "reliability": tables["results_reliability"],
    }


def figure(tables: Tables) -> str:
    """How often every rule reaches a recall, and what it reads."""
    return still(reliability.figure(tables["results_reliability"]), reliability.SAYS)
