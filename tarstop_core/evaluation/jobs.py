"""A job: a chunk of cases for some methods, whose answers depend on nothing else and may be kept on disk."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import BINS
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.methods import Method
from tarstop_core.evaluation.reliability_counts import COLUMNS, tally
from tarstop_core.evaluation.tasks.base import Learned, Task, Trial
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

Choice = Mapping[str, Depths]
"""For each method the index of its setting for each q* and cost, shape (Q, C)."""
Answers = dict[str, NDArray[Any]]
"""By method, and when testing also the truth and the reliability counts of each variant."""

TRUTH = "truth"
CHUNK = 10
"""Cases of one job, whatever runs it."""
PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Question:
    """The decision of a task, for these payoffs and costs."""

    task: Task
    payoffs: tuple[Payoffs, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Job:
    """Cases for some methods: one side of a fold (training cases to tune on, or test cases), or a chunk of it."""

    fold: int
    question: Question
    cases: Sequence[Case]
    weights: Floats  # Of the cases
    knowledge: Mapping[str, Learned]  # By variant, what was learned from the fold's training cases
    methods: tuple[Method, ...]
    choice: Choice | None  # The settings to test; None to tune
    kept: frozenset[str] = frozenset()  # Names of answers that need not be found again

    @property
    def effort(self) -> float:
        return len(self.cases) * effort(self.methods, tuning=self.choice is None)

    def chunks(self) -> Iterator["Job"]:
        """Split into jobs of :data:`CHUNK` cases, which are taken from their sequence as they are needed."""
        for first in range(0, len(self.cases), CHUNK):
            here = slice(first, first + CHUNK)
            yield replace(self, cases=tuple(self.cases[here]), weights=self.weights[here])

    def keys(self) -> dict[str, str]:
        """What each answer is kept under: a hash of everything that it depends on, the program included."""
        inputs = code_version(), repr(self.question), [case.digest for case in self.cases]
        learned = {variant: knowledge.digest for variant, knowledge in self.knowledge.items()}
        of_methods = {method.name: (method.digest, learned[method.variant]) for method in self.methods}
        if self.choice is None:
            return {name: joblib.hash((inputs, self.weights, about)) for name, about in of_methods.items()}
        chosen = {name: (about, self.choice[name]) for name, about in of_methods.items()}
        counts = {counts_name(variant): (variant, digest) for variant, digest in learned.items()}
        answers: dict[str, object] = {TRUTH: TRUTH, **counts, **chosen}
        return {name: joblib.hash((inputs, about)) for name, about in answers.items()}

    def without(self, kept: Answers) -> "Job":
        """Return the job for the answers that were not kept."""
        methods = tuple(method for method in self.methods if method.name not in kept)
        return replace(self, methods=methods, kept=frozenset(kept))

    def trials(self, case: Case, truth: Flags) -> dict[str, Trial]:
        """Return a case as rules meet it, by variant."""
        task, payoffs, costs = self.question.task, self.question.payoffs, self.question.costs
        learned_by = {method.variant: self.knowledge[method.variant] for method in self.methods}
        return {
            variant: Trial(case, learned, task.paths(case, learned, payoffs), costs, truth)
            for variant, learned in learned_by.items()
        }


def work(job: Job) -> Answers:
    """Sum over a chunk when tuning, answer case by case when testing."""
    return _tune(job) if job.choice is None else _test(job, job.choice)


def _tune(job: Job) -> Answers:
    """Weighted sums of net utility over the cases, by method, shape (S, Q, C)."""
    task, all_payoffs, costs = job.question.task, job.question.payoffs, job.question.costs
    cells = (len(all_payoffs), len(costs))
    sums: Answers = {method.name: np.zeros((len(method.settings), *cells)) for method in job.methods}
    for case, weight in zip(job.cases, job.weights, strict=True):
        truth = task.truth(case, all_payoffs)
        trials = job.trials(case, truth)
        for method in job.methods:
            played = task.play(trials[method.variant], method.settings)
            for q, payoffs in enumerate(all_payoffs):
                sums[method.name][:, q] += weight * metrics.net_utility(
                    payoffs, played.plus[:, q], truth[q], played.screened[:, q], np.array(costs)
                )
    return sums


def _test(job: Job, choice: Choice) -> Answers:
    """By method: screened, plus, recall and plus_exact of each case, shape (4, n, Q, C); and truth and counts.

    `plus_exact` is NaN where the bivariate engine was not asked.
    """
    task, payoffs, costs = job.question.task, job.question.payoffs, job.question.costs
    shape = (len(job.cases), len(payoffs), len(costs))
    answers: Answers = {method.name: np.empty((4, *shape)) for method in job.methods}
    truths = np.array([task.truth(case, payoffs) for case in job.cases], dtype=bool)
    if TRUTH not in job.kept:
        answers[TRUTH] = truths
    for variant, learned in job.knowledge.items():
        if counts_name(variant) not in job.kept and learned.calibrator is not None:
            counts = (tally(learned.calibrator, case) for case in job.cases)
            answers[counts_name(variant)] = sum(counts, np.zeros((BINS, COLUMNS)))
    rows, columns = np.indices(shape[1:])
    for at, (case, truth) in enumerate(zip(job.cases, truths, strict=True)):
        trials = job.trials(case, truth)
        for method in job.methods:
            # Each setting that is chosen anywhere is played once, for all q* and costs.
            used, of = np.unique(choice[method.name], return_inverse=True)
            settings = [method.settings[i] for i in used]
            played = task.play(trials[method.variant], settings, exact=True)
            exact = np.full_like(played.plus, np.nan) if played.plus_exact is None else played.plus_exact
            played_all = np.stack((played.screened, played.plus, played.recall, exact))
            answers[method.name][:, at] = played_all[:, of.reshape(shape[1:]), rows, columns]
    return answers


def counts_name(variant: str) -> str:
    """Name, among the answers, of the reliability counts of a variant's chances."""
    return f"calibration {variant}"


def effort(methods: Sequence[Method], *, tuning: bool) -> float:
    """Effort of a case, against 1 for trying one setting: settings of a grid share most of their work."""
    return float(sum(len(method.settings) ** 0.5 if tuning else 1 for method in methods))


# --- answers on disk ------------------------------------------------------------------------------


@cache
def code_version(package: Path = PACKAGE) -> str:
    """Hash the package's sources and weights, so that answers of another version are not taken for this one's."""
    files = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".npz"))
    return str(joblib.hash([(path.relative_to(package).as_posix(), path.read_bytes()) for path in files]))


class ResultCache:
    """Answers by key, so that an interrupted run goes on where it was; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def kept(self, keys: Mapping[str, str]) -> Answers:
        """Return the answers that are there, by name; what cannot be read counts as not there."""
        answers: Answers = {}
        if self.folder is None:
            return answers
        for name, key in keys.items():
            try:
                answers[name] = np.load(self._path(key), allow_pickle=False)
            except (OSError, ValueError, EOFError):
                continue
        return answers

    def keep(self, key: str, answer: NDArray[Any]) -> None:
        """Write an answer; it is there whole or not at all, whenever the machine stops."""
        if self.folder is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        with part.open("wb") as file:
            np.save(file, answer, allow_pickle=False)
        os.replace(part, path)

    def clear(self) -> None:
        """Forget everything."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key[2:]}.npy"
