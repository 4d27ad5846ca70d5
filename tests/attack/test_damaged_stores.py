"""A database damaged anywhere is opened, or said to be damaged, in one sentence."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import a_patent_session, a_review


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a review and a patent search in it, all of it in one file."""
    path = tmp_path_factory.mktemp("whole") / "t.db"
    with Store(f"sqlite:///{path}") as store:
        a_review(store)
        a_patent_session(store)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    return path


def look_at_everything(path: Path) -> list[str]:
    """What is said while all of it is read, a sentence each."""
    said: list[str] = []

    def tried(read: Callable[[], object]) -> object:
        try:
            return read()
        except InputProblem as problem:
            said.append(str(problem))
            return []

    def opened(session: str) -> None:
        assert report_html(session_snapshot(store, session))

    try:
        store = Store(f"sqlite:///{path}", busy_seconds=0.1)
    except InputProblem as problem:
        return [str(problem)]
    with store:
        tried(store.damaged)
        tried(store.kept_calibrators)
        for archived in (False, True):
            for session in tried(partial(store.sessions, archived)):  # type: ignore[attr-defined]
                tried(partial(opened, session.id))
        for collection in tried(store.collections):  # type: ignore[attr-defined]
            tried(partial(store.records, collection.id))
    return said


def test_a_whole_store_says_nothing(whole: Path) -> None:
    assert look_at_everything(whole) == []


def damage(whole: Path, path: Path, number: int) -> None:
    random = Random(number)
    content = bytearray(whole.read_bytes())
    if number % 10 == 0:
        del content[random.randrange(len(content)) :]
    else:
        at, length = random.randrange(len(content)), random.choice((1, 8, 200, 4096))
        content[at : at + length] = random.randbytes(len(content[at : at + length]))
    path.write_bytes(content)


def check(whole: Path, path: Path, numbers: range) -> None:
    said = []
    for number in numbers:
        damage(whole, path, number)
        said += look_at_everything(path)
        for beside in path.parent.glob(f"{path.name}?*"):
            shutil.rmtree(beside) if beside.is_dir() else beside.unlink()
    assert said and all(each.endswith(".") and "\n" not in each for each in said)


def test_a_store_damaged_at_random_is_opened_or_refused_in_a_sentence(whole: Path, tmp_path: Path) -> None:
    check(whole, tmp_path / "t.db", range(12))


@pytest.mark.deep
def test_a_store_damaged_in_many_places(whole: Path, tmp_path: Path) -> None:
    check(whole, tmp_path / "t.db", range(12, 640))
