"""The paper's Tables 1 and 2: what follows from them by arithmetic alone, and how a run stands beside them.

Every published row satisfies U = P − loss − c·n with P the payoff of deciding every topic rightly, so the
numbers of false adopts and false rejects, which the paper draws but does not print, can be solved for.
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
from tarstop_core.evaluation.findings.means import DRAWS, mean_with_interval
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
"""Methods whose error counts are means over 50 random samples, so need not be whole."""
PAPER_NAMES = {name: POLICIES[name].title for name in PAPER} | {"knee": "Kneedle"}
"""What the paper's tables call a method."""
EQUAL = 5e-5
"""Half a unit of the last digit that the paper prints; a smaller gap counts as a tie."""
PAIR = ["q_star", "cost", "ahead", "behind", "gap_paper", "gap", "gap_low", "gap_high", "order"]


class Order(StrEnum):
    """How two methods that the paper puts in an order by net utility stand in a run.

    An order is sure where the 95 % interval of the difference excludes 0, and equal where the paper or the run
    has no difference that four decimals show.
    """

    SAME = "as there"
    SURELY_SAME = "as there, surely"
    TURNED = "other way round"
    SURELY_TURNED = "other way round, surely"
    EQUAL = "equal"

    @classmethod
    def of(cls, gap: float, low: float, high: float, printed: float) -> Self:
        """Order of two methods, the paper's better one first.

        Parameters
        ----------
        gap, low, high
            Difference in mean net utility in the run, with its 95 % interval.
        printed
            Difference that the paper prints, not negative.

        Returns
        -------
        Order
        """
        if min(abs(gap), printed) < EQUAL:
            return cls.EQUAL
        sure = low > 0 or high < 0
        if gap > 0:
            return cls.SURELY_SAME if sure else cls.SAME
        return cls.SURELY_TURNED if sure else cls.TURNED


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


# --- a run beside the paper --------------------------------------------------------------------------


def beside_paper(results: Results) -> pd.DataFrame:
    """Rows of this run beside the paper's, where q*, cost and method are the paper's; empty without such rows.

    ``q_star, cost, method, approach, rank, rank_paper`` (by net utility, 1 best, among the paper's methods
    that were run) and, with and without ``_paper``, ``net_utility, screened, decision_agreement, recall, icer`` (a number
    or a label here, text in the paper) and ``false_adopt, false_reject`` as shares of topics: the paper's as its tables
    imply them (:func:`~tarstop_core.evaluation.findings.paper.recovered`; NaN at q* = .5).
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


def pairs(results: Results, draws: int = DRAWS) -> pd.DataFrame:
    """Every two of the paper's methods in its tables: whether they stand here as they do there.

    ``q_star, cost, ahead, behind`` (approaches, by the paper's net utility), ``gap_paper``, ``gap`` of this run with
    ``gap_low`` and ``gap_high``, and ``order``, an :class:`Order`.
    """
    pair_rows = []
    for _, own in beside_paper(results).groupby(["q_star", "cost"], sort=False):
        q_star, cost = (float(own[name].iloc[0]) for name in ("q_star", "cost"))
        q, c = results.q(q_star), results.c(cost)
        ranked = own.sort_values("net_utility_paper", ascending=False, kind="stable").to_dict("records")
        for one, other in combinations(ranked, 2):
            of = [results.net_utility[:, results.method(str(each["method"])), q, c] for each in (one, other)]
            gap = mean_with_interval(results, of[0] - of[1], q, draws=draws)
            printed = one["net_utility_paper"] - other["net_utility_paper"]
            low, high, mean = (float(each) for each in (gap.low, gap.high, gap.value))
            order = Order.of(mean, low, high, printed)
            pair_rows.append(
                (q_star, cost, one["approach"], other["approach"], printed, mean, low, high, order)
            )
    return pd.DataFrame(pair_rows, columns=PAIR)


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
