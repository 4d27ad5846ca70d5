"""The paper's experiment: tune every method on training cases, try it on test cases, for every q* and cost.

Cases are taken a chunk at a time: a pure job (:mod:`~tarstop_core.evaluation.jobs`) whose answers depend on nothing
else, so it may run anywhere and they may be kept on disk. Sums are taken in the order of the chunks: one process, many,
or a cluster, interrupted or not, come to the same bits.
"""

import platform
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from tarstop_core import __version__
from tarstop_core.calibration.calibrator import BINS
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import jobs
from tarstop_core.evaluation.cases import Benchmark, Case, Fold, cross_validated, group_weights
from tarstop_core.evaluation.execution import in_order
from tarstop_core.evaluation.fingerprint import code_digest
from tarstop_core.evaluation.grlstop_weights import weights_of
from tarstop_core.evaluation.jobs import work
from tarstop_core.evaluation.methods import Method, titles
from tarstop_core.evaluation.progress import Clock, Progress
from tarstop_core.evaluation.reliability_counts import COLUMNS, quality
from tarstop_core.evaluation.result_cache import ResultCache
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.evaluation.tasks.base import Task, digest_of
from tarstop_core.policies.grlstop.network import Weights
from tarstop_core.policies.grlstop.rule import GRLStop
from tarstop_core.value.payoffs import Depths, Floats, Payoffs, check_cost

Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 1.0)
TIE = 1e-12
"""Mean net utilities of training that differ by less are equal, and the first setting is taken."""


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
    cancelled: Callable[[], bool] | None = None,
) -> Results:
    """Tune and test every method of a benchmark.

    Each method's setting is the one with the best mean net utility on training cases, searched anew for
    every q* and cost; the first in grid order among equals. Payoffs are normalised (K = 1). It plays the cases that
    its calibrator was fitted on, as in the paper; with 2 `parts` or more it plays each part of them by what was learned
    from the other parts. GRLStop follows the agent that `grlstop_weights` has for the same cases, else that of the package.

    How many work (:func:`~tarstop_core.evaluation.execution.in_order`) changes no number. Finished chunks are kept
    and looked for in `cache`; `progress` and `cancelled` are those of :class:`~tarstop_core.evaluation.progress.Clock`.
    InputProblem when the benchmark is of another scenario, or a threshold or cost cannot be used; Cancelled when
    `cancelled` says so.
    """
    if task.scenario != benchmark.scenario:
        raise InputProblem(f"The benchmark {benchmark.name} is of the scenario {benchmark.scenario}.")
    asked = jobs.Asked(task, tuple(map(Payoffs.from_q_star, q_stars)), tuple(map(check_cost, costs)))
    tuned = tuple(method for method in methods if len(method.settings) > 1)
    to_tune, to_test = jobs.effort(tuned, tuning=True), jobs.effort(methods, tuning=False)
    total = sum(len(fold.train) * to_tune + len(fold.test) * to_test for fold in benchmark.folds)
    clock = Clock(total, progress, cancelled)
    clock.say("learning from the training cases")
    variants = tuple(dict.fromkeys(method.variant for method in methods))
    has_agent = any(method.policy is GRLStop for method in methods)
    experiment = _Experiment(
        benchmark,
        asked,
        tuple(methods),
        [task.learn(benchmark, fold, variants) for fold in benchmark.folds],
        [grlstop_weights(fold.learned_from) if has_agent else None for fold in benchmark.folds],
        parts,
        cache or ResultCache(None),
        clock,
        workers,
        dask,
    )
    chosen = experiment.tune(tuned)
    return experiment.results(chosen, experiment.test(chosen), tuple(q_stars))


