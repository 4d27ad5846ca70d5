"""X, Y and A: only a confirmed X decides; all are kept, counted and exported."""

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.application import Application
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_records
from tarstop_core.screening.advice import advise
from tarstop_core.screening.events import label_event, relabel_event, together_event, verdict
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import BACKGROUND, COMBINATION, IRRELEVANT
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.patent import PATENT as SCENARIO
from tarstop_core.screening.trace import trace
from tarstop_core.sessions.compare import comparison, duplicate
from tarstop_core.sessions.export import document_rows, to_csv, to_ris, to_xlsx
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.prisma import LEFT_OUT, prisma
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import (
    IDS,
    PATENT,
    REVIEW,
    START,
    N,
    a_collection,
    a_patent_session,
    before_import,
    label,
    log,
)

P = PATENT.probabilities(None, N)
KINDS = st.sampled_from(["irrelevant", "unsure", "combination", "background"])
GRADED = (
    label(0, "irrelevant"),
    label(1, "combination"),
    label(2, "background"),
    Event("label", verdict(IDS[3], "irrelevant", reason="no hinge")),
    label(4, "combination"),
)


@pytest.fixture
def store(tmp_path: Path):
    with Store(f"sqlite:///{tmp_path}/t.db") as opened:
        yield opened


def state_of(*events: Event):
    return replay(START, IDS, [replace(event, seq=at) for at, event in enumerate(events, start=1)])


@given(st.lists(KINDS, max_size=N))
def test_to_the_engine_y_and_a_are_documents_that_did_not_settle(kinds: list[str]) -> None:
    plain = ["irrelevant" if kind in ("combination", "background") else kind for kind in kinds]
    one, other = (state_of(*(label(at, kind) for at, kind in enumerate(each))) for each in (kinds, plain))
    assert advise(START, PATENT, P, one) == advise(START, PATENT, P, other)
    assert one.hit is None and not len(one.pending)


def test_a_y_can_be_made_an_x_and_only_then_decides() -> None:
    raised = (*GRADED, Event("relabel", verdict(IDS[1], "relevant")))
    assert state_of(*raised).pending.tolist() == [1] and state_of(*raised).hit is None
    held = state_of(*raised, Event("confirm", {"doc": IDS[1], "holds": True}))
    assert held.hit == 2 and advise(START, PATENT, P, held).b == 1
    refused = state_of(*raised, Event("confirm", {"doc": IDS[1], "holds": False}))
    assert refused.labels[1] == COMBINATION and refused.hit is None
    assert state_of(*raised, Event("undo")).combination.tolist() == [1, 4]


def test_a_hit_that_never_was_a_y_becomes_irrelevant() -> None:
    log_ = (
        *GRADED,
        Event("relabel", verdict(IDS[1], "irrelevant")),
        Event("relabel", verdict(IDS[1], "relevant")),
        Event("confirm", {"doc": IDS[1], "holds": False}),
    )
    assert state_of(*log_).labels[1] == IRRELEVANT


def test_two_y_settle_it_together() -> None:
    before = state_of(*GRADED)
    event = together_event(before, IDS, IDS[4], IDS[1], despite="")
    assert event.payload == {"doc": IDS[4], "label": "relevant", "with": IDS[1]}, "the later one is the hit"
    after = state_of(*GRADED, event)
    assert after.together == {4: 1} and after.pending.tolist() == [4]
    held = state_of(*GRADED, event, Event("confirm", {"doc": IDS[4], "holds": True}))
    assert held.hit == 5 and held.together == {4: 1}
    refused = state_of(*GRADED, event, Event("confirm", {"doc": IDS[4], "holds": False}))
    assert refused.together == {} and refused.combination.tolist() == [1, 4]
    for pair in ((IDS[1], IDS[1]), (IDS[1], IDS[2]), (IDS[1], "none")):
        with pytest.raises(InputProblem, match="two different documents graded Y"):
            together_event(before, IDS, *pair)


