"""From results of single cases to rows of tables: means, intervals, comparisons, regret.

Means can be weighed to any share of ω⁺ cases, which is the choice of whoever built a benchmark. Intervals come from
resampling groups (a topic with its twin, a review with its outcomes), in patents within the share of ω⁺ cases.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.figures import wilson
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings import message
from tarstop_core.evaluation.findings.paper import published, recovered
from tarstop_core.evaluation.findings.tables import BOOTSTRAPPED
from tarstop_core.evaluation.methods import PAPER
from tarstop_core.evaluation.metrics import NoRatio
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.policies import POLICIES
from tarstop_core.value.payoffs import Floats

DRAWS = 1000
LEVELS = (0.025, 0.975)
EQUAL = 5e-5
"""Half a unit of the last digit that the paper prints: gaps below it are no order."""
PAIR = ["q_star", "cost", "ahead", "behind", "gap_paper", "gap", "gap_low", "gap_high", "order"]
REFERENCE = "greedy"
CONTRACT = tuple(
    "approach q_star cost truth net_utility recall screened icer decision_agreement "
    "false_adopt false_reject topics".split()
)
"""Columns that come first in every table of rows."""
PAPER_NAMES = {name: POLICIES[name].title for name in PAPER} | {"knee": "Kneedle"}
"""What the paper's tables call a method."""


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


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean with its interval of 95 %, arrays of one shape."""

    value: Floats
    low: Floats
    high: Floats


def weighted_mean(results: Results, values: Floats, q: int, share: float | None = None) -> Floats:
    """Mean over cases of values of shape (T, …), as if `share` of the cases were ω⁺ (at q*'s truth)."""
    weights = metrics.share_weights(results.omega[:, q], share, results.weights)
    return np.asarray(np.tensordot(weights, values, axes=1))


def mean_with_interval(
    results: Results, values: Floats, q: int, share: float | None = None, draws: int = DRAWS
) -> Mean:
    """As :func:`weighted_mean`, with a percentile bootstrap interval over groups.

    The same groups are drawn whatever the values, so differences are paired.
    """
    value = weighted_mean(results, values, q, share)
    low, high = _interval(_resampled(results, values, q, share, draws))
    return Mean(value, low.reshape(value.shape), high.reshape(value.shape))


def _resampled(results: Results, values: Floats, q: int, share: float | None, draws: int) -> Floats:
    """Means of values of shape (T, …) over bootstrap samples, shape (draws, …); NaN where a sample lacks a state."""
    flat = values.reshape(len(values), -1)
    omega, weights = results.omega[:, q], results.weights
    _, of = np.unique(np.asarray(results.groups), return_inverse=True)
    groups = int(of.max()) + 1
    drawn = metrics.bootstrap_weights(groups, draws)
    if share is None and TASKS[results.scenario].fixed_share:
        share = float(weights[omega].sum() / weights.sum())
    parts = [(np.ones_like(omega), 1.0)] if share is None else [(omega, share), (~omega, 1 - share)]
    sampled = np.zeros((draws, flat.shape[1]))
    for state, part in ((state, part) for state, part in parts if part > 0):
        sums = np.zeros((groups, flat.shape[1]))
        np.add.at(sums, of[state], weights[state, None] * flat[state])
        total = drawn @ np.bincount(of[state], weights=weights[state], minlength=groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            sampled += part * (drawn @ sums) / total[:, None]
    return sampled


def _interval(sampled: Floats) -> tuple[Floats, Floats]:
    # A sample without any case of a state says nothing of its mean.
    kept = sampled[np.isfinite(sampled).all(axis=1)]
    low, high = np.quantile(kept, LEVELS, axis=0) if len(kept) else np.full((2, sampled.shape[1]), np.nan)
    return low, high


def mean_gain(results: Results, one: str, other: str, share: float | None = None, draws: int = DRAWS) -> Mean:
    """By how much one method's net utility exceeds another's, averaged over all q* and costs: single numbers."""
    utility = results.net_utility
    gain = (utility[:, results.method(one)] - utility[:, results.method(other)]).mean(axis=2)
    q_at = range(len(results.q_stars))
    value = np.mean([weighted_mean(results, gain[:, q], q, share) for q in q_at])
    # The same groups are drawn for every q*, so its samples go together.
    sampled = np.mean([_resampled(results, gain[:, q], q, share, draws) for q in q_at], axis=0)
    low, high = _interval(sampled)
    return Mean(np.asarray(value), low[0], high[0])


def rows(
    results: Results,
    *,
    share: float | None = None,
    q_stars: Sequence[float] | None = None,
    costs: Sequence[float] | None = None,
    draws: int = DRAWS,
    target: float = metrics.TARGET_RECALL,
) -> pd.DataFrame:
    """One row for each method, q* and cost (all that were run unless given), weighed to a share of ω⁺ cases if given.

    :data:`CONTRACT` first. `recall`, `screened` and `decision_agreement` are means; `false_adopt` and
    `false_reject` are numbers of topics (weighed to a share: as many of `topics`); `icer` is against
    Greedy, "--" where there is no ratio (``icer_note`` says why). Then ``method, policy, variant, family, setting`` (what tuning chose), ``engine,
    benchmark, simulated, share`` (of ω⁺), ``decide_now`` (agreement of reading nothing with the row's prior),
    ``effort_saved`` (share of all documents left unread), ``regret`` (NaN for an Oracle), ``depth_25,
    depth_50, depth_75`` (weighed as the means are) and, unless `draws` is 0, as ``…_low`` and ``…_high`` intervals of
    95 % of net utility, agreement and screened. Over the ``topics_with_relevant`` alone: ``wss`` and ``reliability``, the
    share of them whose recall (of rules that draw a sample: whose mean recall) reaches the ``target_recall``, with Wilson's
    ``reliability_low`` and ``reliability_high``; NaN where no topic has anything relevant. ``engine_changes`` is the share of terminal actions that the bivariate
    engine would change, NaN where it was not asked.
    """
    q_at = [results.q(each) for each in (results.q_stars if q_stars is None else q_stars)]
    c_at = [results.c(each) for each in (results.costs if costs is None else costs)]
    return pd.concat([_rows(results, q, c_at, share, draws, target) for q in q_at], ignore_index=True)


def _rows(
    results: Results, q: int, c_at: list[int], share: float | None, draws: int, target: float
) -> pd.DataFrame:
    """The rows of one q*, cost by cost: means over cases have the shape (M, C), columns (C, M)."""
    omega, settings = results.omega[:, q], results.settings
    truth = omega[:, None, None]
    screened, plus, utility, recall = (
        each[:, :, q, c_at] for each in (results.screened, results.plus, results.net_utility, results.recall)
    )
    agrees = metrics.agreement(plus, truth)

    def mean(values: Floats) -> Floats:
        return weighted_mean(results, values, q, share)

    read, right = mean(screened), mean(agrees)
    weights = metrics.share_weights(omega, share, results.weights)
    # With weights only observed depths can be quantiles: numpy interpolates none.
    depths = np.quantile(screened, (0.25, 0.5, 0.75), axis=0, weights=weights, method="inverted_cdf")
    decide_now = {
        variant: float(mean(metrics.agreement(deciding_now(results, q, variant), omega)))
        for variant in {method.variant for method in results.methods}
    }
    icers, icer_notes = _icers(results, read, right)
    columns: dict[str, ArrayLike] = {
        "approach": _named(results)["approach"],
        "q_star": results.q_stars[q],
        "cost": np.array(results.costs)[c_at, None],
        "truth": settings["truth"],
        "net_utility": mean(utility).T,
        "recall": mean(recall).T,
        "screened": read.T,
        "icer": icers.T,
        "decision_agreement": right.T,
        # Counts without the dust of summing weights.
        "false_adopt": (mean(metrics.false_adopt(plus, truth)) * len(omega)).round(6).T,
        "false_reject": (mean(metrics.false_reject(plus, truth)) * len(omega)).round(6).T,
        "topics": len(results.cases),
        **_named(results),
        "icer_note": icer_notes.T,
        **_recall_centred(results, q, c_at, share, target),
        "setting": [[results.setting(m, q, c) for m in range(len(results.methods))] for c in c_at],
        "engine": settings["engine"],
        "benchmark": settings["benchmark"],
        "simulated": results.simulated,
        "share": mean(omega.astype(float)),
        "decide_now": [decide_now[method.variant] for method in results.methods],
        "effort_saved": (1 - read / mean(results.documents.astype(float))).T,
        "regret": mean(regrets(results, q)[:, :, c_at]).T,
        **{f"depth_{level}": each.T for level, each in zip((25, 50, 75), depths, strict=True)},
    }
    if draws:
        for name, values in zip(BOOTSTRAPPED, (utility, agrees, screened), strict=True):
            interval = mean_with_interval(results, values, q, share, draws)
            columns |= {f"{name}_low": interval.low.T, f"{name}_high": interval.high.T}
    if results.plus_exact is not None:
        columns["engine_changes"] = mean(np.abs(results.plus_exact[:, :, q, c_at] - plus)).T
    return _long(columns)


def _icers(results: Results, read: Floats, right: Floats) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """ICER of each method and cost against Greedy, and the sentence on each that is "--"."""
    names = [method.name for method in results.methods]
    icers = np.full(read.shape, metrics.NEITHER, dtype=object)
    if REFERENCE not in names:
        return icers, np.full(read.shape, message("no_ratio", reason=NoRatio.ALONE.value), dtype=object)
    notes = np.full(read.shape, "", dtype=object)
    reference = names.index(REFERENCE)
    for m, c in np.ndindex(read.shape):
        means = [float(each[i]) for i in ((m, c), (reference, c)) for each in (read, right)]
        icers[m, c] = metrics.icer(*means)
        if m != reference and (why := metrics.no_ratio(*means)) is not None:
            notes[m, c] = message("no_ratio", reason=why.value)
    icers[reference] = metrics.REFERENCE
    return icers, notes


def _recall_centred(
    results: Results, q: int, c_at: list[int], share: float | None, target: float
) -> dict[str, ArrayLike]:
    """The columns on recall over topics with something relevant, by cost and method, shape (C, M)."""
    omega = results.omega[:, q]
    some = TASKS[results.scenario].has_relevant(omega)
    weights = metrics.share_weights(omega, share, results.weights) * some
    recall, read = results.recall[:, :, q, c_at], results.screened[:, :, q, c_at]
    columns: dict[str, ArrayLike] = {"target_recall": target, "topics_with_relevant": int(some.sum())}
    names = ("wss", "reliability", "reliability_low", "reliability_high")
    if not weights.any():
        return columns | dict.fromkeys(names, math.nan)
    weights /= weights.sum()
    wss = np.tensordot(weights, metrics.wss(recall, read, results.documents[:, None, None]), axes=1)
    reached = np.tensordot(weights, metrics.reaches(recall, target).astype(float), axes=1)
    # Unequal weights are worth fewer topics (Kish); equal ones as many as there are.
    low, high = wilson(reached, np.full(reached.shape, 1 / (weights**2).sum()))
    return columns | {name: each.T for name, each in zip(names, (wss, reached, low, high), strict=True)}


def _long(columns: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Columns that broadcast to one shape as a row for each of its entries."""
    spread = np.broadcast_arrays(*columns.values())
    return pd.DataFrame({name: each.ravel() for name, each in zip(columns, spread, strict=True)})


def deciding_now(results: Results, q: int, variant: str) -> Floats:
    """Chance of a⁺ of whoever reads nothing and believes the variant's prior, shape (T,); NaN where it is not known."""
    beliefs = results.settings.get("beliefs")
    if beliefs is not None:
        b_0 = np.array([fold[variant] for fold in beliefs])[results.fold]
    else:
        b_0 = np.full(len(results.cases), np.nan if variant == "learned" else float(results.settings["b_0"]))
    return np.where(np.isnan(b_0), np.nan, results.payoffs[q].chooses_plus(b_0))


def _named(results: Results) -> dict[str, NDArray[np.object_]]:
    """Columns that say which method a row is of, shape (M,)."""
    columns = ("method", "approach", "policy", "variant", "family")
    named = [(each.name, each.title, each.policy, each.variant, each.family) for each in results.methods]
    return dict(zip(columns, np.array(named, dtype=object).T, strict=True))


def regrets(results: Results, q: int) -> Floats:
    """Regret of each case, method and cost, shape (T, M, C), against the best but Oracles, which have none (NaN)."""
    utility = results.net_utility[:, :, q]
    fair = np.array([not method.is_oracle for method in results.methods])
    regret = np.full(utility.shape, np.nan)
    if fair.any():
        regret[:, fair] = metrics.regret(utility[:, fair])
    return regret


def regret_by_cost(
    results: Results, q_star: float, share: float | None = None, draws: int = 0
) -> pd.DataFrame:
    """Mean regret of each method that could be followed, at every cost: the paper's log-log figure.

    ``method, approach, policy, variant, family, cost, regret``, with draws also ``regret_low, regret_high``.
    """
    q = results.q(q_star)
    values = regrets(results, q)
    mean = weighted_mean(results, values, q, share)
    columns = {"regret": mean}
    if draws:
        interval = mean_with_interval(results, np.nan_to_num(values), q, share, draws)
        columns |= {"regret_low": interval.low, "regret_high": interval.high}
    methods = {name: each[:, None] for name, each in _named(results).items()}
    table = _long({**methods, "cost": results.costs, **columns})
    followed = [not method.is_oracle for method in results.methods]
    return table[np.repeat(followed, len(results.costs))].reset_index(drop=True)


def errors(results: Results, cost: float, share: float | None = None) -> pd.DataFrame:
    """``false_adopt`` and ``false_reject`` of each method and q*, as shares of all topics; ``loss``, their cost in utility.

    Before them ``method, approach, policy, variant, family, q_star``.
    """
    c = results.c(cost)
    tables = []
    for q, (q_star, payoffs) in enumerate(zip(results.q_stars, results.payoffs, strict=True)):
        plus, omega = results.plus[:, :, q, c], results.omega[:, q, None]
        adopts, rejects = (
            weighted_mean(results, wrong(plus, omega), q, share)
            for wrong in (metrics.false_adopt, metrics.false_reject)
        )
        loss = adopts * payoffs.wrong_plus + rejects * payoffs.wrong_minus
        errors_of_each = {"false_adopt": adopts, "false_reject": rejects, "loss": loss}
        tables.append(_long({**_named(results), "q_star": q_star, **errors_of_each}))
    return pd.concat(tables, ignore_index=True)


def compare(
    results: Results, reference: str = REFERENCE, share: float | None = None, draws: int = DRAWS
) -> pd.DataFrame:
    """Every method against a reference, on the same cases.

    ``method, approach, policy, variant, family, reference, q_star, cost, difference`` (of mean net utility) with
    ``difference_low`` and ``difference_high``; ``better`` and ``worse``, shares of cases; ``agreement`` and
    ``screened``, differences of means.
    """
    other = results.method(reference)
    tables = []
    for q, q_star in enumerate(results.q_stars):
        utility = results.net_utility[:, :, q]
        gain = utility - utility[:, [other]]
        interval = mean_with_interval(results, gain, q, share, draws)
        omega = results.omega[:, q, None, None]
        agrees = metrics.agreement(results.plus[:, :, q], omega)
        agreement, read, better, worse = (
            weighted_mean(results, np.asarray(each, dtype=float), q, share)
            for each in (agrees, results.screened[:, :, q], gain > 1e-12, gain < -1e-12)
        )
        columns = {name: each[:, None] for name, each in _named(results).items()} | {
            "reference": results.methods[other].title,
            "q_star": q_star,
            "cost": results.costs,
            "difference": interval.value,
            "difference_low": interval.low,
            "difference_high": interval.high,
            "better": better,
            "worse": worse,
            "agreement": agreement - agreement[other],
            "screened": read - read[other],
        }
        table = _long(columns)
        tables.append(table[table["method"] != reference])
    return pd.concat(tables, ignore_index=True)


def case_rows(results: Results, q_star: float | None = None, cost: float | None = None) -> pd.DataFrame:
    """Results case by case, a column a field of :class:`Results`: what a table's means are means of."""
    q_at = range(len(results.q_stars)) if q_star is None else [results.q(q_star)]
    c_at = range(len(results.costs)) if cost is None else [results.c(cost)]
    methods = _named(results)
    tables = []
    for q, c in product(q_at, c_at):
        columns: dict[str, ArrayLike] = {
            "topic": np.array(results.cases, dtype=object)[:, None],
            "group": np.array(results.groups, dtype=object)[:, None],
            "omega": results.omega[:, q, None],
            "documents": results.documents[:, None],
            **{name: methods[name] for name in ("approach", "method")},
            "q_star": results.q_stars[q],
            "cost": results.costs[c],
        }
        measured = ("screened", "plus", "recall", "net_utility")
        columns |= {name: getattr(results, name)[:, :, q, c] for name in measured}
        tables.append(_long(columns | {"fold": results.fold[:, None]}))
    return pd.concat(tables, ignore_index=True)


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
