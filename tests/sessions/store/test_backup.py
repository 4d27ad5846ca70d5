"""A backup holds all that is in a store, at one moment; a restore puts all of it back, or nothing."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tarstop_core.errors import InputProblem
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.backup import backup, restore
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tests.reference.test_first_store import OLD as FIRST
from tests.reference.test_old_stores import OLD
from tests.session_cases import a_patent_session, a_review
from tests.sessions.store.cases import fresh_url, label, new_session, record
from tests.sessions.store.shapes import content


@pytest.fixture(params=["sqlite", "postgres"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Another empty store, of each kind."""
    folder = tmp_path / "other"
    folder.mkdir()
    with fresh_url(request.param, folder) as made:
        yield made


@pytest.fixture
def filled(url: str) -> str:
    """A store with something in every table."""
    with Store(url) as store:
        a_patent_session(store)
        store.delete_session(a_review(store))
        store.save_draft({"query": "½ \u2028 😀"})
        store.rename_calibrator(store.kept_calibrators()[0].digest, "Mine ½ \u2028 😀")
        ann = store.for_person("ann@example.org")
        ann.arrive(now())
        ann.set_member("hips", "bob", True)
        ann.save_calibrator(store.kept_calibrators()[0].calibrator)
    assert all(content(url).values())
    return url


def test_all_of_it_goes_from_any_kind_to_any_kind(filled: str, other: str, tmp_path: Path) -> None:
    was = content(filled)
    shares: list[float] = []
    held = backup(tmp_path / "b.db", filled, shares.append)
    assert str(held) == "2 sessions, 2 collections and 60 records"
    assert shares == sorted(shares) and shares[-1] == 1
    assert content(f"sqlite:///{tmp_path}/b.db") == was
    assert not (tmp_path / "b.db-wal").exists() and list(tmp_path.glob(".*")) == []
    assert restore(tmp_path / "b.db", other) == (held, None)
    assert content(other) == was == content(filled)
    with Store(other) as store:
        new_session(store)


def test_what_is_replaced_lies_in_a_backup_beside_it(url: str, tmp_path: Path) -> None:
    with Store(url) as store:
        session = new_session(store)
        record(store, session, label(0))
    backup(tmp_path / "b.db", url)
    was = content(url)
    with Store(url) as store:
        record(store, session, label(1), label(2))
        new_session(store, name="another")
    later = content(url)
    with pytest.raises(InputProblem, match=r"holds 2 sessions, .*--replace"):
        restore(tmp_path / "b.db", url)
    assert content(url) == later
    for number in range(2):
        restored = restore(tmp_path / "b.db", url, replace=True)
        assert restored.before is not None and restored.before.parent == tmp_path
        assert restored.before.stem.endswith("before-restore" + ("-2" if number else ""))
        assert content(url) == was
        assert content(f"sqlite:///{restored.before}") == (was if number else later)


@pytest.mark.parametrize("old", [OLD, FIRST], ids=["2451d50", "44dc997"])
def test_an_older_store_is_restored_without_being_changed(other: str, tmp_path: Path, old: Path) -> None:
    shutil.copy(old / "store.db", tmp_path / "old.db")
    restore(tmp_path / "old.db", other)
    assert (tmp_path / "old.db").read_bytes() == (old / "store.db").read_bytes()
    assert [each.name for each in tmp_path.iterdir() if each.is_file() and each.name != "t.db"] == ["old.db"]
    shutil.copy(old / "store.db", tmp_path / "again.db")
    Store(f"sqlite:///{tmp_path}/again.db").close()
    assert content(other) == content(f"sqlite:///{tmp_path}/again.db")


