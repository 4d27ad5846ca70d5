"""The same jobs anywhere."""

import logging
from collections.abc import Iterator

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.execution import in_order
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.tasks.decisive import DecisiveTask


def doubled(value: int) -> int:
    return 2 * value


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_in_the_order_of_the_jobs(workers: int) -> None:
    assert list(in_order(doubled, iter(range(30)), workers)) == [2 * i for i in range(30)]


@pytest.mark.filterwarnings("ignore:.*tasks.*:UserWarning")
@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_are_made_as_they_are_needed(workers: int) -> None:
    made: list[int] = []

    def jobs() -> Iterator[int]:
        for i in range(200):
            made.append(i)
            yield i

    answers = in_order(doubled, jobs(), workers)
    for _ in range(5):
        next(answers)
    # Workers take the next job when they have done one, so a slow reader is some ahead: but never all of the list.
    assert len(made) <= 100
    answers.close()  # type: ignore[attr-defined]


def test_two_workers_of_a_cluster_come_to_the_same_bits(
    patents: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("tarstop_core.evaluation.execution.SECONDS", 120)  # of a busy machine
    methods = parse_methods(["greedy", "smooth"], "patent")
    here = run(patents, DecisiveTask(), methods, costs=(0.001,))
    # Two workers in this process, spoken to over TCP: all that a cluster does but the starting of machines.
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
        silence_logs=logging.ERROR,
    ) as cluster:
        there = run(patents, DecisiveTask(), methods, costs=(0.001,), dask=cluster.scheduler_address)
    assert here.screened.tobytes() == there.screened.tobytes()
    assert here.net_utility.tobytes() == there.net_utility.tobytes()
    assert here.chosen == there.chosen and here.calibration == there.calibration


def test_a_cluster_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("tarstop_core.evaluation.execution.SECONDS", 0.5)
    with pytest.raises(InputProblem, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        list(in_order(doubled, [1], dask="tcp://127.0.0.1:9"))
