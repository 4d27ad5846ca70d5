"""What is acknowledged stays, whoever else writes or dies."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import fresh_url, new_session

# Loading the libraries takes longer than any test here, so one process loads them and forks writers.
NURSERY = """
import os, sys
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.store import Conflict, Store

def write(url, session, count, path):
    store = Store(url)
    out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    last = done = 0
    while done != count:
        try:
            last = store.append(session, Event("note", {"doc": "EP0", "text": str(last)}), last).seq
        except Conflict:
            last = len(store.events(session))
            continue
        os.write(out, f"{last}\\n".encode())
        done += 1

for line in sys.stdin:
    command, *rest = line.split()
    if command == "start":
        child = os.fork()
        if not child:
            try:
                write(rest[0], rest[1], int(rest[2]), rest[3])
                os._exit(0)
            finally:
                os._exit(1)
        print(child, flush=True)
    else:
        print(os.waitstatus_to_exitcode(os.waitpid(int(rest[0]), 0)[1]), flush=True)
"""


class Nursery:
    """Starts writers: processes that append events and put down the number of each acknowledged one."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, *words: object) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(*words, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def start(self, url: str, session: str, count: int, path: Path) -> int:
        return self.ask("start", url, session, count, path)

    def wait(self, pid: int) -> int:
        """Exit code; negative: the signal that ended it."""
        return self.ask("wait", pid)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork or kill a process outright")
    started = Nursery()
    yield started
    started.process.communicate(timeout=60)


def acknowledged(path: Path) -> list[int]:
    return [int(line) for line in path.read_text(encoding="utf-8").split()] if path.exists() else []


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_may_create_a_database_at_once(nursery: Nursery, tmp_path: Path, kind: str) -> None:
    for round_ in range(4):
        folder = tmp_path / str(round_)
        folder.mkdir()
        with fresh_url(kind, folder) as new:
            writers = [nursery.start(new, "-", 0, folder / "out") for _ in range(4)]
            assert [nursery.wait(pid) for pid in writers] == [0, 0, 0, 0]
            Store(new).close()


def test_processes_share_a_log_without_gap_or_loss(url: str, nursery: Nursery, tmp_path: Path) -> None:
    with Store(url) as store:
        session = new_session(store)
        paths = [tmp_path / f"out{i}" for i in range(3)]
        writers = [nursery.start(url, session, 40, path) for path in paths]
        assert [nursery.wait(pid) for pid in writers] == [0, 0, 0]
        assert sorted(seq for path in paths for seq in acknowledged(path)) == list(range(1, 121))
        assert [event.seq for event in store.events(session)] == list(range(1, 121))


def test_a_killed_writer_loses_no_acknowledged_event(url: str, nursery: Nursery, tmp_path: Path) -> None:
    chance = random.Random(7)
    with Store(url) as store:
        session = new_session(store)
    known = 0
    for round_ in range(10):
        path = tmp_path / f"out{round_}"
        pid = nursery.start(url, session, -1, path)
        deadline = time.monotonic() + 20
        while not acknowledged(path):
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.1))
        os.kill(pid, signal.SIGKILL)
        assert nursery.wait(pid) == -signal.SIGKILL
        seen = acknowledged(path)
        with Store(url) as store:
            stored = [event.seq for event in store.events(session)]
        assert stored == list(range(1, len(stored) + 1))
        assert seen == list(range(known + 1, known + 1 + len(seen)))
        # Beyond what was acknowledged there may be the one event that was just being acknowledged.
        assert len(stored) - seen[-1] in (0, 1)
        known = len(stored)