def test_a_backup_is_of_one_moment_while_people_label(url: str, tmp_path: Path) -> None:
    with Store(url) as store:
        sessions = [new_session(store, 2000, name) for name in "ab"]
        stop = threading.Event()

        def label_on() -> None:
            # Always first here, then there: at no moment is the second ahead of the first.
            number = 0
            while not stop.is_set() and number < 2000:
                for session in sessions:
                    store.append(session, label(number), number)
                number += 1

        person = threading.Thread(target=label_on)
        person.start()
        try:
            for number in range(6):
                backup(tmp_path / f"{number}.db", url)
        finally:
            stop.set()
            person.join()
        assert len(store.events(sessions[0])) > 0
    for number in range(6):
        with Store(f"sqlite:///{tmp_path}/{number}.db") as copied:
            first, second = (len(copied.events(session)) for session in sessions)
            assert first - second in (0, 1)


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    Store(url).close()
    (tmp_path / "b.db").write_text("mine", encoding="utf-8")
    with pytest.raises(InputProblem, match=r"already exists and is not overwritten"):
        backup(tmp_path / "b.db", url)
    assert (tmp_path / "b.db").read_text(encoding="utf-8") == "mine"
    with pytest.raises(InputProblem, match="cannot be written: No such file"):
        backup(tmp_path / "none" / "b.db", url)
    with pytest.raises(InputProblem, match="no store to back up yet"):
        backup(tmp_path / "c.db", f"sqlite:///{tmp_path}/none.db")
    assert not (tmp_path / "none.db").exists() and not (tmp_path / "c.db").exists()


def test_a_disk_that_is_full_leaves_no_half_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    Store(url).close()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputProblem, match="No space left"):
        backup(tmp_path / "b.db", url)
    assert [each.name for each in tmp_path.iterdir()] == ["t.db"]


