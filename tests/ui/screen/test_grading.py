"""Grades, flags, own reasons and highlighting on the pages, without a browser."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.document import flags_html
from tarstop_core.documents.application import Application, Flag
from tarstop_core.documents.records import as_records
from tarstop_core.screening import record_message
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tests.session_cases import IDS, INCLUSION, PATENT, REVIEW, START, before_import
from tests.ui.screen.test_page import ask_why, button, html_of, more, press, unfold_stakes
from tests.ui.set_up import cases
from tests.ui.set_up.cases import FILES

Open = Callable[..., AppTest]
MINE = Application("EP3456789", "2018-03-03", family="7")
SEARCH = (
    "search URL:,https://patents.example/?q=mast\n"
    "id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,result link,"
    "representative figure link,family id\n"
    "EP-1000001-A1,Foldable mast,A,B,1997-01-01,1998-01-01,1999-01-02,,https://x.example/1,,1\n"
    "EP-3456789-A1,Antenna mast,A,B,2018-03-03,2018-03-03,2019-09-04,,https://x.example/2,,7\n"
    "US-2000000001-A1,Kettle,A,B,2018-01-01,2018-01-01,2019-05-12,,https://x.example/3,,3\n"
    "US-2000000002-A1,Mast with hinge,A,B,2017-01-01,2017-01-01,2018,,https://x.example/4,,4\n"
)
LATE = (
    "US-2000000003-A1,Mast in two parts,C,D,2018-05-01,2018-05-02,2019-01-01,,https://x.example/5,,5\n"
    "US-2000000004-A1,Mast in three parts,C,D,,,2019-01-01,,https://x.example/6,,6\n"
)


@pytest.fixture
def start(store: Store) -> Callable[..., str]:
    """A session on nine documents; some flagged where an application is named."""

    def make(settings: Settings = START, **changes: object) -> str:
        frame = as_records(
            {
                "id": IDS[:9],
                "title": [f"Folded mast {at}" for at in range(9)],
                "abstract": ["It folds about hinges; the Gerät $x$ <b> stays."] * 9,
                "date": ["2017-01-01", "2019-05-12", "2018", "2001-01-01", "1999", *["2000"] * 4],
                "publication_number": [f"US{1000000 + at}A1" for at in range(9)],
                "family": ["1", "2", "3", "7", "5", *["6"] * 4],
            }
        )
        store.save_calibrator(PATENT)
        store.save_calibrator(INCLUSION)
        collection = store.save_collection("Masts", frame, [], 0)
        settings = replace(settings, **changes)
        return store.create_session(
            "M", collection, list(range(9)), None, settings, "fold a hinge, Gerat", "own"
        )

    return make


def flagged(**counts: int) -> list[str]:
    """The lines that say how many documents of a list have which flags."""
    kinds = ("own", "own_unknown", "late", "unsure", "earlier", "unclear")
    return record_message.paragraphs("flagged", **dict.fromkeys(kinds, 0) | counts)


def define(page: AppTest, reasons: str) -> None:
    next(each for each in page.text_area if "one a line" in each.label).set_value(reasons)


def state_of(store: Store, session: str):
    row = store.session(session)
    return replay(row.settings, row.ids, store.events(session))


def test_y_and_a_are_stored_counted_and_decide_nothing(open_app: Open, store: Store, start) -> None:
    session = start()
    page = open_app("screen", session=session)
    press(page, "In combination")
    press(page, "Background")
    press(page, "Not relevant")
    assert "3 of 9 screened" in html_of(page) and "· 1 Y · 1 A" in html_of(page)
    assert "CONFIRM" not in html_of(page)
    press(page, "Earlier")
    press(page, "Earlier")
    press(page, "Earlier")
    assert "you said: Y" in html_of(page)
    press(page, "Settles it")
    assert "CONFIRM IT" in html_of(page)
    press(page, "It does not")
    assert state_of(store, session).combination.tolist() == [0]


def test_two_y_settle_it_together_with_a_note(open_app: Open, store: Store, start) -> None:
    session = start()
    page = open_app("screen", session=session)
    press(page, "In combination")
    assert not [each for each in page.button if each.label == "They settle it together"]
    press(page, "Background")
    press(page, "In combination")
    assert page.selectbox("together_first").options == ["Y · #1 · Folded mast 0", "Y · #3 · Folded mast 2"]
    note = "Same hinge, said to be swapped"
    page.text_input("together_note").set_value(note)
    press(page, "They settle it together")
    assert "#3 together with #1" in html_of(page)
    press(page, "Undo")
    state = state_of(store, session)
    assert not state.notes and not state.together, "one undo takes back the verdict and its note"
    page.text_input("together_note").set_value(note)
    press(page, "They settle it together")
    press(page, "It holds")
    state = state_of(store, session)
    assert state.hit == 3 and state.together == {2: 0}
    assert state.notes[IDS[2]] == f"With #1: {note}"
    assert "FOUND" in html_of(page)


def test_a_flagged_document_is_asked_about_before_it_becomes_a_hit(
    open_app: Open, store: Store, start
) -> None:
    session = start(application=MINE)
    page = open_app("screen", session=session)
    assert 'class="tar-flag"' not in html_of(page)
    press(page, "Not relevant")
    assert "12 May 2019" in html_of(page) and "3 March 2018" in html_of(page)
    assert "keeps its chance" in html_of(page)
    press(page, "Settles it")
    assert state_of(store, session).depth == 1, "nothing is stored yet"
    assert "is published too late" in html_of(page)
    press(page, "Back")
    press(page, "Settles it")
    press(page, "It is X anyway")
    event = store.events(session)[-1]
    assert event.payload["label"] == "relevant" and event.payload["despite"].startswith(
        "published 12 May 2019"
    )
    press(page, "It does not")
    assert "which may be before" in html_of(page)
    press(page, "Settles it")
    assert state_of(store, session).relevant == 1, "a date that does not tell is not asked about"
    assert "which may be before" in html_of(page), "it stays until it is confirmed, and for its note"
    press(page, "Confirm later")
    assert "own application&#39;s family" in html_of(page)
    press(page, "Settles it")
    press(page, "Background")
    assert state_of(store, session).background.tolist() == [3]


def test_what_two_flags_have_in_common_is_said_once() -> None:
    own, late = Flag("own", "of the family"), Flag("late", "published too late")
    assert flags_html([own, late]).count("keeps its place") == 1
    unsure = flags_html([own, replace(late, certain=False)])
    assert "keeps its place" in unsure and "earlier filing may count" in unsure


def test_a_flagged_hit_is_remembered_when_it_decides(open_app: Open, store: Store, start) -> None:
    page = open_app("screen", session=start(application=MINE))
    press(page, "Not relevant")
    press(page, "Settles it")
    press(page, "It is X anyway")
    assert button(page, "Stop and decide").proto.type == "tertiary", "the hit is to be settled first"
    press(page, "It holds")
    assert re.search("hit is flagged.* #2: published 12 May 2019", html_of(page))
    assert button(page, "Stop and decide").proto.type == "primary"
    press(page, "Stop and decide")
    assert any("The hit is flagged" in each.value for each in page.warning)


def test_the_application_can_be_named_while_screening(open_app: Open, store: Store, start) -> None:
    session = start()
    page = more(unfold_stakes(open_app("screen", session=session)))
    press(page, "Register this as my plan")
    press(page, "Your application: number and date")
    number = next(each for each in page.text_input if each.label == "Its number")
    number.set_value("US1000003").run()
    dated = next(each for each in page.text_input if each.label == "Priority date")
    dated.set_value("31 February 2018").run()
    assert "day that does not exist" in page.error[0].value.replace("\\", "")
    next(each for each in page.text_input if each.label == "Priority date").set_value("3 March 2018").run()
    assert button(page, "Save").disabled, "with a plan it is a deviation and needs a reason"
    next(each for each in page.text_input if "deviate" in each.label).set_value("Priority found").run()
    press(page, "Save")
    application = state_of(store, session).settings.application
    assert application == Application("US1000003", "2018-03-03", family="7")
    assert len(state_of(store, session).deviations) == 1
    assert any("→ US1000003, 3 March 2018." in c.value.replace("\\", "") for c in page.caption)


def test_set_up_flags_and_sets_aside(open_app: Open, store: Store, tmp_path: Path) -> None:
    page = open_app("set_up")
    page.radio("set_up/documents/source").set_value("upload").run()
    page.file_uploader(FILES).upload("gp-search.csv", SEARCH.encode())
    page.run()
    page.text_input("set_up/application/number").set_value("EP 3 456 789").run()
    page.text_input("set_up/application/priority").set_value("3 March 2018").run()
    assert not page.exception
    shown = html_of(page)
    for line in flagged(own=1, earlier=1, unclear=1):
        assert line in shown
    assert all(line not in shown for line in flagged(late=1, unsure=1))
    aside = record_message("set_aside", late=0, own=1)
    said = [each.value for each in page.markdown if "Set aside before reading" in each.value]
    assert said == [f"**Set aside before reading**: {aside}"]
    assert "EP-3456789-A1 · Antenna mast:" in shown
    next(each for each in page.radio if each.label.startswith("In which order")).set_value("own").run()
    assert "3 documents" in html_of(page)
    assert "⚑ filed 1 January 2018" in html_of(page), "in the preview"
    cases.start(page)
    assert not page.exception
    (summary,) = store.sessions()
    row, state = store.session(summary.id), state_of(store, summary.id)
    assert state.ids_as_read(row.ids) == ("EP-1000001-A1", "US-2000000001-A1", "US-2000000002-A1")
    assert list(state.aside) == ["EP-3456789-A1"] and summary.documents == 3
    assert row.settings.application == Application("EP 3 456 789", "2018-03-03", "7", 0, "A")
    assert record_message("set_aside_first", aside=aside) in row.ranking
    text = export_session(store, summary.id)
    with Store(f"sqlite:///{tmp_path}/other.db") as other:
        assert before_import(export_session(other, import_session(other, text))) == text
    page = open_app("screen", session=summary.id)
    shown = html_of(page)
    facts = re.sub('<span class="tar-fact">(.*?)</span>', r"\1", shown)
    dated = " · ".join(("EP-1000001-A1", "priority 1997-01-01", "filed 1998-01-01", "published 1999-01-02"))
    assert f"{dated} · A · B" in facts
    assert 'href="https://x.example/1" target="_blank" rel="noopener noreferrer">open' in shown
    press(page, "Not relevant")
    assert "(Art. 54(3) EPC; in the US" in html_of(page)
    press(page, "Settles it")
    assert "is an earlier filing" in html_of(page)
    press(page, "It is X anyway")
    assert store.events(summary.id)[-1].payload["despite"].startswith("filed 1 January 2018, before your")


def test_set_up_counts_each_flagged_document_once(open_app: Open) -> None:
    page = open_app("set_up")
    page.radio("set_up/documents/source").set_value("upload").run()
    page.file_uploader(FILES).upload("gp-search.csv", (SEARCH + LATE).encode())
    page.run()
    page.text_input("set_up/application/number").set_value("EP 3 456 789").run()
    page.text_input("set_up/application/priority").set_value("3 March 2018").run()
    shown = html_of(page)
    for line in flagged(own=1, late=1, unsure=1):
        assert line in shown
    said = [each.value for each in page.markdown if "Set aside before reading" in each.value]
    assert said == [f"**Set aside before reading**: {record_message('set_aside', late=1, own=1)}"]


def test_reasons_are_defined_pressed_and_renamed(open_app: Open, store: Store, start) -> None:
    session = start()
    page = more(open_app("screen", session=session))
    press(page, "Reasons to exclude")
    (field,) = [each for each in page.text_area if "one a line" in each.label]
    assert field.placeholder.startswith("for example:\n") and not field.value
    define(page, "no hinge\nanother field *x*")
    press(page, "Save the reasons")
    press(page, "no hinge")
    assert state_of(store, session).excluded_for == {0: "no hinge"}
    press(page, "Reasons to exclude (2)")
    next(each for each in page.text_input if each.label == "Reason 1, given 1×").set_value("lacks a hinge")
    press(page, "Save the reasons")
    assert state_of(store, session).excluded_for == {0: "lacks a hinge"}
    press(page, "Reasons to exclude (2)")
    press(page, "Save the reasons")
    assert "nothing was recorded" in page.error[0].value.replace("\\", "")


def test_a_report_is_excluded_with_one_press(open_app: Open, store: Store, start) -> None:
    session = start(REVIEW)
    page = more(open_app("screen", session=session))
    press(page, "Reasons to exclude")
    define(page, "wrong test")
    press(page, "Save the reasons")
    press(page, "wrong test")
    press(page, "Include")
    press(page, "Read the next report")
    press(page, "wrong test")
    state = state_of(store, session)
    assert state.excluded_for == {0: "wrong test"} and state.read_in_full[1].reason == "wrong test"
    press(page, "Undo")
    assert state_of(store, session).waiting.tolist() == [1]


def test_words_are_marked_in_their_forms_and_can_be_left_unmarked(open_app: Open, start) -> None:
    page = ask_why(open_app("screen", session=start()))
    shown = html_of(page)
    for word in ("Folded", "folds", "hinges", "Gerät"):
        assert f"<mark>{word}</mark>" in shown
    assert "&lt;b&gt;" in shown
    page.toggle("mark_words").set_value(False).run()
    assert "<mark>" not in html_of(page)
    press(page, "Not relevant")
    assert "<mark>" not in html_of(page)


def test_a_note_survives_the_grade(open_app: Open, store: Store, start) -> None:
    session = start()
    page = open_app("screen", session=session)
    press(page, "Note")
    page.text_area[0].set_value("See figure 2").run()
    press(page, "In combination")
    assert state_of(store, session).notes == {IDS[0]: "See figure 2"}
    assert [event.kind for event in store.events(session)] == ["note", "label"]


def test_an_old_log_shows_its_hits_as_x(open_app: Open, store: Store, start) -> None:
    session = start()
    store.append(session, Event("label", {"doc": IDS[0], "label": "relevant"}), expected=0)
    page = open_app("screen", session=session)
    assert "· 1 to be confirmed" in html_of(page) and "CONFIRM IT" in html_of(page)


def test_what_is_set_aside_can_be_kept_on_set_up_and_returned_later(open_app: Open, store: Store) -> None:
    page = open_app("set_up")
    page.radio("set_up/documents/source").set_value("upload").run()
    page.file_uploader(FILES).upload("gp-search.csv", SEARCH.encode())
    page.run()
    page.text_input("set_up/application/number").set_value("EP3456789").run()
    page.text_input("set_up/application/priority").set_value("3 March 2017").run()
    (keep,) = [each for each in page.multiselect if each.label == "Keep in the list anyway"]
    assert keep.options == [
        "EP-3456789-A1 · Antenna mast",
        "US-2000000001-A1 · Kettle",
    ]
    keep.set_value(["US-2000000001-A1"]).run()
    next(each for each in page.radio if each.label.startswith("In which order")).set_value("own").run()
    assert "3 documents" in html_of(page)
    cases.start(page)
    (summary,) = store.sessions()
    begun = OpenSession.load(store, summary.id)
    begun.register_plan(begun.state.seq)
    page = more(open_app("screen", session=summary.id))
    press(page, "Not relevant")
    press(page, "1 set aside")
    (back,) = [each for each in page.multiselect if each.label == "Return to the list"]
    back.set_value(["EP-3456789-A1"]).run()
    (why,) = [each for each in page.text_input if each.label == "Why do you deviate from the plan?"]
    why.set_value("Perhaps filed earlier").run()
    press(page, "Save")
    assert store.events(summary.id)[-1].payload["reason"] == "Perhaps filed earlier"
    state = state_of(store, summary.id)
    ids = state.ids_as_read(store.session(summary.id).ids)
    assert ids[1] == "EP-3456789-A1" and not state.aside, "at its place, which comes next"
    assert store.sessions()[0].documents == 4


def test_a_dismissed_document_of_the_own_family_is_set_aside_and_the_chance_is_what_it_was(
    open_app: Open, store: Store, start
) -> None:
    session = start()
    page = more(open_app("screen", session=session))
    chance = OpenSession.load(store, session).advice(START).b
    for _ in range(4):
        press(page, "Not relevant")
    assert OpenSession.load(store, session).advice(START).b < chance - 0.02
    press(page, "Your application: number and date")
    next(each for each in page.text_input if each.label == "Its number").set_value("US1000003").run()
    next(each for each in page.text_input if each.label == "Priority date").set_value("1 January 1990").run()
    (asked,) = [each for each in page.toggle if each.label.startswith("Set aside")]
    assert "1 document" in asked.label and "(1 read already)" in asked.label and asked.value
    press(page, "Save")
    state = state_of(store, session)
    assert list(state.aside_read) == [3], (
        "the others may be earlier filings: their file dates them by publication alone"
    )
    assert store.sessions()[0].documents == 9


def test_one_press_sets_the_flagged_document_aside_and_another_returns_it(
    open_app: Open, store: Store, start
) -> None:
    session = start(application=MINE)
    page = open_app("screen", session=session)
    for _ in range(3):
        press(page, "Not relevant")
    before = OpenSession.load(store, session).advice(START).b
    press(page, "Set aside")
    opened = OpenSession.load(store, session)
    assert list(opened.state.aside) == ["d3"] and opened.row.ids[3] == "d4"
    press(page, "Not relevant")
    press(page, "Earlier")
    press(page, "Earlier")
    press(page, "Earlier")
    press(page, "Set aside")
    after = OpenSession.load(store, session)
    assert list(after.state.aside_read) == [1] and "set aside: no evidence" in html_of(page)
    assert after.advice(START).b > before * 0.9
    press(page, "Return to the evidence")
    assert not state_of(store, session).aside_read


def test_after_a_plan_setting_aside_and_returning_ask_why(open_app: Open, store: Store, start) -> None:
    session = start(application=MINE)
    begun = OpenSession.load(store, session)
    begun.register_plan(begun.state.seq)
    page = open_app("screen", session=session)
    assert "plan registered</span>" in html_of(page)
    for _ in range(3):
        press(page, "Not relevant")
    press(page, "Set aside")
    assert not state_of(store, session).aside and button(page, "Save").disabled
    (why,) = [each for each in page.text_input if each.label == "Why do you deviate from the plan?"]
    why.set_value("Published in May").run()
    press(page, "Save")
    event = store.events(session)[-1]
    assert (event.kind, event.payload["reason"]) == ("set_aside", "Published in May")
    assert "plan registered, deviated from" in html_of(page)


def test_what_is_set_aside_in_a_deleted_session_is_said_to_be_kept_and_counts_later(
    open_app: Open, store: Store, start
) -> None:
    session = start(application=MINE)
    page = open_app("screen", session=session)
    for _ in range(3):
        press(page, "Not relevant")
    store.delete_session(session)
    press(page, "Set aside")
    assert not page.toast and "kept in this window" in html_of(page)
    store.restore_session(session)
    page.run()
    assert list(state_of(store, session).aside) == ["d3"]
