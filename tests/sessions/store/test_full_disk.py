"""A disk that fills during an import has back what the import took, and everything else is as it was."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem, Outage
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.joining import join
from tarstop_core.sessions.store import sqlite_file
from tarstop_core.sessions.store.collections import CHUNK
from tarstop_core.sessions.store.sqlite_file import reserved
from tarstop_core.sessions.store.store import Store
from tests.session_cases import a_review
from tests.sessions.store.cases import label, new_session, record

pytestmark = pytest.mark.usefixtures("durable")
MEGABYTES = 30


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can mount a small disk")
    made = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    if subprocess.run(made, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def texts(documents: int) -> dict[str, list[str]]:
    """About 2.5 kB each, no two alike."""
    return {
        "id": [f"n{at}" for at in range(documents)],
        "title": [f"Title {at}" for at in range(documents)],
        "abstract": [f"{at} word " * 300 for at in range(documents)],
    }


def contents(store: Store) -> list[int]:
    with store.read() as session:
        counts = [f"SELECT count(*) FROM {table}" for table in ("record", "collection", "session")]
        return [session.connection().exec_driver_sql(count).scalar_one() for count in counts]


@pytest.mark.parametrize("of_before", [False, True])
def test_what_an_import_took_is_given_back(disk: Path, of_before: bool) -> None:
    with Store(f"sqlite:///{disk}/t.db") as store:
        session = new_session(store)
        store.shrink()
        if of_before:
            with store._engine.connect() as connection:
                raw = connection.connection.driver_connection
                raw.execute("PRAGMA auto_vacuum = NONE")  # type: ignore[union-attr]
                raw.execute("VACUUM")  # type: ignore[union-attr]
        before, free = contents(store), shutil.disk_usage(disk).free
        large = as_records(texts(30 * CHUNK))
        for _ in range(2):
            with pytest.raises(InputProblem, match="is full; free some space"):
                store.save_collection("large", large, [], 0)
            assert contents(store) == before
            assert shutil.disk_usage(disk).free >= free - 200_000
        record(store, session, label(0))
        assert store.collection(store.save_collection("small", as_records(texts(CHUNK + 1)), [], 0)).documents


def test_a_disk_with_room_for_a_part_is_full(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (sqlite_file.RESERVED // 2, hard))
    try:
        with pytest.raises(Outage, match="is full; free some space"), reserved(tmp_path / "t.db", "t.db"):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_folder_that_cannot_be_written_to_is_not_called_full(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = pytest.raises(Outage, match=r"written beside the database t\.db \(Not a directory\)")
    with refused, reserved(tmp_path / "file" / "t.db", "t.db"):
        pass


def test_a_session_file_and_documents_that_join_are_taken_back_too(disk: Path, tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/large.db") as large:
        session = large.create_session(
            "Large",
            large.save_collection("large", as_records(texts(16 * CHUNK)), [], 0),
            range(16 * CHUNK),
            None,
            large.session(a_review(large)).settings,
            "",
            "own order",
        )
        sent = export_session(large, session)
    table = as_records(texts(16 * CHUNK))[["id", "title", "abstract"]].to_csv(index=False)
    with Store(f"sqlite:///{disk}/t.db") as store:
        there = new_session(store)
        store.shrink()
        before, free = contents(store), shutil.disk_usage(disk).free
        for taken_in in (
            lambda: import_session(store, sent),
            lambda: join(store, there, table.encode(), "more.csv"),
        ):
            with pytest.raises(InputProblem, match="is full; free some space"):
                taken_in()
            assert contents(store) == before
            assert shutil.disk_usage(disk).free >= free - 200_000


def test_a_disk_that_is_full_already_takes_nothing(disk: Path) -> None:
    with Store(f"sqlite:///{disk}/t.db") as store:
        new_session(store)
        before = contents(store)
        (disk / "others").write_bytes(bytes(shutil.disk_usage(disk).free - 100_000))
        with pytest.raises(InputProblem, match="is full; free some space"):
            store.save_collection("large", as_records(texts(CHUNK + 1)), [], 0)
        assert contents(store) == before