def spoil_pages(file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[8192:-4096] = b"\x55" * (len(whole) - 12288)
    file.write_bytes(whole)


def cut(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 2 // 3])


def statements(*lines: str) -> Any:
    def run(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            for line in lines:
                connection.execute(line)
            connection.commit()

    return run


def test_of_a_damaged_store_there_is_no_backup_and_the_store_is_named(tmp_path: Path) -> None:
    file, out = tmp_path / "t.db", tmp_path / "b.db"
    with Store(f"sqlite:///{file}") as store:
        new_session(store, 60)
    statements("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE")(file)
    whole, refused = file.read_bytes(), []
    for page in range(4096, len(whole), 4096):
        file.write_bytes(whole[:page] + b"\x55" * 4096 + whole[page + 4096 :])
        try:
            backup(out, f"sqlite:///{file}")
        except InputProblem as problem:
            refused.append(str(problem))
        else:
            out.unlink()  # nothing was in that page
    assert len(refused) > 5 and not out.exists()
    assert all("is damaged" in said and out.name not in said for said in refused)


DAMAGES = {
    "pages": (spoil_pages, "damaged and nothing was changed"),
    "cut": (cut, "damaged and nothing was changed"),
    "empty file": (lambda file: file.write_bytes(b""), "not a backup of TARstop"),
    "text": (lambda file: file.write_bytes(b"My notes. " * 1000), "not a backup of TARstop"),
    "another programme's": (
        lambda file: (file.unlink(), statements("CREATE TABLE session (who TEXT)")(file)),
        "not a backup of TARstop",
    ),
    "newer revision": (
        statements("UPDATE alembic_version SET version_num = '9999'"),
        "newer version of TARstop",
    ),
    "newer schema": (statements("UPDATE tarstop_schema SET version = 2"), "newer version of TARstop"),
    "no version": (statements("DELETE FROM tarstop_schema"), "does not say which version"),
    "orphans": (statements("DELETE FROM session"), "damaged and nothing was changed"),
    "a table less": (statements("DROP TABLE deleted"), "damaged and nothing was changed"),
    "text for a number": (
        statements("UPDATE event SET seq = 'many'"),
        "damaged and nothing was changed",
    ),
    "text for a count": (
        statements("UPDATE collection SET duplicates = 'many'"),
        "damaged and nothing was changed",
    ),
    "bytes for text": (statements("UPDATE session SET settings = x'ff'"), "damaged and nothing was changed"),
    "no UTF-8": (
        statements("UPDATE record SET title = CAST(x'ff41' AS TEXT)"),
        "damaged and nothing was changed",
    ),
    "NUL": (statements("UPDATE record SET title = CAST(x'4100' AS TEXT)"), ""),
}


@pytest.fixture(scope="module")
def whole_backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of 600 records."""
    folder = tmp_path_factory.mktemp("whole")
    with Store(f"sqlite:///{folder}/s.db") as store:
        record(store, new_session(store, 300), label(0))
        frame = store.records(store.collections()[0].id)
        store.save_collection("texts", frame.assign(abstract="word " * 50), [], 0)
    backup(folder / "b.db", f"sqlite:///{folder}/s.db")
    return folder / "b.db"


@pytest.mark.parametrize(
    ("other", "damage"),
    [
        *(("sqlite", damage) for damage in DAMAGES),
        *(
            # What is no backup is refused before the store that it should go to is asked.
            pytest.param(
                "postgres", damage, marks=pytest.mark.deep if "not a" in said or "newer" in said else ()
            )
            for damage, (_, said) in DAMAGES.items()
        ),
    ],
    indirect=["other"],
)
def test_a_damaged_file_is_refused_and_changes_nothing(
    other: str, whole_backup: Path, tmp_path: Path, damage: str
) -> None:
    spoil, said = DAMAGES[damage]
    file = shutil.copy(whole_backup, tmp_path / "b.db")
    spoil(file)
    with Store(other) as store:
        new_session(store)
    was = content(other)
    on_sqlite = other.startswith("sqlite")
    if not said and on_sqlite:  # which keeps what PostgreSQL does not take
        assert restore(file, other, replace=True).held.records == 600
        return
    with pytest.raises(InputProblem) as caught:
        restore(file, other, replace=True)
    assert (said or "nothing was changed") in str(caught.value)
    assert content(other) == was


def test_the_store_itself_and_what_is_no_file_are_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    Store(url).close()
    with pytest.raises(InputProblem, match="is the store itself"):
        restore(tmp_path / "t.db", url)
    for name in ("none.db", "."):
        with pytest.raises(InputProblem, match="There is no file"):
            restore(tmp_path / name, url)


def test_a_restore_that_fails_late_leaves_what_was_there(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(url) as store:
        new_session(store)
    backup(tmp_path / "b.db", url)
    with Store(url) as store:
        new_session(store)
    was = content(url)

    def stop(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(tmp_path / "b.db", url, replace=True, progress=stop)
    assert content(url) == was


def test_open_tabs_take_in_a_restored_log(url: str, tmp_path: Path) -> None:
    with Store(url) as store:
        session = new_session(store)
        record(store, session, label(0))
        backup(tmp_path / "b.db", url)
        record(store, session, label(1), label(2))
        gone = new_session(store, name="later")
        tab, lost = OpenSession.load(store, session), OpenSession.load(store, gone)
        restore(tmp_path / "b.db", url, replace=True)
        with pytest.raises(InputProblem, match="in another tab or window"):
            tab.record(label(3), seen=3)
        assert tab.state.depth == 1 and not tab.refresh()
        tab.record(label(1), seen=1)
        # Another history of the same length is taken in as well.
        restore(tmp_path / "b.db", url, replace=True)
        store.append(session, label(1, "unsure"), 1)
        assert tab.refresh() and tab.state.unsure.tolist() == [1]
        assert np.array_equal(tab.state.labels, OpenSession.load(store, session).state.labels)
        with pytest.raises(InputProblem, match="There is no session"):
            lost.refresh()


def test_a_backup_can_be_opened_as_a_store(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        session = new_session(store)
    backup(tmp_path / "b.db", f"sqlite:///{tmp_path}/t.db")
    assert (tmp_path / "b.db").stat().st_mode & 0o077 == 0
    with Store(f"sqlite:///{tmp_path}/b.db") as store:
        assert [row.id for row in store.sessions()] == [session]
    engine = create_engine(f"sqlite:///{tmp_path}/b.db", poolclass=NullPool)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
