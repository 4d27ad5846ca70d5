"""Jobs beside the server: what they give and say, their limits, whose turn it is, and that none outlives who waits for it."""

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe, forkserver
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pytest

from dashboard.parts import jobs
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import worker
from tarstop_core.evaluation.fair_share import BEAT, Place, Places, Ticket
from tarstop_core.evaluation.worker import AT_ONCE, pack, receive, run, send
from tarstop_core.files import UnrecognisedColumns, read_tables
from tarstop_core.files.labelled_lists import read_labelled
from tests.evaluation.own_benchmark import own_files
from tests.evaluation.some_jobs import (
    beside_the_count,
    broken,
    doubled,
    dying,
    endless,
    greedy,
    leaving,
    refused,
)

SOON = 60.0
"""Seconds until a test gives up."""


class Cancelled(BaseException):
    """As Streamlit ends a script."""


METHODS = [method for method in worker.METHODS if method in multiprocessing.get_all_start_methods()]
by_one_method = pytest.mark.parametrize("method", METHODS[:1], indirect=True)
"""Of what is decided in the process that waits, however the other one was started."""


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """How processes are started: also as on Windows, which has no forks."""
    monkeypatch.setattr(worker, "CONTEXT", multiprocessing.get_context(request.param))
    monkeypatch.setattr(worker, "_idle", [])
    monkeypatch.setattr(worker, "_modules", [])
    yield request.param
    for each in worker._idle:
        each.end()


def ended(pid: int) -> bool:
    """Whether a process is gone before long."""
    until = time.monotonic() + SOON
    while time.monotonic() < until:
        try:
            process = psutil.Process(pid)
            # While others of its threads are still ending, its pipes are open.
            if process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def said_by(at: Path) -> int:
    """The process that wrote its number there."""
    until = time.monotonic() + SOON
    while not at.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    return int(at.read_text(encoding="utf-8"))


def test_a_job_gives_its_result_and_says_how_far_it_is(method: str) -> None:
    far: list[tuple[int, int]] = []
    value, process = run("a.csv", doubled, 21, progress=lambda *said: far.append(said))
    assert value == 42 and process != os.getpid() and far[-1] == (2, 2)
    assert run("a.csv", doubled, 2, progress=lambda *said: None) == (4, process), "the process is kept"


def test_what_is_wrong_is_said_as_it_would_be_here(method: str) -> None:
    with pytest.raises(InputProblem, match=r"^a\.csv has no title; give it one\.$"):
        run("a.csv", refused)
    with pytest.raises(UnrecognisedColumns, match="looks like a title") as problem:
        run("a.csv", jobs.records_in, b"foo,bar\n1,2\n", "a.csv", None, progress=lambda *far: None)
    assert problem.value.columns == ["foo", "bar"]
    assert problem.value.preview.to_dict("records") == [{"foo": "1", "bar": "2"}]
    with pytest.raises(RuntimeError, match=r"A job on a\.csv failed"):
        run("a.csv", broken)
    with pytest.raises(RuntimeError, match=r"A job on a\.csv failed"):
        run("a.csv", leaving)


@pytest.mark.parametrize("job", [greedy, beside_the_count])
def test_too_much_memory_ends_in_a_sentence(method: str, job: Callable[[], object]) -> None:
    said = r"a\.csv needs more memory than one job may use \(0\.6 GB\); split it"
    with pytest.raises(InputProblem, match=said):
        run("a.csv", job, most=600 << 20)


@by_one_method
@pytest.mark.parametrize(
    ("job", "args", "said"),
    [
        pytest.param(dying, [signal.SIGKILL], r"^a\.csv needs more memory", id="killed"),
        pytest.param(
            dying, [signal.SIGSEGV], r"^The process that worked on a\.csv died \(Segm", id="crashed"
        ),
    ],
)
def test_what_a_job_died_of_is_told(
    method: str, job: Callable[..., None], args: list[object], said: str
) -> None:
    with pytest.raises(InputProblem, match=said):
        run("a.csv", job, *args)
    assert run("a.csv", doubled, 1, progress=lambda *far: None)[0] == 2


def test_too_much_time_ends_in_a_sentence_and_with_the_process(method: str, tmp_path: Path) -> None:
    with pytest.raises(InputProblem, match=r"a\.csv takes longer than the 0 minutes"):
        run("a.csv", endless, tmp_path / "pid", seconds=1.0)
    if (tmp_path / "pid").exists():
        assert ended(said_by(tmp_path / "pid"))


