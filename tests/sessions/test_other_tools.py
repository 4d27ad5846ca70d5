"""A session goes out to other tools' formats and comes back unchanged; their own readers open it."""

import csv
import io
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rispy

from tarstop_core.documents.records import as_records
from tarstop_core.files import read_records
from tarstop_core.screening.kept_labels import labels_found
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.log import Event
from tarstop_core.sessions.export import to_ris
from tarstop_core.sessions.other_tools import TOOLS, Tool, to_tool
from tarstop_core.sessions.snapshot import SessionSnapshot, session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import PATENT, START, log

N, READ = 260, 200
NOTES = [
    'He said "yes" | or {no}',
    "two\nlines; a, b",
    "C:\\new",
    "=1+1",
    "Exclusion reason: none",
    "größer & <b>",
]
VERDICTS = ("irrelevant", "relevant", "unsure")
BY_NAME = {tool.name: tool for tool in TOOLS}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> SessionSnapshot:
    """200 labels, notes on every third document, reasons for some, and numbers of another tool."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('other_tools')}/t.db")
    store.save_calibrator(PATENT)
    frame = as_records(
        pd.DataFrame(
            {
                "id": [f"id-{at}" for at in range(N)],
                "record_number": [f"rayyan-{at}" if at % 2 else "" for at in range(N)],
                "title": [f"Title, “{at}”; a study" for at in range(N)],
                "abstract": ["First line.\nSecond; line"] * N,
                "authors": ["Lee, J.; Kim, S."] * N,
                "date": ["2004-05"] * N,
                "doi": [f"10.1000/{at}" for at in range(N)],
            }
        )
    )
    collection = store.save_collection("Search", frame, [], 0)
    key = store.create_session("Mine", collection, list(range(N)), np.linspace(3, 1, N), START, "a mast", "")
    events = []
    for at in range(READ):
        verdict = VERDICTS[at * at % 3 if at % 7 else 2]
        reason = {"reason": "wrong population"} if verdict == "irrelevant" and at % 5 == 0 else {}
        events.append(Event("label", {"doc": f"id-{at}", "label": verdict} | reason))
        if at % 3 == 0:
            events.append(Event("note", {"doc": f"id-{at}", "text": NOTES[at // 3 % len(NOTES)]}))
    log(store, key, *events)
    return session_snapshot(store, key)


def labels_of(session: SessionSnapshot) -> list[int]:
    labels = session.state.labels.tolist()
    assert labels.count(UNSEEN) == N - READ and {IRRELEVANT, RELEVANT, UNSURE} < set(labels)
    return labels


@pytest.mark.parametrize("tool", ["ASReview", "Rayyan"])
def test_a_session_comes_back_unchanged(session: SessionSnapshot, tool: str) -> None:
    table = read_records(io.BytesIO(to_tool(session, BY_NAME[tool]).encode()), "out.csv")
    frame, ids = table.frame, [f"id-{at}" for at in range(N)]
    numbers = [f"rayyan-{at}" if at % 2 else "" for at in range(N)]
    assert labels_found(frame).codes.tolist() == labels_of(session)
    assert frame["remark"].tolist() == [session.state.notes.get(doc, "") for doc in ids]
    assert frame["reason"].tolist() == [session.state.excluded_for.get(at, "") for at in range(N)]
    assert sum(frame["reason"] != "") > 5 and sum(frame["remark"] != "") == len(range(0, READ, 3))
    if tool == "ASReview":
        assert frame["id"].tolist() == ids and frame["record_number"].tolist() == numbers
    else:
        # Rayyan has one number, which is its own.
        assert frame["id"].tolist() == [number or doc for number, doc in zip(numbers, ids, strict=True)]
    assert frame[["title", "abstract"]].equals(session.records[["title", "abstract"]])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_gets_its_columns_and_number(session: SessionSnapshot, tool: Tool) -> None:
    rows = list(csv.DictReader(io.StringIO(to_tool(session, tool), newline="")))
    assert len(rows) == N and list(rows[0]) == list(tool.columns)
    number = next(column for column, value in tool.columns.items() if value in ("number", "record_id"))
    assert rows[1][number] == "rayyan-1"


def test_eppi_reviewer_and_covidence_say_what_was_decided(session: SessionSnapshot) -> None:
    letters = [
        row["Included"] for row in csv.DictReader(io.StringIO(to_tool(session, BY_NAME["EPPI-Reviewer"])))
    ]
    wanted = {RELEVANT: "I", IRRELEVANT: "E"}
    assert letters == [wanted.get(label, "") for label in labels_of(session)]
    covidence = read_records(io.BytesIO(to_tool(session, BY_NAME["Covidence"]).encode()), "out.csv").frame
    reasons = [session.state.excluded_for.get(at, "") for at in range(N)]
    assert [found for found, reason in zip(covidence["reason"], reasons, strict=True) if reason] == list(
        filter(None, reasons)
    )


def test_rispy_opens_the_ris(session: SessionSnapshot) -> None:
    entries = rispy.loads(to_ris(session))
    assert [entry["id"] for entry in entries] == [f"id-{at}" for at in range(N)]
    assert "Record number: rayyan-1" in entries[1]["notes"]


def test_asreview_opens_its_table(session: SessionSnapshot, tmp_path: Path) -> None:
    """With ASReview itself, which weighs half a gigabyte: TARSTOP_ASREVIEW names a Python that has it."""
    python = os.environ.get("TARSTOP_ASREVIEW")
    if not python:
        pytest.skip("TARSTOP_ASREVIEW is not set: no ASReview to open the table with")
    path = tmp_path / "out.csv"
    path.write_text(to_tool(session, BY_NAME["ASReview"]), encoding="utf-8", newline="")
    script = (
        "import sys; from asreview.data.tabular import CSVReader;"
        "print([r.included if r.included is None else int(r.included) for r in CSVReader.read_records(sys.argv[1], 'x')])"
    )
    said = subprocess.run(
        [python, "-c", script, str(path)], cwd=tmp_path, capture_output=True, check=True, encoding="utf-8"
    )
    wanted = {RELEVANT: 1, IRRELEVANT: 0}
    assert said.stdout.strip() == str([wanted.get(label) for label in labels_of(session)])
