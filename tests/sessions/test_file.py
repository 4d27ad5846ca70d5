"""A session leaves one store and enters another without losing a byte."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import RECIPES
from tarstop_core.ranking.order import prepare
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import before_import
from tests.sessions.store.cases import on_both

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
CALIBRATOR = Calibrator("rank", "inclusion", x=(0.0, 4.0), y=(0.6, 0.02), fitted_on=SEEN)
START = ReviewSettings(Payoffs(4000, 1000, 4000, 1000, "£"), 5.0, full_cost=50, calibrator=CALIBRATOR.digest)


def a_session(store: Store, reviewer: str = "Ann") -> str:
    frame = as_records(
        pd.DataFrame(
            {
                "id": ["a", "b", "c"],
                "title": ["One, “quoted”", "Zwei\n<b>", "三"],
                "abstract": ["$x$", "", "…"],
                "score": [1.5, np.nan, 0.1],
                "source": ["f.csv"] * 3,
            }
        )
    )
    store.save_calibrator(CALIBRATOR)
    collection = store.save_collection("f.csv", frame, [{"source": "f.csv", "notes": []}], 2, query="q")
    session = store.create_session(
        "My review", collection, [2, 0, 1], [3.0, 0.1 + 0.2, -1e-9], START, "q", "by hand"
    )
    report = Report("data", study="Lee", rows=(AccuracyRow("Lee", 9, None, 2, None),))
    for event in (
        Event("label", {"doc": "c", "label": "relevant"}, reviewer=reviewer),
        Event("report", {"doc": "c", **report.to_dict()}, reviewer=reviewer),
        Event("settings", {"settings": replace(START, theta=0.8).to_dict(), "reason": ""}),
        Event("note", {"doc": "c", "text": "ünïcode ✓"}),
        Event("undo"),
    ):
        store.append(session, event, expected=len(store.events(session)))
    return session


def other(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'two.db'}")


def test_out_in_and_out_again_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    session = a_session(store)
    text = export_session(store, session)
    elsewhere = other(tmp_path)
    taken = import_session(elsewhere, text)
    assert before_import(export_session(elsewhere, taken)).encode() == text.encode()
    here, there = (s.session(i) for s, i in ((store, session), (elsewhere, taken)))
    assert (here.settings, here.ids, here.digest) == (there.settings, there.ids, there.digest)
    before = replay(here.settings, here.ids, store.events(session))
    after = replay(there.settings, there.ids, elsewhere.events(taken))
    assert before.labels.tolist() == after.labels.tolist() and (before.seq, after.seq) == (5, 6)
    assert elsewhere.append(taken, Event("note", {"doc": "c", "text": ""}), expected=6).seq == 7


@pytest.mark.parametrize("recipe", ["paper", "words"])
def test_a_file_keeps_the_recipe_of_its_order_and_an_earlier_one_names_it_in_words(
    store: Store, tmp_path: Path, recipe: str
) -> None:
    row = store.session(a_session(store))
    how = prepare(store.records(row.collection_id), "text", "One,", recipe=RECIPES[recipe]).how
    listed = (row.collection_id, row.order, row.scores, START, "One,")
    texts = [
        export_session(store, store.create_session(name, *listed, sentence, recipe=stored))
        for name, sentence, stored in (("New", "In words.", recipe), ("Old", how, ""))
    ]
    elsewhere = other(tmp_path)
    for text in texts:
        taken = import_session(elsewhere, text)
        assert elsewhere.session(taken).recipe == recipe


def test_a_file_is_imported_without_what_changes_old_databases(store: Store, tmp_path: Path) -> None:
    (path := tmp_path / "x.json").write_text(export_session(store, a_session(store)), encoding="utf-8")
    url = f"sqlite:///{tmp_path}/two.db"
    Store(url).close()
    program = (
        "import sys; from pathlib import Path; from tarstop_core.sessions.file import import_session\n"
        "from tarstop_core.sessions.store.store import Store\n"
        f"import_session(Store({url!r}), Path({str(path)!r}).read_text(encoding='utf-8'))\n"
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_taken_in_twice_is_refused_until_something_more_was_recorded(store: Store, tmp_path: Path) -> None:
    text = export_session(store, a_session(store))
    elsewhere = other(tmp_path)
    taken = import_session(elsewhere, text)
    name = elsewhere.session(taken).name
    with pytest.raises(InputProblem, match=f"x.json has the same log as “{name}”"):
        import_session(elsewhere, text, "x.json")
    elsewhere.append(taken, Event("note", {"doc": "c", "text": "more"}), expected=6)
    again = import_session(elsewhere, text)
    assert elsewhere.session(again).name == f"{name} (imported)"
    assert len(elsewhere.collections()) == 1 and len(elsewhere.sessions()) == 2


def broken(text: str, **changes: object) -> str:
    return json.dumps({**json.loads(text), **changes})


@on_both
def test_what_does_not_fit_together_stores_nothing(store: Store, tmp_path: Path) -> None:
    text = export_session(store, a_session(store))
    log = json.loads(text)["log"]
    elsewhere = other(tmp_path)
    for damaged, said in (
        ("{", "not JSON"),
        ('{"format": "other"}', "not a session"),
        (broken(text, version=99), "version 99"),
        (broken(text, order=[0, 7]), "damaged"),
        (broken(text, settings={}), "settings part of .* is damaged .payoffs: missing"),
        (broken(text, created="garbage"), "created: 'garbage' is not a time"),
        (broken(text, created="9999-12-31T23:59:59.999-14:00"), "created: .* is not a time"),
        (broken(text, scores=["1.0", 2.0]), "damaged|scores"),
        (broken(text, name=["x"]), "name: ..x.. is not a text"),
        (broken(text, recipe="soup"), "recipe: 'soup' is not paper or words"),
        (broken(text, log=[{**log[0], "time": "0001-01-01T00:00:00+14:00"}]), "is not a time"),
        (broken(text, log=[{**log[0], "payload": {"doc": "c"}}]), "label: missing"),
        (text.replace('"order": [', '"order": [1e999, '), "not JSON"),
        (text.replace('"order": [', '"order": [' + "[" * 100_000), "not JSON"),
        (broken(text, documents=[]), "damaged|record"),
        (broken(text, calibrators=[]), "lacks a calibrator"),
        (broken(text, log=log[1:]), "lacks part of its log"),
        (broken(text, log=[{**log[0], "kind": "?"}]), "damaged"),
        (broken(text, log=[{**log[0], "payload": {"doc": "zz", "label": "relevant"}}]), "not in the list"),
        (broken(text, scores=[1.0]), "scores"),
        (
            broken(text, settings={**json.loads(text)["settings"], "policy": "qbcb"}),
            "cannot advise a session",
        ),
        (
            broken(text, log=[{**log[0], "payload": {"doc": "c", "label": "relevant", "with": "c"}}]),
            "document 1 together with itself",
        ),
    ):
        with pytest.raises(InputProblem, match=said):
            import_session(elsewhere, damaged, "x.json")
    assert elsewhere.collections() == [] and elsewhere.sessions() == []


@given(st.text(max_size=60) | st.recursive(st.none() | st.integers() | st.text(max_size=4), lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["log", "order", "settings", "documents", "name"]), x, max_size=4)).map(
    lambda x: json.dumps({"format": "tarstop-session", "version": 1, **x} if isinstance(x, dict) else x)))  # fmt: skip
def test_anything_else_is_one_sentence(text: str) -> None:
    with pytest.raises(InputProblem):
        import_session(Store("sqlite://"), text, "x.json")
