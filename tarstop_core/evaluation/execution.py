"""Run jobs in one process, on all cores or on a Dask cluster, with results in the order of the jobs; report progress."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from tarstop_core.errors import InputProblem

Job = TypeVar("Job")
Answer = TypeVar("Answer")
Progress = Callable[[float, str, float | None], None]
"""Takes the share done, what is being done, and the seconds left (None while unknown)."""

SECONDS = 5
"""Seconds to wait for a Dask scheduler."""
AHEAD = 2
"""Jobs per worker that are sent before the first result is needed: enough to keep it busy, few enough for memory."""


class Clock:
    """Share of a run that is done and seconds left, at the pace of the work that did not come from the cache.

    Parameters
    ----------
    total : float
        Effort of the whole run, in any unit.
    progress : callable, optional
        Takes the share done, the kind of work and the seconds left; an exception that it raises ends the run.
    """

    def __init__(self, total: float, progress: Progress | None) -> None:
        self.total, self.progress = total, progress
        self.so_far = self.computed = 0.0  # Effort done, and the part of it that was not in the cache
        self.begun = time.monotonic()

    def report(self, work: str) -> None:
        """Report progress; `work` says what is being done."""
        if self.progress is None:
            return
        spent = time.monotonic() - self.begun
        left = spent * (self.total - self.so_far) / self.computed if self.computed else None
        self.progress(min(1.0, self.so_far / self.total), work, left)

    def done(self, effort: float, work: str, *, computed: bool) -> None:
        """Add work that is done and report progress.

        Parameters
        ----------
        effort : float
            Effort of the work, in the unit of the total.
        work : str
            What is being done.
        computed : bool
            Whether it was computed and not read from the cache; only then its time counts for the pace.
        """
        self.so_far += effort
        if computed:
            self.computed += effort
        self.report(work)


def in_order(
    work: Callable[[Job], Answer], jobs: Iterable[Job], workers: int = 1, dask: str | None = None
) -> Iterator[Answer]:
    """Yield the results of `work` in the order of the jobs, which are taken from their iterator as they are needed.

    Parameters
    ----------
    work : callable
        Pure, importable function of a job; it runs on one thread.
    jobs : iterable
        Arguments of `work`.
    workers : int
        Processes on this machine: 1 stays in this process, 0 or less is one for each core.
    dask : str, optional
        Address of a Dask scheduler to run on instead.

    Yields
    ------
    object
        Results, which do not depend on where they are computed.

    Raises
    ------
    InputProblem
        When Dask is wanted and is not installed or does not answer.
    """
    if dask is not None:
        yield from _on_dask(work, jobs, dask)
    elif workers == 1:
        for job in jobs:
            yield _alone(work, job)
    else:
        # Shared copies of large arrays (max_nbytes) would stay until the last job is done.
        parallel = Parallel(
            n_jobs=workers if workers > 0 else -1,
            return_as="generator",
            pre_dispatch=f"{AHEAD} * n_jobs",
            batch_size=1,
            max_nbytes=None,
        )
        yield from parallel(delayed(_alone)(work, job) for job in jobs)


def _alone(work: Callable[[Job], Answer], job: Job) -> Answer:
    with threadpool_limits(limits=1):
        return work(job)


def _on_dask(work: Callable[[Job], Answer], jobs: Iterable[Job], address: str) -> Iterator[Answer]:
    try:
        from distributed import Client
    except ImportError:
        raise InputProblem(
            "--dask needs the package 'distributed'; install it with: pip install 'tarstop[dask]'."
        ) from None
    try:
        client = cast(Any, Client)(address, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise InputProblem(
            f"No Dask scheduler answers at {address} ({type(problem).__name__}); start one or correct the address."
        ) from None
    with client:
        window = AHEAD * max(1, len(client.scheduler_info()["workers"]))
        waiting: deque[Any] = deque()
        for job in jobs:
            waiting.append(client.submit(_alone, work, job, pure=False))
            if len(waiting) >= window:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
