"""The topics behind a figure: what became of each, and what the path of one is drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.findings.aggregate import regrets
from tarstop_core.evaluation.findings.topic_figures import Stop
from tarstop_core.evaluation.reliability_counts import matches_measurement
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.base import Task, parts_of
from tarstop_core.evaluation.tasks.named import TASKS
from tarstop_core.policies import Randomised, parse_policy
from tarstop_core.value.payoffs import Floats, Payoffs


def topic_rows(results: Results, method: str, q_star: float, cost: float) -> pd.DataFrame:
    """What became of each topic by one method, the costliest first: ``plus`` is the chance of a⁺, ``right`` that this was right."""
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
    """Where every method stopped on a topic."""
    plus = results.plus[at, :, q, c]
    measured = (results.screened[at, :, q, c], plus, metrics.agreement(plus, results.omega[at, q]))
    rows = zip(results.methods, *(values.tolist() for values in measured), strict=True)
    return [Stop(*told) for told in rows]


@dataclass(frozen=True, eq=False)
class Material:
    """What paths are made of: cases by name, and what was learned for each fold."""

    cases: dict[str, Case]
    knowledge: list[dict[str, Any]]  # By fold: by variant what the task has learned
    task: Task
    same: bool  # Whether what was learned now is what the results were measured with


def material(results: Results, variant: str, benchmark: Benchmark) -> Material:
    """What the paths of a benchmark's topics are made of: learned again, as results were measured."""
    task = task_of(results)
    knowledge = [dict(task.learn(benchmark, fold, (variant,))) for fold in benchmark.folds]
    cases = {case.name: _slim(case) for fold in benchmark.folds for case in fold.test}
    return Material(cases, knowledge, task, as_measured(results, variant, knowledge, benchmark.folds))


def path_of(
    material: Material, results: Results, topic: str, method: str, q_star: float, cost: float
) -> tuple[Any, Floats | None]:
    """The path of a topic as a method saw it, and what the method weighed along it; None where it weighs nothing."""
    m, fold = results.method(method), int(results.fold[results.cases.index(topic)])
    learned = material.knowledge[fold][results.methods[m].variant]
    (path,) = material.task.paths(material.cases[topic], learned, [Payoffs.from_q_star(q_star)])
    rule = parse_policy(str(results.settings_by_fold[fold, m, results.q(q_star), results.c(cost)]))
    return path, None if isinstance(rule, Randomised) else rule.value_rate(path)


def as_measured(
    results: Results, variant: str, knowledge: Sequence[Mapping[str, Any]], folds: Sequence[Fold]
) -> bool:
    """Whether what was learned now is what the results were measured with."""
    learned = [parts_of(each[variant]) for each in knowledge]
    now = [[part.digest for part in parts] for parts in learned]
    then = [str(each.get(variant)).split(":") for each in results.settings["learned"]]
    if now == then:
        return True
    measured = results.calibration.get(variant)
    return (
        measured is not None
        and [digests[1:] for digests in now] == [digests[1:] for digests in then]  # priors
        and matches_measurement(
            ((parts[0], fold.test) for parts, fold in zip(learned, folds, strict=True)), measured
        )
    )


def task_of(results: Results) -> Task:
    """The task that results were measured with."""
    # Where a case stops was measured; how often a sample was drawn for that is not asked again.
    undrawn = {"replications": None, "seed": None}
    return TASKS[results.scenario].asked({**results.settings, **undrawn})


def _slim(case: Case) -> Case:
    """Without the documents' identifiers, which take most of the memory and which no path needs."""
    topic = replace(case.topic, ids=np.zeros(len(case.topic), dtype="U1"))
    outcome = None if case.outcome is None else replace(case.outcome, topic=topic)
    return replace(case, topic=topic, outcome=outcome)
