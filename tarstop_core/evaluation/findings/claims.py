"""Check the paper's claims against an experiment, as data frames and in sentences with their numbers."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tarstop_core.evaluation.findings import cells_of, message
from tarstop_core.evaluation.findings.aggregate import TINY, compare
from tarstop_core.evaluation.findings.means import Mean, mean_gain
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS

UTILITY_AWARE = ("greedy", "smooth", "batch")
RECALL_CENTRIC = ("budget", "qbcb", "knee", "grlstop")
with Path(__file__).with_name("claims.csv").open(encoding="utf-8", newline="") as lines:
    PAIRS = [(row["one"], row["other"], row["claim"]) for row in csv.DictReader(lines)]
"""Claims that one method beats another: the names of both, and the claim."""
FEW_GROUPS = 30
"""Below this many groups percentile bootstrap intervals are noticeably too narrow."""


@dataclass(frozen=True, eq=False)
class MethodPair:
    """One method compared with another on the same cases, over all q* and costs."""

    cells: pd.DataFrame
    """A row for each q* and cost (:func:`~tarstop_core.evaluation.findings.aggregate.compare`)."""
    average: Mean  # Mean difference over all cells

    @property
    def better(self) -> pd.DataFrame:
        """Cells in which the first method has the higher net utility."""
        return self.cells[self.cells["difference"] > TINY]

    @property
    def worse(self) -> pd.DataFrame:
        """Cells in which the first method has the lower net utility."""
        return self.cells[self.cells["difference"] < -TINY]

    @property
    def surely_better(self) -> pd.DataFrame:
        """Cells in which the first method is better and the interval excludes 0."""
        return self.cells[self.cells["difference_low"] > 0]

    @property
    def surely_worse(self) -> pd.DataFrame:
        """Cells in which the first method is worse and the interval excludes 0."""
        return self.cells[self.cells["difference_high"] < 0]

    @property
    def furthest(self) -> pd.Series:
        """The cell with the largest difference."""
        return self.cells.iloc[int(self.cells["difference"].abs().to_numpy().argmax())]


def pair(results: Results, one: str, other: str, share: float | None = None) -> MethodPair:
    """Compare two methods over all q* and costs.

    Parameters
    ----------
    results : Results
        Results of an experiment in which both were run.
    one, other : str
        Names of the methods.
    share : float, optional
        Share of ω⁺ cases to weigh to.

    Returns
    -------
    MethodPair
    """
    cells = compare(results.only([one, other]), other, share)
    return MethodPair(cells, mean_gain(results, one, other, share))


def lead(results: Results, one: str, others: Sequence[str], share: float | None = None) -> pd.DataFrame:
    """Find the q* and costs at which one method beats several others.

    Parameters
    ----------
    results : Results
        Results of an experiment in which all were run.
    one, others : str, sequence of str
        Names of the methods.
    share : float, optional
        Share of ω⁺ cases to weigh to.

    Returns
    -------
    DataFrame
        ``approach, q_star, cost``; ``ahead``, whether it has a higher net utility than each of the others; and
        ``surely``, whether every interval is above 0.
    """
    cells = [compare(results.only([one, other]), other, share) for other in others]
    return cells[0][["approach", "q_star", "cost"]].assign(
        ahead=np.all([cell["difference"] > TINY for cell in cells], axis=0),
        surely=np.all([cell["difference_low"] > 0 for cell in cells], axis=0),
    )


def check_claims(results: Results, share: float | None = None) -> pd.DataFrame:
    """Check every claim whose methods were run; return columns ``claim``, ``answer`` and ``result``, all sentences.

    The answer is short, the result names the cells. With a `share`, cases are weighed to this share of ω⁺.
    """
    run = {method.name for method in results.methods}
    rows = []
    if run.issuperset(UTILITY_AWARE) and run & set(RECALL_CENTRIC):
        rows.append((message("utility_aware_claim"), *_utility_aware(results, share)))
    for one, other, claim in PAIRS:
        if {one, other} <= run:
            compared = pair(results, one, other, share)
            rows.append((claim, message("pair_answer", pair=compared), message("pair", pair=compared)))
    return pd.DataFrame(rows, columns=["claim", "answer", "result"])


def caution(results: Results) -> str:
    """Word a caution about intervals from few groups; "" if there are enough."""
    groups, unit = len(set(results.groups)), TASKS[results.scenario].groups
    return message("caution", groups=groups, unit=unit, few=FEW_GROUPS) if groups < FEW_GROUPS else ""


def _utility_aware(results: Results, share: float | None) -> tuple[str, str]:
    """The answer and the result of the claim that utility-aware rules beat the recall-centric ones."""
    baselines = {method.name: method.title for method in results.methods if method.name in RECALL_CENTRIC}
    leads = [lead(results, name, [*baselines], share) for name in UTILITY_AWARE]
    parts = [
        message(
            "beats",
            name=cells["approach"].iloc[0],
            ahead=cells["ahead"].sum(),
            cells=len(cells),
            surely=cells["surely"].sum(),
            behind=cells_of(cells[~cells["ahead"]]),
        )
        for cells in leads
    ]
    all_beaten = all(cells["ahead"].all() for cells in leads)
    counts = {cells["approach"].iloc[0]: cells["ahead"].sum() for cells in leads}
    answer = message("utility_aware_answer", all_beaten=all_beaten, counts=counts, cells=len(leads[0]))
    return answer, message("utility_aware", all_beaten=all_beaten, titles=[*baselines.values()], parts=parts)
