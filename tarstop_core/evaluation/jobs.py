"""A job of an experiment: some methods on a chunk of cases. Its answers depend on nothing else and can be cached."""

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

from tarstop_core.calibration.quality import BINS
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.methods import Method
from tarstop_core.evaluation.reliability_counts import COLUMNS, tally
from tarstop_core.evaluation.tasks.base import LearnedFromFold, Task, Trial
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

Choice = Mapping[str, Depths]
"""By method, the index of the chosen setting for each q* and cost, shape (Q, C)."""
Answers = dict[str, NDArray[Any]]
"""Arrays by method; when testing also the truth, and the reliability counts of each variant."""

TRUTH = "truth"
"""Name of the truth among the answers."""
CHUNK = 10
"""Cases of one job, wherever it runs, so that cached answers fit."""
PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class PricedTask:
    """A task with the payoffs and costs to play it at."""

    task: Task
    payoffs: tuple[Payoffs, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Job:
    """Some methods on the training cases or the test cases of a fold, or on a chunk of these."""

    fold: int
    question: PricedTask
    cases: Sequence[Case]
    weights: Floats  # Weights of the n cases, shape (n,)
    knowledge: Mapping[str, LearnedFromFold]  # By variant, what was learned from the fold's training cases
    methods: tuple[Method, ...]
    choice: Choice | None  # The settings to test; None to tune
    kept: frozenset[str] = frozenset()  # Names of answers that are cached and need not be computed

    @property
    def effort(self) -> float:
        """Expected effort, in the unit of :func:`effort`."""
        return len(self.cases) * effort(self.methods, tuning=self.choice is None)

    def chunks(self) -> Iterator["Job"]:
        """Split into jobs of :data:`CHUNK` cases; each chunk takes its cases only when it is asked for."""
        for first in range(0, len(self.cases), CHUNK):
            here = slice(first, first + CHUNK)
            yield replace(self, cases=tuple(self.cases[here]), weights=self.weights[here])

    def keys(self) -> dict[str, str]:
        """Cache key of each answer: a hash of everything that it depends on, the program included."""
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
        """Return the job without the methods whose answers are cached."""
        methods = tuple(method for method in self.methods if method.name not in kept)
        return replace(self, methods=methods, kept=frozenset(kept))

    def trials(self, case: Case, truth: Flags) -> dict[str, Trial]:
        """Prepare a case for rules to be played on it, by variant."""
        task, payoffs, costs = self.question.task, self.question.payoffs, self.question.costs
        learned_by = {method.variant: self.knowledge[method.variant] for method in self.methods}
        return {
            variant: Trial(case, learned, task.paths(case, learned, payoffs), costs, truth)
            for variant, learned in learned_by.items()
        }


def work(job: Job) -> Answers:
    """Compute the answers of a job: when tuning sums over its cases, when testing results case by case."""
    return _tune(job) if job.choice is None else _test(job, job.choice)


def _tune(job: Job) -> Answers:
    """By method, the weighted sum of net utility over the cases for each setting, q* and cost; shape (S, Q, C)."""
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
    """By method, screened, plus, recall and plus_exact of each case, shape (4, n, Q, C); also truth and counts.

    `plus_exact` is NaN if the bivariate engine was not used.
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
            # Each chosen setting is played once, for all q* and costs.
            used, setting_of = np.unique(choice[method.name], return_inverse=True)
            settings = [method.settings[i] for i in used]
            played = task.play(trials[method.variant], settings, exact=True)
            exact = np.full_like(played.plus, np.nan) if played.plus_exact is None else played.plus_exact
            played_all = np.stack((played.screened, played.plus, played.recall, exact))
            answers[method.name][:, at] = played_all[:, setting_of.reshape(shape[1:]), rows, columns]
    return answers


def counts_name(variant: str) -> str:
    """Name among the answers of a variant's reliability counts."""
    return f"calibration {variant}"


def effort(methods: Sequence[Method], *, tuning: bool) -> float:
    """Expected effort of a case; testing one setting is 1, and settings of a grid share most of their work."""
    return float(sum(len(method.settings) ** 0.5 if tuning else 1 for method in methods))


# --- the cache of answers --------------------------------------------------------------------------


@cache
def code_version(package: Path = PACKAGE) -> str:
    """Hash the package's sources and weights, so that cached answers of another version are not used."""
    files = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".npz"))
    return str(joblib.hash([(path.relative_to(package).as_posix(), path.read_bytes()) for path in files]))


class ResultCache:
    """Answers on disk by key, so that an interrupted run can continue; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def kept(self, keys: Mapping[str, str]) -> Answers:
        """Return the cached answers by name; files that cannot be read count as missing."""
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
        """Write an answer to the cache, complete or not at all even if the machine stops."""
        if self.folder is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        with part.open("wb") as file:
            np.save(file, answer, allow_pickle=False)
        os.replace(part, path)

    def clear(self) -> None:
        """Remove everything from the cache."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key[2:]}.npy"
