"""Data frames from the results of single cases: rows of tables, comparisons, regret, errors."""

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.quality import wilson
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings import message
from tarstop_core.evaluation.findings.means import DRAWS, mean_with_interval, weighted_mean
from tarstop_core.evaluation.findings.tables import BOOTSTRAPPED
from tarstop_core.evaluation.metrics import NoRatio
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.value.payoffs import Floats

TINY = 1e-12
"""Net utilities that differ by less are equal."""
REFERENCE = "greedy"
"""Method that others are compared with by default."""


def rows(
    results: Results,
    *,
    share: float | None = None,
    q_stars: Sequence[float] | None = None,
    costs: Sequence[float] | None = None,
    draws: int = DRAWS,
    target: float = metrics.TARGET_RECALL,
) -> pd.DataFrame:
    """Make the table of results: one row for each method, q* and cost.

    Parameters
    ----------
    results : Results
        Results of an experiment.
    share : float, optional
        Share of ω⁺ cases to weigh to.
    q_stars, costs : sequence of float, optional
        Threshold beliefs and costs to include; by default all that were run.
    draws : int
        Bootstrap samples; 0 for no intervals.
    target : float
        Recall whose reliability is reported.

    Returns
    -------
    DataFrame
        First ``approach, q_star, cost, truth, net_utility, recall, screened, icer, decision_agreement, false_adopt,
        false_reject, topics``. `recall`, `screened` and `decision_agreement` are means; `false_adopt` and `false_reject`
        are numbers of topics (with a `share`, weighted numbers out of `topics`); `icer` is against Greedy, or "--" if
        there is no ratio, and ``icer_note`` says why.

        Then ``method, policy, variant, family, setting`` (which tuning chose), ``engine, benchmark, simulated,
        share`` (of ω⁺), ``decide_now`` (agreement of reading nothing, with the prior of the row), ``effort_saved``
        (share of all documents left unread), ``regret`` (NaN for an Oracle), ``depth_25, depth_50, depth_75``
        (weighted quantiles) and, unless `draws` is 0, ``…_low`` and ``…_high``, 95 % intervals of net utility,
        agreement and screened.

        Over the ``topics_with_relevant`` only, and NaN without any: ``wss``; ``reliability``, the share of them whose
        recall (mean recall, if the rule draws a sample) reaches the ``target_recall``; and its Wilson interval
        ``reliability_low, reliability_high``.

        In reviews ``engine_changes``, the share of actions that the bivariate engine would change; NaN if it was not
        used.
    """
    q_at = [results.q(q_star) for q_star in (results.q_stars if q_stars is None else q_stars)]
    c_at = [results.c(cost) for cost in (results.costs if costs is None else costs)]
    return pd.concat([_rows(results, q, c_at, share, draws, target) for q in q_at], ignore_index=True)


def _rows(
    results: Results, q: int, c_at: list[int], share: float | None, draws: int, target: float
) -> pd.DataFrame:
    """The rows of one q*, cost by cost; means over cases have shape (M, C) and columns (C, M)."""
    omega, settings = results.omega[:, q], results.settings
    truth = omega[:, None, None]
    screened, plus, utility, recall = (
        cube[:, :, q, c_at] for cube in (results.screened, results.plus, results.net_utility, results.recall)
    )
    agrees = metrics.agreement(plus, truth)

    def mean(values: Floats) -> Floats:
        return weighted_mean(results, values, q, share)

    read, right = mean(screened), mean(agrees)
    weights = metrics.share_weights(omega, share, results.weights)
    # With weights numpy does not interpolate, so quantiles are observed depths.
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
        # Rounded, because summing weights leaves rounding errors on whole counts.
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
        **{f"depth_{level}": depth.T for level, depth in zip((25, 50, 75), depths, strict=True)},
    }
    if draws:
        for name, values in zip(BOOTSTRAPPED, (utility, agrees, screened), strict=True):
            interval = mean_with_interval(results, values, q, share, draws)
            columns |= {f"{name}_low": interval.low.T, f"{name}_high": interval.high.T}
    if results.plus_exact is not None:
        columns["engine_changes"] = mean(np.abs(results.plus_exact[:, :, q, c_at] - plus)).T
    return _long(columns)


def _icers(results: Results, read: Floats, right: Floats) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """ICER of each method and cost against Greedy, shape (M, C), and for each "--" the sentence that says why."""
    names = [method.name for method in results.methods]
    icers = np.full(read.shape, metrics.NEITHER, dtype=object)
    if REFERENCE not in names:
        return icers, np.full(read.shape, message("no_ratio", reason=NoRatio.ALONE.value), dtype=object)
    notes = np.full(read.shape, "", dtype=object)
    reference = names.index(REFERENCE)
    for m, c in np.ndindex(read.shape):
        means = [float(mean[i]) for i in ((m, c), (reference, c)) for mean in (read, right)]
        icers[m, c] = metrics.icer(*means)
        if m != reference and (why := metrics.no_ratio(*means)) is not None:
            notes[m, c] = message("no_ratio", reason=why.value)
    icers[reference] = metrics.REFERENCE
    return icers, notes


def _recall_centred(
    results: Results, q: int, c_at: list[int], share: float | None, target: float
) -> dict[str, ArrayLike]:
    """The columns on recall over topics with relevant documents, by cost and method, shape (C, M)."""
    omega = results.omega[:, q]
    has_relevant = TASKS[results.scenario].has_relevant(omega)
    weights = metrics.share_weights(omega, share, results.weights) * has_relevant
    recall, read = results.recall[:, :, q, c_at], results.screened[:, :, q, c_at]
    columns: dict[str, ArrayLike] = {"target_recall": target, "topics_with_relevant": int(has_relevant.sum())}
    names = ("wss", "reliability", "reliability_low", "reliability_high")
    if not weights.any():
        return columns | dict.fromkeys(names, math.nan)
    weights /= weights.sum()
    wss = np.tensordot(weights, metrics.wss(recall, read, results.documents[:, None, None]), axes=1)
    reached = np.tensordot(weights, metrics.reaches(recall, target).astype(float), axes=1)
    # Kish's effective number of topics, which unequal weights make smaller.
    low, high = wilson(reached, np.full(reached.shape, 1 / (weights**2).sum()))
    return columns | {name: mean.T for name, mean in zip(names, (wss, reached, low, high), strict=True)}