def test_one_undo_takes_back_the_pair_and_its_note() -> None:
    noted = Event("note", {"doc": IDS[4], "text": "See figure 2"})
    before = state_of(*GRADED, noted)
    both = "See figure 2\nWith #2: same field"
    event = together_event(before, IDS, IDS[1], IDS[4], note=both)
    assert state_of(*GRADED, noted, event).notes == {IDS[4]: both}
    undone = state_of(*GRADED, noted, event, Event("undo"))
    assert undone.notes == {IDS[4]: "See figure 2"} and undone.together == {}


def test_the_y_that_a_hit_rests_on_stays_one() -> None:
    event = together_event(state_of(*GRADED), IDS, IDS[1], IDS[4])
    after = state_of(*GRADED, event)
    for label_ in ("irrelevant", "unsure", "background"):
        with pytest.raises(InputProblem, match="#5 is graded X together with this one"):
            relabel_event(after, IDS, IDS[1], label_)
    assert relabel_event(after, IDS, IDS[1], "relevant").payload["label"] == "relevant"
    freed = state_of(*GRADED, event, relabel_event(after, IDS, IDS[4], "background"))
    assert relabel_event(freed, IDS, IDS[1], "irrelevant").kind == "relabel"


def test_logs_without_a_grade_read_as_x_and_reviews_have_none() -> None:
    assert state_of(label(0, "relevant")).relevant == 1
    with pytest.raises(InputProblem, match="for patents only"):
        replay(REVIEW, IDS, [replace(label(0, "combination"), seq=1)])
    with pytest.raises(InputProblem, match="There is no label 'X'"):
        state_of(label(0, "X"))


def test_counts_in_words() -> None:
    assert SCENARIO.counted(state_of(*GRADED)) == ["0 relevant (X)", "2 Y", "1 A"]
    assert SCENARIO.counted(state_of(*GRADED[:1])) == ["0 relevant"]


def test_what_is_said_beside_a_label_is_kept() -> None:
    event = label_event(state_of(), IDS, IDS[0], "relevant", despite="published too late", reason="")
    assert event.payload == {"doc": IDS[0], "label": "relevant", "despite": "published too late"}


def a_graded_session(store: Store) -> str:
    """Grades, a reason, two Y together, and an application that flags."""
    settings_ = replace(START, application=Application("EP1234567", "2004-03-01", left_out=2))
    session = store.create_session(
        "G", a_collection(store), list(range(N - 2)), None, settings_, "", "own order"
    )
    log(store, session, Event("reasons", {"reasons": ["no hinge"], "renamed": {}}), *GRADED)
    log(
        store,
        session,
        Event("relabel", {"doc": IDS[4], "label": "relevant", "with": IDS[1]}),
        Event("confirm", {"doc": IDS[4], "holds": True}),
    )
    return session


def test_every_export_carries_the_grade(store: Store, tmp_path: Path) -> None:
    session = session_snapshot(store, a_graded_session(store))
    rows = document_rows(session)
    assert [row["grade"] for row in rows[:6]] == ["", "Y", "A", "", "X", ""]
    assert rows[4]["together_with"] == IDS[1] and rows[3]["excluded_for"] == "no hinge"
    assert rows[1]["label"] == "in combination" and rows[0]["label"] == "not relevant"
    assert "1 March 2004" in rows[0]["flag"]
    assert "own application's family" in rows[2]["flag"]
    frame = pd.read_csv(io.StringIO(to_csv(session)), keep_default_na=False)
    assert frame["grade"].tolist()[:5] == ["", "Y", "A", "", "X"]
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(session)))
    head = [cell.value for cell in book["Documents"][1]]
    assert book["Documents"].cell(3, head.index("grade") + 1).value == "Y"
    boxes = {row[0].value: row[1].value for row in book["PRISMA"].iter_rows(min_row=2)}
    grades = {name[-2]: count for name, count in boxes.items() if name.endswith(("(X)", "(Y)", "(A)"))}
    assert grades == {"X": 1, "Y": 1, "A": 1} and boxes["Records excluded: no hinge"] == 1
    assert boxes[LEFT_OUT] == 2 and boxes["Records screened"] == 5
    told = {row[0].value: row[1].value for row in book["Settings"].iter_rows(min_row=2)}
    assert told["Prior art must precede"] == "1 March 2004" and told["Application"] == "EP1234567"


