"""Databases of every earlier shape become today's, whole or not at all, and nothing in them is lost."""

import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pandas as pd
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from tarstop_core.documents.records import as_records, ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import PAPER, WORDS, Recipe, build_index
from tarstop_core.ranking.order import prepare
from tarstop_core.sessions.joining import join
from tarstop_core.sessions.store import migrations
from tarstop_core.sessions.store.database import REVISION, Database
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import METADATA, STAMP
from tests.sessions.store.cases import SETTINGS, label, new_session, record
from tests.sessions.store.shapes import RECIPE, SHAPES, make_old, raw


def differences(url: str) -> list[object]:
    """What the tables have otherwise than the programme thinks."""
    with raw(url) as connection:
        # Alembic takes SQLite's empty default for none.
        options = {
            "compare_type": True,
            "compare_server_default": lambda _, __, ___, found, ____, wanted: (
                (found is None) != (wanted is None)
            ),
        }
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), METADATA))


def held(url: str) -> dict[str, list[str]]:
    """Tables and columns."""
    with raw(url) as connection:
        found = inspect(connection)
        return {
            table: [column["name"] for column in found.get_columns(table)]
            for table in found.get_table_names()
        }


def revision(url: str) -> list[str]:
    with raw(url) as connection:
        return list(connection.execute(text("SELECT version_num FROM alembic_version")).scalars())


def test_a_new_database_has_the_tables_of_the_programme(url: str) -> None:
    Database(url).close()
    assert differences(url) == [] and revision(url) == [REVISION]


def test_the_steps_are_one_row_that_ends_where_the_programme_is() -> None:
    assert migrations.steps().get_heads() == [REVISION]


@pytest.mark.parametrize(
    ("url", "shape", "stamped"),
    [
        *(("sqlite", shape, stamped) for shape in SHAPES for stamped in (False, True)),
        *(("postgres", shape, True) for shape in SHAPES),
        # Where a database stands that does not say so is found in its columns, whatever kind it is of.
        *(
            pytest.param("postgres", shape, False, marks=() if shape == "0001" else pytest.mark.deep)
            for shape in SHAPES
        ),
    ],
    indirect=["url"],
)
def test_an_old_database_becomes_todays_with_all_that_is_in_it(url: str, shape: str, stamped: bool) -> None:
    with Store(url) as store:
        session = new_session(store)
        before = record(store, session, label(0), label(1, "relevant"))
        texts = store.records(store.session(session).collection_id)["abstract"].tolist()
    make_old(url, shape)
    if stamped:
        with raw(url) as connection:
            STAMP.create(connection)
            connection.execute(STAMP.insert(), {"version_num": shape[:4]})
    for _ in range(2):
        with Store(url) as store:
            assert [row.id for row in store.sessions()] == [session] and store.events(session) == before
            frame = store.records(store.session(session).collection_id)
            assert frame["abstract"].tolist() == texts and set(frame["family"]) == {""}
        assert revision(url) == [REVISION]
    assert differences(url) == []
    with Store(url) as store:
        store.delete_session(session)
        assert not store.sessions()


@pytest.mark.parametrize("still_open", [False, True], ids=["before", "still open"])
@pytest.mark.parametrize("recipe", [PAPER, WORDS, None], ids=["paper", "words", "scores"])
def test_an_old_list_takes_documents_in_by_the_recipe_that_its_sentence_names(
    url: str, recipe: Recipe | None, still_open: bool
) -> None:
    """Revision 0009 stores the recipe; a program of before that is still open then makes lists without one."""
    frame = as_records({"id": ["a", "b"], "title": ["Hip fractures", "Knees"], "score": [2.0, 1.0]})
    ranked = prepare(frame, "text", "hip", recipe=recipe) if recipe else prepare(frame, "scores")
    with Store(url) as store:
        collection = store.save_collection("c", frame, [], 0)
        listed = (collection, ranked.order, ranked.scores, SETTINGS, "hip", ranked.how)
        key = store.create_session("Mine", *listed, recipe="" if still_open else ranked.recipe)
    if not still_open:
        with raw(url) as connection:
            connection.execute(text(RECIPE))
            connection.execute(text("UPDATE alembic_version SET version_num = '0008'"))
    with Store(url) as store:
        stored = "" if still_open else ranked.recipe
        assert store.session(key).recipe == stored and ranked.recipe == (recipe.name if recipe else "")
        event = join(store, key, b"id,title,score\nn,The hip of a hip,9", "more.csv")
    both = pd.concat([frame, as_records({"id": ["n"], "title": ["The hip of a hip"], "score": [9.0]})])
    scored = build_index(ranking_text(both), recipe=recipe).scores("hip")[2] if recipe else 9.0
    assert event.payload["scores"] == [scored]
    assert revision(url) == [REVISION] and differences(url) == []