def _long(columns: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Data frame of columns that broadcast to one shape, with a row for each entry of that shape."""
    spread = np.broadcast_arrays(*columns.values())
    return pd.DataFrame({name: column.ravel() for name, column in zip(columns, spread, strict=True)})


def deciding_now(results: Results, q: int, variant: str) -> Floats:
    """Return the chance of a⁺ for a person who reads nothing and believes the prior.

    Parameters
    ----------
    results : Results
        Results of an experiment.
    q : int
        Index of the q*.
    variant : str
        Variant of the prior.

    Returns
    -------
    ndarray, shape (T,)
        NaN if older results do not record the belief.
    """
    beliefs = results.settings.get("beliefs")
    if beliefs is not None:
        b_0 = np.array([fold[variant] for fold in beliefs])[results.fold]
    else:
        b_0 = np.full(len(results.cases), np.nan if variant == "learned" else float(results.settings["b_0"]))
    return np.where(np.isnan(b_0), np.nan, results.payoffs[q].chooses_plus(b_0))


def _named(results: Results) -> dict[str, NDArray[np.object_]]:
    """Columns that describe the method of a row, shape (M,)."""
    columns = ("method", "approach", "policy", "variant", "family")
    named = [(each.name, each.title, each.policy, each.variant, each.family) for each in results.methods]
    return dict(zip(columns, np.array(named, dtype=object).T, strict=True))


def regrets(results: Results, q: int) -> Floats:
    """Regret of each case, method and cost against the best method, shape (T, M, C); Oracles do not count and have NaN."""
    utility = results.net_utility[:, :, q]
    followable = np.array([not method.is_oracle for method in results.methods])
    regret = np.full(utility.shape, np.nan)
    if followable.any():
        regret[:, followable] = metrics.regret(utility[:, followable])
    return regret


def regret_by_cost(results: Results, q_star: float, share: float | None = None) -> pd.DataFrame:
    """Mean regret of each method except Oracles at every cost, as in the paper's log-log figure.

    Parameters
    ----------
    results, q_star : Results, float
        Results of an experiment, and a threshold that was run.
    share : float, optional
        Share of ω⁺ cases to weigh to.

    Returns
    -------
    DataFrame
        ``method, approach, policy, variant, family, cost, regret, regret_low, regret_high``.
    """
    q = results.q(q_star)
    values = regrets(results, q)
    interval = mean_with_interval(results, np.nan_to_num(values), q, share)
    columns = {"regret": weighted_mean(results, values, q, share)}
    columns |= {"regret_low": interval.low, "regret_high": interval.high}
    methods = {name: column[:, None] for name, column in _named(results).items()}
    table = _long({**methods, "cost": results.costs, **columns})
    followable = [not method.is_oracle for method in results.methods]
    return table[np.repeat(followable, len(results.costs))].reset_index(drop=True)


def errors(results: Results, cost: float, share: float | None = None) -> pd.DataFrame:
    """Errors of both kinds by method and q*, as shares of all topics.

    Parameters
    ----------
    results, cost : Results, float
        Results of an experiment, and a cost that was run.
    share : float, optional
        Share of ω⁺ cases to weigh to.

    Returns
    -------
    DataFrame
        ``method, approach, policy, variant, family, q_star, false_adopt, false_reject``, and ``loss``, the utility
        that the errors lose.
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
        shares = {"false_adopt": adopts, "false_reject": rejects, "loss": loss}
        tables.append(_long({**_named(results), "q_star": q_star, **shares}))
    return pd.concat(tables, ignore_index=True)


def compare(results: Results, reference: str = REFERENCE, share: float | None = None) -> pd.DataFrame:
    """Compare every method with a reference, on the same cases.

    Parameters
    ----------
    results : Results
        Results of an experiment in which the reference was run.
    reference : str
        Name of a method.
    share : float, optional
        Share of ω⁺ cases to weigh to.

    Returns
    -------
    DataFrame
        ``method, approach, policy, variant, family, reference, q_star, cost``; ``difference`` of mean net utility with
        ``difference_low, difference_high``; ``better, worse``, shares of cases with a higher and a lower net utility;
        ``agreement, screened``, differences of means.
    """
    other = results.method(reference)
    tables = []
    for q, q_star in enumerate(results.q_stars):
        utility = results.net_utility[:, :, q]
        gain = utility - utility[:, [other]]
        interval = mean_with_interval(results, gain, q, share)
        omega = results.omega[:, q, None, None]
        agrees = metrics.agreement(results.plus[:, :, q], omega)
        agreement, read, better, worse = (
            weighted_mean(results, np.asarray(values, dtype=float), q, share)
            for values in (agrees, results.screened[:, :, q], gain > TINY, gain < -TINY)
        )
        columns = {name: column[:, None] for name, column in _named(results).items()} | {
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
    """Tabulate results case by case, one row for each case, method, q* and cost.

    Parameters
    ----------
    results : Results
        Results of an experiment.
    q_star, cost : float, optional
        Threshold and cost to include; by default all that were run.

    Returns
    -------
    DataFrame
        A column for each of the main fields of :class:`~tarstop_core.evaluation.results.Results`.
    """
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
