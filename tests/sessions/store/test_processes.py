"""What is acknowledged stays, whoever else writes or dies."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import fresh_url, new_session
from tests.sessions.store.nursery import Nursery


def acknowledged(path: Path) -> list[int]:
    return [int(line) for line in path.read_text(encoding="utf-8").split()] if path.exists() else []


@pytest.mark.parametrize(
    "rounds", [pytest.param(2, id="a few"), pytest.param(8, id="many", marks=pytest.mark.deep)]
)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_may_create_a_database_at_once(
    nursery: Nursery, tmp_path: Path, kind: str, rounds: int
) -> None:
    for round_ in range(rounds):
        folder = tmp_path / str(round_)
        folder.mkdir()
        with fresh_url(kind, folder) as new:
            writers = [nursery.start("write", new, "-", 0, folder / "out") for _ in range(4)]
            assert [nursery.wait(pid) for pid in writers] == [0, 0, 0, 0]
            Store(new).close()


def test_processes_share_a_log_without_gap_or_loss(url: str, nursery: Nursery, tmp_path: Path) -> None:
    with Store(url) as store:
        session = new_session(store)
        paths = [tmp_path / f"out{i}" for i in range(3)]
        writers = [nursery.start("write", url, session, 40, path) for path in paths]
        assert [nursery.wait(pid) for pid in writers] == [0, 0, 0]
        assert sorted(seq for path in paths for seq in acknowledged(path)) == list(range(1, 121))
        assert [event.seq for event in store.events(session)] == list(range(1, 121))


@pytest.mark.parametrize(
    "kills", [pytest.param(4, id="a few"), pytest.param(20, id="many", marks=pytest.mark.deep)]
)
def test_a_killed_writer_loses_no_acknowledged_event(
    url: str, nursery: Nursery, tmp_path: Path, kills: int
) -> None:
    chance = random.Random(7)
    with Store(url) as store:
        session = new_session(store)
    known = 0
    for round_ in range(kills):
        path = tmp_path / f"out{round_}"
        pid = nursery.start("write", url, session, -1, path)
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
