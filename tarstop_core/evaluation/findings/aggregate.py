"""From results of single cases to rows of tables: means, intervals, comparisons, regret.

Means can be weighed to any share of ω⁺ cases: that half of a patent benchmark has prior art is a choice of
whoever built it. Intervals come from resampling groups (a topic with its twin, a review with its outcomes),
in the patent scenario within the share of ω⁺ cases, which is fixed and not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings.paper import published, recovered
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.evaluation.tasks.named import TASKS

Floats = NDArray[np.float64]

DRAWS = 1000
SEED = 1
LEVELS = (0.025, 0.975)
REFERENCE = "greedy"
CONTRACT = (
    *(
        "approach",
        "q_star",
        "cost",
        "truth",
        "net_utility",
        "recall",
        "screened",
        "icer",
        "decision_agreement",
    ),
    *("false_adopt", "false_reject", "topics"),
)
"""Columns that come first in every table of rows."""
PAPER_NAMES = {
    "greedy": "Greedy",
    "smooth": "Smooth",
    "batch": "Batch",
    "budget": "Budget",
    "qbcb": "QBCB",
    "knee": "Kneedle",
    "grlstop": "GRLStop",
}
"""What the paper's tables call a method."""


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


@lru_cache(maxsize=8)
def _drawn(groups: int, draws: int) -> Floats:
    """How often each group is in each bootstrap sample, shape (draws, groups); drawing takes longer than using."""
    counts = np.random.default_rng(SEED).multinomial(groups, np.full(groups, 1 / groups), size=draws)
    drawn = counts.astype(float)
    drawn.setflags(write=False)
    return drawn


