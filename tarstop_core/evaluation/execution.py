"""The same pure jobs on one process, on all cores, or on a Dask cluster, with results in the same order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from tarstop_core.errors import InputProblem

Job = TypeVar("Job")
Answer = TypeVar("Answer")

SECONDS = 5
"""To wait for a Dask scheduler."""
AHEAD = 2
"""Jobs sent ahead of the one awaited, for each worker: enough to keep it busy, few enough to hold in memory."""


def in_order(
    work: Callable[[Job], Answer], jobs: Iterable[Job], workers: int = 1, dask: str | None = None
) -> Iterator[Answer]:
    """Answers of `work` in the order of the jobs, which are taken from their iterator as they are needed.

    `work` is pure and importable. It is done by so many processes on this machine (1: this one, 0 or less: one a
    core), or by the Dask scheduler at an address, on one thread: answers do not depend on where. InputProblem when
    Dask is asked for and not installed, or does not answer.
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
