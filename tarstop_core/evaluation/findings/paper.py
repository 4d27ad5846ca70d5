"""The paper's Tables 1 and 2: what follows from them by arithmetic, and how the results of a run compare.

Every published row satisfies U = P − loss − c·n, where P is the payoff of deciding every topic rightly. So the numbers
of false adopts and false rejects, which the paper draws but does not print, can be computed.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Self

import pandas as pd

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings import message
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.means import mean_with_interval
from tarstop_core.evaluation.methods import PAPER
from tarstop_core.evaluation.results import FOLDER, Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import sample_dir
from tarstop_core.policies import POLICIES
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
"""Methods whose error counts are means over 50 random samples, which need not be whole numbers."""
PAPER_NAMES = {name: POLICIES[name].title for name in PAPER} | {"knee": "Kneedle"}
"""Names of methods in the paper's tables."""
EQUAL = 5e-5
"""Half a unit of the last digit that the paper prints; a smaller difference counts as a tie."""
PAIR = ["q_star", "cost", "ahead", "behind", "gap_paper", "gap", "gap_low", "gap_high", "order"]


class OrderCheck(StrEnum):
    """Whether two methods have the same order by net utility in a run as in the paper.

    The order is sure if the 95 % interval of the difference excludes 0. It is "equal" if the difference in the paper
    or in the run is not visible in four decimals.
    """

    SAME = "as there"
    SURELY_SAME = "as there, surely"
    TURNED = "other way round"
    SURELY_TURNED = "other way round, surely"
    EQUAL = "equal"

    @classmethod
    def of(cls, gap: float, low: float, high: float, printed: float) -> Self:
        """Order of two methods, of which the first is the better one in the paper.

        Parameters
        ----------
        gap, low, high
            First minus second mean net utility in the run, and the ends of its 95 % interval.
        printed
            This difference in the paper, not negative.

        Returns
        -------
        OrderCheck
        """
        if min(abs(gap), printed) < EQUAL:
            return cls.EQUAL
        sure = low > 0 or high < 0
        if gap > 0:
            return cls.SURELY_SAME if sure else cls.SAME
        return cls.SURELY_TURNED if sure else cls.TURNED


def published() -> pd.DataFrame:
    """Read the 42 published rows; `icer` is text as printed."""
    return pd.read_csv(Path(__file__).with_name("published.csv"), dtype={"icer": "str"})


def omega_plus(panel: pd.DataFrame) -> float:
    """Number of ω⁺ topics of a panel; NaN at q* = .5, where it cannot be computed and does not matter.

    A row in which every decision is right has no loss, so its net utility and effort give P, which is linear in the
    number of ω⁺ topics. For patents the paper states the number.
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
    """Compute what each published row implies, and check that this program's functions reproduce the row.

    Returns
    -------
    DataFrame
        ``scenario, q_star, cost, approach, topics, omega_plus`` (NaN if unknown); ``false_adopt, false_reject`` (whole
        numbers except for means of replications; NaN at q* = .5); ``net_utility`` as published and
        ``net_utility_again`` from the errors; ``icer`` as published, ``icer_again`` from screened and agreement, and
        ``icer_agrees``: whether labels are equal, or values within the rounding of what they are computed from.
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
            implied["icer_agrees"] = _icer_agrees(row["icer"], ratio, row, reference)
            implied_rows.append(row | implied)
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
    kinds = ["false_adopt", "false_reject"]
    shares = frame[["approach", "q_star"]].join(frame[kinds].div(frame["topics"], axis=0))
    shares.insert(0, "method", frame["approach"].map(policies))
    return shares


# --- a run beside the paper --------------------------------------------------------------------------


def beside_paper(results: Results) -> pd.DataFrame:
    """Rows of this run with q*, cost and method as in the paper, beside the paper's rows; empty if there are none.

    Returns
    -------
    DataFrame
        ``q_star, cost, method, approach``; ``rank, rank_paper`` by net utility among the paper's methods that were
        run, 1 the best; and, with and without ``_paper``, ``net_utility, screened, decision_agreement, recall, icer``
        (a number or label of the run, text of the paper) and ``false_adopt, false_reject`` as shares of topics, which
        for the paper are those of :func:`recovered` (NaN at q* = .5).
    """
    keys = ["q_star", "cost", "approach"]
    errors_of = ["false_adopt", "false_reject"]
    paper = published().merge(recovered()[["scenario", *keys, *errors_of]], on=["scenario", *keys])
    paper = paper[paper["scenario"] == results.scenario]
    own = rows(results, draws=0)
    own = own[own["method"].isin(list(PAPER_NAMES))]
    own = own.assign(approach=[PAPER_NAMES[name] for name in own["method"]])
    both = own.merge(paper, on=keys, suffixes=("", "_paper"))
    for error in errors_of:
        both[error] /= both["topics"]
        both[f"{error}_paper"] /= both["topics_paper"]
    by_panel = both.groupby(["q_star", "cost"])
    both["rank"] = by_panel["net_utility"].rank(ascending=False, method="min").astype(int)
    both["rank_paper"] = by_panel["net_utility_paper"].rank(ascending=False, method="min").astype(int)
    figures = ["net_utility", "screened", "decision_agreement", "recall", "icer", *errors_of]
    columns = ["q_star", "cost", "method", "approach", "rank", "rank_paper"]
    columns += [name for figure in figures for name in (figure, f"{figure}_paper")]
    return both[columns].sort_values(["q_star", "rank_paper"], ascending=[False, True], ignore_index=True)


