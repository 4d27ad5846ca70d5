"""The paper's experiment: tune every method on training cases, try it on test cases, for every q* and cost.

Cases are taken a chunk at a time. A chunk is a pure job whose answer depends on nothing else, so it may run
anywhere and be kept on disk; sums are taken in the order of the chunks. Hence one process, many, or a
cluster, interrupted or not, come to the same bits.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarstop_core import __version__
from tarstop_core.calibration.calibrator import BINS, Calibrator
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Benchmark, Case, group_weights
from tarstop_core.evaluation.execution import in_order
from tarstop_core.evaluation.fingerprint import code_digest
from tarstop_core.evaluation.finished import Finished
from tarstop_core.evaluation.methods import Method
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.evaluation.tally import COLUMNS, quality, tally
from tarstop_core.evaluation.tasks import Task
from tarstop_core.value.payoffs import Payoffs, check_cost

Floats = NDArray[np.float64]
Pieces = dict[str, NDArray[Any]]
Progress = Callable[[float, str, float | None], None]

Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 1.0)
CHUNK = 10
"""Cases of one job, whatever runs it."""
TIE = 1e-12
"""Mean net utilities of training that differ by less are equal, and the first setting is taken."""
TRUTH, SCREENED, PLUS, RECALL, EXACT = "truth", 0, 1, 2, 3


class Cancelled(Exception):
    """Somebody asked for an end; what is finished is kept where there is a place for it."""


def run(
    benchmark: Benchmark,
    task: Task,
    methods: Sequence[Method],
    *,
    q_stars: Sequence[float] = Q_STARS,
    costs: Sequence[float] = COSTS,
    workers: int = 1,
    dask: str | None = None,
    finished: Finished | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Results:
    """Tune and test every method of a benchmark.

    Each method's setting is the one with the best mean net utility on training cases, searched anew for
    every q* and cost; the first in grid order among equals.

    Parameters
    ----------
    benchmark : Benchmark
    task : Task
        Of the benchmark's scenario.
    methods : sequence of Method
    q_stars, costs : sequence of float
        Threshold beliefs, with normalised payoffs (K = 1), and costs per document.
    workers, dask
        See :func:`~tarstop_core.evaluation.execution.in_order`; they change no number.
    finished : Finished, optional
        Where finished chunks are kept and looked for.
    progress : callable, optional
        Told the share done, what is being done, and the seconds left (None while unknown).
    cancelled : callable, optional
        Asked after every chunk.

    Raises
    ------
    InputProblem
        When the benchmark is of another scenario, or a threshold or cost cannot be used.
    Cancelled
        When `cancelled` says so.
    """
    if task.settings["scenario"] != benchmark.scenario:
        raise InputProblem(f"The benchmark {benchmark.name} is of the scenario {benchmark.scenario}.")
    experiment = _Experiment(
        benchmark,
        task,
        tuple(methods),
        tuple(Payoffs.from_q_star(q_star) for q_star in q_stars),
        tuple(check_cost(cost) for cost in costs),
        finished or Finished(None),
    )
    clock = _Clock(experiment, progress, cancelled)
    clock.say("learning from the training cases")
    variants = tuple(dict.fromkeys(method.variant for method in methods))
    knowledge = [task.learn(benchmark, fold, variants) for fold in benchmark.folds]
    chosen = experiment.tune(knowledge, clock, workers, dask)
    tested = experiment.test(knowledge, chosen, clock, workers, dask)
    return experiment.results(knowledge, chosen, tested, tuple(q_stars))


# --- what runs anywhere ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Job:
    """A chunk of cases for some methods.

    `chosen` is None when tuning; when testing it holds, for each method, the index of its setting for
    each q* and cost.
    """

    task: Task
    cases: tuple[Case, ...]
    weights: Floats
    knowledge: Mapping[str, Any]
    methods: tuple[Method, ...]
    payoffs: tuple[Payoffs, ...]
    costs: tuple[float, ...]
    chosen: tuple[NDArray[np.intp], ...] | None
    extras: bool


def _work(job: _Job) -> Pieces:
    return _tune(job) if job.chosen is None else _test(job)


def _tune(job: _Job) -> Pieces:
    """Weighted sums of net utility over the cases, by method, shape (S, Q, C)."""
    cells = (len(job.payoffs), len(job.costs))
    sums = {method.name: np.zeros((len(method.settings), *cells)) for method in job.methods}
    for case, weight in zip(job.cases, job.weights, strict=True):
        truth = job.task.truth(case, job.payoffs)
        paths = {name: job.task.paths(case, known, job.payoffs) for name, known in job.knowledge.items()}
        for method in job.methods:
            played = job.task.play(
                case,
                job.knowledge[method.variant],
                paths[method.variant],
                method.settings,
                job.costs,
                truth,
                exact=False,
            )
            for q, payoffs in enumerate(job.payoffs):
                sums[method.name][:, q] += weight * metrics.net_utility(
                    payoffs, played.plus[:, q], truth[q], played.screened[:, q], np.array(job.costs)
                )
    return dict(sums)


def _test(job: _Job) -> Pieces:
    """By method: screened, plus, recall and plus_exact of each case, shape (4, n, Q, C); and the truth.

    `plus_exact` is NaN where the bivariate engine was not asked.
    """
    assert job.chosen is not None
    shape = (len(job.cases), len(job.payoffs), len(job.costs))
    found: Pieces = {method.name: np.empty((4, *shape)) for method in job.methods}
    if job.extras:
        found[TRUTH] = np.empty(shape[:2], dtype=bool)
        for variant in job.knowledge:
            found[_tally_name(variant)] = np.zeros((BINS, COLUMNS))
    rows, columns = np.indices(shape[1:])
    for at, case in enumerate(job.cases):
        truth = job.task.truth(case, job.payoffs)
        if job.extras:
            found[TRUTH][at] = truth
            for variant, known in job.knowledge.items():
                found[_tally_name(variant)] += tally(_calibrator(known), case)
        paths = {name: job.task.paths(case, known, job.payoffs) for name, known in job.knowledge.items()}
        for method, chosen in zip(job.methods, job.chosen, strict=True):
            used, of = np.unique(chosen, return_inverse=True)
            played = job.task.play(
                case,
                job.knowledge[method.variant],
                paths[method.variant],
                [method.settings[i] for i in used],
                job.costs,
                truth,
                exact=True,
            )
            unknown = np.full(played.plus.shape, np.nan)
            exact = unknown if played.plus_exact is None else played.plus_exact
            for piece, values in (
                (SCREENED, played.screened),
                (PLUS, played.plus),
                (RECALL, played.recall),
                (EXACT, exact),
            ):
                found[method.name][piece, at] = values[of.reshape(chosen.shape), rows, columns]
    return found


def _calibrator(known: Any) -> Calibrator:
    """The calibrator in what a task has learned: alone in patents, before the prior in reviews."""
    return known if isinstance(known, Calibrator) else known[0]


def _tally_name(variant: str) -> str:
    return f"calibration {variant}"


# --- what stays here ------------------------------------------------------------------------------


class _About(NamedTuple):
    """What results keep of a case."""

    name: str
    group: str
    documents: int
    judged: bool


@dataclass(frozen=True, eq=False)
class _Piece:
    """A chunk: what is known of it, and whether there is more to come. It holds no lists."""

    fold: int
    cases: tuple[_About, ...]
    keys: dict[str, str]
    known: Pieces
    complete: bool
    effort: float


@dataclass(frozen=True, eq=False)
class _Experiment:
    benchmark: Benchmark
    task: Task
    methods: tuple[Method, ...]
    payoffs: tuple[Payoffs, ...]
    costs: tuple[float, ...]
    finished: Finished

    @cached_property
    def _asked(self) -> str:
        return repr((code_digest(), self.task, self.payoffs, self.costs))

    @property
    def tuned(self) -> tuple[Method, ...]:
        return tuple(method for method in self.methods if len(method.settings) > 1)

    @property
    def tuning_effort(self) -> float:
        """Of a case, against 1 for trying one setting: settings of a grid share most of their work."""
        return float(sum(len(method.settings) ** 0.5 for method in self.tuned))

    @property
    def testing_effort(self) -> float:
        return float(len(self.methods))

    def tune(
        self, knowledge: Sequence[Mapping[str, Any]], clock: _Clock, workers: int, dask: str | None
    ) -> list[dict[str, NDArray[np.intp]]]:
        """For each fold and method the index of its setting, shape (Q, C)."""
        cells = (len(self.payoffs), len(self.costs))
        sums = [
            {method.name: np.zeros((len(method.settings), *cells)) for method in self.methods}
            for _ in self.benchmark.folds
        ]
        if self.tuned:
            for piece, answer in self._run(knowledge, None, clock, workers, dask):
                for method in self.tuned:
                    sums[piece.fold][method.name] += answer[method.name]
        chosen = []
        for fold, totals in zip(self.benchmark.folds, sums, strict=True):
            means = {name: total / len(fold.train) for name, total in totals.items()}
            chosen.append(
                {
                    name: np.asarray(np.argmax(mean >= mean.max(axis=0) - TIE, axis=0))
                    for name, mean in means.items()
                }
            )
        return chosen

    def test(
        self,
        knowledge: Sequence[Mapping[str, Any]],
        chosen: Sequence[Mapping[str, NDArray[np.intp]]],
        clock: _Clock,
        workers: int,
        dask: str | None,
    ) -> list[tuple[_Piece, Pieces]]:
        """All pieces, cases in the order of folds and chunks."""
        return list(self._run(knowledge, chosen, clock, workers, dask))

    def _run(
        self,
        knowledge: Sequence[Mapping[str, Any]],
        chosen: Sequence[Mapping[str, NDArray[np.intp]]] | None,
        clock: _Clock,
        workers: int,
        dask: str | None,
    ) -> Iterator[tuple[_Piece, Pieces]]:
        what = "tuning" if chosen is None else "testing"
        waiting: deque[_Piece] = deque()

        def jobs() -> Iterator[_Job]:
            for piece, job in self._pieces(knowledge, chosen):
                waiting.append(piece)
                if job is not None:
                    yield job

        def complete(answer: Pieces | None) -> Iterator[tuple[_Piece, Pieces]]:
            """Pieces up to the one the answer belongs to; all that are left for None."""
            while waiting:
                piece = waiting.popleft()
                if piece.complete:
                    clock.done(piece.effort, what, computed=False)
                    yield piece, piece.known
                    continue
                assert answer is not None
                for name, array in answer.items():
                    self.finished.put(piece.keys[name], array)
                clock.done(piece.effort, what, computed=True)
                yield piece, piece.known | answer
                return

        clock.say(what)
        for answer in in_order(_work, jobs(), workers, dask):
            yield from complete(answer)
        yield from complete(None)

    def _pieces(
        self,
        knowledge: Sequence[Mapping[str, Any]],
        chosen: Sequence[Mapping[str, NDArray[np.intp]]] | None,
    ) -> Iterator[tuple[_Piece, _Job | None]]:
        """Every chunk of every fold, with the job that finds what is not known of it."""
        for number, fold in enumerate(self.benchmark.folds):
            cases = fold.train if chosen is None else fold.test
            settings = None if chosen is None else chosen[number]
            weights = self._weights(cases)
            digests = {variant: _digest_of(known) for variant, known in knowledge[number].items()}
            for first in range(0, len(cases), CHUNK):
                chunk = tuple(cases[first : first + CHUNK])
                part = weights[first : first + CHUNK]
                keys = self._keys(chunk, part, digests, settings)
                stored = {name: self.finished.get(key) for name, key in keys.items()}
                known = {name: array for name, array in stored.items() if array is not None}
                wanted = keys.keys() - known.keys()
                job = self._job(chunk, part, knowledge[number], settings, wanted) if wanted else None
                yield self._piece(number, chunk, keys, known, testing=chosen is not None), job

    def _keys(
        self,
        cases: Sequence[Case],
        weights: Floats,
        digests: Mapping[str, str],
        settings: Mapping[str, NDArray[np.intp]] | None,
    ) -> dict[str, str]:
        """What each answer on a chunk is kept under: all that it depends on."""
        ids = [case.digest for case in cases]
        if settings is None:
            about: tuple[Any, ...] = (self._asked, ids, weights.tolist())
            return {m.name: _key(about, m.digest, digests[m.variant]) for m in self.tuned}
        about = (self._asked, ids)
        of_methods = {
            m.name: _key(about, m.digest, digests[m.variant], settings[m.name].tolist()) for m in self.methods
        }
        of_variants = {_tally_name(name): _key(about, name, digest) for name, digest in digests.items()}
        return {TRUTH: _key(about, TRUTH), **of_variants, **of_methods}

    def _job(
        self,
        cases: tuple[Case, ...],
        weights: Floats,
        knowledge: Mapping[str, Any],
        settings: Mapping[str, NDArray[np.intp]] | None,
        wanted: Set[str],
    ) -> _Job:
        """What finds the wanted answers on a chunk, and takes along no more knowledge than that needs."""
        methods = tuple(method for method in self.methods if method.name in wanted)
        extras = len(wanted) > len(methods)
        needed = set(knowledge) if extras else {method.variant for method in methods}
        return _Job(
            task=self.task,
            cases=cases,
            weights=weights,
            knowledge={variant: known for variant, known in knowledge.items() if variant in needed},
            methods=methods,
            payoffs=self.payoffs,
            costs=self.costs,
            chosen=None if settings is None else tuple(settings[method.name] for method in methods),
            extras=extras,
        )

    def _piece(
        self, fold: int, cases: Sequence[Case], keys: dict[str, str], known: Pieces, *, testing: bool
    ) -> _Piece:
        review = self.benchmark.scenario == "review"
        about = (_About(case.name, case.group, len(case.topic), case.topic.omega or review) for case in cases)
        effort = len(cases) * (self.testing_effort if testing else self.tuning_effort)
        return _Piece(fold, tuple(about), keys, known, known.keys() == keys.keys(), effort)

    def _belief(self, known: Any) -> float:
        """Belief before any document: of the prior that was learned, in patents the task's."""
        return float(self.task.settings["b_0"] if isinstance(known, Calibrator) else known[1].b_0)

    def _weights(self, cases: Sequence[Case]) -> Floats:
        if not self.benchmark.weigh_by_group:
            return np.ones(len(cases))
        return group_weights([case.group for case in cases], by_group=True)

    def results(
        self,
        knowledge: Sequence[Mapping[str, Any]],
        chosen: Sequence[Mapping[str, NDArray[np.intp]]],
        tested: Sequence[tuple[_Piece, Pieces]],
        q_stars: tuple[float, ...],
    ) -> Results:
        cases = [case for piece, _ in tested for case in piece.cases]
        groups = tuple(case.group for case in cases)
        by_method = [
            np.concatenate([answer[method.name] for _, answer in tested], axis=1) for method in self.methods
        ]
        screened, plus, recall, exact = np.stack(by_method, axis=2)
        settings = self.task.settings
        return Results(
            settings=self._settings(knowledge),
            methods=tuple(
                MethodInfo(
                    method.name,
                    method.title,
                    method.policy.name,
                    method.variant,
                    method.family,
                    method.settings[0].knows_truth,
                )
                for method in self.methods
            ),
            cases=tuple(case.name for case in cases),
            groups=groups,
            q_stars=q_stars,
            costs=self.costs,
            weights=group_weights(groups, self.benchmark.weigh_by_group),
            documents=np.array([case.documents for case in cases], dtype=np.intp),
            omega=np.concatenate([answer[TRUTH] for _, answer in tested]),
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
            plus_exact=exact if settings["engine"] not in ("decisive", "bivariate") else None,
            calibration=self._calibration(knowledge, tested),
        )

    def _calibration(
        self, knowledge: Sequence[Mapping[str, Any]], tested: Sequence[tuple[_Piece, Pieces]]
    ) -> dict[str, Any]:
        found = {}
        how = (
            "held-out topics" if len(self.benchmark.folds) == 1 else f"{len(knowledge)}-fold cross-validation"
        )
        counted = sum(case.judged for piece, _ in tested for case in piece.cases)
        for variant in knowledge[0]:
            sums = np.zeros((BINS, COLUMNS))
            for _, answer in tested:
                sums += answer[_tally_name(variant)]
            judged = quality(sums, counted, how)
            if judged is not None:
                found[variant] = judged
        return found

    def _settings(self, knowledge: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        benchmark = self.benchmark
        return {
            "benchmark": benchmark.name,
            "title": benchmark.title,
            "provenance": benchmark.provenance,
            "simulated": benchmark.simulated,
            "statistics": {name: list(pair) for name, pair in benchmark.statistics.items()},
            "notes": list(benchmark.notes),
            **self.task.settings,
            "weighed": "by group" if benchmark.weigh_by_group else "by case",
            "folds": [[len(fold.train), len(fold.test)] for fold in benchmark.folds],
            "grids": {method.name: len(method.settings) for method in self.methods},
            "beliefs": [{name: self._belief(known) for name, known in each.items()} for each in knowledge],
            "learned": [{name: _digest_of(known) for name, known in each.items()} for each in knowledge],
            "code": code_digest(),
            "version": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        }


class _Clock:
    """Share done and seconds left, from the pace of what was computed and not found finished."""

    def __init__(
        self, experiment: _Experiment, progress: Progress | None, cancelled: Callable[[], bool] | None
    ) -> None:
        folds = experiment.benchmark.folds
        self.total = sum(
            len(fold.train) * experiment.tuning_effort + len(fold.test) * experiment.testing_effort
            for fold in folds
        )
        self.progress, self.cancelled = progress, cancelled
        self.so_far = self.computed = 0.0
        self.begun = time.monotonic()

    def say(self, what: str) -> None:
        if self.cancelled is not None and self.cancelled():
            raise Cancelled
        if self.progress is None:
            return
        left = None
        if self.computed:
            left = (time.monotonic() - self.begun) * (self.total - self.so_far) / self.computed
        self.progress(min(1.0, self.so_far / self.total), what, left)

    def done(self, effort: float, what: str, *, computed: bool) -> None:
        self.so_far += effort
        if computed:
            self.computed += effort
        self.say(what)


def _digest_of(known: Any) -> str:
    """Fingerprint of what was learned: a calibrator, or a calibrator and a prior."""
    return ":".join(each.digest for each in (known if isinstance(known, tuple) else (known,)))


def _key(*parts: Any) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=20).hexdigest()
