"""Readers on Set up who judged elsewhere: the columns of a table are named, and what is wrong is said."""

from streamlit.testing.v1 import AppTest

from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tests.ui.set_up.cases import CSV, Open, query, start, upload, words_of

KEY = "set_up/readers"
TABLE = b"id,Rita,score,odd\nEP-1000001-A1,included,0.9,1\nEP-1000009-A1,excluded,0.2,perhaps\nEP-1000003-A1,,0.7,\n"


def asked(open_app: Open, table: bytes = TABLE, names: str = "Rita, Sam") -> AppTest:
    """Set up a review of several readers, one table given."""
    app = open_app("set_up", scenario="review")
    upload(app, ("a.csv", CSV))
    app.text_area(query(app)).set_value("foldable mast").run()
    app.segmented_control(f"{KEY}/several").set_value(True).run()
    app.text_input(f"{KEY}/names").set_value(names).run()
    app.file_uploader(f"{KEY}/elsewhere/file").upload("verdicts.csv", table)
    return app.run()


def test_a_column_with_a_readers_name_is_taken_for_theirs(open_app: Open, store: Store) -> None:
    app = asked(open_app)
    assert "Rita: 2 documents" in words_of(app.caption)
    app.toggle(f"{KEY}/full_texts").set_value(True).run()
    start(app)
    assert not app.exception
    [row] = [row for row in store.sessions() if not row.imported]
    sam = OpenSession.load(store, row.id, "Sam")
    several = sam.several
    assert several is not None and several.read_by("Rita") == 2 and several.read_by("Sam") == 0
    assert several.files["Rita"].payload["verdicts"] == {
        "EP-1000001-A1": "relevant",
        "EP-1000009-A1": "irrelevant",
    }
    assert several.files["Rita"].payload["column"] == "Rita"
    assert several.alone_in_full == ("Rita", "Sam")
    assert len(sam.own.to_judge) == 4, "Sam reads all of it, and sees nothing of hers"
    assert not several.verdicts_on("EP-1000001-A1", "Sam")


def test_scores_of_another_column(open_app: Open) -> None:
    app = asked(open_app)
    app.selectbox(f"{KEY}/elsewhere/of/Rita").set_value("").run()
    app.selectbox(f"{KEY}/elsewhere/of/Sam").set_value("score").run()
    assert "Line 2 of verdicts.csv" in words_of(app.error)
    app.toggle(f"{KEY}/elsewhere/scored").set_value(True).run()
    assert not app.error and "Sam: 3 documents" in words_of(app.caption)


def test_what_is_wrong_is_said_and_nothing_starts(open_app: Open, store: Store) -> None:
    app = asked(open_app)
    app.selectbox(f"{KEY}/elsewhere/of/Sam").set_value("odd").run()
    assert "Line 3 of verdicts.csv" in words_of(app.error)
    app.selectbox(f"{KEY}/elsewhere/of/Sam").set_value("Rita").run()
    assert "Rita and Sam" in words_of(app.error)
    app.selectbox(f"{KEY}/elsewhere/of/Sam").set_value("").run()
    app.selectbox(f"{KEY}/elsewhere/ids").set_value("score").run()
    assert "None of the records" in words_of(app.error)
    start(app)
    assert not store.sessions()
