"""How often rules reach the recall that they aim at, and how much they read, on collections they did not learn from."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.results import FOLDER
from tarstop_core.evaluation.tasks.enough import EnoughTask
from tarstop_core.places import sample_dir
from tarstop_core.policies import POLICIES, QBCB, GRLStop, PoissonProcess, Policy, parse_policy
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, THRESHOLD
from tarstop_core.value.unweighed import NOTHING_AT_STAKE

TARGETS = (0.8, 0.95)
"""Recalls that rules aim at."""
ALPHA = 0.05
"""1 − the confidence of certificates, tests and intervals."""
DRAWS = 10_000
"""Bootstrap samples of collections."""
FILE = "reliability.csv"
SAYS = "How often each rule reaches its target recall, and the share of the list it reads."
COLOURS = dict(zip(TARGETS, (THRESHOLD, BELIEF), strict=True))
"""Colour of each target in the figure."""


def aiming_at(target: float) -> list[Policy]:
    """All rules about recall, set to this target if they have one, else with their defaults.

    QBCB draws the fewest relevant documents that give its confidence; Poisson processes have a falling gate.
    """
    rules: list[Policy] = []
    for kind in POLICIES.values():
        if kind.acts_on_belief:
            continue
        if kind is QBCB:
            rules.append(QBCB(target, math.ceil(math.log(ALPHA) / math.log(target)), ALPHA))
        elif kind is GRLStop:
            rules.append(GRLStop(target))
        elif kind is PoissonProcess:
            rules += (PoissonProcess(model, target, gate="falling") for model in ("power", "hyperbolic"))
        else:
            aim = {"tau": target} if "tau" in kind().settings else {}
            rules.append(kind(**aim))
    return rules


def stops_on(collection: str, tested: Iterable[Topic], learned: Iterable[Topic]) -> pd.DataFrame:
    """Measure the rules on the lists of a collection that hold relevant documents.

    Parameters
    ----------
    collection : str
        Name of the collection.
    tested : iterable of Topic
        Lists of the collection.
    learned : iterable of Topic
        Lists of other collections, from which rules that use chances learn them.

    Returns
    -------
    DataFrame
        A row for each rule and target: `collection`, `rule` (its spec), `promise`, `target`, `lists`, and means of
        `reached` and `read` (share of the list). Recall counts the relevant documents in the list.
    """
    train, test = (
        [case for topic in topics if (case := _case(topic)).n_relevant] for topics in (learned, tested)
    )
    fold = Fold(train, test)
    benchmark = Benchmark(collection, collection, EnoughTask.scenario, (fold,), provenance="")
    chances = EnoughTask().learn(benchmark, fold, ("rank",))["rank"]
    rows = []
    for target in TARGETS:
        task = EnoughTask(target=target)
        trials = [task.trial(case, chances, [NOTHING_AT_STAKE], [0.0]) for case in test]
        for rule in aiming_at(target):
            played = [task.play(trial, [rule]) for trial in trials]
            row: dict[str, Any] = {"collection": collection, "rule": rule.spec, "promise": rule.promise.value}
            row |= {"target": target, "lists": len(test)}
            depths = [grid.screened.item() for grid in played]
            shares = [depth / len(case.labels) for depth, case in zip(depths, test, strict=True)]
            reached = [grid.plus.item() for grid in played]
            rows.append(row | {"reached": np.mean(reached), "read": np.mean(shares)})
    return pd.DataFrame(rows)


def _case(topic: Topic) -> Case:
    """The case of a list, with R the number of relevant documents in the list."""
    case = Case(topic, topic.name)
    return replace(case, topic=replace(topic, n_relevant=int(case.labels.sum())))


def shipped() -> pd.DataFrame:
    """Read the shipped measurements, in the columns of :func:`stops_on`."""
    return pd.read_csv(sample_dir() / FOLDER / FILE, encoding="utf-8")


def by_rule(measured: pd.DataFrame) -> pd.DataFrame:
    """Means over all lists for each rule and target, with 95 % intervals that resample collections."""
    rows = []
    for (spec, promise, target), own in measured.groupby(["rule", "promise", "target"], sort=False):
        row = {"rule": _title(str(spec)), "promise": promise, "target": target, "lists": own["lists"].sum()}
        for name in ("reached", "read"):
            row[name], row[f"{name}_low"], row[f"{name}_high"] = _mean(own[name], own["lists"])
        rows.append(row)
    return pd.DataFrame(rows)


def _title(spec: str) -> str:
    rule = parse_policy(spec, files=False)
    return f"{rule.title} ({rule.model})" if isinstance(rule, PoissonProcess) else rule.title


def _mean(values: ArrayLike, lists: ArrayLike) -> tuple[float, float, float]:
    """Mean over lists of means by collection, weighted by their numbers of lists, and the ends of its interval."""
    weights = np.asarray(lists, dtype=float)
    sums = np.asarray(values, dtype=float) * weights
    drawn = np.random.default_rng(1).integers(0, len(sums), size=(DRAWS, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / weights[drawn].sum(axis=1), [ALPHA / 2, 1 - ALPHA / 2])
    return float(sums.sum() / weights.sum()), float(low), float(high)


def figure(rows: pd.DataFrame, dark: bool = False) -> fig.Figure:
    """Draw how often each rule reaches each target, and beside it the share of the list it reads, with intervals.

    Parameters
    ----------
    rows : DataFrame
        Rows of :func:`by_rule`.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    names = rows["rule"].unique().tolist()
    chart = fig.Chart(90 + 22 * len(names), dark=dark)
    for target in TARGETS:
        own, first = rows[rows["target"] == target], target == TARGETS[0]
        colour, sign = fig.ink(COLOURS[target], dark), "○" if first else "●"
        height = [names.index(name) + (0.16 if first else -0.16) for name in own["rule"]]
        look = {"symbol": "circle-open" if first else "circle", "line": {"color": colour, "width": 1.5}}
        for axis, column in (("x", "reached"), ("x2", "read")):
            mean, low, high = (own[f"{column}{end}"].to_numpy() for end in ("", "_low", "_high"))
            hover = [f"{name}: {share:.0%}" for name, share in zip(own["rule"], mean, strict=True)]
            points = fig.points(
                mean.tolist(), height, colour, 7, marker=look, xaxis=axis, hovertext=hover, hoverinfo="text"
            )
            bars = fig.interval((high - mean).clip(0), (mean - low).clip(0), colour, 1.5)
            chart.traces.append(points | {"error_x": bars})
        aim = f"{sign} aiming at a recall of {percent(target)}"
        chart.note(0.48 if first else 1, 1, aim, COLOURS[target], yshift=4)
    shares = {"range": [0, 1.02], "tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".0%"}
    chart.axis("xaxis", "lists on which it is reached", domain=[0, 0.47], **shares)
    chart.axis("xaxis2", "share of the list read", domain=[0.53, 1], anchor="y", **shares)
    ticks = {"tickvals": list(range(len(names))), "ticktext": names}
    chart.axis("yaxis", "", range=[len(names) - 0.4, -0.6], **ticks)
    return chart.figure(margin={"l": 170})


def least_read(rows: pd.DataFrame, target: float) -> dict[str, Any]:
    """Return the row of the rule that reads least among those that reach the target on 1 − :data:`ALPHA` of the lists.

    Parameters
    ----------
    rows : DataFrame
        Rows of :func:`by_rule`.
    target : float
        One of :data:`TARGETS`.

    Returns
    -------
    dict
        The row, by column.
    """
    enough = rows[(rows["target"] == target) & (rows["reached"] >= 1 - ALPHA)]
    best, *_ = enough.sort_values("read", kind="stable").to_dict("records")
    return {str(name): value for name, value in best.items()}
