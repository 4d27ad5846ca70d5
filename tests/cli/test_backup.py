"""``tarstop backup`` and ``tarstop restore``."""

import re
from pathlib import Path

import pytest

from tarstop_core.places import URL_VARIABLE
from tarstop_core.sessions.store.store import Store
from tests.cli.shell import Run, process, refused
from tests.sessions.store.cases import label, new_session, record


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv(URL_VARIABLE, f"sqlite:///{tmp_path}/t.db")
    return Store()


def test_what_was_lost_since_a_backup_comes_back(tarstop: Run, store: Store, tmp_path: Path) -> None:
    session = new_session(store)
    before = record(store, session, label(0), label(1))
    done = tarstop("backup", tmp_path / "b.db")
    assert (done.code, done.err) == (0, "")
    assert f"{tmp_path}/b.db" in done.out and re.findall(r" (\d+) ", done.out) == ["1", "1", "5"]
    record(store, session, label(2))
    refused(
        tarstop("restore", tmp_path / "b.db"), "holds 1 session, 1 collection and 5 records; use --replace"
    )
    done = tarstop("restore", tmp_path / "b.db", "--replace")
    assert (done.code, done.err) == (0, "")
    before_it, now = done.out.splitlines()
    assert f"{tmp_path}/t.before-restore.db" in before_it and (tmp_path / "t.before-restore.db").exists()
    assert re.findall(r" (\d+) ", now) == ["1", "1", "5"]
    assert store.events(session) == before
    store.close()
    with Store(f"sqlite:///{tmp_path}/t.before-restore.db") as kept:
        assert len(kept.events(session)) == 3


def test_what_cannot_be_done_is_one_line(tarstop: Run, store: Store, tmp_path: Path) -> None:
    new_session(store)
    assert tarstop("backup", tmp_path / "b.db").code == 0
    refused(tarstop("backup", tmp_path / "b.db"), "not overwritten")
    refused(tarstop("restore", tmp_path / "none.db"), "There is no file")
    (tmp_path / "notes.db").write_text("My notes.", encoding="utf-8")
    refused(tarstop("restore", tmp_path / "notes.db", "--replace"), "not a backup")
    store.close()


def test_a_database_server_that_is_away_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, f"postgresql+psycopg://zacharias@/db?host={tmp_path}")
    answer = process("backup", tmp_path / "b.db", cwd=tmp_path)
    refused(answer, "cannot be reached")
    assert "zacharias" not in answer.err
