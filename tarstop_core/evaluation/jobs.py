"""A job: a chunk of cases for some methods, whose answers depend on nothing else; a piece: what the run keeps of it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import BINS
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.fingerprint import code_digest
from tarstop_core.evaluation.methods import Method
from tarstop_core.evaluation.reliability_counts import COLUMNS, judged, tally
from tarstop_core.evaluation.result_cache import ResultCache
from tarstop_core.evaluation.tasks.base import Task, digest_of, parts_of
from tarstop_core.value.payoffs import Depths, Floats, Payoffs

Choice = Mapping[str, Depths]
"""For each method the index of its setting for each q* and cost, shape (Q, C)."""
Answers = dict[str, NDArray[Any]]
"""By method, and when testing by what else is asked of a chunk: the truth, and a tally for each variant."""

TRUTH = "truth"
CHUNK = 10
"""Cases of one job, whatever runs it."""


@dataclass(frozen=True)
class Asked:
    """What is asked of every case: the decision of a task, for these payoffs and costs."""

    task: Task
    payoffs: tuple[Payoffs, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Job:
    """Cases for some methods: one side of a fold (training cases to tune on, or test cases), or a chunk of it."""

    fold: int
    asked: Asked
    cases: Sequence[Case]
    weights: Floats  # Of the cases
    knowledge: Mapping[str, Any]  # By variant, what was learned from the fold's training cases
    methods: tuple[Method, ...]
    choice: Choice | None  # The settings to test; None to tune
    extras: bool = True  # Whether the truth and the tallies are wanted too

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
    sums: Answers = {method.name: np.zeros((len(method.settings), *cells)) for method in job.methods}
    for case, weight in zip(job.cases, job.weights, strict=True):
        truth, paths = task.truth(case, all_payoffs), job.paths(case)
        for method in job.methods:
            learned, path = job.knowledge[method.variant], paths[method.variant]
            played = task.play(case, learned, path, method.settings, costs, truth, exact=False)
            for q, payoffs in enumerate(all_payoffs):
                sums[method.name][:, q] += weight * metrics.net_utility(
                    payoffs, played.plus[:, q], truth[q], played.screened[:, q], np.array(costs)
                )
    return sums


def _test(job: Job, choice: Choice) -> Answers:
    """By method: screened, plus, recall and plus_exact of each case, shape (4, n, Q, C); and what else is wanted.

    `plus_exact` is NaN where the bivariate engine was not asked.
    """
    task, payoffs, costs = job.asked.task, job.asked.payoffs, job.asked.costs
    shape = (len(job.cases), len(payoffs), len(costs))
    answers: Answers = {method.name: np.empty((4, *shape)) for method in job.methods}
    if job.extras:
        answers[TRUTH] = np.empty(shape[:2], dtype=bool)
        answers |= {tally_name(variant): np.zeros((BINS, COLUMNS)) for variant in job.knowledge}
    rows, columns = np.indices(shape[1:])
    for at, case in enumerate(job.cases):
        truth, paths = task.truth(case, payoffs), job.paths(case)
        if job.extras:
            answers[TRUTH][at] = truth
            for variant, learned in job.knowledge.items():
                answers[tally_name(variant)] += tally(parts_of(learned)[0], case)
        for method in job.methods:
            learned, path = job.knowledge[method.variant], paths[method.variant]
            # Each setting that is chosen anywhere is played once, for all q* and costs.
            used, of = np.unique(choice[method.name], return_inverse=True)
            settings = [method.settings[i] for i in used]
            played = task.play(case, learned, path, settings, costs, truth, exact=True)
            exact = np.full_like(played.plus, np.nan) if played.plus_exact is None else played.plus_exact
            played_all = np.stack((played.screened, played.plus, played.recall, exact))
            answers[method.name][:, at] = played_all[:, of.reshape(shape[1:]), rows, columns]
    return answers


def tally_name(variant: str) -> str:
    """What the tally of a variant's chances is called among the answers."""
    return f"calibration {variant}"


class About(NamedTuple):
    """What results keep of a case."""

    name: str
    group: str
    documents: int
    judged: bool


@dataclass(frozen=True, eq=False)
class Piece:
    """What is known of a chunk. It holds no lists, so many may wait for their answers."""

    fold: int
    cases: tuple[About, ...]
    keys: Mapping[str, str]  # What each answer is kept under
    known: Answers  # The answers that were kept
    effort: float

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be found."""
        return self.known.keys() == self.keys.keys()


def effort(methods: Sequence[Method], *, tuning: bool) -> float:
    """Effort of a case, against 1 for trying one setting: settings of a grid share most of their work."""
    return float(sum(len(method.settings) ** 0.5 if tuning else 1 for method in methods))


def pieces(side: Job, cache: ResultCache) -> Iterator[tuple[Piece, Job | None]]:
    """Every chunk of a side, with the job that finds what is not known of it; None where all is."""
    digests = {variant: digest_of(known) for variant, known in side.knowledge.items()}
    each_effort = effort(side.methods, tuning=side.choice is None)
    scenario = side.asked.task.scenario
    for first in range(0, len(side.cases), CHUNK):
        here = slice(first, first + CHUNK)
        chunk = replace(side, cases=tuple(side.cases[here]), weights=side.weights[here])
        keys = _keys(chunk, digests)
        known = {name: answer for name, key in keys.items() if (answer := cache.get(key)) is not None}
        about = (
            About(case.name, case.group, len(case.topic), judged(case, scenario)) for case in chunk.cases
        )
        piece = Piece(side.fold, tuple(about), keys, known, len(chunk.cases) * each_effort)
        if piece.complete:
            yield piece, None
        else:
            # A job takes along no more knowledge than it needs.
            methods = tuple(method for method in side.methods if method.name not in known)
            extras = len(methods) + len(known) < len(keys)
            needed = digests if extras else {method.variant for method in methods}
            knowledge = {variant: each for variant, each in side.knowledge.items() if variant in needed}
            yield piece, replace(chunk, knowledge=knowledge, methods=methods, extras=extras)


def _keys(chunk: Job, digests: Mapping[str, str]) -> dict[str, str]:
    """What each answer on a chunk is kept under: all that it depends on."""
    about = (repr((code_digest(), chunk.asked)), [case.digest for case in chunk.cases])
    if chunk.choice is None:
        summed = (*about, chunk.weights.tolist())
        return {each.name: _key(summed, each.digest, digests[each.variant]) for each in chunk.methods}
    return {
        TRUTH: _key(about, TRUTH),
        **{tally_name(variant): _key(about, variant, digest) for variant, digest in digests.items()},
        **{
            each.name: _key(about, each.digest, digests[each.variant], chunk.choice[each.name].tolist())
            for each in chunk.methods
        },
    }


def _key(*parts: Any) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=20).hexdigest()
