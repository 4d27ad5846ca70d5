"""A job: a chunk of cases for some methods. Its answers depend on nothing else, so it may run anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import BINS
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.knowledge import calibrator_of
from tarstop_core.evaluation.methods import Method
from tarstop_core.evaluation.tally import COLUMNS, tally
from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.value.payoffs import Depths, Floats, Payoffs

Choice = Mapping[str, Depths]
"""For each method the index of its setting for each q* and cost, shape (Q, C)."""
Answers = dict[str, NDArray[Any]]
"""By method, and when testing by what else is asked of a chunk: the truth, and a tally for each variant."""

TRUTH = "truth"


@dataclass(frozen=True)
class Asked:
    """What is asked of every case: the decision of a task, for these payoffs and costs."""

    task: Task
    payoffs: tuple[Payoffs, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Job:
    """A chunk of cases for some methods."""

    asked: Asked
    cases: tuple[Case, ...]
    weights: Floats
    """Of the cases."""
    knowledge: Mapping[str, Any]
    """By variant, what was learned."""
    methods: tuple[Method, ...]
    choice: Choice | None
    """The settings to test; None to tune."""
    extras: bool
    """Whether the truth and the tallies are wanted too."""

    def paths(self, case: Case) -> dict[str, Any]:
        """The paths of a case by variant, one for each of the payoffs."""
        task, payoffs = self.asked.task, self.asked.payoffs
        return {variant: task.paths(case, known, payoffs) for variant, known in self.knowledge.items()}


def work(job: Job) -> Answers:
    """Sums over a chunk when tuning, answers case by case when testing."""
    return _tune(job) if job.choice is None else _test(job, job.choice)


def _tune(job: Job) -> Answers:
    """Weighted sums of net utility over the cases, by method, shape (S, Q, C)."""
    task, all_payoffs, costs = job.asked.task, job.asked.payoffs, job.asked.costs
    cells = (len(all_payoffs), len(costs))
    sums = {method.name: np.zeros((len(method.settings), *cells)) for method in job.methods}
    for case, weight in zip(job.cases, job.weights, strict=True):
        truth, paths = task.truth(case, all_payoffs), job.paths(case)
        for method in job.methods:
            known, path = job.knowledge[method.variant], paths[method.variant]
            played = task.play(case, known, path, method.settings, costs, truth, exact=False)
            for q, payoffs in enumerate(all_payoffs):
                sums[method.name][:, q] += weight * metrics.net_utility(
                    payoffs, played.plus[:, q], truth[q], played.screened[:, q], np.array(costs)
                )
    return dict(sums)


def _test(job: Job, choice: Choice) -> Answers:
    """By method: screened, plus, recall and plus_exact of each case, shape (4, n, Q, C); and what else is wanted.

    `plus_exact` is NaN where the bivariate engine was not asked.
    """
    task, payoffs, costs = job.asked.task, job.asked.payoffs, job.asked.costs
    shape = (len(job.cases), len(payoffs), len(costs))
    found: Answers = {method.name: np.empty((4, *shape)) for method in job.methods}
    if job.extras:
        found[TRUTH] = np.empty(shape[:2], dtype=bool)
        for variant in job.knowledge:
            found[tally_name(variant)] = np.zeros((BINS, COLUMNS))
    rows, columns = np.indices(shape[1:])
    for at, case in enumerate(job.cases):
        truth, paths = task.truth(case, payoffs), job.paths(case)
        if job.extras:
            found[TRUTH][at] = truth
            for variant, known in job.knowledge.items():
                found[tally_name(variant)] += tally(calibrator_of(known), case)
        for method in job.methods:
            known, path = job.knowledge[method.variant], paths[method.variant]
            # Each setting that is chosen anywhere is played once, for all q* and costs.
            used, of = np.unique(choice[method.name], return_inverse=True)
            settings = [method.settings[i] for i in used]
            played = task.play(case, known, path, settings, costs, truth, exact=True)
            exact = np.full_like(played.plus, np.nan) if played.plus_exact is None else played.plus_exact
            played_all = np.stack((played.screened, played.plus, played.recall, exact))
            found[method.name][:, at] = played_all[:, of.reshape(shape[1:]), rows, columns]
    return found


def tally_name(variant: str) -> str:
    """What the tally of a variant's chances is called among the answers."""
    return f"calibration {variant}"
