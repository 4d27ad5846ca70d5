"""What an experiment says about the claims it was made for, in sentences with their numbers."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.evaluation.findings import cells_of, message
from tarstop_core.evaluation.findings.aggregate import (
    DRAWS,
    Mean,
    Order,
    beside_paper,
    compare,
    mean_gain,
    pairs,
)
from tarstop_core.evaluation.findings.paper import spread
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS

UTILITY_AWARE = ("greedy", "smooth", "batch")
RECALL_CENTRIC = ("budget", "qbcb", "knee", "grlstop")
READERS = (("greedy", "Greedy"), ("look-ahead", "a look-ahead"), ("optimal", "optimal stopping"))
PAIRS = (
    *((rule, "decide-now", f"Reading pays: {called} beats deciding at once") for rule, called in READERS),
    ("optimal", "greedy", "Optimal stopping beats the paper's Greedy"),
    ("look-ahead", "greedy", "A look-ahead beats the paper's Greedy"),
    ("optimal@hazard", "optimal", "A first-hit hazard beats marginal chances"),
    ("optimal@frailty", "optimal", "A frailty beats marginal chances"),
    ("greedy@learned", "greedy", "A learned prior helps Greedy"),
    *(
        (
            f"{rule}@learned",
            "decide-now@learned",
            f"With a learned prior reading pays: {called} beats deciding at once",
        )
        for rule, called in READERS
    ),
    ("look-ahead@learned", "greedy@learned", "With a learned prior a look-ahead beats Greedy"),
    ("optimal@learned", "greedy@learned", "With a learned prior optimal stopping beats Greedy"),
)
"""Claims that one method beats another: looked at where both were run."""
FEW_GROUPS = 30
"""Below so many groups percentile bootstrap intervals are noticeably too narrow."""


@dataclass(frozen=True)
class Verdict:
    """A claim and what was found, a sentence."""

    claim: str
    found: str


def verdicts(results: Results, share: float | None = None, draws: int = DRAWS) -> list[Verdict]:
    """Every claim that the methods run allow to be looked at, weighed to a share of ω⁺ cases if given."""
    run = {method.name for method in results.methods}
    made = []
    if run.issuperset(UTILITY_AWARE) and run & set(RECALL_CENTRIC):
        made.append(_utility_aware(results, share, draws))
    return made + [
        Verdict(claim, pair_sentence(results, one, other, share, draws))
        for one, other, claim in PAIRS
        if {one, other} <= run
    ]


def pair_sentence(
    results: Results, one: str, other: str, share: float | None = None, draws: int = DRAWS
) -> str:
    """How one method did against another over all q* and costs, on the same cases."""
    own = compare(results.only([one, other]), other, share, draws)
    gain = own["difference"].to_numpy()
    at = own.iloc[int(np.abs(gain).argmax())]
    counts = {"cells": len(own), "better": int((gain > 1e-12).sum()), "worse": int((gain < -1e-12).sum())}
    sure = {"sure": own[own["difference_low"] > 0], "sure_worse": own[own["difference_high"] < 0]}
    average = mean_gain(results, one, other, share, draws)
    largest = Mean(at["difference"], at["difference_low"], at["difference_high"])
    return message("pair", **counts, **sure, average=average, at=at, largest=largest)


def caution(results: Results) -> str:
    """A sentence on intervals from few groups; empty where there are enough."""
    groups, unit = len(set(results.groups)), TASKS[results.scenario].groups
    return message("caution", groups=groups, unit=unit, few=FEW_GROUPS) if groups < FEW_GROUPS else ""


def _utility_aware(results: Results, share: float | None, draws: int) -> Verdict:
    baselines = [method.name for method in results.methods if method.name in RECALL_CENTRIC]
    parts = []
    all_beaten = True
    for name in UTILITY_AWARE:
        cells = [compare(results.only([name, each]), each, share, draws) for each in baselines]
        ahead = np.all([cell["difference"] > 1e-12 for cell in cells], axis=0)
        surely = np.all([cell["difference_low"] > 0 for cell in cells], axis=0)
        all_beaten &= bool(ahead.all())
        counts = {"ahead": ahead.sum(), "cells": len(ahead), "surely": surely.sum()}
        behind = "" if ahead.all() else cells_of(cells[0][~ahead])
        parts.append(message("beats", name=cells[0]["approach"].iloc[0], **counts, behind=behind))
    titles = [results.methods[results.method(name)].title for name in baselines]
    sentence = message("utility_aware", all_beaten=all_beaten, titles=titles, parts=parts)
    return Verdict(message("utility_aware_claim"), sentence)


def ordering_sentences(results: Results) -> list[str]:
    """Where the order of the paper's methods differs here from its tables, a sentence for each panel."""
    sentences = []
    beside = beside_paper(results)
    for (q_star, cost), own in pairs(results).groupby(["q_star", "cost"], sort=False):
        cell = {"q_star": q_star, "cost": cost}
        turned = own[own["order"].isin((Order.TURNED, Order.SURELY_TURNED))].to_dict("records")
        if not turned:
            sentences.append(message("same_order", **cell))
            continue
        panel = beside[(beside["q_star"] == q_star) & (beside["cost"] == cost)]
        order = panel.sort_values("rank", kind="stable")["approach"]
        surely = sum(pair["order"] == Order.SURELY_TURNED for pair in turned)
        clearest = max(turned, key=lambda pair: min(-pair["gap"], pair["gap_paper"]))
        counts = {"pairs": len(own), "turned": len(turned), "surely": surely}
        sentences.append(message("order", **cell, order=order, **counts, clearest=clearest))
    return sentences


