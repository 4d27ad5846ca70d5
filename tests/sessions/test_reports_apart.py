"""Full texts that several readers read alone, in a stored session: nothing is shown too early, what differs is settled, and the report says so."""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.effects.bias import Bias
from tarstop_core.errors import InputProblem
from tarstop_core.readers.agreement import agreement
from tarstop_core.readers.table import Columns, read_readers
from tarstop_core.screening.events import resolved_report_event
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings_words import settings_rows
from tarstop_core.screening.several_readers import Readers
from tarstop_core.sessions import message
from tarstop_core.sessions.agreeing import agreed_in_full
from tarstop_core.sessions.export import document_rows, to_csv
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store import store as stores
from tarstop_core.sessions.store.permissions import Forbidden
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tests.session_cases import IDS, PATENT, REVIEW
from tests.sessions.store.cases import on_both
from tests.sessions.test_several_readers import begun, judge, leaves

ALONE = replace(REVIEW, readers=Readers(("Rita", "Sam"), full_texts=True))
DATA = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 2, 30),))
OTHER = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 3, 30),))
OUT = Report("excluded", "wrong test")


def included(store: Store, docs: int = 3) -> tuple[OpenSession, OpenSession, str]:
    """A session whose first documents both include, open for both."""
    key = begun(store, ALONE)
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    for work in (rita, sam):
        judge(work, *["relevant"] * docs)
    rita.refresh()
    return rita, sam, key


def reads(work: OpenSession, *reports: Report) -> None:
    for at, report in enumerate(reports):
        work.refresh()
        work.report(IDS[at], report, work.state.seq)


@on_both
def test_a_report_counts_once_both_say_the_same(store: Store) -> None:
    rita, sam, key = included(store)
    shown = sam.state.seq
    reads(rita, DATA, OUT)
    assert len(rita.state.waiting) == 3, "of neither is it known what counts"
    assert [*rita.in_full.read_in_full] == [0, 1] and [*rita.in_full.waiting] == [2]
    sam.refresh()
    assert not sam.in_full.read_in_full and len(sam.in_full.waiting) == 3
    # Sam did not see what Rita said since, so that it is nothing to wait for.
    sam.report(IDS[0], DATA, shown)
    reads(sam, DATA, DATA)
    rita.refresh()
    assert rita.state.read_in_full == {0: DATA} and len(rita.state.evidence) == 1
    [waiting] = rita.several.reports_waiting  # type: ignore[union-attr]
    assert waiting.reports == {"Rita": OUT, "Sam": DATA}
    with pytest.raises(InputProblem, match="none of them"):
        OpenSession.load(store, key, "Tom").report(IDS[2], OUT, rita.state.seq)
    assert store.events(key)[-1].payload["doc"] == IDS[0]


@on_both
def test_what_differs_is_settled_once_by_somebody_with_a_name(store: Store) -> None:
    rita, sam, key = included(store)
    reads(rita, DATA)
    reads(sam, OTHER)
    tom, ula = OpenSession.load(store, key, "Tom"), OpenSession.load(store, key, "Ula")
    seen = tom.state.seq
    tom.settle(resolved_report_event, seen, "Tom", IDS[0], OTHER)
    with pytest.raises(InputProblem, match="recorded before your press"):
        ula.settle(resolved_report_event, seen, "Ula", IDS[0], DATA)
    rita.refresh()
    assert rita.state.read_in_full == {0: OTHER} and rita.in_full.read_in_full == {0: OTHER}
    event = store.log(key)[-1]
    assert (event.kind, event.reviewer) == ("resolved_report", "Tom")
    fresh = OpenSession.load(store, key, "Rita")
    assert fresh.state.read_in_full == rita.state.read_in_full and fresh.events == rita.events


def test_no_file_table_or_report_depends_on_a_report_that_not_all_have_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for secret in (DATA, Report("excluded", "nobody may see this")):
        ticks = iter(range(10_000))
        monkeypatch.setattr(
            stores, "now", lambda ticks=ticks: f"2026-11-27T10:00:{next(ticks) % 60:02}.000000+00:00"
        )
        rita, sam, key = included(store)
        reads(rita, DATA, secret)
        reads(sam, DATA)
        made.append([*leaves(store, key, sam), sam.in_full.read_in_full])
        store.purge_session(key)
    one, other = made
    assert one == other and "nobody may see" not in str(other)


def test_a_session_file_takes_along_what_all_have_read(store: Store) -> None:
    rita, sam, key = included(store)
    reads(rita, DATA, OUT)
    reads(sam, OTHER)
    again = OpenSession.load(store, import_session(store, export_session(store, key)), "Rita")
    assert [each.doc for each in again.several.reports_waiting] == [IDS[0]]  # type: ignore[union-attr]
    assert again.in_full.read_in_full == {0: DATA}, "what only Rita has said stays where it was said"


