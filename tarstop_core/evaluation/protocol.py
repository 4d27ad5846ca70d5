"""The paper's experiment: tune every method on training cases and try it on test cases, for every q* and cost.

Each chunk of cases is a pure job (:mod:`~tarstop_core.evaluation.jobs`), so it can run anywhere and its answers can be
cached. Sums are taken in the order of the chunks, so one process, many processes and a cluster give the same bits,
interrupted or not.
"""

import platform
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from tarstop_core import __version__
from tarstop_core.calibration.quality import BINS, Quality
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import jobs
from tarstop_core.evaluation.cases import Benchmark, Case, Fold, cross_validated, group_weights
from tarstop_core.evaluation.execution import Clock, Progress, in_order
from tarstop_core.evaluation.jobs import Answers, Choice, Job, PricedTask, ResultCache, work
from tarstop_core.evaluation.methods import Method, titles, weights_of
from tarstop_core.evaluation.reliability_counts import COLUMNS, judged, quality
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.evaluation.tasks.base import LearnedFromFold, Task
from tarstop_core.policies.grlstop import GRLStop, Weights
from tarstop_core.value.payoffs import Depths, Floats, Payoffs, check_cost

Q_STARS = (0.2, 0.5, 0.8)
"""The paper's threshold beliefs."""
COSTS = (0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 1.0)
"""The paper's costs of a document."""
TIE = 1e-12
"""Mean net utilities on training cases that differ by less are equal; the first setting then wins."""


def run(
    benchmark: Benchmark,
    task: Task,
    methods: Sequence[Method],
    *,
    q_stars: Sequence[float] = Q_STARS,
    costs: Sequence[float] = COSTS,
    parts: int = 0,
    grlstop_weights: Callable[[Sequence[Case]], Weights | None] = weights_of,
    workers: int = 1,
    dask: str | None = None,
    cache: ResultCache | None = None,
    progress: Progress | None = None,
) -> Results:
    """Tune and test every method on a benchmark.

    For every q* and cost, tuning chooses the setting of each method with the best mean net utility on training cases,
    the first in grid order if several are equal. Payoffs are normalised (K = 1).

    Parameters
    ----------
    benchmark : Benchmark
        Cases to tune and to test on.
    task : Task
        Task that plays the cases; of the benchmark's scenario.
    methods : sequence of Method
        Methods to compare.
    q_stars, costs : sequence of float
        Threshold beliefs and costs of a document.
    parts : int
        If 2 or more, training cases are split into this many parts, and methods are tuned on each part with what was
        learned from the others. Else they are tuned on the cases that were learned from, as in the paper.
    grlstop_weights : callable
        Takes the cases that were learned from and returns the agent of GRLStop; None for that of the package.
    workers, dask : int, str
        Where jobs run (:func:`~tarstop_core.evaluation.execution.in_order`); no number depends on it.
    cache : ResultCache, optional
        Cache of the answers of finished chunks.
    progress : callable, optional
        Takes the share done, the stage and the seconds left (:class:`~tarstop_core.evaluation.execution.Clock`).

    Returns
    -------
    Results

    Raises
    ------
    InputProblem
        When the benchmark has another scenario, or a threshold or cost is not valid.
    """
    if task.scenario != benchmark.scenario:
        raise InputProblem(f"The benchmark {benchmark.name} is of the scenario {benchmark.scenario}.")
    question = PricedTask(task, tuple(map(Payoffs.from_q_star, q_stars)), tuple(map(check_cost, costs)))
    tuned = tuple(method for method in methods if len(method.settings) > 1)
    to_tune, to_test = jobs.effort(tuned, tuning=True), jobs.effort(methods, tuning=False)
    total = sum(len(fold.train) * to_tune + len(fold.test) * to_test for fold in benchmark.folds)
    clock = Clock(total, progress)
    clock.report("learning from the training cases")
    variants = tuple(dict.fromkeys(method.variant for method in methods))
    has_agent = any(method.policy is GRLStop for method in methods)
    knowledge = [task.learn(benchmark, fold, variants) for fold in benchmark.folds]
    agents = [grlstop_weights(fold.learned_from) if has_agent else None for fold in benchmark.folds]
    answers = cache or ResultCache(None)
    experiment = _Experiment(
        benchmark, question, tuple(methods), knowledge, agents, parts, answers, clock, workers, dask
    )
    return experiment.test(experiment.tune(tuned), tuple(q_stars))


