"""Results topic by topic, and the path of a single topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.findings import message, share_words
from tarstop_core.evaluation.findings.aggregate import regrets
from tarstop_core.evaluation.findings.figures import ROW, MethodChart, look_of, mark
from tarstop_core.evaluation.reliability_counts import matches_measurement
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.evaluation.tasks.base import LearnedFromFold, Task
from tarstop_core.policies import Randomised, parse_policy
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.presentation.palette import BELIEF, COST, THRESHOLD, VALUE
from tarstop_core.value.payoffs import Depths, Floats, Payoffs

CURVES = 300
"""Height in pixels of the panels of belief and worth, above the panel of stopping depths."""
MARGINS = 66
"""Height in pixels of the figure's margins."""
JUMPS = 400
"""Largest number of jumps of a curve that are drawn exactly; a curve with more looks smooth anyway."""


@dataclass(frozen=True)
class Stop:
    """Where a method stopped on a topic."""

    method: MethodInfo
    screened: float  # Documents read; expected number if the rule draws a sample
    plus: float  # Chance of a⁺
    right: float  # Chance that this was the right action


def topic_rows(results: Results, method: str, q_star: float, cost: float) -> pd.DataFrame:
    """Return the result of one method on each topic, the largest regret first.

    Parameters
    ----------
    results : Results
        Results of an experiment.
    method : str
        Name of the method.
    q_star, cost : float
        A threshold and a cost that were run.

    Returns
    -------
    DataFrame
        ``topic, omega, documents, screened, plus`` (chance of a⁺), ``right`` (chance of the right action), ``recall,
        net_utility, regret``.
    """
    q, c, m = results.q(q_star), results.c(cost), results.method(method)
    plus, omega = results.plus[:, m, q, c], results.omega[:, q]
    frame = pd.DataFrame(
        {
            "topic": results.cases,
            "omega": omega,
            "documents": results.documents,
            "screened": results.screened[:, m, q, c],
            "plus": plus,
            "right": metrics.agreement(plus, omega),
            "recall": results.recall[:, m, q, c],
            "net_utility": results.net_utility[:, m, q, c],
            "regret": regrets(results, q)[:, m, c],
        }
    )
    return frame.sort_values("regret", ascending=False, kind="stable", ignore_index=True)


