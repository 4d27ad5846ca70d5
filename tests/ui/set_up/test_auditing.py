"""Set up and Screen: audit draws are off until asked for, their price is said first, and the statement follows."""

import csv
import io
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from tarstop_core.calibration.recall_bound import draws_at
from tarstop_core.screening.log import Event
from tarstop_core.sessions.compare import duplicate
from tarstop_core.sessions.export import trace_csv
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.listing import counts_in_words
from tarstop_core.sessions.store.store import Store
from tests.ui.set_up.cases import HEADER, Open, html_of, query, start, upload, words_of

EVERY = "set_up/audit/every"
LIST = (HEADER + "".join(f"d{at},Mast {at},A mast {'mast ' * (at % 7)}.,2001\n" for at in range(60))).encode()
FILE = ("mine.csv", LIST)
JUMPS = "The curves jump at a document drawn at random"
SAID = "you would call relevant"


def opened(open_app: Open, every: int) -> AppTest:
    app = upload(open_app("set_up"), FILE)
    app.text_area(query(app)).set_value("mast").run()
    assert app.segmented_control(EVERY).value == 0
    # The price is said before anything is switched on.
    assert "if there are 6 relevant" in words_of(app.caption)
    drawn = "will be drawn at random instead of following the order above"
    assert drawn not in words_of(app.caption)
    if every:
        app.segmented_control(EVERY).set_value(every).run()
        assert f"One document in {every} {drawn}." in words_of(app.caption)
    assert not app.exception and not app.error
    return app


def test_a_session_with_draws_says_what_they_bound(open_app: Open, store: Store, tmp_path: Path) -> None:
    app = opened(open_app, 2)
    start(app)
    (summary,) = store.sessions()
    whole = session_snapshot(store, summary.id)
    drawn, ranks = whole.state.drawn, whole.state.ranks
    assert drawn is not None and ranks is not None
    assert drawn.tolist() == draws_at(60, 2).tolist() and sorted(ranks) == list(range(1, 61))
    assert (np.diff(ranks[~drawn]) > 0).all() and not (np.diff(ranks) > 0).all()
    app.session_state["why"] = True
    app.switch_page("pages/screen.py").run()
    assert not app.exception and "at most 60 documents that" in html_of(app)
    assert "guide?read=recall_statement" in html_of(app) and JUMPS in html_of(app)
    assert "drawn at random" in whole.row.ranking
    page = report_html(whole)
    assert SAID in page and "one document in 2; so far 0 documents, 0 relevant" in page
    # The same list and the same draws wherever it is taken in.
    text = export_session(store, summary.id)
    with Store(f"sqlite:///{tmp_path}/other.db") as other:
        again = session_snapshot(other, import_session(other, text))
    assert again.row.ids == whole.row.ids
    assert again.state.drawn is not None and again.state.drawn.tolist() == drawn.tolist()


def test_a_copy_the_list_of_sessions_and_the_export_know_of_draws(open_app: Open, store: Store) -> None:
    app = opened(open_app, 10)
    start(app)
    (summary,) = store.sessions()
    ids = store.session(summary.id).ids
    for seq, doc in enumerate(ids[:10], start=len(store.events(summary.id))):
        label = "relevant" if doc == ids[9] else "irrelevant"
        store.append(summary.id, Event("label", {"doc": doc, "label": label}), expected=seq)
    whole = session_snapshot(store, summary.id)
    copied = duplicate(store, summary.id, whole.row.settings, "Copy")
    state = session_snapshot(store, copied).state
    assert state.drawn is not None and state.depth == 10 and state.drawn[:10].tolist() == [False] * 9 + [True]
    rows = list(csv.DictReader(io.StringIO(trace_csv(OpenSession.load(store, summary.id)))))
    assert [row["drawn"] for row in rows] == [""] * 9 + ["at random"]
    assert "one document in 10; so far 1 document, 1 relevant" in report_html(whole)
    assert counts_in_words("review", whole.events)[0] == "1 included"


def test_without_draws_no_such_sentence_is_shown(open_app: Open, store: Store) -> None:
    app = opened(open_app, 0)
    start(app)
    (summary,) = store.sessions()
    app.session_state["why"] = True
    app.switch_page("pages/screen.py").run()
    assert not app.exception and SAID not in html_of(app) and JUMPS not in html_of(app)
    whole = session_snapshot(store, summary.id)
    assert whole.state.drawn is None and SAID not in report_html(whole)
