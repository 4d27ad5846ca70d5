"""An imported session says that it was: in the report, in exports, and again after another hop."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tarstop_core.errors import InputProblem
from tarstop_core.screening.provenance import Fault
from tarstop_core.sessions.compare import duplicate
from tarstop_core.sessions.export import about_rows, document_rows, to_xlsx, trace_csv
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import SessionSnapshot, session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.reading_pages import read
from tests.session_cases import a_patent_session, a_review, before_import


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/elsewhere.db") as opened:
        yield opened


def forged(text: str) -> str:
    """A session file with another reader's name, and times that cannot be."""
    content = json.loads(text)
    for entry in content["log"]:
        entry["reviewer"] = "Prof. Famous"
    content["log"][1]["time"] = "2031-01-01T00:00:00.000+00:00"
    content["log"][2]["time"] = "2001-01-01T00:00:00.000+00:00"
    return json.dumps(content)


def arrived(elsewhere: Store, text: str) -> SessionSnapshot:
    return session_snapshot(elsewhere, import_session(elsewhere, text, "theirs.json", "Ann"))


def test_report_and_exports_say_where_it_comes_from(store: Store, elsewhere: Store) -> None:
    whole = arrived(elsewhere, forged(export_session(store, a_patent_session(store))))
    page = read(report_html(whole))[1]
    about = dict(about_rows(whole))
    for said in (page, about["Imported"]):
        assert "from theirs.json by Ann" in said and "file claims (Prof. Famous)" in said
        assert f"entry 2 is {Fault.LATE.value}; entry 3 is {Fault.EARLY.value}" in said
    assert f"2031-01-01 00:00:00 UTC (claimed; {Fault.LATE.value})" in page
    assert page.count("Prof. Famous (claimed)") == page.count("Prof. Famous") - 2, (
        "the sentence names it bare"
    )
    assert about["Begun"].endswith("(claimed)")
    rows = document_rows(whole)
    assert [rows[0]["imported_from"], rows[0]["impossible_time"]] == ["theirs.json", "later than the import"]
    assert rows[20]["imported_from"] == ""
    head, *lines = trace_csv(OpenSession.load(elsewhere, whole.row.id)).splitlines()
    assert "imported_from" in head and all("theirs.json" in line for line in lines if line.startswith("1,"))
    book = load_workbook(BytesIO(to_xlsx(whole)))
    log = [[cell.value for cell in row] for row in book["Log"].iter_rows()]
    assert log[0][-2:] == ["imported_from", "impossible_time"]
    assert log[2][-2:] == ["theirs.json", "later than the import"] and log[-1][3] == "imported"
    assert not log[-1][-2]


def test_a_review_says_it_of_its_full_texts(store: Store, elsewhere: Store) -> None:
    whole = arrived(elsewhere, export_session(store, a_review(store)))
    book = load_workbook(BytesIO(to_xlsx(whole)))
    head, *rows = [[cell.value for cell in row] for row in book["Full texts"].iter_rows()]
    at, outcome = head.index("imported_from"), head.index("outcome")
    assert [row[at] for row in rows if row[outcome] != "waiting"] == ["theirs.json"] * 2


def test_what_is_screened_here_afterwards_is_told_from_the_claims(store: Store, elsewhere: Store) -> None:
    key = import_session(elsewhere, export_session(store, a_review(store)), "theirs.json")
    session = OpenSession.load(elsewhere, key)
    session.label(session.row.ids[8], "irrelevant", seen=session.state.seq)
    rows = document_rows(session_snapshot(elsewhere, key))
    assert [row["imported_from"] for row in rows[:10]] == ["theirs.json"] * 8 + ["", ""]
    assert "1 entry was recorded" in report_html(session_snapshot(elsewhere, key))
    again = duplicate(elsewhere, key, session.state.settings, "again")
    assert [row["imported_from"] for row in document_rows(session_snapshot(elsewhere, again))[:9]] == [
        "theirs.json"
    ] * 8 + [""]


def test_a_decision_in_a_file_is_a_claim_and_one_made_here_is_none(store: Store, elsewhere: Store) -> None:
    text = export_session(store, a_patent_session(store))
    whole = arrived(elsewhere, text)
    assert whole.state.decision is not None and whole.state.decision.claimed
    assert "Ann &lt;b&gt; (claimed)" in report_html(whole)
    decided = whole.events[-2]
    elsewhere.append(whole.row.id, replace(decided, seq=0, reviewer="Eve"), expected=len(whole.events))
    decision = session_snapshot(elsewhere, whole.row.id).state.decision
    assert decision is not None and not decision.claimed and decision.by == "Eve"


def test_every_hop_is_kept_and_a_file_that_holds_nothing_new_is_refused(
    store: Store, elsewhere: Store, tmp_path: Path
) -> None:
    first = export_session(store, a_patent_session(store))
    second = export_session(elsewhere, arrived(elsewhere, first).row.id)
    assert before_import(second) == first
    for there, text in ((elsewhere, first), (elsewhere, second), (store, second)):
        with pytest.raises(InputProblem, match="has the same log"):
            import_session(there, text)
    with Store(f"sqlite:///{tmp_path}/third.db") as third:
        whole = session_snapshot(third, import_session(third, second, "second.json"))
        assert [event.payload["source"] for event in whole.events if event.kind == "imported"] == [
            "theirs.json",
            "second.json",
        ]
        assert "imported once before" in report_html(whole)


def test_numbers_stay_what_they_were(store: Store, elsewhere: Store) -> None:
    key = a_patent_session(store)
    here, there = session_snapshot(store, key), arrived(elsewhere, export_session(store, key))
    columns = {"imported_from", "impossible_time"}
    assert [{name: step[name] for name in step.keys() - columns} for step in there.steps] == here.steps
    assert (there.advice_now, there.prisma) == (here.advice_now, here.prisma)


def test_a_time_in_the_future_does_not_put_it_first_for_ever(store: Store, elsewhere: Store) -> None:
    arrived(elsewhere, forged(export_session(store, a_patent_session(store))))
    [listed] = elsewhere.sessions()
    assert listed.imported and listed.last_activity < "2031"
    assert not store.sessions()[0].imported