def stops_of(results: Results, at: int, q: int, c: int) -> list[Stop]:
    """Return where every method stopped on a topic.

    Parameters
    ----------
    results : Results
        Results of an experiment.
    at, q, c : int
        Indices of topic, q* and cost.

    Returns
    -------
    list of Stop
    """
    plus = results.plus[at, :, q, c]
    measured = (results.screened[at, :, q, c], plus, metrics.agreement(plus, results.omega[at, q]))
    rows = zip(results.methods, *(values.tolist() for values in measured), strict=True)
    return [Stop(*row) for row in rows]


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that paths of topics are made from."""

    cases: dict[str, Case]  # By name
    knowledge: list[dict[str, LearnedFromFold]]  # What was learned, by fold and variant
    task: Task
    same: bool  # Whether the results were measured with the same knowledge


def material(results: Results, variant: str, benchmark: Benchmark) -> Material:
    """Learn again from a benchmark, to make the paths of its topics.

    Parameters
    ----------
    results : Results
        Results on the benchmark.
    variant : str
        Variant of the chances or the prior.
    benchmark : Benchmark
        The benchmark.

    Returns
    -------
    Material
    """
    task = task_of(results)
    knowledge = [task.learn(benchmark, fold, (variant,)) for fold in benchmark.folds]
    cases = {case.name: _slim(case) for fold in benchmark.folds for case in fold.test}
    return Material(cases, knowledge, task, as_measured(results, variant, knowledge, benchmark.folds))


def path_of(
    material: Material, results: Results, topic: str, method: str, q_star: float, cost: float
) -> tuple[Any, Floats | None]:
    """Return the path of a topic as a method saw it, and the value that the method compared with the cost.

    Parameters
    ----------
    material : Material
        Material of the benchmark.
    results : Results
        Results on the benchmark, with the settings that tuning chose.
    topic, method : str
        Names of the topic and the method.
    q_star, cost : float
        A threshold and a cost that were run.

    Returns
    -------
    tuple of Path and ndarray, shape (N,), or None
        None if the method compares nothing with the cost.
    """
    m, fold = results.method(method), int(results.fold[results.cases.index(topic)])
    learned = material.knowledge[fold][results.methods[m].variant]
    (path,) = material.task.paths(material.cases[topic], learned, [Payoffs.from_q_star(q_star)])
    rule = parse_policy(str(results.settings_by_fold[fold, m, results.q(q_star), results.c(cost)]))
    return path, None if isinstance(rule, Randomised) else rule.value_rate(path)


def as_measured(
    results: Results, variant: str, knowledge: Sequence[Mapping[str, LearnedFromFold]], folds: Sequence[Fold]
) -> bool:
    """Whether results were measured with the calibrator and prior that were learned again now.

    Calibrators also count as the same if they have the same quality on the test topics, because processors differ in
    the last digits.

    Parameters
    ----------
    results : Results
        Results with the digests of what was learned then.
    variant : str
        Variant of the chances or the prior.
    knowledge : sequence of mapping
        What was learned now, by fold and variant.
    folds : sequence of Fold
        Folds of the benchmark.

    Returns
    -------
    bool
    """
    learned = [of_fold[variant] for of_fold in knowledge]
    now = [part.digest.split(":") for part in learned]
    then = [str(of_fold.get(variant)).split(":") for of_fold in results.settings["learned"]]
    if now == then:
        return True
    measured = results.calibration.get(variant)
    pairs = zip(learned, folds, strict=True)
    tested = [(part.calibrator, fold.test) for part, fold in pairs if part.calibrator]
    return (
        measured is not None
        and [digests[1:] for digests in now] == [digests[1:] for digests in then]  # priors
        and matches_measurement(tested, measured)
    )


def task_of(results: Results) -> Task:
    """Return the task that results were measured with."""
    # Paths do not depend on the runs of rules that draw, which settings may describe in words.
    return TASKS[results.scenario].asked({**results.settings, "replications": None, "seed": None})


def _slim(case: Case) -> Case:
    """The case without the documents' identifiers, which take most of the memory and which no path needs."""
    topic = replace(case.topic, ids=np.zeros(len(case.topic), dtype="U1"))
    outcome = None if case.outcome is None else replace(case.outcome, topic=topic)
    return replace(case, topic=topic, outcome=outcome)