class _Tested(NamedTuple):
    """The description of a test case that goes into the results."""

    name: str
    group: str
    fold: int
    documents: int
    judged: bool


class _Chunk(NamedTuple):
    """A job, the cache keys of its answers, and the answers that were in the cache."""

    job: Job
    keys: Mapping[str, str]
    kept: Answers


@dataclass(frozen=True, eq=False)
class _Experiment:
    """One run after learning from the training cases."""

    benchmark: Benchmark
    question: PricedTask
    methods: tuple[Method, ...]
    knowledge: Sequence[Mapping[str, LearnedFromFold]]
    """For each fold, by variant, what was learned from its training cases."""
    grlstop_weights: Sequence[Weights | None]  # GRLStop's agent for each fold; None for that of the package
    parts: int
    cache: ResultCache
    clock: Clock
    workers: int
    dask: str | None

    def tune(self, tuned: tuple[Method, ...]) -> list[Choice]:
        """Choose for each fold the setting of every method that is best on its training cases."""
        folds = self.benchmark.folds
        cells = (len(self.question.payoffs), len(self.question.costs))
        shapes = {method.name: (len(method.settings), *cells) for method in self.methods}
        sums = [{name: np.zeros(shape) for name, shape in shapes.items()} for _ in folds]
        if tuned:
            to_tune = (job for number, fold in enumerate(folds) for job in self._to_tune(number, fold, tuned))
            for job, answers in self._answers(to_tune, "tuning"):
                for method in tuned:
                    sums[job.fold][method.name] += answers[method.name]
        return [
            {name: _first_best(total / len(fold.train)) for name, total in totals.items()}
            for fold, totals in zip(folds, sums, strict=True)
        ]

    def test(self, chosen: Sequence[Choice], q_stars: tuple[float, ...]) -> Results:
        """Play the test cases with the chosen settings; results are in the order of folds and cases."""
        folds, scenario = enumerate(self.benchmark.folds), self.question.task.scenario
        to_test = (self._job(number, fold.test, self.methods, chosen[number]) for number, fold in folds)
        cases: list[_Tested] = []
        by_chunk: list[Answers] = []
        for job, answers in self._answers(to_test, "testing"):
            cases += [
                _Tested(case.name, case.group, job.fold, len(case.topic), judged(case, scenario))
                for case in job.cases
            ]
            by_chunk.append(answers)
        groups = tuple(case.group for case in cases)
        names = [method.name for method in self.methods]
        by_method = (np.concatenate([answers[name] for answers in by_chunk], axis=1) for name in names)
        screened, plus, recall, exact = np.stack([*by_method], axis=2)
        return Results(
            settings=self._settings(),
            methods=tuple(
                MethodInfo(method.name, title, rule.name, method.variant, rule.family, rule.is_oracle)
                for method, title in zip(self.methods, titles(self.methods), strict=True)
                for rule in (method.settings[0],)
            ),
            cases=tuple(case.name for case in cases),
            groups=groups,
            q_stars=q_stars,
            costs=self.question.costs,
            weights=group_weights(groups, self.benchmark.weigh_by_group),
            documents=np.array([case.documents for case in cases], dtype=np.intp),
            omega=np.concatenate([answers[jobs.TRUTH] for answers in by_chunk]),
            screened=screened,
            plus=plus,
            recall=recall,
            fold=np.array([case.fold for case in cases]),
            chosen=tuple(
                method.settings[i].spec
                for choice in chosen
                for method in self.methods
                for i in choice[method.name].ravel()
            ),
            plus_exact=exact
            if self.question.task.settings["engine"] not in ("decisive", "bivariate")
            else None,
            calibration=self._calibration(by_chunk, sum(case.judged for case in cases)),
        )

    def _to_tune(self, number: int, fold: Fold, methods: tuple[Method, ...]) -> Iterator[Job]:
        """Jobs that tune on a fold's training cases: one, or with `parts` one for each part."""
        whole = self._job(number, fold.train, methods, None)
        if not self.parts:
            yield whole
            return
        weight_of = dict(zip((case.name for case in fold.train), whole.weights.tolist(), strict=True))
        for part in cross_validated(fold.train, self.parts):
            held_out = {case.group for case in part.test}
            others = replace(part, learn=[case for case in fold.learned_from if case.group not in held_out])
            weights = np.array([weight_of[case.name] for case in part.test])
            knowledge = self.question.task.learn(self.benchmark, others, tuple(whole.knowledge))
            yield replace(whole, cases=part.test, weights=weights, knowledge=knowledge)

    def _job(
        self, number: int, cases: Sequence[Case], methods: tuple[Method, ...], choice: Choice | None
    ) -> Job:
        """The job on all training cases or all test cases of a fold."""
        # Groups are asked for only if they count, because a lazy sequence would have to make all its cases.
        by_group = self.benchmark.weigh_by_group
        weights = group_weights([case.group for case in cases], by_group) if by_group else np.ones(len(cases))
        methods = tuple(method.following(self.grlstop_weights[number]) for method in methods)
        return Job(number, self.question, cases, weights, self.knowledge[number], methods, choice)

    def _answers(self, whole_jobs: Iterator[Job], stage: str) -> Iterator[tuple[Job, Answers]]:
        """Yield the chunks of the jobs in order, each with all its answers; computed answers go into the cache."""
        waiting: deque[_Chunk] = deque()

        def to_compute() -> Iterator[Job]:
            for whole in whole_jobs:
                for job in whole.chunks():
                    keys = job.keys()
                    waiting.append(_Chunk(job, keys, self.cache.kept(keys)))
                    if len(waiting[-1].kept) < len(keys):
                        yield job.without(waiting[-1].kept)

        def next_chunk(computed: Answers) -> tuple[Job, Answers]:
            chunk = waiting.popleft()
            for name, answer in computed.items():
                self.cache.keep(chunk.keys[name], answer)
            self.clock.done(chunk.job.effort, stage, computed=bool(computed))
            return chunk.job, chunk.kept | computed

        def complete() -> Iterator[tuple[Job, Answers]]:
            """Chunks at the head of the queue whose answers were all in the cache."""
            while waiting and len(waiting[0].kept) == len(waiting[0].keys):
                yield next_chunk({})

        self.clock.report(stage)
        for computed in in_order(work, to_compute(), self.workers, self.dask):
            yield from complete()
            yield next_chunk(computed)
        yield from complete()

    def _calibration(self, by_chunk: Sequence[Answers], topics: int) -> dict[str, Quality]:
        """Quality of the chances on test cases, by variant; `topics` is the number of topics that were judged."""
        folds = len(self.knowledge)
        how = "held-out topics" if folds == 1 else f"{folds}-fold cross-validation"
        qualities = {}
        for variant in self.knowledge[0]:
            counts = (answers[jobs.counts_name(variant)] for answers in by_chunk)
            qualities[variant] = quality(sum(counts, np.zeros((BINS, COLUMNS))), topics, how)
        return {variant: measured for variant, measured in qualities.items() if measured is not None}

    def _settings(self) -> dict[str, Any]:
        """Everything that changes a number, and the description of the benchmark."""
        benchmark, task = self.benchmark, self.question.task
        return {
            "benchmark": benchmark.name,
            "title": benchmark.title,
            "provenance": benchmark.provenance,
            "simulated": benchmark.simulated,
            "statistics": {name: list(pair) for name, pair in benchmark.statistics.items()},
            "notes": list(benchmark.notes),
            **task.settings,
            "weighed": "by group" if benchmark.weigh_by_group else "by case",
            "folds": [[len(fold.train), len(fold.test)] for fold in benchmark.folds],
            "grids": {method.name: len(method.settings) for method in self.methods},
            "beliefs": [
                {
                    variant: learned.prior.b_0 if learned.prior else task.settings["b_0"]
                    for variant, learned in of_fold.items()
                }
                for of_fold in self.knowledge
            ],
            "learned": [
                {variant: learned.digest for variant, learned in of_fold.items()}
                for of_fold in self.knowledge
            ],
            "agents": ["" if weights is None else weights.digest for weights in self.grlstop_weights],
            "tuned": f"in {self.parts} parts" if self.parts else "on what was learned from",
            "code": jobs.code_version(),
            "version": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        }


def _first_best(mean: Floats) -> Depths:
    """Index of the first of the best settings for each q* and cost, shape (Q, C); `mean` has shape (S, Q, C)."""
    return np.asarray(np.argmax(mean >= mean.max(axis=0) - TIE, axis=0))
