"""Exports carry every document, label and note, and nothing that a spreadsheet would run."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.files import read_records, table_to_csv, trace_to_csv
from tarstop_core.files.delimited import FORMULA_STARTS, NO_NUMBER
from tarstop_core.screening.log import Event
from tarstop_core.sessions.export import (
    about_rows,
    document_rows,
    full_texts_csv,
    tables_csv,
    to_csv,
    to_ris,
    to_xlsx,
    trace_csv,
)
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import (
    EVIL,
    IDS,
    NOTE,
    PATENT,
    N,
    a_collection,
    a_patent_session,
    a_review,
    label,
    log,
)
from tests.session_cases import START as SETTINGS
from tests.sessions.store.cases import on_both


def test_every_document_has_its_label_note_and_advice(store: Store) -> None:
    session = session_snapshot(store, a_patent_session(store))
    rows = document_rows(session)
    assert [row["id"] for row in rows] == IDS
    verdicts = ["not relevant"] * 10 + ["unsure", "relevant"] + ["not read"] * (N - 12)
    assert [row["label"] for row in rows] == verdicts
    assert rows[0]["note"] == NOTE and rows[1]["note"] == ""
    assert [row["b"] for row in rows[:12]] == [step["b"] for step in session.steps]
    assert all(row["b"] == "" and row["headline"] == "" for row in rows[12:])
    assert rows[20]["score"] == session.row.scores[20]  # type: ignore[index]


def test_csv_keeps_numbers_and_runs_no_formula(store: Store) -> None:
    session = session_snapshot(store, a_patent_session(store))
    frame = pd.read_csv(io.StringIO(to_csv(session)), keep_default_na=False)
    assert len(frame) == N and frame["title"][0] == f"'{EVIL}" and frame["note"][0] == f"'{NOTE}"
    assert {frame[name][0] for name in ("assignee", "priority_date", "filing_date", "grant_date")} == {
        f"'{EVIL}"
    }
    assert [float(b) for b in frame["b"][:12]] == [step["b"] for step in session.steps]
    assert frame["more_if_nothing"][0] == str(session.steps[0]["more_if_nothing"])
    for column in frame.select_dtypes(include=["object", "string"]):
        for cell in frame[column]:
            text = str(cell)
            assert not text.startswith(FORMULA_STARTS) or float(text) < 0, (column, text)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", " =1", "＝1", "a;=1", "a; =1", "a;\t@x", "a\t=1"),
        *("a\n=1", "a\r=1", "a\r\n-1", 'a";=1', 'a",b\n=1', "a;b;+1", ";=1", "a, b;=1"),
    ],
    ids=ascii,
)
def test_no_cell_is_a_formula_however_a_spreadsheet_parts_it(text: str, separator: str) -> None:
    told = table_to_csv(pd.DataFrame({"id": ["x"], text: ["y"], "said": [text], "b": [-0.5]}))
    assert told == trace_to_csv([{"id": "x", text: "y", "said": text, "b": -0.5}])
    # As a spreadsheet with another separator reads it: a quotation mark inside a cell opens nothing.
    for row in csv.reader(io.StringIO(told, newline=""), delimiter=separator):
        for cell in row:
            assert cell in ("-0.5", NO_NUMBER) or not cell.lstrip(" ").startswith(FORMULA_STARTS), (
                told,
                cell,
            )


def test_xlsx_keeps_texts_as_texts(store: Store) -> None:
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(session_snapshot(store, a_patent_session(store)))))
    assert book.sheetnames == ["Documents", "Settings", "PRISMA", "Log"]
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f", cell.value
                if isinstance(cell.value, str) and cell.value.startswith(FORMULA_STARTS):
                    assert cell.quotePrefix
    documents = book["Documents"]
    assert documents.max_row == N + 1
    head = [cell.value for cell in documents[1]]
    assert documents.cell(2, head.index("title") + 1).value == EVIL
    assert documents.cell(2, head.index("rank") + 1).value == 1
    boxes = {row[0].value: row[1].value for row in book["PRISMA"].iter_rows(min_row=2)}
    assert boxes["Records identified: a.ris"] == 22 and boxes["Records screened"] == 12
    assert book["Log"].max_row == 1 + 18


def test_a_review_brings_its_tables_and_full_texts(store: Store) -> None:
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(session_snapshot(store, a_review(store)))))
    table = [[cell.value for cell in row] for row in book["2x2 tables"].iter_rows(min_row=2)]
    assert table == [["Lee", "d0", 1, 9, 1, 2, None]]
    outcomes = [row[2].value for row in book["Full texts"].iter_rows(min_row=2)]
    assert outcomes == ["data", "excluded", "waiting"]
    first = document_rows(session_snapshot(store, store.sessions()[0].id))[0]
    assert first["report"] == "data" and "settles" not in first, "no document settles a review"


def test_ris_is_read_back_with_its_labels(store: Store, tmp_path: Path) -> None:
    session = session_snapshot(store, a_patent_session(store))
    text = to_ris(session)
    (tmp_path / "out.ris").write_text(text, encoding="utf-8")
    frame = read_records(tmp_path / "out.ris").frame
    assert frame["label"].tolist() == ["not relevant"] * 10 + ["", "relevant"] + [""] * (N - 12)
    assert frame["title"].tolist()[:2] == [EVIL, "-Minus"]
    assert frame["authors"][0] == "Lee, J.; Kim, S." and frame["date"][0] == "2004-05"
    assert (frame["doi"][0], frame["pmid"][1]) == ("10.1000/x", "123456")
    assert (frame["publication_number"][2], frame["assignee"][2]) == ("EP1234567A1", EVIL)
    assert "Note: +1 see ER - <img" in text
    assert "TARstop: unsure, rank 11" in text and "TARstop: not read, rank 13" in text


def test_ris_of_the_relevant_ones(store: Store) -> None:
    text = to_ris(session_snapshot(store, a_review(store)), relevant_only=True)
    assert text.count("TY  - ") == 3
    assert "full text: excluded: wrong <test>" in text
    empty = store.create_session("e", a_collection(store), [0], None, SETTINGS, "", "")
    assert to_ris(session_snapshot(store, empty), relevant_only=True) == ""


def test_a_session_nobody_has_read_can_be_exported(store: Store) -> None:
    session = store.create_session("e", a_collection(store), [0, 1], None, SETTINGS, "", "")
    whole = session_snapshot(store, session)
    assert pd.read_csv(io.StringIO(to_csv(whole)))["label"].tolist() == ["not read"] * 2
    assert openpyxl.load_workbook(io.BytesIO(to_xlsx(whole)))["Log"].max_row == 1


@settings(max_examples=12, deadline=None)
@given(st.text(max_size=40))
def test_any_note_survives_as_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('n') / 't.db'}")
    try:
        note = "".join(c for c in text if not 0xD800 <= ord(c) < 0xE000 and c != "\0")
        session = store.create_session("e", a_collection(store), [0, 1], None, SETTINGS, "", "")
        log(store, session, label(0, "irrelevant"))
        log(store, session, *([Event("note", {"doc": "d0", "text": note})] if note else []))
        whole = session_snapshot(store, session)
        assert to_ris(whole).count("\nER  - ") == 2
        cell = openpyxl.load_workbook(io.BytesIO(to_xlsx(whole)))["Documents"].cell(2, 4)
        assert cell.data_type != "f"
        assert len(pd.read_csv(io.StringIO(to_csv(whole)))) == 2
    finally:
        store.close()


def test_the_trace_is_the_cores_and_opens_safely_in_a_spreadsheet(store: Store) -> None:
    key = a_patent_session(store)
    session, whole = OpenSession.load(store, key), session_snapshot(store, key)
    rows = pd.read_csv(io.StringIO(trace_csv(session)), keep_default_na=False)
    assert rows["id"].tolist() == [step["id"] for step in whole.steps] == IDS[:12]
    assert rows["b"].tolist() == [step["b"] for step in whole.steps]
    assert rows["title"].tolist() == [f"'{title}" for title in whole.records["title"][:4]] + [
        f"Title {at}" for at in range(4, 12)
    ]
    assert rows["source"].tolist() == ["a.ris"] * 12


def test_the_trace_knows_every_calibrator_that_was_ever_in_force(store: Store) -> None:
    key = a_patent_session(store)
    surer = replace(PATENT, y=(0.6, 0.1))
    store.save_calibrator(surer)
    log(
        store,
        key,
        Event("continued"),
        Event(
            "settings", {"settings": replace(SETTINGS, calibrator=surer.digest).to_dict(), "reason": "New"}
        ),
        label(12, "irrelevant"),
    )
    p = pd.read_csv(io.StringIO(trace_csv(OpenSession.load(store, key))))["p"]
    before, after = (each.probabilities(None, N) for each in (PATENT, surer))
    assert p.tolist() == pytest.approx([*before[:12], after[12]])


def test_what_became_of_reports_is_the_cores(store: Store) -> None:
    key = a_review(store)
    table = {"study": "=Kim", "TP": 5, "FP": None, "FN": 1, "TN": None}
    log(
        store,
        key,
        Event("report", {"doc": IDS[7], "outcome": "data", "reason": "", "study": "=Kim", "tables": [table]}),
    )
    session = OpenSession.load(store, key)
    tables = pd.read_csv(io.StringIO(tables_csv(session)))
    assert tables["study"].tolist() == ["Lee", "'=Kim"] and tables["document"].tolist() == [IDS[0], IDS[7]]
    assert tables["rank"].tolist() == [1, 8] and tables["TP"].tolist() == [9, 5]
    assert tables["TN"].isna().all() and tables["FP"].isna().tolist() == [False, True]
    reports = pd.read_csv(io.StringIO(full_texts_csv(session)))
    assert reports["document"].tolist() == [IDS[0], IDS[1], IDS[7]]
    assert reports["outcome"].tolist() == ["data", "excluded", "data"]
    assert reports["title"].tolist() == [f"'{EVIL}", "'-Minus", "Title 7"]
    rows = pd.read_csv(io.StringIO(trace_csv(session)))
    assert rows["report"][7] == "data" and rows["tables"][7].startswith("'=Kim: TP 5")


def test_what_brought_data_leaves_apart_from_what_was_included_by_abstract(store: Store) -> None:
    session = session_snapshot(store, a_review(store))
    assert to_ris(session, relevant_only=True).count("TY  - ") == 3
    included = to_ris(session, with_data=True)
    assert included.count("TY  - ") == 1 and "TARstop full text: data" in included


def test_links_leave_with_the_documents(store: Store) -> None:
    session = session_snapshot(store, a_review(store))
    text = to_ris(session)
    for url in ("https://doi.org/10.1000/x", "https://pubmed.ncbi.nlm.nih.gov/123456/"):
        assert f"UR  - {url}" in text
        assert url in to_csv(session)


@on_both
def test_a_database_named_later_stands_in_report_flow_and_file(store: Store, tmp_path: Path) -> None:
    session = a_review(store)
    collection = store.session(session).collection_id
    store.name_databases(collection, {"a.ris": "Embase"})
    whole = session_snapshot(store, session)
    assert {("Records identified: Embase", 22), ("Records identified: b.csv", 11)} <= {*whole.prisma.rows()}
    assert ("Identified in Embase (a.ris)", "22") in about_rows(whole)
    with Store(f"sqlite:///{tmp_path / 'other.db'}") as other:
        arrived = import_session(other, export_session(store, session))
        assert session_snapshot(other, arrived).prisma == whole.prisma
    row = store.collection(collection)
    files = [{name: said for name, said in file.items() if name != "database"} for file in row.files]
    assert store.same_collection(row.name, store.records(collection), files) == collection
    with pytest.raises(InputProblem, match="There is no collection"):
        store.name_databases("none", {})