@dataclass(frozen=True, eq=False)
class _Experiment:
    """One run, once there is something learned."""

    benchmark: Benchmark
    asked: jobs.Asked
    methods: tuple[Method, ...]
    knowledge: Sequence[Mapping[str, Any]]
    """For each fold, by variant, what was learned from its training cases."""
    grlstop_weights: Sequence[Weights | None]  # For each fold, of GRLStop; None: that of the package
    parts: int
    cache: ResultCache
    clock: Clock
    workers: int
    dask: str | None

    def tune(self, tuned: tuple[Method, ...]) -> list[jobs.Choice]:
        """For each fold the setting of every method that is best on its training cases."""
        folds = self.benchmark.folds
        cells = (len(self.asked.payoffs), len(self.asked.costs))
        sums = [
            {method.name: np.zeros((len(method.settings), *cells)) for method in self.methods} for _ in folds
        ]
        if tuned:
            sides = (side for number, fold in enumerate(folds) for side in self._to_tune(number, fold, tuned))
            for piece, answers in self._answers(sides, "tuning"):
                for method in tuned:
                    sums[piece.fold][method.name] += answers[method.name]
        return [
            {name: _first_best(total / len(fold.train)) for name, total in totals.items()}
            for fold, totals in zip(folds, sums, strict=True)
        ]

    def test(self, chosen: Sequence[jobs.Choice]) -> list[tuple[jobs.Piece, jobs.Answers]]:
        """All pieces with their answers, cases in the order of folds and chunks."""
        folds = enumerate(self.benchmark.folds)
        sides = (self._side(number, fold.test, self.methods, chosen[number]) for number, fold in folds)
        return list(self._answers(sides, "testing"))

    def _to_tune(self, number: int, fold: Fold, methods: tuple[Method, ...]) -> Iterator[jobs.Job]:
        """The training cases, at once or part by part."""
        whole = self._side(number, fold.train, methods, None)
        if not self.parts:
            yield whole
            return
        weight_of = dict(zip((case.name for case in fold.train), whole.weights.tolist(), strict=True))
        for part in cross_validated(fold.train, self.parts):
            out = {case.group for case in part.test}
            rest = replace(part, learn=[case for case in fold.learned_from if case.group not in out])
            weights = np.array([weight_of[case.name] for case in part.test])
            known = self.asked.task.learn(self.benchmark, rest, tuple(whole.knowledge))
            yield replace(whole, cases=part.test, weights=weights, knowledge=known)

    def _side(
        self, number: int, cases: Sequence[Case], methods: tuple[Method, ...], choice: jobs.Choice | None
    ) -> jobs.Job:
        # Groups are asked for only where they count: a stream would have to make all its cases for that.
        by_group = self.benchmark.weigh_by_group
        weights = group_weights([case.group for case in cases], by_group) if by_group else np.ones(len(cases))
        followed = tuple(method.following(self.grlstop_weights[number]) for method in methods)
        return jobs.Job(number, self.asked, cases, weights, self.knowledge[number], followed, choice)

    def _answers(self, sides: Iterator[jobs.Job], what: str) -> Iterator[tuple[jobs.Piece, jobs.Answers]]:
        """Pieces in order, each with all its answers; those that were computed are kept."""
        waiting: deque[jobs.Piece] = deque()

        def to_do() -> Iterator[jobs.Job]:
            for side in sides:
                for piece, job in jobs.pieces(side, self.cache):
                    waiting.append(piece)
                    if job is not None:
                        yield job

        def known() -> Iterator[tuple[jobs.Piece, jobs.Answers]]:
            """Pieces that wait for no job."""
            while waiting and waiting[0].complete:
                piece = waiting.popleft()
                self.clock.done(piece.effort, what, computed=False)
                yield piece, piece.known

        self.clock.say(what)
        for found in in_order(work, to_do(), self.workers, self.dask):
            yield from known()
            piece = waiting.popleft()
            for name, answer in found.items():
                self.cache.put(piece.keys[name], answer)
            self.clock.done(piece.effort, what, computed=True)
            yield piece, piece.known | found
        yield from known()

    def results(
        self,
        chosen: Sequence[jobs.Choice],
        tested: Sequence[tuple[jobs.Piece, jobs.Answers]],
        q_stars: tuple[float, ...],
    ) -> Results:
        """What is kept of a run."""
        cases = [case for piece, _ in tested for case in piece.cases]
        groups = tuple(case.group for case in cases)
        by_method = (
            np.concatenate([answer[each.name] for _, answer in tested], axis=1) for each in self.methods
        )
        screened, plus, recall, exact = np.stack([*by_method], axis=2)
        return Results(
            settings=self._settings(),
            methods=tuple(
                MethodInfo(each.name, title, rule.name, each.variant, rule.family, rule.is_oracle)
                for each, title in zip(self.methods, titles(self.methods), strict=True)
                for rule in (each.settings[0],)
            ),
            cases=tuple(case.name for case in cases),
            groups=groups,
            q_stars=q_stars,
            costs=self.asked.costs,
            weights=group_weights(groups, self.benchmark.weigh_by_group),
            documents=np.array([case.documents for case in cases], dtype=np.intp),
            omega=np.concatenate([answer[jobs.TRUTH] for _, answer in tested]),
            screened=screened,
            plus=plus,
            recall=recall,
            fold=np.concatenate([np.full(len(piece.cases), piece.fold) for piece, _ in tested]),
            chosen=tuple(
                method.settings[i].spec
                for choice in chosen
                for method in self.methods
                for i in choice[method.name].ravel()
            ),
            plus_exact=exact if self.asked.task.settings["engine"] not in ("decisive", "bivariate") else None,
            calibration=self._calibration(tested),
        )

    def _calibration(self, tested: Sequence[tuple[jobs.Piece, jobs.Answers]]) -> dict[str, Any]:
        """How well chances came true, by variant."""
        folds = len(self.knowledge)
        how = "held-out topics" if folds == 1 else f"{folds}-fold cross-validation"
        counted = sum(case.judged for piece, _ in tested for case in piece.cases)
        sums = {
            variant: sum(
                (answer[jobs.tally_name(variant)] for _, answer in tested), np.zeros((BINS, COLUMNS))
            )
            for variant in self.knowledge[0]
        }
        judged = {variant: quality(each, counted, how) for variant, each in sums.items()}
        return {variant: each for variant, each in judged.items() if each is not None}

    def _settings(self) -> dict[str, Any]:
        """Everything that changes a number, and what a person should know of the benchmark."""
        benchmark, task = self.benchmark, self.asked.task
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
                {name: _belief(known, task) for name, known in each.items()} for each in self.knowledge
            ],
            "learned": [{name: digest_of(known) for name, known in each.items()} for each in self.knowledge],
            "agents": ["" if each is None else each.digest for each in self.grlstop_weights],
            "tuned": f"in {self.parts} parts" if self.parts else "on what was learned from",
            "code": code_digest(),
            "version": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        }


def _belief(known: Any, task: Task) -> float:
    """Belief before any document: of the prior that was learned, in patents the task's."""
    return float(known[1].b_0 if isinstance(known, tuple) else task.settings["b_0"])


def _first_best(mean: Floats) -> Depths:
    """The first of the settings that are best, for each q* and cost, shape (Q, C)."""
    return np.asarray(np.argmax(mean >= mean.max(axis=0) - TIE, axis=0))
