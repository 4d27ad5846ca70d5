"""What an experiment says about the claims it was made for, in sentences with their numbers."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd

from tarstop_core.evaluation.findings.aggregate import DRAWS, beside_paper, compare
from tarstop_core.evaluation.findings.tables import signed
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.named import TASKS

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
    found = []
    if run.issuperset(UTILITY_AWARE) and run & set(RECALL_CENTRIC):
        found.append(_utility_aware(results, share, draws))
    return found + [
        Verdict(claim, pair_sentence(results, one, other, share, draws))
        for one, other, claim in PAIRS
        if {one, other} <= run
    ]


def pair_sentence(
    results: Results, one: str, other: str, share: float | None = None, draws: int = DRAWS
) -> str:
    """How one method did against another over all q* and costs, on the same cases."""
    own = compare(results.only([one, other]), other, share, draws)
    return f"{own['approach'].iloc[0]} against {own['reference'].iloc[0]}: {_counts(own)}"


def caution(results: Results) -> str:
    """A sentence on intervals from few groups; empty where there are enough."""
    groups = len(set(results.groups))
    if groups >= FEW_GROUPS:
        return ""
    unit = TASKS[results.scenario].groups
    return (
        f"Intervals come from resampling {groups} {unit}: with fewer than about {FEW_GROUPS} they are too narrow, so "
        "one that excludes 0 says less than 95 %."
    )


def _utility_aware(results: Results, share: float | None, draws: int) -> Verdict:
    baselines = [method.name for method in results.methods if method.name in RECALL_CENTRIC]
    parts = []
    all_beaten = True
    for name in UTILITY_AWARE:
        cells = [compare(results.only([name, each]), each, share, draws) for each in baselines]
        differences, lows = (
            np.array([cell[column] for cell in cells]) for column in ("difference", "difference_low")
        )
        ahead, surely = np.all(differences > 1e-12, axis=0), np.all(lows > 0, axis=0)
        all_beaten &= bool(ahead.all())
        parts.append(
            f"{cells[0]['approach'].iloc[0]} beats every baseline in {ahead.sum()} of {differences.shape[1]} cells "
            f"(in {surely.sum()} every 95 % interval excludes 0)"
        )
    titles = [results.methods[results.method(name)].title for name in baselines]
    verdict = "holds in every cell" if all_beaten else "does not hold in every cell"
    return Verdict(
        "Utility-aware rules beat recall-centred ones (the paper's claim)",
        f"It {verdict} of q* and cost, against {', '.join(titles)}: {'; '.join(parts)}.",
    )


def _counts(table: pd.DataFrame) -> str:
    """Cells won, tied and lost; those whose interval excludes 0; the largest gap."""
    gain = table["difference"].to_numpy()
    better, worse = int((gain > 1e-12).sum()), int((gain < -1e-12).sum())
    sure = int((table["difference_low"] > 0).sum())
    sure_worse = int((table["difference_high"] < 0).sum())
    at = table.iloc[int(np.abs(gain).argmax())]
    return (
        f"higher net utility in {better} of {len(table)} cells (in {sure} the 95 % interval excludes 0), "
        f"lower in {worse} (in {sure_worse} it does), equal in {len(table) - better - worse}; on average {_gain(float(gain.mean()))}, furthest "
        f"apart at q* = {at['q_star']:g} and a cost of {at['cost']:g} ({_gain(float(at['difference']))})."
    )


def _gain(value: float) -> str:
    return f"+{value:.4f}" if value > 0 else signed(value)


def ordering_sentences(results: Results) -> list[str]:
    """Where the order of the paper's methods differs here from its tables, a sentence for each panel."""
    said = []
    for (q_star, cost), own in beside_paper(results).groupby(["q_star", "cost"], sort=False):
        where = f"At q* = {q_star:g} and a cost of {cost:g}"
        turned = [
            (ahead, behind, one["approach"], other["approach"])
            for one, other in permutations(own.to_dict("records"), 2)
            if (ahead := one["net_utility"] - other["net_utility"]) > 0
            and (behind := other["net_utility_paper"] - one["net_utility_paper"]) > 0
        ]
        if not turned:
            said.append(f"{where} the order is the paper's.")
            continue
        ahead, behind, one, other = max(turned, key=lambda pair: min(pair[:2]))
        order = own.sort_values("rank", kind="stable")["approach"]
        pairs = len(own) * (len(own) - 1) // 2
        said.append(
            f"{where} the order is {', '.join(order)}; of {pairs} pairs {len(turned)} "
            f"{'is' if len(turned) == 1 else 'are'} the other way round in the paper, most clearly {one}, ahead of "
            f"{other} by {ahead:.4f} here and behind by {behind:.4f} there."
        )
    return said


def differences(results: Results) -> list[str]:
    """Why the numbers cannot be expected to be equal, a sentence each; plain text without mark-up."""
    known = results.settings
    where = "simulated" if results.simulated else "real, but other,"
    found = [
        f"Topics: the paper’s are not public; these are {where} ones ({len(results.cases)} to test on). How far rankings "
        "agree is under About."
    ]
    found += TASKS[results.scenario].differences(known)
    run = {method.name for method in results.methods}
    if "qbcb" in run and isinstance(known.get("replications"), str):
        found.append("QBCB: exact expectation over its random samples; the paper averages 50 of them.")
    if "grlstop" in run:
        found.append(
            "GRLStop: trained anew by this project from the paper’s description, not the authors’ model."
        )
    if "knee" in run:
        found.append(
            "Kneedle: the paper names four parameters and defines none; their reading here is an assumption."
        )
    found.append("Smooth and Batch: chances further ahead use the belief of now; the paper does not say.")
    return found