def test_the_table_of_documents_has_columns_of_full_texts_for_each_reader(
    store: Store, tmp_path: Path
) -> None:
    rita, sam, key = included(store, 4)
    judged = replace(DATA, rows=tuple(replace(row, bias=Bias.HIGH) for row in DATA.rows))
    reads(rita, judged, DATA, OUT, OUT)
    before = document_rows(session_snapshot(store, key))
    assert not [name for name in before[0] if name.startswith("report_reader")], "not before all have read"
    reads(sam, OTHER, DATA, DATA)
    rita.refresh()
    rita.report(IDS[2], DATA, rita.state.seq)  # once Rita has seen what Sam says
    rows = document_rows(session_snapshot(store, key))
    columns = ("report_reader_Rita", "report_reason_reader_Rita", "tables_reader_Rita", "tables_reader_Sam")
    table = "Lee 2004: TP 9, FP 1, FN {}, TN 30".format
    assert [tuple(row[name] for name in columns) for row in rows[:5]] == [
        ("data", "", table(2), table(3)),
        ("data", "", table(2), table(2)),
        ("excluded", "wrong test", "", table(2)),
        *[("", "", "", "")] * 2,
    ]
    assert [row["risk_of_bias_reader_Rita"] for row in rows[:3]] == ["high", "", ""]
    assert not any(row["risk_of_bias"] for row in rows), "what counts is settled, and was not judged"
    exported = tmp_path / "documents.csv"
    exported.write_text(to_csv(session_snapshot(store, key)), encoding="utf-8")
    assert read_readers(exported).readers == ("reader_Rita", "reader_Sam")
    back = read_readers(exported, Columns(("report_reader_Rita", "report_reader_Sam"), resolved="report"))
    in_full = agreed_in_full(rita.several)  # type: ignore[arg-type]
    assert in_full is not None and agreement(back.verdicts.included) == in_full.agree


def test_names_that_letters_do_not_tell_apart_have_columns_of_their_own(store: Store) -> None:
    key = begun(store, replace(REVIEW, readers=Readers(("a.b", "a-b"))))
    one, other = (OpenSession.load(store, key, name) for name in ("a.b", "a-b"))
    judge(one, "relevant")
    judge(other, "irrelevant")
    row = document_rows(session_snapshot(store, key))[0]
    assert (row["reader_1_a_b"], row["reader_2_a_b"]) == ("included", "excluded")


def test_report_and_diagram_say_how_far_they_agree(store: Store) -> None:
    rita, sam, key = included(store, 5)
    reads(rita, DATA, DATA, OUT, OUT, Report("no data", study="Ho 1999"))
    reads(sam, DATA, OTHER, OUT, DATA, Report("no data", study="Ho 1999"))
    OpenSession.load(store, key, "Tom").settle(
        resolved_report_event, rita.several.log[-1].seq + 99, "Tom", IDS[1], DATA
    )  # type: ignore[union-attr]
    snapshot = session_snapshot(store, key)
    assert snapshot.several is not None
    in_full = agreed_in_full(snapshot.several)
    assert in_full is not None and in_full.agree is not None
    # Eligible or not: they agree on four of five. Of the eight numbers of two tables both have, one differs.
    assert in_full.agree.per_cent.value == pytest.approx(0.8)
    assert (in_full.read, in_full.differed, in_full.waiting) == (5, 2, 1)
    assert (in_full.numbers, in_full.numbers_differed, in_full.settled) == (8, 1, ["1 by Tom"])
    rows = dict(snapshot.prisma.apart)
    assert [number for words, number in rows.items() if words.startswith("Reports")] == [5, 2]
    text = report_html(snapshot)
    said = message("who_read_in_full", readers=["Rita", "Sam"], in_full=in_full, opened=None)
    assert (
        escape(said.rpartition("). ")[2], quote=False) in text and "8 numbers" in said and "1 by Tom" in said
    )
    assert dict(settings_rows(ALONE, PATENT))["Reports in full text"] in text


@on_both
@pytest.mark.parametrize("role", ["owner", "adjudicator", "reader", "guest", "stranger"])
def test_who_may_read_and_who_may_settle(store: Store, role: str) -> None:
    """Roles × reports: what a role may, through the store, and nothing of what others said before all have read."""
    rita, _, key = included(store)
    reads(rita, Report("excluded", "nobody may see this"))
    store.for_person("root").arrive(now())
    mine = store.for_person("zoe@example.org")
    mine.arrive(now())
    store.share(key, "root", "owner")
    if role != "stranger":
        store.share(key, "zoe@example.org", role)  # type: ignore[arg-type]
    seen = len(store.log(key))
    calls: dict[str, Callable[[], object]] = {
        "report": lambda: mine.append(key, Event("report", {"doc": IDS[2], **OUT.to_dict()}), seen),
        "settle": lambda: mine.append(key, Event("resolved_report", {"doc": IDS[0], **OUT.to_dict()}), seen),
    }
    allowed = {"owner": {*calls}, "adjudicator": {*calls}, "reader": {"report"}}.get(role, set())
    for name, call in calls.items():
        if name in allowed:
            with store.write() as session:  # and taken back
                nested = session.begin_nested()
                call()
                nested.rollback()
            continue
        with pytest.raises(InputProblem) as refused:
            call()
        assert isinstance(refused.value, Forbidden) == (role != "stranger")
    assert len(store.log(key)) == seen
    if role == "stranger":
        with pytest.raises(InputProblem, match="There is no session"):
            OpenSession.load(mine, key, "zoe@example.org")
        return
    work = OpenSession.load(mine, key, "zoe@example.org")
    told = [
        *leaves(mine, key, work),
        work.in_full,
        work.in_full.read_in_full,
        work.several.visible,
    ]  # type: ignore[union-attr]
    assert "nobody may see" not in str(told)
