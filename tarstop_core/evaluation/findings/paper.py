"""The paper's Tables 1 and 2, and what follows from them by arithmetic alone, with the metrics of an experiment.

Every published row satisfies U = P − loss − c·n with P the payoff of deciding every topic rightly, so the
numbers of false adopts and false rejects, which the paper draws but does not print, can be solved for.
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.results import FOLDER
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import sample_dir
from tarstop_core.value.payoffs import Payoffs

SOURCE = (
    "A. H. A. Fletcher & M. Stevenson, Decision-Theoretic Stopping Rules for Document Screening, Tables 1 (patents) "
    "and 2 (systematic reviews)"
)
REFERENCE_METHOD = "Greedy"
COLUMNS = (
    "scenario q_star cost approach topics omega_plus false_adopt false_reject net_utility net_utility_again "
    "icer icer_again icer_agrees"
).split()
MEANS_OF_REPLICATIONS = frozenset({"QBCB"})
"""Methods whose error counts are means over 50 random samples, so need not be whole."""


def published() -> pd.DataFrame:
    """The 42 published rows; `icer` as printed."""
    return pd.read_csv(Path(__file__).with_name("published.csv"), dtype={"icer": "str"})


def omega_plus(panel: pd.DataFrame) -> float:
    """How many topics of a panel are ω⁺; NaN where it cannot be known (and does not matter: q* = .5).

    A row whose decisions are all right has lost nothing: its net utility and effort give P, and P is
    linear in the number of ω⁺ topics. The patent task states its number.
    """
    first = panel.iloc[0]
    stated = TASKS[str(first["scenario"])].paper
    if stated is not None and stated.omega_plus is not None:
        return stated.omega_plus
    payoffs = Payoffs.from_q_star(float(first["q_star"]))
    perfect = panel[panel["decision_agreement"] == 1]
    if perfect.empty or math.isclose(payoffs.B, payoffs.G):
        return math.nan
    right = (perfect["net_utility"] + perfect["cost"] * perfect["screened"]).mean()
    return float(round(first["topics"] * (right - payoffs.G) / (payoffs.B - payoffs.G)))


def recovered() -> pd.DataFrame:
    """What each of the published rows implies, and whether this project's functions give it back.

    ``scenario, q_star, cost, approach, topics, omega_plus`` (NaN where unknown), ``false_adopt`` and
    ``false_reject`` (whole, but for means of replications; NaN at q* = .5), ``net_utility`` as published,
    ``net_utility_again`` from the errors, ``icer`` as published, ``icer_again`` from screened and
    agreement, ``icer_agrees`` (label equal, or value within the rounding of what it is computed from).
    """
    implied_rows = []
    for _, panel in published().groupby(["scenario", "q_star"], sort=False):
        plus = omega_plus(panel)
        rows = panel.to_dict("records")
        reference = next(row for row in rows if row["approach"] == REFERENCE_METHOD)
        for row in rows:
            payoffs, among = Payoffs.from_q_star(row["q_star"]), plus
            adopts, rejects = metrics.errors_of_net_utility(payoffs, row, plus)
            if math.isnan(adopts):
                # Both cost the same where they are not known apart, so any split and any ω⁺ will do.
                split = ((1 - row["decision_agreement"]) * row["topics"], 0.0)
                among = 0.0 if math.isnan(plus) else plus
            else:
                digits = 2 if row["approach"] in MEANS_OF_REPLICATIONS else 0
                split = adopts, rejects = abs(round(adopts, digits)), abs(round(rejects, digits))
            again = metrics.net_utility_of_errors(payoffs, row, among, *split)
            compared = [
                each[name] for each in (row, reference) for name in ("screened", "decision_agreement")
            ]
            ratio = metrics.REFERENCE if row["approach"] == REFERENCE_METHOD else metrics.icer(*compared)
            implied: dict[str, Any] = {"omega_plus": plus, "false_adopt": adopts, "false_reject": rejects}
            implied |= {"net_utility_again": again, "icer_again": ratio}
            implied_rows.append(
                row | implied | {"icer_agrees": _icer_agrees(row["icer"], ratio, row, reference)}
            )
    return pd.DataFrame(implied_rows, columns=COLUMNS)


def _icer_agrees(printed: str, own: metrics.Icer, row: metrics.Row, reference: metrics.Row) -> bool:
    if isinstance(own, str):
        return own == printed
    more = row["screened"] - reference["screened"]
    better = row["decision_agreement"] - reference["decision_agreement"]
    # Either input may be off by half a unit of its last digit, on both sides of the difference.
    wide, high = 10.0**-metrics.PRINTED_SCREENED, 10.0**-metrics.PRINTED_AGREEMENT
    corners = [(more + i * wide) / (better + j * high) for i in (-1, 1) for j in (-1, 1)]
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return bool(min(corners) - half <= float(printed) <= max(corners) + half)


def as_shares(frame: pd.DataFrame, policies: Mapping[str, str]) -> pd.DataFrame:
    """Return rows of :func:`recovered` with errors as shares of topics, and each approach's policy as ``method``."""
    shares = frame[["approach", "q_star", "false_adopt", "false_reject"]].copy()
    shares[["false_adopt", "false_reject"]] = shares[["false_adopt", "false_reject"]].div(
        frame["topics"], axis=0
    )
    shares.insert(0, "method", frame["approach"].map(policies))
    return shares


# --- what the comparison with the paper would say had other choices been made ----------------------

VARIATIONS = f"{FOLDER}/variations.csv"
VARIATION_COLUMNS = "benchmark variation value method q_star cost net_utility screened decision_agreement recall difference low high".split()
"""`difference`, `low` and `high` (of ``tuning`` alone): of net utility from the shipped results, with its 95 % interval."""


@cache
def variations() -> pd.DataFrame:
    """Read the figures of ``scripts/make_variations.py``; no rows where the file is missing."""
    path = sample_dir() / VARIATIONS
    if not path.is_file():
        return pd.DataFrame(columns=VARIATION_COLUMNS)
    return pd.read_csv(path, dtype={"value": "str"})


def variation_of(benchmark: str, variation: str) -> pd.DataFrame:
    """Return the rows of one variation of a benchmark."""
    rows = variations()
    return rows[(rows["benchmark"] == benchmark) & (rows["variation"] == variation)]


def spread(benchmark: str) -> pd.DataFrame:
    """Summarise the draws of the data: mean, sd, least and most of each figure, by q*, cost and method.

    Columns ``net_utility_mean, net_utility_std, net_utility_min, net_utility_max`` and so on, and ``draws``.
    """
    grouped = variation_of(benchmark, "seed").groupby(["q_star", "cost", "method"])
    figures = ["net_utility", "screened", "decision_agreement", "recall"]
    statistics = grouped[figures].agg(["mean", "std", "min", "max"])
    statistics.columns = statistics.columns.map("_".join)
    return statistics.assign(draws=grouped.size()).reset_index()