def pairs(results: Results) -> pd.DataFrame:
    """Compare the order of every two of the paper's methods in its tables and in this run.

    Returns
    -------
    DataFrame
        ``q_star, cost``; ``ahead, behind``, the better and the worse approach in the paper; ``gap_paper``, their
        difference in net utility there; ``gap, gap_low, gap_high``, the difference here; ``order``, an
        :class:`OrderCheck`.
    """
    pair_rows = []
    for _, own in beside_paper(results).groupby(["q_star", "cost"], sort=False):
        q_star, cost = (float(own[name].iloc[0]) for name in ("q_star", "cost"))
        q = results.q(q_star)
        utility = results.net_utility[:, :, q, results.c(cost)]
        ranked = own.sort_values("net_utility_paper", ascending=False, kind="stable").to_dict("records")
        for one, other in combinations(ranked, 2):
            ahead, behind = (utility[:, results.method(str(row["method"]))] for row in (one, other))
            gap = mean_with_interval(results, ahead - behind, q)
            printed = one["net_utility_paper"] - other["net_utility_paper"]
            mean, low, high = float(gap.value), float(gap.low), float(gap.high)
            order = OrderCheck.of(mean, low, high, printed)
            names = one["approach"], other["approach"]
            pair_rows.append((q_star, cost, *names, printed, mean, low, high, order))
    return pd.DataFrame(pair_rows, columns=PAIR)


def ordering_sentences(results: Results) -> list[str]:
    """Say for each panel where the order of the paper's methods differs from its tables."""
    sentences = []
    beside = beside_paper(results)
    for (q_star, cost), own in pairs(results).groupby(["q_star", "cost"], sort=False):
        cell = {"q_star": q_star, "cost": cost}
        turned = own[own["order"].isin((OrderCheck.TURNED, OrderCheck.SURELY_TURNED))].to_dict("records")
        if not turned:
            sentences.append(message("same_order", **cell))
            continue
        panel = beside[(beside["q_star"] == q_star) & (beside["cost"] == cost)]
        order = panel.sort_values("rank", kind="stable")["approach"]
        surely = sum(pair["order"] == OrderCheck.SURELY_TURNED for pair in turned)
        clearest = max(turned, key=lambda pair: min(-pair["gap"], pair["gap_paper"]))
        counts = {"pairs": len(own), "turned": len(turned), "surely": surely}
        sentences.append(message("order", **cell, order=order, **counts, clearest=clearest))
    return sentences


def reasons(results: Results) -> list[str]:
    """Causes of the difference from the paper, for each row of :func:`beside_paper`.

    "data": other topics; "data (the draw alone)" if the paper's net utility lies within the range of twenty draws of
    the simulated data. "truth": another truth than in the paper's tables. "agent": GRLStop's agent was trained here.
    "definition": the paper does not define Kneedle's parameters. "arithmetic": an expectation where the paper has a
    mean of samples, or a figure of the paper that its other figures contradict.
    """
    task, simulated = TASKS[results.scenario], results.simulated
    drawn = spread(str(results.settings["benchmark"])) if simulated else spread("")
    truth = task.paper is not None and bool(task.truths) and results.settings["truth"] != task.paper.truth
    expected = isinstance(results.settings.get("replications"), str)
    causes = []
    for row in beside_paper(results).to_dict("records"):
        name = str(row["method"])
        of_row = (drawn["q_star"] == row["q_star"]) & (drawn["cost"] == row["cost"])
        at = drawn[of_row & (drawn["method"] == name)]
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
    """Sentences on why the numbers of a run can differ from the paper's, in plain text without mark-up."""
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


# --- the comparison with the paper under other choices ---------------------------------------------

VARIATIONS = f"{FOLDER}/variations.csv"
VARIATION_COLUMNS = "benchmark variation value method q_star cost net_utility screened decision_agreement recall difference low high".split()
"""`difference`, `low` and `high`, only for ``tuning``: net utility minus that of the shipped results, with its 95 % interval."""


@cache
def variations() -> pd.DataFrame:
    """Read the table that ``scripts/make_variations.py`` makes; it has no rows if the file is missing."""
    path = sample_dir() / VARIATIONS
    if not path.is_file():
        return pd.DataFrame(columns=VARIATION_COLUMNS)
    return pd.read_csv(path, dtype={"value": "str"})


def variation_of(benchmark: str, variation: str) -> pd.DataFrame:
    """Return the rows of one variation of a benchmark."""
    rows = variations()
    return rows[(rows["benchmark"] == benchmark) & (rows["variation"] == variation)]


def spread(benchmark: str) -> pd.DataFrame:
    """Summarise the draws of the simulated data by q*, cost and method.

    Columns are ``net_utility_mean, net_utility_std, net_utility_min, net_utility_max``, the same for screened,
    agreement and recall, and ``draws``, their number.
    """
    grouped = variation_of(benchmark, "seed").groupby(["q_star", "cost", "method"])
    figures = ["net_utility", "screened", "decision_agreement", "recall"]
    statistics = grouped[figures].agg(["mean", "std", "min", "max"])
    statistics.columns = statistics.columns.map("_".join)
    return statistics.assign(draws=grouped.size()).reset_index()