def mean_with_interval(
    results: Results, values: Floats, q: int, share: float | None = None, draws: int = DRAWS
) -> Mean:
    """Mean over cases of values of shape (T, …), with a percentile bootstrap interval over groups.

    Parameters
    ----------
    values : ndarray, shape (T, …)
    q : int
        Which q*'s truth tells ω⁺ cases apart.
    share : float, optional
        Share of ω⁺ cases to weigh to.
    draws : int
        Bootstrap samples; the same groups are drawn whatever the values, so differences are paired.
    """
    value = weighted_mean(results, values, q, share)
    flat = values.reshape(len(values), -1)
    omega, weights = results.omega[:, q], results.weights
    _, of = np.unique(np.asarray(results.groups), return_inverse=True)
    groups = int(of.max()) + 1
    drawn = _drawn(groups, draws)
    if share is None and TASKS[results.scenario].fixed_share:
        share = float(weights[omega].sum() / weights.sum())
    parts = [(np.ones(len(omega), dtype=bool), 1.0)]
    if share is not None:
        parts = [(state, part) for state, part in ((omega, share), (~omega, 1 - share)) if part > 0]
    sampled = np.zeros((draws, flat.shape[1]))
    for state, part in parts:
        sums = np.zeros((groups, flat.shape[1]))
        np.add.at(sums, of[state], weights[state, None] * flat[state])
        total = drawn @ np.bincount(of[state], weights=weights[state], minlength=groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            sampled += part * (drawn @ sums) / total[:, None]
    # A sample without any case of a state says nothing of its mean.
    kept = sampled[np.isfinite(sampled).all(axis=1)]
    if not len(kept):
        low = high = np.full(flat.shape[1], np.nan)
    else:
        low, high = np.quantile(kept, LEVELS, axis=0)
    return Mean(value, low.reshape(value.shape), high.reshape(value.shape))


def rows(
    results: Results,
    *,
    share: float | None = None,
    q_stars: Sequence[float] | None = None,
    costs: Sequence[float] | None = None,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """One row for each method, q* and cost.

    Parameters
    ----------
    results : Results
    share : float, optional
        Share of ω⁺ cases to weigh to; as they are unless given.
    q_stars, costs : sequence of float, optional
        Those wanted; all that were run unless given.
    draws : int
        Bootstrap samples; 0 leaves out the intervals.

    Returns
    -------
    DataFrame
        :data:`CONTRACT` first. `recall`, `screened` and `decision_agreement` are means; `false_adopt` and
        `false_reject` are numbers of topics (weighed to a share: as many of `topics`); `icer` is against
        Greedy, "--" without it. Then ``method, policy, variant, family, setting`` (what tuning chose), ``engine,
        benchmark, simulated, share`` (of ω⁺), ``decide_now`` (agreement of reading nothing with the row's prior),
        ``effort_saved`` (share of all documents left unread), ``regret`` (NaN for an Oracle), ``depth_25,
        depth_50, depth_75`` (weighed as the means are) and, as ``…_low`` and ``…_high``, intervals of 95 % of net utility, agreement and screened.
        ``engine_changes`` is the share of terminal actions that the bivariate engine would change, NaN where
        it was not asked.
    """
    q_at = [results.q(each) for each in (results.q_stars if q_stars is None else q_stars)]
    c_at = [results.c(each) for each in (results.costs if costs is None else costs)]
    cells = (_Cell(results, q, c_at, share, draws) for q in q_at)
    methods = range(len(results.methods))
    return pd.DataFrame(
        [cell.row(m, c, place) for cell in cells for place, c in enumerate(c_at) for m in methods]
    )


class _Cell:
    """Everything of one q*, for all methods and the costs wanted."""

    def __init__(self, results: Results, q: int, c_at: list[int], share: float | None, draws: int) -> None:
        self.results, self.q = results, q
        omega = results.omega[:, q]
        plus = results.plus[:, :, q, c_at]
        self.screened = results.screened[:, :, q, c_at]
        truth = omega[:, None, None]
        utility = results.net_utility[:, :, q, c_at]
        agrees = metrics.agreement(plus, truth)

        def mean(values: Floats) -> Floats:
            return weighted_mean(results, values, q, share)

        self.share = float(mean(omega.astype(float)))
        self.utility, self.agrees, self.read = mean(utility), mean(agrees), mean(self.screened)
        self.recall = mean(results.recall[:, :, q, c_at])
        self.adopts = mean(metrics.false_adopt(plus, truth)) * len(omega)
        self.rejects = mean(metrics.false_reject(plus, truth)) * len(omega)
        self.saved = 1 - self.read / mean(results.documents.astype(float))
        self.regret = mean(regrets(results, q)[:, :, c_at])
        self.decide_now = {
            variant: float(mean(metrics.agreement(deciding_now(results, q, variant), omega)))
            for variant in {method.variant for method in results.methods}
        }
        self.weights = metrics.share_weights(omega, share, results.weights)
        exact = results.plus_exact
        self.changes = None if exact is None else mean(np.abs(exact[:, :, q, c_at] - plus))
        self.reference = next((m for m, each in enumerate(results.methods) if each.name == REFERENCE), None)
        uncertain = {"net_utility": utility, "decision_agreement": agrees, "screened": self.screened}
        self.intervals = {
            name: mean_with_interval(results, values, q, share, draws)
            for name, values in (uncertain if draws else {}).items()
        }

    def row(self, m: int, c: int, place: int) -> dict[str, Any]:
        results, method = self.results, self.results.methods[m]
        at = (m, place)
        # With weights only observed depths can be quantiles: numpy interpolates none.
        depths = np.quantile(
            self.screened[:, m, place], (0.25, 0.5, 0.75), weights=self.weights, method="inverted_cdf"
        )
        row: dict[str, Any] = {
            "approach": method.title,
            "q_star": results.q_stars[self.q],
            "cost": results.costs[c],
            "truth": results.settings["truth"],
            "net_utility": float(self.utility[at]),
            "recall": float(self.recall[at]),
            "screened": float(self.read[at]),
            "icer": self._icer(m, place),
            "decision_agreement": float(self.agrees[at]),
            # Counts without the dust of summing weights.
            "false_adopt": round(float(self.adopts[at]), 6),
            "false_reject": round(float(self.rejects[at]), 6),
            "topics": len(results.cases),
            **_named(method),
            "setting": results.setting(m, self.q, c),
            "engine": results.settings["engine"],
            "benchmark": results.settings["benchmark"],
            "simulated": results.simulated,
            "share": self.share,
            "decide_now": self.decide_now[method.variant],
            "effort_saved": float(self.saved[at]),
            "regret": float(self.regret[at]),
            **{f"depth_{level}": float(depth) for level, depth in zip((25, 50, 75), depths, strict=True)},
        }
        for name, interval in self.intervals.items():
            row[f"{name}_low"], row[f"{name}_high"] = float(interval.low[at]), float(interval.high[at])
        if self.changes is not None:
            row["engine_changes"] = float(self.changes[at])
        return row

    def _icer(self, m: int, place: int) -> metrics.Icer:
        if m == self.reference:
            return metrics.REFERENCE
        if self.reference is None:
            return metrics.NEITHER
        at = [(m, place), (self.reference, place)]
        return metrics.icer(*(float(each[i]) for i in at for each in (self.read, self.agrees)))


def deciding_now(results: Results, q: int, variant: str) -> Floats:
    """Chance of a⁺ of whoever reads nothing and believes what the variant's prior says, shape (T,).

    A learned prior is another one in every fold. NaN where results do not say what it was.
    """
    known = results.settings.get("beliefs")
    if known is not None:
        b_0 = np.array([fold[variant] for fold in known])[results.fold]
    else:
        b_0 = np.full(len(results.cases), np.nan if variant == "learned" else float(results.settings["b_0"]))
    return np.where(np.isnan(b_0), np.nan, results.payoffs[q].chooses_plus(b_0))


def _named(method: MethodInfo) -> dict[str, Any]:
    """Columns that say which method a row is of."""
    return {
        "method": method.name,
        "approach": method.title,
        "policy": method.policy,
        "variant": method.variant,
        "family": method.family,
    }


def regrets(results: Results, q: int) -> Floats:
    """Regret of each case, method and cost, shape (T, M, C): against the best of the methods that could be followed.

    Oracles are never counted, and have none (NaN).
    """
    utility = results.net_utility[:, :, q]
    fair = np.array([not method.knows_truth for method in results.methods])
    found = np.full(utility.shape, np.nan)
    if fair.any():
        found[:, fair] = metrics.regret(utility[:, fair])
    return found


def regret_by_cost(
    results: Results, q_star: float, share: float | None = None, draws: int = 0
) -> pd.DataFrame:
    """Mean regret of each method that could be followed, at every cost: the paper's log-log figure.

    Returns
    -------
    DataFrame
        ``method, approach, policy, variant, family, cost, regret``, with draws also ``regret_low, regret_high``.
    """
    q = results.q(q_star)
    values = regrets(results, q)
    mean = weighted_mean(results, values, q, share)
    interval = mean_with_interval(results, np.nan_to_num(values), q, share, draws) if draws else None
    found = []
    for m, method in enumerate(results.methods):
        if method.knows_truth:
            continue
        for c, cost in enumerate(results.costs):
            row = {**_named(method), "cost": cost, "regret": float(mean[m, c])}
            if interval is not None:
                row |= {"regret_low": float(interval.low[m, c]), "regret_high": float(interval.high[m, c])}
            found.append(row)
    return pd.DataFrame(found)


def errors(results: Results, cost: float, share: float | None = None) -> pd.DataFrame:
    """False adopts and false rejects of each method, as shares of all topics, by q*.

    Returns
    -------
    DataFrame
        ``method, approach, policy, variant, family, q_star, false_adopt, false_reject, loss``: `loss` is what the errors cost, in utility.
    """
    c = results.c(cost)
    found = []
    for q, (q_star, payoffs) in enumerate(zip(results.q_stars, results.payoffs, strict=True)):
        plus, omega = results.plus[:, :, q, c], results.omega[:, q, None]
        adopts = weighted_mean(results, metrics.false_adopt(plus, omega), q, share)
        rejects = weighted_mean(results, metrics.false_reject(plus, omega), q, share)
        for m, method in enumerate(results.methods):
            found.append(
                {
                    **_named(method),
                    "q_star": q_star,
                    "false_adopt": float(adopts[m]),
                    "false_reject": float(rejects[m]),
                    "loss": float(adopts[m] * payoffs.wrong_plus + rejects[m] * payoffs.wrong_minus),
                }
            )
    return pd.DataFrame(found)


def compare(
    results: Results, reference: str = REFERENCE, share: float | None = None, draws: int = DRAWS
) -> pd.DataFrame:
    """Every method against a reference, on the same cases.

    Returns
    -------
    DataFrame
        ``method, approach, policy, variant, family, q_star, cost, difference`` (of mean net utility) with ``difference_low`` and
        ``difference_high``; ``better`` and ``worse``, shares of cases; ``agreement`` and ``screened``,
        differences of means.
    """
    other = results.method(reference)
    found = []
    for q, q_star in enumerate(results.q_stars):
        utility = results.net_utility[:, :, q]
        gain = utility - utility[:, [other]]
        interval = mean_with_interval(results, gain, q, share, draws)
        omega = results.omega[:, q, None, None]
        agrees = weighted_mean(results, metrics.agreement(results.plus[:, :, q], omega), q, share)
        read = weighted_mean(results, results.screened[:, :, q], q, share)
        better = weighted_mean(results, (gain > 1e-12).astype(float), q, share)
        worse = weighted_mean(results, (gain < -1e-12).astype(float), q, share)
        for m, method in enumerate(results.methods):
            if m == other:
                continue
            for c, cost in enumerate(results.costs):
                found.append(
                    {
                        **_named(method),
                        "reference": results.methods[other].title,
                        "q_star": q_star,
                        "cost": cost,
                        "difference": float(interval.value[m, c]),
                        "difference_low": float(interval.low[m, c]),
                        "difference_high": float(interval.high[m, c]),
                        "better": float(better[m, c]),
                        "worse": float(worse[m, c]),
                        "agreement": float(agrees[m, c] - agrees[other, c]),
                        "screened": float(read[m, c] - read[other, c]),
                    }
                )
    return pd.DataFrame(found)


def case_rows(results: Results, q_star: float | None = None, cost: float | None = None) -> pd.DataFrame:
    """Results case by case: what a table's means are means of.

    Returns
    -------
    DataFrame
        ``topic, group, omega, documents, approach, method, q_star, cost, screened, plus`` (chance of a⁺),
        ``recall, net_utility, fold``.
    """
    q_at = range(len(results.q_stars)) if q_star is None else [results.q(q_star)]
    c_at = range(len(results.costs)) if cost is None else [results.c(cost)]
    T, M = len(results.cases), len(results.methods)
    parts = [
        {
            "topic": np.repeat(np.array(results.cases, dtype=object), M),
            "group": np.repeat(np.array(results.groups, dtype=object), M),
            "omega": np.repeat(results.omega[:, q], M),
            "documents": np.repeat(results.documents, M),
            "approach": [method.title for method in results.methods] * T,
            "method": [method.name for method in results.methods] * T,
            "q_star": results.q_stars[q],
            "cost": results.costs[c],
            **{
                name: getattr(results, name)[:, :, q, c].ravel()
                for name in ("screened", "plus", "recall", "net_utility")
            },
            "fold": np.repeat(results.fold, M),
        }
        for q, c in product(q_at, c_at)
    ]
    return pd.concat(map(pd.DataFrame, parts), ignore_index=True)


def beside_paper(results: Results) -> pd.DataFrame:
    """Rows of this run beside the paper's, where q*, cost and method are the paper's; empty without such rows.

    Returns
    -------
    DataFrame
        ``q_star, cost, method, approach, rank, rank_paper`` (by net utility, 1 best, among the paper's methods
        that were run) and, with and without ``_paper``, ``net_utility, screened, decision_agreement, recall``
        and ``false_adopt, false_reject`` as shares of topics: the paper's as its tables imply them
        (:func:`~tarstop_core.evaluation.findings.paper.recovered`; NaN at q* = .5).
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
    figures = ["net_utility", "screened", "decision_agreement", "recall", *errors_of]
    columns = ["q_star", "cost", "method", "approach", "rank", "rank_paper"]
    columns += [name for figure in figures for name in (figure, f"{figure}_paper")]
    return both[columns].sort_values(["q_star", "rank_paper"], ascending=[False, True], ignore_index=True)