def topic_figure(
    b: Floats,
    worth: Floats | None,
    stops: Sequence[Stop],
    *,
    cost: float,
    q_star: float,
    depth: int,
    hit: int | None,
    steps: bool = False,
    belief_title: str = "chance of prior art",
    simulated: bool = False,
    dark: bool = False,
) -> fig.Figure:
    """Draw belief and worth along a topic's ranking, and below them the depth at which each method stopped.

    Curves are solid down to the depth at which the chosen method stopped.

    Parameters
    ----------
    b : ndarray, shape (N + 1,)
        Belief after 0 … N documents, as long as there is no hit.
    worth : ndarray, shape (N,), or None
        Value that the chosen method compares with the cost, after 0 … N − 1 documents.
    stops : sequence of Stop
        Stops of all methods.
    cost, q_star, depth : float, float, int
        Cost of a document, threshold belief, and depth at which the chosen method stopped.
    hit : int or None
        Depth of the relevant document that decides, if there is one.
    steps : bool
        Whether the belief moves in steps (reviews).
    belief_title : str
        Title of the axis of belief.
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    n, shape = len(b) - 1, {"shape": "hv"} if steps else {}
    edge, end = [0.5, float(n)], float(np.log10(n))
    ordered = sorted(stops, key=lambda stop: -stop.screened)
    names = [stop.method.title for stop in ordered]
    strip = ROW * len(names) + 20
    low = strip / (CURVES + strip)
    above, middle = [low, 1.0], low + 0.46 * (1 - low)
    decades: dict[str, Any] = {"type": "log", "dtick": 1}
    chart = MethodChart(CURVES + strip + MARGINS, dark=dark, simulated=simulated)
    at = np.union1d(_depths_to_draw(b), [depth] if hit is None else [hit - 1, hit, depth])
    belief = b[at] if hit is None else np.where(at >= hit, 1.0, b[at])
    _solid_then_dashed(chart, at, belief.tolist(), depth, BELIEF, "y", shape)
    chart.line(edge, [q_star, q_star], THRESHOLD, dash="dash", hoverinfo="skip")
    chart.label(end, q_star, f"act above {percent(q_star)}")
    if worth is not None:
        above = [middle + 0.06 * (1 - low), 1.0]
        values = [float(v) if v > 0 and (hit is None or d < hit) else None for d, v in enumerate(worth)]
        inside = _depths_to_draw(worth)
        _solid_then_dashed(chart, inside, [values[d] for d in inside], depth, VALUE, "y2", shape)
        chart.line(edge, [cost, cost], COST, dash="dash", yaxis="y2", hoverinfo="skip")
        chart.label(end, float(np.log10(cost)), "cost of one document", COST, yref="y2")
        highest = max([value for value in values if value is not None] + [cost])
        ends = [float(np.floor(np.log10(cost / 100))), float(np.ceil(np.log10(highest) + 0.15))]
        powers = {**decades, "exponentformat": "power", "range": ends}
        chart.axis("yaxis2", "worth each", domain=[low, middle], **powers)
    for stop in ordered:
        how: dict[str, Any] = {
            "mode": "markers+text",
            "yaxis": "y3",
            "text": [_verdict(stop)],
            "textposition": "middle left" if stop.screened > 0.3 * n else "middle right",
            "textfont": {"color": fig.text_colour(dark), "size": 11},
            "cliponaxis": False,
            "hovertemplate": f"{stop.method.title}: {stop.screened:,.1f} documents<extra></extra>",
        }
        look = look_of(vars(stop.method))
        chart.traces.append(mark(max(0.5, stop.screened), stop.method.title, look, **how))
    if hit is not None:
        hover = "first hit<extra></extra>"
        chart.line([hit, hit], [-0.05, 1.05], BELIEF, width=1, dash="dot", hovertemplate=hover)
        chart.label(float(np.log10(hit)), 0.02, f" first hit: {hit:,}", xanchor="left")
    ends = [float(np.log10(0.5)), end + 0.01]
    chart.axis("xaxis", "documents read (0 drawn at 0.5)", **decades, range=ends, anchor="y3")
    chart.axis("yaxis", belief_title, range=[-0.05, 1.05], tickformat=".0%", domain=above)
    rows = {"type": "category", "categoryarray": names, "automargin": True}
    chart.axis("yaxis3", "", domain=[0.0, low - 0.05], **rows)
    return chart.figure(margin={"l": 96, "r": 16, "t": 22, "b": 44})


def _depths_to_draw(curve: Floats) -> Depths:
    """Depths that are distinct on a log axis, and both sides of every jump unless there are many."""
    jumps = np.flatnonzero(np.diff(curve)) + 1
    near = jumps if len(jumps) <= JUMPS else jumps[:0]
    kept = np.concatenate((fig.thinned(len(curve), 0), near, near - 1))
    return np.unique(kept)


def _solid_then_dashed(
    chart: fig.Chart,
    at: Depths,
    y: Sequence[float | None],
    depth: int,
    colour: str,
    yaxis: str,
    shape: dict[str, str],
) -> None:
    """Draw a curve, solid down to a depth and dotted below it."""
    x = np.where(at == 0, 0.5, at)
    last = int(np.searchsorted(at, depth, side="right"))
    for part, more in ((slice(0, last), {"width": 3}), (slice(max(0, last - 1), None), {"dash": "dot"})):
        chart.line(x[part], y[part], colour, yaxis=yaxis, hoverinfo="skip", **more)
        chart.traces[-1]["line"] |= shape


def _verdict(stop: Stop) -> str:
    """Label of a method's marker: where it stopped, its action, and whether this was right."""
    depth = number(stop.screened)
    if stop.plus not in (0.0, 1.0):
        return f"  {depth} on average, right {share_words(stop.right)}  "
    action = "a⁺" if stop.plus == 1 else "a⁻"
    return f"  {depth}, {action} {'✓' if stop.right == 1 else '✗ wrong'}  "


def topic_sentence(name: str, documents: int, omega: bool, stops: Sequence[Stop], chosen: Stop) -> str:
    """Say what the methods did on a topic.

    Parameters
    ----------
    name, documents, omega : str, int, bool
        Name of the topic, length of its list, and whether ω⁺ holds.
    stops, chosen : sequence of Stop, Stop
        Stops of all methods, and that of the chosen one.

    Returns
    -------
    str
    """
    right = [stop for stop in stops if stop.right == 1]
    quick = min(right, key=lambda stop: stop.screened, default=None)
    about = {"name": name, "length": documents, "omega": omega, "stops": stops, "chosen": chosen}
    return message("topic", **about, right=right, quick=quick)