def test_whoever_stops_waiting_ends_the_process(method: str, tmp_path: Path) -> None:
    def beat(waiting: bool) -> None:
        if (tmp_path / "pid").exists():
            raise Cancelled

    with pytest.raises(Cancelled):
        run("a.csv", endless, tmp_path / "pid", beat=beat)
    assert ended(said_by(tmp_path / "pid"))
    assert run("a.csv", doubled, 1, progress=lambda *far: None)[0] == 2


class Queue:
    """Jobs that wait for places or have them, without a process."""

    def __init__(self, large: int) -> None:
        self.places = Places(large)
        self.tickets: dict[str, Any] = {}

    def come(self, name: str, visitor: str, small: bool = False) -> None:
        """Ask for a place in a thread of its own, and keep it until told to leave."""
        leave = threading.Event()

        def wait() -> None:
            def beat(waiting: bool) -> None:
                if leave.is_set():
                    raise Cancelled

            try:
                with self.places.taken(Ticket(visitor, small), beat):
                    leave.wait()
            except Cancelled:
                pass

        before = len(self.places._tickets)
        thread = threading.Thread(target=wait)
        thread.start()
        while len(self.places._tickets) == before:
            time.sleep(0.001)
        self.tickets[name] = (self.places._tickets[-1], leave, thread)

    def leave(self, *names: str) -> None:
        for name in names:
            _, leave, thread = self.tickets.pop(name)
            leave.set()
            thread.join()

    def at(self) -> dict[str, Place | None]:
        """Who has which place."""
        return {name: ticket.place for name, (ticket, *_) in self.tickets.items()}


@pytest.fixture
def queue() -> Iterator[Queue]:
    made = Queue(2)
    yield made
    made.leave(*list(made.tickets))


def test_two_large_jobs_of_one_visitor_leave_places_for_others(queue: Queue) -> None:
    queue.come("first", "evil")
    queue.come("second", "evil")
    queue.come("third", "evil")
    queue.come("other", "good")
    queue.come("small", "third", small=True)
    assert queue.at() == {
        "first": Place.LARGE,
        "second": None,
        "third": None,
        "other": Place.LARGE,
        "small": Place.QUICK,
    }


def test_a_free_place_is_for_whoever_has_the_fewest_jobs_and_then_for_the_first() -> None:
    queue = Queue(3)
    for name in ("a1", "b1", "b2", "a2", "c1", "d1"):
        queue.come(name, visitor=name[0])
    queue.leave("b2")
    assert queue.at() == {"a1": Place.LARGE, "b1": Place.LARGE, "a2": None, "c1": Place.LARGE, "d1": None}
    queue.leave("d1", "a1")  # who gives up waiting makes no room, who is done does
    assert queue.at() == {"b1": Place.LARGE, "a2": Place.LARGE, "c1": Place.LARGE}
    queue.leave(*list(queue.tickets))