def test_ris_names_the_grade_and_only_x_leaves_as_relevant(store: Store, tmp_path: Path) -> None:
    session = session_snapshot(store, a_graded_session(store))
    text = to_ris(session)
    noted = [line for line in text.splitlines() if line.startswith("N1  - TARstop: ")]
    assert noted[1].endswith("Y, in combination, rank 2")
    assert noted[3].endswith("not relevant (no hinge), rank 4")
    assert noted[4].endswith("X, relevant with rank 2, rank 5")
    (tmp_path / "out.ris").write_text(text, encoding="utf-8")
    labels = read_records(tmp_path / "out.ris").frame["label"].tolist()[:5]
    assert labels == ["not relevant", "", "", "not relevant", "relevant"]
    assert to_ris(session, relevant_only=True).count("TY  - ") == 3


def test_the_report_shows_grades_flags_and_reasons(store: Store) -> None:
    page = report_html(session_snapshot(store, a_graded_session(store)))
    for words in (
        "In combination (Y)",
        "Background (A)",
        "with rank 2",
        "no hinge",
        "1 relevant (X), 1 Y, 1 A",
    ):
        assert words in page
    assert "cannot be prior art" in page


def test_sessions_beside_each_other_count_grades(store: Store) -> None:
    first = a_graded_session(store)
    row = store.session(first)
    again = duplicate(store, first, row.settings, "again")
    wholes = [session_snapshot(store, first), session_snapshot(store, again)]
    assert wholes[1].state.reasons == ("no hinge",) and wholes[1].state.together == {4: 1}
    assert dict(comparison(wholes))["In combination (Y)"] == ["1", "1"]
    assert np.array_equal(wholes[0].state.labels, wholes[1].state.labels)


def test_a_session_with_grades_leaves_and_enters_byte_for_byte(store: Store, tmp_path: Path) -> None:
    for session in (a_graded_session(store), a_patent_session(store)):
        text = export_session(store, session)
        with Store(f"sqlite:///{tmp_path}/{session}.db") as other:
            taken = import_session(other, text)
            assert before_import(export_session(other, taken)) == text
            state = session_snapshot(other, taken).state
            assert np.array_equal(state.labels, session_snapshot(store, session).state.labels)


def test_a_session_file_from_before_grades_is_taken_in(store: Store, tmp_path: Path) -> None:
    """Neither its settings nor its labels name anything that came with grades."""
    text = export_session(store, a_patent_session(store))
    content = json.loads(text)
    assert "application" not in content["settings"]
    assert {key for event in content["log"] if event["kind"] == "label" for key in event["payload"]} == {
        "doc",
        "label",
    }
    with Store(f"sqlite:///{tmp_path}/old.db") as other:
        taken = import_session(other, text)
        assert session_snapshot(other, taken).state.hit == 12
        assert before_import(export_session(other, taken)) == text


def test_the_trace_is_the_one_of_documents_that_did_not_settle() -> None:
    events = [replace(event, seq=at) for at, event in enumerate(GRADED, start=1)]
    plain = [
        replace(event, payload={**event.payload, "label": "irrelevant"}) if event.kind == "label" else event
        for event in events
    ]
    one, other = (trace(START, {PATENT.digest: PATENT}, IDS, None, each) for each in (events, plain))
    for row, same in zip(one, other, strict=True):
        numbers = ("p", "h", "b", "rho", "evpi", "worth", "more_if_nothing", "settles")
        assert [row[name] for name in numbers] == [same[name] for name in numbers]
    assert state_of(*GRADED).labels[:5].tolist() == [
        IRRELEVANT,
        COMBINATION,
        BACKGROUND,
        IRRELEVANT,
        COMBINATION,
    ]


@given(
    st.lists(st.sampled_from(["irrelevant", "unsure", "relevant", "combination", "background"]), max_size=N)
)
def test_the_boxes_of_a_patent_session_add_up(kinds: list[str]) -> None:
    counts = prisma([], 3, state_of(*(label(at, kind) for at, kind in enumerate(kinds))), left_out=2)
    graded = sum(count for _, count in counts.graded)
    assert counts.screened == counts.excluded + counts.unsure + counts.sought + graded
    assert (
        counts.identified[0][1] - counts.duplicates - counts.left_out == counts.screened + counts.unscreened
    )
