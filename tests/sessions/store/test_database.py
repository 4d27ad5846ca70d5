"""Opening a database: where it lies, how it is set up, and what is said when it cannot be used."""

import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.address import driver_words, sentence
from tarstop_core.sessions.store.database import SCHEMA_VERSION, Database
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
    settings = PatentSettings(Payoffs.from_q_star(0.5), cost=0.001)
    return store.create_session("s", collection, [0, 1], None, settings, "", "own order")


@pytest.fixture
def narrow(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store of one connection: whoever holds it and wants another waits in vain."""
    one = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0.1}
    monkeypatch.setattr(sa, "create_engine", partial(sa.create_engine, **one))
    with Store(url) as opened:
        yield opened


def test_what_is_asked_while_something_is_stored_sees_it_on_the_same_connection(narrow: Store) -> None:
    key = small_session(narrow)
    session = OpenSession.load(narrow, key)
    with narrow.together() as writing:
        stored = narrow.append(key, Event("undo"), 0)
        assert session.refresh() and session.events == [stored]
        with narrow.at_once(), narrow.read() as reading:
            assert reading is writing and narrow.events(key) == [stored]
            assert OpenSession.load(narrow, key).events == [stored]
    assert narrow.events(key) == [stored]


def test_what_is_asked_at_once_is_asked_on_one_connection_and_may_fail_alone(narrow: Store) -> None:
    key = small_session(narrow)
    with narrow.at_once() as asked:
        with pytest.raises(InputProblem, match="There is no session 'nix'"):
            narrow.session("nix")
        with narrow.read() as reading, narrow.read() as within:
            assert reading.connection() is within.connection() is asked
        assert OpenSession.load(narrow, key).row.ids == ("a", "b")
    narrow.person = "ann@example.org"
    assert narrow.projects() == {}


@pytest.mark.usefixtures("durable")
def test_sqlite_is_durable_and_strict(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "t.db"))
    with database.read() as one, database.write() as other:
        for connection in (one, other):
            pragmas = {
                name: connection.connection().exec_driver_sql(f"PRAGMA {name}").scalar()
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
        assert store.name == "named.db"
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
    assert "cannot be created" in said and URL_VARIABLE in said
    assert str(tmp_path) not in said


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "t.db")
    Store(url).close()
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("UPDATE tarstop_schema SET version = ?", (SCHEMA_VERSION + 1,))
    said = problem(url)
    assert "newer version" in said
    assert "t.db" in said and str(tmp_path) not in said


def test_a_version_table_without_a_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "t.db")
    Store(url).close()
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("DELETE FROM tarstop_schema")
    assert "which version" in problem(url)


def test_another_programs_tables_are_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE session (who TEXT)")
    assert "another program" in (said := problem(sqlite_url(tmp_path / "t.db"))) and "'session'" in said
    tables = sqlite3.connect(tmp_path / "t.db").execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("session",)]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    said = problem(sqlite_url(tmp_path / "none" / "t.db"))
    assert "no such folder" in said and str(tmp_path) not in said


def test_a_folder_is_not_a_database(tmp_path: Path) -> None:
    assert "it is a file" in problem(sqlite_url(tmp_path))


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
        with pytest.raises(InputProblem, match=r"t\.db is read-only"):
            store.append(session, Event("undo"), 0)


def test_what_sqlite_quotes_of_a_damaged_file_may_be_no_text() -> None:
    quoted = UnicodeDecodeError("utf-8", b"\xf6", 0, 1, "invalid start byte")
    for problem in (quoted, OperationalError("", {}, Exception("Could not decode to UTF-8 column 'title'"))):
        assert "is damaged; restore it" in sentence(problem, make_url("sqlite:///t.db"), "t.db")


def test_what_a_driver_says_goes_to_the_log_without_the_password() -> None:
    url = make_url("postgresql+psycopg://me:geheim@host/db?sslpassword=tief&application_name=x")
    refused = OperationalError("SELECT 1", {}, Exception("no host with geheim, tief or x.\nMore of it"))
    words = driver_words(refused, url)
    assert "***, *** or x" in words and "geheim" not in words and "tief" not in words
    said = sentence(refused, url, "db")
    assert "database db cannot be used" in said and "host" not in said and URL_VARIABLE in said


@pytest.mark.parametrize(
    "driver, said",
    [
        ('connection to server at "10.1.2.3", port 5432 failed: Connection refused', "cannot be reached"),
        (
            'connection failed: FATAL:  password authentication failed for user "zacharias"',
            "refuses the user",
        ),
        ('connection failed: FATAL:  database "db" does not exist', "create it"),
        ("cannot execute INSERT in a read-only transaction", "is read-only"),
        ("connection failed: FATAL:  the database system is starting up", "is starting"),
    ],
    ids=["refused", "password", "missing", "read-only", "starting"],
)
def test_what_a_server_says_is_a_sentence_without_host_and_user(driver: str, said: str) -> None:
    url = make_url("postgresql+psycopg://zacharias:geheim@10.1.2.3/db")
    found = sentence(OperationalError("SELECT 1", {}, Exception(driver)), url, "db")
    assert said in found and "10.1.2.3" not in found and "zacharias" not in found


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
        with store.read() as reading:
            pages = reading.connection().exec_driver_sql("PRAGMA page_count").scalar()
            reading.connection().exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(InputProblem, match="full; free some space"):
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
        ("mysql+mysqldb://me:geheim@localhost/db?password=geheim", "no kind of database 'mysql"),
    ],
)
def test_wrong_urls_are_explained_without_their_password(url: str, words: str) -> None:
    with pytest.raises(InputProblem, match=words) as caught:
        Store(url)
    assert "geheim" not in str(caught.value)