def test_a_programme_that_does_not_know_the_columns_goes_on_as_it_did(url: str) -> None:
    with Store(url) as store:
        new_session(store)
    with raw(url) as connection:
        connection.execute(
            text(
                "INSERT INTO record (collection_id, position, doc_id, title, abstract, authors, date, doi, pmid,"
                " publication_number, url, label, source) SELECT collection_id, 9, 'z', '', '', '', '', '', '', '',"
                " '', '', '' FROM record LIMIT 1"
            )
        )
        assert connection.execute(text("SELECT max(version) FROM tarstop_schema")).scalar() == 1


def test_a_newer_revision_is_refused_and_left_alone(url: str) -> None:
    Store(url).close()
    with raw(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputProblem, match=r"newer version of TARstop .*revision 9999.*update TARstop"):
        Store(url)
    assert revision(url) == ["9999"]


@pytest.mark.parametrize("stamp", ["00", "head", "0004+1", "0001@", "", "x" * 32])
def test_a_revision_that_no_step_leads_to_is_refused(url: str, stamp: str) -> None:
    Store(url).close()
    with raw(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :stamp"), {"stamp": stamp})
    with pytest.raises(InputProblem, match=r"newer version|does not say which version"):
        Store(url)


def test_a_database_that_lost_a_table_says_so(url: str) -> None:
    Store(url).close()
    with raw(url) as connection:
        connection.execute(text("DROP TABLE event"))
    with pytest.raises(InputProblem, match="lacks the table 'event'; restore it"):
        Store(url)


def test_alembics_table_of_another_programme_is_left_alone(url: str) -> None:
    with raw(url) as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num TEXT)"))
    with pytest.raises(InputProblem, match=r"another program .*'alembic_version'"):
        Store(url)
    assert held(url) == {"alembic_version": ["version_num"]}


def test_a_step_that_dies_in_the_middle_leaves_what_was_there(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(url) as store:
        session = new_session(store)
        before = record(store, session, label(0))
    make_old(url, "0001")
    steps = tmp_path / "steps"
    shutil.copytree(migrations.STEPS, steps, ignore=shutil.ignore_patterns("__*"))
    (steps / "r0010_dies.py").write_text(
        "from alembic import op\nimport sqlalchemy as sa\nrevision, down_revision = '0010', '0009'\n"
        "def upgrade():\n"
        "    op.create_table('extra', sa.Column('id', sa.Integer))\n"
        "    op.execute(\"UPDATE record SET title = 'lost'\")\n"
        "    op.execute('DROP TABLE event')\n"
        "    op.execute('SELECT * FROM nowhere')\n",
        encoding="utf-8",
    )
    was = held(url)
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "upgrade", partial(migrations.upgrade, folder=steps))
        with pytest.raises(InputProblem):
            Store(url)
    assert not list(tmp_path.glob("*revision*"))
    assert held(url) == was and "extra" not in was and "alembic_version" not in was
    with Store(url) as store:
        assert store.events(session) == before
        assert "lost" not in set(store.records(store.session(session).collection_id)["title"])


def test_servers_that_open_an_old_database_at_once_all_get_todays(url: str) -> None:
    with Store(url) as store:
        session = new_session(store)
    make_old(url, "0001")
    together = Barrier(4)

    def open_it(_: int) -> list[str]:
        together.wait()
        with Store(url) as store:
            return [row.id for row in store.sessions()]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(open_it, range(4))) == [[session]] * 4
    assert revision(url) == [REVISION]


def test_a_copy_of_the_file_is_never_overwritten(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/my store.db"
    Store(url).close()
    (tmp_path / "my store.db").chmod(0o640)
    for number in range(3):
        make_old(url, "0002")
        with raw(url) as connection:
            connection.execute(text(f"INSERT INTO calibrator VALUES ('c{number}', '', '')"))
        Store(url).close()
    names = [f"my store.revision-0001{again}.db" for again in ("", "-2", "-3")]
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["my store.db", *names])
    for number, name in enumerate(names):
        with sqlite3.connect(tmp_path / name) as copied:
            assert copied.execute("SELECT count(*) FROM calibrator").fetchone() == (number + 1,)
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o640


def test_without_room_for_the_copy_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    Store(url).close()
    make_old(url, "0001")
    was = held(url)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(InputProblem, match="cannot be written: No space left"):
            Store(url)
    assert held(url) == was and [each.name for each in tmp_path.iterdir()] == ["t.db"]
    Store(url).close()
    assert revision(url) == [REVISION]


def test_a_database_that_only_lacks_the_revision_can_be_read_where_it_cannot_be_written(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    with Store(url) as store:
        session = new_session(store)
    with raw(url) as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    with Store(f"sqlite:///file:{tmp_path}/t.db?mode=ro&uri=true") as store:
        assert [row.id for row in store.sessions()] == [session]
    make_old_again = "DROP TABLE deleted"
    with raw(url) as connection:
        connection.execute(text(make_old_again))
    with pytest.raises(InputProblem, match="read-only; make"):
        Store(f"sqlite:///file:{tmp_path}/t.db?mode=ro&uri=true")


def test_opening_todays_database_loads_no_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    Store(url).close()
    script = f"import sys; from tarstop_core.sessions.store.store import Store; Store({url!r}).close(); print('alembic' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, encoding="utf-8")
    assert said.stdout.strip() == "False"