@by_one_method
def test_the_place_for_small_jobs_is_given_up_where_another_visitor_waits_for_it(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places(0)  # there is only the one
    monkeypatch.setattr(worker, "PLACES", places)
    monkeypatch.setattr(worker, "QUICK_SECONDS", 0.0)
    said: list[str] = []

    def occupy() -> None:
        with pytest.raises(InputProblem) as problem:
            run("a.csv", endless, tmp_path / "pid", visitor="slow")
        said.append(str(problem.value))

    occupying = threading.Thread(target=occupy)
    occupying.start()
    process = said_by(tmp_path / "pid")
    time.sleep(3 * BEAT)
    assert not said, "nobody waits"
    assert run("b.csv", doubled, 1, progress=lambda *far: None, visitor="other")[0] == 2
    occupying.join()
    assert said == ["a.csv takes long, and others are waiting; try again in a few minutes, or split it."]
    assert ended(process)


def test_who_has_to_wait_for_a_place_is_told_and_may_give_up(queue: Queue) -> None:
    queue.come("first", "a")
    told: list[bool] = []

    def beat(waiting: bool) -> None:
        told.append(waiting)
        if len(told) == 2:
            raise Cancelled

    with pytest.raises(Cancelled), queue.places.taken(Ticket("a", small=False), beat):
        pytest.fail("one visitor has both places")
    assert told == [True, True]
    queue.leave("first")
    queue.come("second", "a")
    assert queue.at() == {"second": Place.LARGE}


@by_one_method
def test_a_large_job_is_given_no_place_for_small_ones(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    class Noted(Places):
        def _free(self, ticket: Ticket) -> Place | None:
            seen.append(ticket.small)
            return super()._free(ticket)

    monkeypatch.setattr(worker, "PLACES", Noted(AT_ONCE))
    for content in (b"x" * worker.SMALL, b"x"):
        assert run("a.csv", len, content) == len(content)
    assert seen == [False, True]


def test_nothing_outlives_the_server(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom tarstop_core.evaluation.worker import run\n"
        "from tests.evaluation.some_jobs import endless\nrun('a.csv', endless, Path(sys.argv[1]))\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    server = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "pid")], env={**os.environ, "PYTHONPATH": root}
    )
    job = said_by(tmp_path / "pid")
    started_by = psutil.Process(job).ppid()
    server.send_signal(signal.SIGKILL)
    server.wait()
    assert ended(job) and ended(started_by)


@pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork"
)
def test_jobs_are_done_again_after_what_they_are_forked_from_was_ended() -> None:
    run("a.csv", doubled, 1, progress=lambda *far: None)
    pid = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    os.kill(pid, signal.SIGKILL)
    assert ended(pid)
    value, process = run("a.csv", doubled, 3, progress=lambda *far: None)
    assert value == 6
    os.kill(process, signal.SIGKILL)
    assert ended(process) and run("a.csv", doubled, 4, progress=lambda *far: None)[0] == 8


def test_a_page_is_not_run_again_in_a_worker(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text("raise SystemExit('it was run')", encoding="utf-8")
    main = type(sys)("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)  # as Streamlit does
    assert run("a.csv", len, "four") == 4


@pytest.mark.parametrize("size", [0, 1, 300_000])
def test_lists_arrays_and_small_things_come_out_as_they_went_in(size: int) -> None:
    ours, theirs = Pipe()
    frame = pd.DataFrame({"id": [f"é{i}" for i in range(size)], "score": np.arange(size, dtype=float)})
    told = {"frame": frame, "backwards": np.arange(size)[::-1], "bytes": b"x" * size, "none": None}
    sender = threading.Thread(target=send, args=(ours, pack(told, told["bytes"])))
    sender.start()
    came, as_it_lies = receive(theirs)
    sender.join()
    pd.testing.assert_frame_equal(came["frame"], frame)
    assert np.array_equal(came["backwards"], told["backwards"]) and came["bytes"] == told["bytes"]
    assert type(as_it_lies) is bytes and as_it_lies == told["bytes"]
    came["frame"]["score"] += 1  # what came can be written to


@pytest.mark.parametrize("fixed", [False, True])
def test_an_end_in_the_middle_is_an_end(fixed: bool) -> None:
    ours, theirs = Pipe()
    ours.send([(2 * worker.PIECE, fixed)])
    threading.Thread(target=lambda: (ours.send_bytes(b"x" * worker.PIECE), ours.close())).start()
    with pytest.raises(EOFError):
        receive(theirs)


def test_what_pages_hand_over_comes_back_as_it_would_be_here(tmp_path: Path) -> None:
    tables = b"study,TP,FP,FN,TN\nA,10,2,1,20\nA,10,2,1,20\n"
    here = read_tables(io.BytesIO(tables), "a.csv")
    there = run("a.csv", read_tables, io.BytesIO(tables), "a.csv")
    assert there.notes == here.notes and there.tables.study == here.tables.study
    lists = [("past.csv", b"id,title,label\na,Hinge,1\nb,Lid,0\n")]
    asked = (lists, {"past.csv": "lid"}, False)
    assert run("a.csv", read_labelled, *asked).digests == read_labelled(*asked).digests
    sent = list(own_files().items())
    found, notes = run("Your upload", jobs.benchmark_in, sent, tmp_path / "there")
    same, _ = jobs.benchmark_in(sent, tmp_path / "here")
    assert (found.title, found.contents, notes) == ("there", same.contents, ())
    with pytest.raises(InputProblem, match="Your upload contains no file of judgments"):
        run(
            "Your upload",
            jobs.benchmark_in,
            [each for each in sent if "qrels" not in each[0]],
            tmp_path / "half",
        )
