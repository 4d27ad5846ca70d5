"""Jobs in processes of their own: what they give and say, their limits, and that none outlives who waits for it."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from dashboard.frame import apart as module
from dashboard.frame.apart import POSSIBLE, apart
from dashboard.parts import jobs
from tarstop_core.errors import InputProblem
from tarstop_core.files import UnrecognisedColumns, read_tables
from tarstop_core.files.labelled_lists import read_labelled
from tests.evaluation.own_benchmark import own_files
from tests.ui.frame.some_jobs import (
    beside_the_count,
    broken,
    doubled,
    dying,
    endless,
    greedy,
    leaving,
    refused,
)

pytestmark = pytest.mark.skipif(
    not POSSIBLE, reason="this system cannot fork, so jobs are done in the server"
)
SOON = 30.0
"""Seconds until a test gives up."""


class Cancelled(BaseException):
    """As Streamlit ends a script."""


def ended(pid: int) -> bool:
    """Whether a process is gone before long."""
    until = time.monotonic() + SOON
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
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


def test_a_job_gives_its_result_and_says_how_far_it_is() -> None:
    far: list[tuple[int, int]] = []
    value, process = apart("a.csv", doubled, 21, progress=lambda *said: far.append(said))
    assert value == 42 and process != os.getpid() and far[-1] == (2, 2)
    assert ended(process)


def test_what_is_wrong_is_said_as_it_would_be_here() -> None:
    with pytest.raises(InputProblem, match=r"^a\.csv has no title; give it one\.$"):
        apart("a.csv", refused)
    with pytest.raises(UnrecognisedColumns, match="looks like a title") as problem:
        apart("a.csv", jobs.records_in, b"foo,bar\n1,2\n", "a.csv", None, progress=lambda *far: None)
    assert problem.value.columns == ["foo", "bar"]
    assert problem.value.preview.to_dict("records") == [{"foo": "1", "bar": "2"}]
    with pytest.raises(RuntimeError, match=r"A job on a\.csv failed"):
        apart("a.csv", broken)
    with pytest.raises(RuntimeError, match=r"A job on a\.csv failed"):
        apart("a.csv", leaving)


@pytest.mark.parametrize("job", [greedy, beside_the_count])
def test_too_much_memory_ends_in_a_sentence(job: Callable[[], object]) -> None:
    said = r"a\.csv takes more memory than there is for one job \(0\.6 GB\); give it in"
    with pytest.raises(InputProblem, match=said):
        apart("a.csv", job, most=600 << 20)


@pytest.mark.parametrize(
    ("job", "args", "said"),
    [
        pytest.param(dying, [signal.SIGKILL], r"^a\.csv takes more memory", id="killed"),
        pytest.param(
            dying, [signal.SIGSEGV], r"^The process that worked on a\.csv died \(Segm", id="crashed"
        ),
    ],
)
def test_what_a_job_died_of_is_told(job: Callable[..., None], args: list[object], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        apart("a.csv", job, *args)
    assert apart("a.csv", doubled, 1, progress=lambda *far: None)[0] == 2


def test_too_much_time_ends_in_a_sentence_and_with_the_process(tmp_path: Path) -> None:
    with pytest.raises(InputProblem, match=r"a\.csv takes longer than the 0 minutes"):
        apart("a.csv", endless, tmp_path / "pid", seconds=1.0)
    if (tmp_path / "pid").exists():
        assert ended(said_by(tmp_path / "pid"))


def test_whoever_stops_waiting_ends_the_process(tmp_path: Path) -> None:
    def beat(waiting: bool) -> None:
        if (tmp_path / "pid").exists():
            raise Cancelled

    with pytest.raises(Cancelled):
        apart("a.csv", endless, tmp_path / "pid", beat=beat)
    assert ended(said_by(tmp_path / "pid"))
    assert apart("a.csv", doubled, 1, progress=lambda *far: None)[0] == 2


def test_who_has_to_wait_for_a_place_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PLACES", threading.BoundedSemaphore(1))
    leave = threading.Event()
    told: list[bool] = []

    def first(waiting: bool) -> None:
        if leave.is_set():
            raise Cancelled

    def occupy() -> None:
        with pytest.raises(Cancelled):
            apart("a.csv", endless, tmp_path / "pid", beat=first)

    def second(waiting: bool) -> None:
        told.append(waiting)
        leave.set()

    occupying = threading.Thread(target=occupy)
    occupying.start()
    said_by(tmp_path / "pid")
    assert apart("b.csv", doubled, 1, progress=lambda *far: None, beat=second)[0] == 2
    occupying.join()
    assert told[0] is True


def test_nothing_outlives_the_server(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom dashboard.frame.apart import apart\n"
        "from tests.ui.frame.some_jobs import endless\napart('a.csv', endless, Path(sys.argv[1]))\n"
    )
    root = str(Path(__file__).resolve().parents[3])
    server = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "pid")], env={**os.environ, "PYTHONPATH": root}
    )
    job = said_by(tmp_path / "pid")
    nursery = psutil.Process(job).ppid()
    server.send_signal(signal.SIGKILL)
    server.wait()
    assert ended(job) and ended(nursery)


def test_jobs_are_born_again_after_their_nursery_was_ended() -> None:
    apart("a.csv", doubled, 1, progress=lambda *far: None)
    process, _ = module._NURSERY[0]
    process.kill()
    process.wait()
    assert apart("a.csv", doubled, 3, progress=lambda *far: None)[0] == 6


def test_what_pages_hand_over_comes_back_as_it_would_be_here(tmp_path: Path) -> None:
    tables = b"study,TP,FP,FN,TN\nA,10,2,1,20\nA,10,2,1,20\n"
    here = read_tables(io.BytesIO(tables), "a.csv")
    there = apart("a.csv", read_tables, io.BytesIO(tables), "a.csv")
    assert there.notes == here.notes and there.tables.study == here.tables.study
    lists = [("past.csv", b"id,title,label\na,Hinge,1\nb,Lid,0\n")]
    asked = (lists, {"past.csv": "lid"}, False)
    assert apart("a.csv", read_labelled, *asked).digests == read_labelled(*asked).digests
    sent = list(own_files().items())
    found, notes = apart("Your upload", jobs.benchmark_in, sent, tmp_path / "there")
    same, _ = jobs.benchmark_in(sent, tmp_path / "here")
    assert (found.title, found.contents, notes) == ("there", same.contents, ())
    with pytest.raises(InputProblem, match="Your upload holds no file of judgments"):
        apart(
            "Your upload",
            jobs.benchmark_in,
            [each for each in sent if "qrels" not in each[0]],
            tmp_path / "half",
        )
