"""A process that upgrades or restores is killed: the store is the old one or the new one, whole, and the next one completes it."""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from tarstop_core.sessions.file import export_session
from tarstop_core.sessions.store.backup import backup, restore
from tarstop_core.sessions.store.database import REVISION
from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import label, new_session, record
from tests.sessions.store.nursery import Nursery
from tests.sessions.store.shapes import Rows, content, make_old, raw

# How often, and how many documents there are: what is killed late in a long list takes longest to prepare and compare.
KILLS = [pytest.param(2, 800, id="a few"), pytest.param(10, 3_000, id="many", marks=pytest.mark.deep)]


def fill(url: str, records: int, name: str) -> None:
    with Store(url) as store:
        session = new_session(store, records, name)
        record(store, session, *(label(at) for at in range(20)))


def alone(url: str) -> None:
    """Wait until the server has noticed that the process is gone, and has ended or undone what it had begun."""
    if url.startswith("sqlite"):
        return
    others = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    deadline = time.monotonic() + 30
    while True:
        with raw(url) as connection:
            if connection.execute(others).scalar() == 1:
                return
        assert time.monotonic() < deadline
        time.sleep(0.005)


def killed_at_random(
    nursery: Nursery, start: Callable[[], int], longest: float, chance: random.Random
) -> None:
    pid = start()
    time.sleep(chance.uniform(0, longest))
    os.kill(pid, signal.SIGKILL)
    assert nursery.wait(pid) in (0, -signal.SIGKILL)


def duration(nursery: Nursery, start: Callable[[], int]) -> float:
    """How long it takes when nobody interferes."""
    began = time.monotonic()
    assert nursery.wait(start()) == 0
    return time.monotonic() - began


def shape(url: str) -> tuple[set[str], set[str]]:
    with raw(url) as connection:
        found = inspect(connection)
        return set(found.get_table_names()), {each["name"] for each in found.get_columns("record")}


@pytest.mark.parametrize("kills, records", KILLS)
def test_a_killed_upgrade(url: str, nursery: Nursery, tmp_path: Path, kills: int, records: int) -> None:
    chance = random.Random(11)
    fill(url, records, "a")
    was, new = content(url), shape(url)
    make_old(url, "0001")
    old = shape(url)

    def start() -> int:
        return nursery.start("open_store", url)

    longest = duration(nursery, start)
    assert shape(url) == new
    for _ in range(kills):
        make_old(url, "0001")
        killed_at_random(nursery, start, longest, chance)
        alone(url)
        assert shape(url) in (old, new)
        Store(url).close()
        assert shape(url) == new and content(url) == was
    for copied in tmp_path.glob("t.revision-*.db"):
        with sqlite3.connect(copied) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM record").fetchone() == (records,)
    with raw(url) as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == REVISION


@pytest.mark.parametrize("kills, records", KILLS)
def test_a_killed_restore(url: str, nursery: Nursery, tmp_path: Path, kills: int, records: int) -> None:
    chance = random.Random(12)
    there, file = tmp_path / "there.db", tmp_path / "b.db"
    for name, kept in (("old", there), ("new", file)):
        made = f"sqlite:///{tmp_path}/{name}.db"
        fill(made, records, name)
        backup(kept, made)
    old, new = (content(f"sqlite:///{kept}") for kept in (there, file))
    restore(there, url)

    def start() -> int:
        return nursery.start("restore", url, file)

    longest = duration(nursery, start)
    outcomes: list[Rows] = []
    for _ in range(kills):
        restore(there, url, replace=True)
        for earlier in tmp_path.glob("*before-restore*"):
            earlier.unlink()
        killed_at_random(nursery, start, longest, chance)
        alone(url)
        outcomes.append(content(url))
        assert outcomes[-1] in (old, new)
        for before in tmp_path.glob("*before-restore*.db"):
            if not before.name.startswith("."):
                assert content(f"sqlite:///{before}") == old
        restore(file, url, replace=True)
        assert content(url) == new


@pytest.mark.parametrize("kills, records", KILLS)
def test_a_killed_import(url: str, nursery: Nursery, tmp_path: Path, kills: int, records: int) -> None:
    chance = random.Random(13)
    whole = tmp_path / "whole.json"
    with Store(f"sqlite:///{tmp_path / 'first.db'}") as first:
        session = new_session(first, records)
        record(first, session, *(label(at) for at in range(20)))
        whole.write_text(export_session(first, session), encoding="utf-8")
    with Store(url) as store:

        def emptied() -> None:
            for each in store.sessions():
                store.purge_session(each.id)

        def start() -> int:
            return nursery.start("take_in", url, whole)

        longest = duration(nursery, start)
        for _ in range(kills):
            emptied()
            killed_at_random(nursery, start, longest, chance)
            taken = store.sessions()
            assert [each.documents for each in store.collections()] == [records] * len(taken)
            assert all(
                each.labelled == 20 and len(store.records(each.collection_id)) == records for each in taken
            )