def reasons(results: Results) -> list[str]:
    """For each row of :func:`~tarstop_core.evaluation.findings.aggregate.beside_paper`: what its difference is due to.

    Of data (other topics; "the draw alone" where the paper's net utility lies within those of twenty draws of the
    simulated data), truth (another one than its tables'), agent (GRLStop's, trained here), definition (Kneedle's
    parameters, which it names and does not define) and arithmetic (an expectation where the paper has a mean of samples,
    or a figure of the paper that its others contradict).
    """
    task, simulated = TASKS[results.scenario], results.simulated
    drawn = spread(str(results.settings["benchmark"])) if simulated else spread("")
    truth = task.paper is not None and bool(task.truths) and results.settings["truth"] != task.paper.truth
    expected = isinstance(results.settings.get("replications"), str)
    causes = []
    for row in beside_paper(results).to_dict("records"):
        name = str(row["method"])
        at = drawn[
            (drawn["q_star"] == row["q_star"]) & (drawn["cost"] == row["cost"]) & (drawn["method"] == name)
        ]
        within = len(at) and (
            at["net_utility_min"].iloc[0] <= row["net_utility_paper"] <= at["net_utility_max"].iloc[0]
        )
        parts = ["truth"] * truth + ["agent"] * (name == "grlstop") + ["definition"] * (name == "knee")
        if name in task.contradicted or (name == "qbcb" and expected):
            parts.append("arithmetic")
        parts.append("data (the draw alone)" if within and not truth else "data")
        causes.append(", ".join(parts))
    return causes


def differences(results: Results) -> list[str]:
    """Why the numbers cannot be expected to be equal, a sentence each; plain text without mark-up."""
    settings, run = results.settings, {method.name for method in results.methods}
    sentences = [message("topics_differ", simulated=results.simulated, topics=len(results.cases))]
    if results.simulated and len(drawn := spread(str(settings["benchmark"]))):
        sentences.append(message("draw", draws=drawn["draws"].max()))
    sentences += TASKS[results.scenario].differences(settings)
    if "qbcb" in run and isinstance(settings.get("replications"), str):
        sentences.append(message("qbcb"))
    if "grlstop" in run:
        sentences.append(message("grlstop", trained=any(settings.get("agents", []))))
    if "knee" in run:
        sentences.append(message("knee"))
    return [*sentences, message("further_ahead")]
