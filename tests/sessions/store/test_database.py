"""Opening a database: where it lies, how it is set up, and what is said when it cannot be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.database import SCHEMA_VERSION, Database, _sentence
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def problem(url: str | None) -> str:
    """The one sentence that opening this database gives."""
    with pytest.raises(InputProblem) as caught:
        Store(url, busy_seconds=0.1)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(".")
    return said


def small_session(store: Store) -> str:
    collection = store.save_collection("c", as_records({"id": ["a", "b"]}), [], 0)
    settings = Settings(Payoffs.from_q_star(0.5), cost=0.001)
    return store.create_session("s", collection, [0, 1], None, settings, "", "own order")


def test_sqlite_is_durable_and_strict(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "t.db"))
    with database.read() as one, database.read() as other:
        for connection in (one, other):
            pragmas = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
            assert pragmas == {
                "journal_mode": "wal",
                "synchronous": 2,
                "foreign_keys": 1,
                "busy_timeout": 5000,
            }
    database.close()
    assert sqlite3.connect(tmp_path / "t.db").execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_environment_names_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, sqlite_url(tmp_path / "named.db"))
    with Store() as store:
        assert store.name == str(tmp_path / "named.db")
    assert (tmp_path / "named.db").exists()


def test_by_default_a_file_in_the_data_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    home = tmp_path / "new" / "data"
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, appauthor: str(home / name))
    Store().close()
    assert (home / "tarstop" / "tarstop.db").exists()


def test_an_unusable_data_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, appauthor: str(tmp_path / "file" / name))
    said = problem(None)
    assert str(tmp_path / "file" / "tarstop") in said
    assert URL_VARIABLE in said


def test_a_database_from_before_deletion_gets_its_table_and_keeps_its_sessions(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "t.db")
    with Store(url) as store:
        session = small_session(store)
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("DROP TABLE deleted")
        connection.execute("DROP TABLE calibrator_shelf")
    with Store(url) as store:
        assert [row.id for row in store.sessions()] == [session]
        store.delete_session(session)
        assert not store.sessions()
    with sqlite3.connect(tmp_path / "t.db") as connection:
        assert connection.execute("SELECT version FROM tarstop_schema").fetchall() == [(SCHEMA_VERSION,)]


def test_a_database_from_before_families_gets_its_columns_and_keeps_its_records(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Store(sqlite_url(path)) as store:
        session = small_session(store)
    with sqlite3.connect(path) as raw:
        for column in ("family", "reason", "remark"):
            raw.execute(f"ALTER TABLE record DROP COLUMN {column}")
    for _ in range(2):  # the second time there is nothing to add
        with Store(sqlite_url(path)) as store:
            frame = store.records(store.session(session).collection_id)
            assert frame["family"].tolist() == ["", ""]
            store.save_collection("d", frame.assign(family="7", remark="seen"), [], 0)
            assert store.records(store.collections()[0].id)["remark"].tolist() == ["seen", "seen"]
    with sqlite3.connect(path) as raw:  # a program that does not know the columns goes on as it did
        raw.execute(
            "INSERT INTO record (collection_id, position, doc_id, title, abstract, authors, date, doi, pmid,"
            " publication_number, url, label, source) SELECT collection_id, 9, 'z', '', '', '', '', '', '', '', '', '', ''"
            " FROM record LIMIT 1"
        )


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "t.db")
    Store(url).close()
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("UPDATE tarstop_schema SET version = ?", (SCHEMA_VERSION + 1,))
    said = problem(url)
    assert "newer version" in said
    assert str(tmp_path / "t.db") in said


def test_a_version_table_without_a_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "t.db")
    Store(url).close()
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("DELETE FROM tarstop_schema")
    assert "does not say which version" in problem(url)


def test_another_programs_tables_are_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE session (who TEXT)")
    assert "belongs to another program (it has a table 'session')" in problem(sqlite_url(tmp_path / "t.db"))
    tables = sqlite3.connect(tmp_path / "t.db").execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("session",)]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f"no folder {tmp_path / 'none'}" in problem(sqlite_url(tmp_path / "none" / "t.db"))


def test_a_folder_is_not_a_database(tmp_path: Path) -> None:
    assert "check that it is a file" in problem(sqlite_url(tmp_path))


def test_a_text_file_is_not_a_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("These are my notes about the case.\n" * 200, encoding="utf-8")
    assert "is not a database" in problem(sqlite_url(tmp_path / "notes.txt"))


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Store(sqlite_url(path)) as store:
        session = small_session(store)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)  # the first page, with the list of tables, stays
    path.write_bytes(content)
    with pytest.raises(InputProblem, match="damaged; restore it"), Store(sqlite_url(path)) as store:
        store.events(session)


def test_a_read_only_database_can_be_read_but_not_written(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Store(sqlite_url(path)) as store:
        session = small_session(store)
    with Store(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert store.session(session).ids == ("a", "b")
        with pytest.raises(InputProblem, match=f"{path} is read-only"):
            store.append(session, Event("undo"), 0)


def test_what_a_driver_says_is_shown_without_the_password() -> None:
    url = make_url("postgresql+psycopg://me:geheim@host/db?sslpassword=tief&application_name=x")
    refused = OperationalError("SELECT 1", {}, Exception("no host with geheim, tief or x.\nMore of it"))
    said = _sentence(refused, url, "the name")
    assert (
        said
        == f"The database the name cannot be used (no host with ***, *** or x); check it and {URL_VARIABLE}."
    )


def test_a_locked_database_says_so_and_recovers(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Store(sqlite_url(path), busy_seconds=0.1) as store:
        session = small_session(store)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert store.events(session) == []
        with pytest.raises(InputProblem, match="locked by another program"):
            store.append(session, Event("undo"), 0)
        other.execute("ROLLBACK")
        assert store.append(session, Event("undo"), 0).seq == 1


def test_a_full_database_loses_nothing(tmp_path: Path) -> None:
    with Store(sqlite_url(tmp_path / "t.db")) as store:
        session = small_session(store)
        with store._database.read() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(InputProblem, match="full; make room"):
            store.append(session, Event("note", {"doc": "a", "text": "x" * 100_000}), 0)
        assert store.events(session) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("tarstop.db", "cannot be read"),
        ("", "cannot be read"),
        ("postgresql://me:geheim@host:port/db", "cannot be read"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("sqlite:///file:x?mode=memory&uri=true", "in memory"),
        ("nosuch://me:geheim@host/db", "no kind of database 'nosuch'"),
        ("sqlite+aiosqlite:///x.db?no_such_option=1", "cannot be used|needs the Python package"),
        ("mysql+mysqldb://me:geheim@localhost/db?password=geheim", "mysql.*needs the Python package"),
    ],
)
def test_wrong_urls_are_explained_without_their_password(url: str, words: str) -> None:
    with pytest.raises(InputProblem, match=words) as caught:
        Store(url)
    assert "geheim" not in str(caught.value)
