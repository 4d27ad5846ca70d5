"""The Sessions page without a browser: find, put away and bring back, try other settings, take elsewhere."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame import widgets
from dashboard.parts import jobs
from dashboard.sessions import page as sessions_page
from tarstop_core.documents.records import as_records
from tarstop_core.evaluation import worker
from tarstop_core.presentation.numbers import unbroken
from tarstop_core.screening import record_message
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.compare import duplicate, outcome, outcome_sentence
from tarstop_core.sessions.demo import start_demo, start_review_demo
from tarstop_core.sessions.export import document_rows, to_ris, to_xlsx
from tarstop_core.sessions.file import export_session
from tarstop_core.sessions.joining import join
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.listing import counts_in_words
from tarstop_core.sessions.store.store import Store
from tests.session_cases import (
    IDS,
    INCLUSION,
    REVIEW,
    START,
    N,
    a_collection,
    before_import,
    change,
    label,
    log,
)
from tests.sessions.test_several_options import a_session

Open = Callable[..., AppTest]


def shown(app: AppTest) -> str:
    assert not app.exception
    parts = [*app.get("html"), *app.caption, *app.info, *app.warning, *app.error, *app.markdown]
    return " ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts).replace("\\", "")


def downloads(app: AppTest) -> list[str]:
    return [each.label for each in app.get("download_button")]


def rows(app: AppTest) -> list[str]:
    """Ids of the sessions on the list."""
    return [each.key.removeprefix("details-") for each in app.button if str(each.key).startswith("details-")]


@pytest.fixture
def screened(store: Store) -> str:
    """A demo session with twelve documents read and none found."""
    session = start_demo(store)
    ids = store.session(session).ids
    for at in range(12):
        store.append(session, Event("label", {"doc": ids[at], "label": "irrelevant"}), expected=at)
    store.append(session, Event("note", {"doc": ids[0], "text": "=1+1 <b> $x$"}), expected=12)
    return session


def test_documents_join_from_a_file(open_app: Open, store: Store) -> None:
    frame = as_records({"id": ["a", "b"], "title": ["Hip", "Knee"]})
    collection = store.save_collection("Mine", frame, [{"source": "a.csv", "records": 2}], 0)
    store.save_calibrator(INCLUSION)
    session = store.create_session(
        "Mine", collection, [0, 1], None, REVIEW, "hip", "In the list's own order."
    )
    page = open_app("sessions", session=session)
    page.session_state["session_detail/tab"] = "Add documents"
    page.run()
    key = f"session_detail/join/{session}/0"
    page.file_uploader(f"{key}/file").set_value(("x.csv", b"a,b", "text/csv")).run()
    assert "x.csv" in shown(page) and store.events(session) == []
    assert f"{key}/add" not in [each.key for each in page.button]
    added = ("b.csv", b"id,title,label,fee\na,Hip,,\nc,<Hips>,relevant,3", "text/csv")
    page.file_uploader(f"{key}/file").set_value(added).run()
    said = shown(page)
    joined = record_message("joined", documents=1, source="b.csv", duplicates=1, alike=0)
    assert f"Would join: {joined}." in said and "<li>&lt;Hips&gt;</li>" in said
    assert "of 1 document are not" in said and store.events(session) == []
    assert page.dataframe[0].value["used as"].tolist() == ["identifier", "title", "label", "not read"]
    page.text_input(f"{key}/database").set_value("Embase").run()
    page.button(f"{key}/add").click().run()
    assert "0 of 3 screened" in shown(page) and not page.file_uploader(f"{key[:-1]}1/file").value
    assert page.toast[0].value.replace("\\", "") == f"Joined later: {joined}."
    [event] = store.events(session)
    assert event.payload["docs"] == ["c"] and event.payload["duplicates"] == 1
    assert store.collection(store.session(session).collection_id).files[1]["database"] == "Embase"

    assert f"Last joined: {joined}." in shown(page)
    page.button(f"{key[:-1]}1/part").click().run()
    assert "1 document of b.csv." in page.toast[0].value.replace("\\", "")
    assert "0 of 2 screened" in shown(page) and not page.file_uploader(f"{key}/file").value
    assert f"{key}/part" not in [each.key for each in page.button]
    assert len(store.collections()) == 1 and [each.kind for each in store.events(session)] == [
        "joined",
        "parted",
    ]


def test_what_joined_says_which_other_it_may_be_where_it_is_read(open_app: Open, store: Store) -> None:
    title = "Sound and sight of the infant hip"
    frame = as_records({"id": ["a"], "title": [title], "date": ["2001"]})
    collection = store.save_collection("Mine", frame, [{"source": "a.csv", "records": 1}], 0)
    store.save_calibrator(INCLUSION)
    how = "In the list's own order."
    session = store.create_session("Mine", collection, [0], None, REVIEW, "hip", how)
    join(store, session, f"id,title,date\nb<,{title},2002".encode(), "b.csv")
    store.append(session, Event("label", {"doc": "a", "label": "irrelevant"}), expected=1)
    said = " ".join(each.proto.body for each in open_app("screen", session=session).get("html"))
    assert f"perhaps the same as #1 “{title}”<" in said.replace("\u00a0", " ").replace("&nbsp;", " ")


def test_an_empty_list_says_what_to_do(open_app: Open, store: Store) -> None:
    page = open_app("sessions")
    assert "no sessions here yet" in shown(page)
    page.button("sessions/demo").click().run()
    assert len(store.sessions()) == 1


def test_sessions_are_found_by_words_and_by_state(open_app: Open, store: Store, screened: str) -> None:
    review = start_review_demo(store)
    page = open_app("sessions")
    assert set(rows(page)) == {screened, review}
    assert "12 of 312 screened" in shown(page) and "unsure" not in shown(page)
    store.append(screened, Event("relabel", {"doc": store.session(screened).ids[3], "label": "unsure"}), 13)
    page.run()
    assert '12 of 312 screened</span>\u00a0· <span class="tar-fact">1 unsure<' in shown(page)
    page.text_input("sessions/search").set_value("ULTRASOUND").run()
    assert rows(page) == [review]
    page.text_input("sessions/search").set_value("nothing like it").run()
    assert rows(page) == [] and "contains these words" in shown(page)
    page.text_input("sessions/search").set_value("").run()
    store.append(screened, Event("stopped", {"advice": "stop", "depth": 12}), expected=14)
    page.segmented_control("sessions/state").set_value("stopped").run()
    assert rows(page) == [screened]
    page.segmented_control("sessions/state").set_value("open").run()
    assert rows(page) == [review]


def test_what_is_deleted_comes_back_with_undo_and_later(open_app: Open, store: Store, screened: str) -> None:
    before = export_session(store, screened)
    page = open_app("sessions")
    page.button(f"delete-{screened}").click().run()
    assert rows(page) == [] and "was deleted" in shown(page)
    assert not store.sessions() and [each.id for each in store.sessions(deleted=True)] == [screened]
    page.button("sessions/undo/press").click().run()
    assert rows(page) == [screened] and export_session(store, screened) == before

    page.button(f"delete-{screened}").click().run()
    later = open_app("sessions")
    later.segmented_control("sessions/state").set_value("deleted").run()
    later.button(f"back-{screened}").click().run()
    later.segmented_control("sessions/state").set_value("all").run()
    assert rows(later) == [screened]


def test_what_is_deleted_for_good_is_gone_after_saying_what_goes(
    open_app: Open, store: Store, screened: str
) -> None:
    store.delete_session(screened)
    page = open_app("sessions")
    page.segmented_control("sessions/state").set_value("deleted").run()
    assert "13 entries and its 312 documents" in shown(page)
    page.button(f"purged-{screened}").click().run()
    assert not page.exception and "is deleted" in page.toast[0].value
    assert store.sessions(deleted=True) == [] and store.collections() == []


def test_a_damaged_session_takes_no_page_down_and_can_be_deleted(
    open_app: Open, store: Store, screened: str
) -> None:
    change(store, "session", "created = '9999-12-31T23:59:59.999-14:00'")
    fine = start_review_demo(store)
    assert "1 entry in the database" in shown(open_app("home"))
    page = open_app("sessions")
    assert rows(page) == [fine] and "is not a time" in shown(page)
    page.button(f"discard-{screened}").click().run()
    assert not page.error and store.damaged() == []


def test_archiving_and_renaming(open_app: Open, store: Store, screened: str) -> None:
    page = open_app("sessions")
    page.text_input(f"name-{screened}").set_value("Better *name*").run()
    assert store.session(screened).name == "Better *name*" and "Better *name*" in shown(page)
    page.button(f"archive-{screened}").click().run()
    assert rows(page) == [] and store.session(screened).archived
    page.segmented_control("sessions/state").set_value("archived").run()
    page.button(f"back-{screened}").click().run()
    assert not store.session(screened).archived


def test_resume_opens_the_screen_page(open_app: Open, screened: str) -> None:
    page = open_app("sessions")
    page.button(f"resume-{screened}").click().run()
    assert not page.exception and page.query_params["session"] == screened
    assert "12 of 312 screened" in shown(page)


def test_other_settings_say_where_it_would_have_stopped(open_app: Open, store: Store, screened: str) -> None:
    page = open_app("sessions", session=screened)
    page.session_state["session_detail/tab"] = "Other settings"
    page.run()
    whole = session_snapshot(store, screened)
    settings = whole.state.settings
    assert unbroken(outcome_sentence(outcome(whole, settings), settings)) in shown(page)

    key = f"session_detail/tried/{screened}"
    page.selectbox(f"{key}/rule").set_value("budget:d=100").run()
    page.slider(f"{key}/b_0").set_value(0.2).run()
    tried = replace(settings, policy="budget:d=100", b_0=0.2)
    said = unbroken(outcome_sentence(outcome(whole, tried), tried))
    assert "would stop after 100" in said and said in shown(page)
    assert "Starting chance (b₀): 50\u00a0% → 20\u00a0%" in shown(page)

    page.button("session_detail/duplicate").click().run()
    [made] = [each.id for each in store.sessions() if each.id != screened]
    row, original = store.session(made), store.session(screened)
    assert row.settings == tried and row.ids == original.ids and row.digest == original.digest
    state = replay(row.settings, row.ids, store.events(made))
    assert state.depth == 12 and state.notes == whole.state.notes and state.plan is None
    assert page.query_params["session"] == made
    assert session_snapshot(store, screened).state.settings == settings


def test_the_threshold_slider_moves_the_replay(open_app: Open, store: Store, screened: str) -> None:
    page = open_app("sessions", session=screened)
    page.session_state["session_detail/tab"] = "Other settings"
    page.run()
    key = f"session_detail/tried/{screened}"
    page.slider(f"{key}/stakes/q").set_value(0.8).run()
    tried = page.session_state[key]
    assert abs(tried.payoffs.q_star - 0.8) < 1e-9
    whole = session_snapshot(store, screened)
    assert unbroken(outcome_sentence(outcome(whole, tried), tried)) in shown(page)


def test_flow_diagram_and_protocol(open_app: Open, screened: str) -> None:
    page = open_app("sessions", session=screened)
    page.session_state["session_detail/tab"] = "Flow diagram"
    page.run()
    said = shown(page)
    assert "data:image/svg+xml;base64," in said
    assert "screened yet</th><td>300</td>" in said
    page.session_state["session_detail/tab"] = "Protocol"
    page.run()
    assert "without a registered plan" in shown(page)
    assert "exceeds 50\xa0%" in page.code[0].value


def test_sessions_are_compared(open_app: Open, store: Store, screened: str) -> None:
    review = start_review_demo(store)
    page = open_app("sessions")
    page.multiselect("sessions/compared").set_value([screened, review]).run()
    said = shown(page)
    assert '<th scope="row">Read</th><td>12</td><td>0</td>' in said
    assert "after 12 documents" in said
    assert said.count('class="tar-fluid"') == 1


def test_a_session_names_the_option_that_was_chosen_or_is_the_best_one(open_app: Open, store: Store) -> None:
    decided = a_session(store)
    page = open_app("sessions", session=decided)
    assert "decided: Trial only" in shown(page)
    page = open_app(
        "sessions", session=duplicate(store, decided, session_snapshot(store, decided).state.settings, "Copy")
    )
    assert "now best: Trial only" in shown(page)


def test_out_of_one_store_into_another_is_the_same_file(
    open_app: Open, store: Store, screened: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = export_session(store, screened)
    url = f"sqlite:///{tmp_path}/other.db"
    monkeypatch.setenv("TARSTOP_DATABASE_URL", url)
    page = open_app("sessions")
    assert rows(page) == []
    page.file_uploader("sessions/import").set_value(("mine.json", text.encode(), "application/json")).run()
    with Store(url) as other:
        [arrived] = other.sessions()
        assert before_import(export_session(other, arrived.id)) == text
    assert rows(page) == [arrived.id]


def test_a_file_that_is_no_session_is_refused(open_app: Open, store: Store) -> None:
    page = open_app("sessions")
    page.file_uploader("sessions/import").set_value(("x.json", b"{}", "application/json")).run()
    assert "x.json" in shown(page) and page.error and not store.sessions()
    page.file_uploader("sessions/import").set_value(("y.json", b"\xff\xfe\xff", "application/json")).run()
    assert "y.json is not text" in shown(page)


def test_an_unknown_session_in_the_address_is_said(open_app: Open) -> None:
    page = open_app("sessions", session="nix")
    assert "no session 'nix'" in shown(page)
    assert [title.value for title in page.title] == ["Sessions"]


@pytest.mark.parametrize("settings", [START, REVIEW, replace(REVIEW, stages=1)])
def test_a_session_with_kept_labels_is_used_like_any_other(
    open_app: Open, store: Store, settings: Settings
) -> None:
    order = [4, 1, 2, 7, 0, 3, 5, 6, *range(8, N)]
    labels = {IDS[at]: "relevant" if at == 1 else "irrelevant" for at in order[:4]}
    content = {"source": "a.csv", "labels": labels, "ranks": [2, 5, 9, 30], "notes": {}, "reasons": {}}
    kept = Event("kept", content, seq=1, time="2026-11-21T14:00:00.000+00:00")
    session = store.create_session(
        "Kept", a_collection(store), order, np.linspace(3, 1, N), settings, "a test", "own", events=[kept]
    )
    log(store, session, label(0, "relevant"), label(3, "irrelevant"))
    page = open_app("sessions")
    review = settings.reads_full_texts
    counted = counts_in_words("review", store.events(session)) if review else []
    facts = ["6 of 30 screened", *counted]
    assert all(f'<span class="tar-fact">{fact}</span>' in shown(page) for fact in facts)
    assert bool(counted) == review
    page = open_app("sessions", session=session)
    for tab in ("Flow diagram", "Protocol", "Other settings"):
        page.session_state["session_detail/tab"] = tab
        page.run()
        assert not page.exception and not page.error and [each.value for each in page.title] == ["Kept"]
    page.button("session_detail/duplicate").click().run()
    assert not page.error
    [made] = [each.id for each in store.sessions() if each.id != session]
    whole, again = session_snapshot(store, session), session_snapshot(store, made)
    assert (again.state.kept, again.state.depth) == (4, 6) and again.state.ranked.tolist()[:4] == [
        2,
        5,
        9,
        30,
    ]
    assert document_rows(whole)[0]["kept_from"] == "a.csv" and len(to_xlsx(again)) > 5_000
    assert to_ris(whole).count("TI  - ") == N and "4, from a.csv" in report_html(whole)
    page = open_app("sessions")
    page.multiselect("sessions/compared").set_value([session, made]).run()
    assert '<th scope="row">Read</th><td>6</td><td>6</td>' in shown(page)


def test_what_is_here_already_is_not_imported_again(open_app: Open, store: Store, screened: str) -> None:
    page = open_app("sessions")
    text = export_session(store, screened)
    page.file_uploader("sessions/import").set_value(("mine.json", text.encode(), "application/json")).run()
    name = store.session(screened).name
    assert f"“{name}”, which is already here" in shown(page) and rows(page) == [screened]


def test_a_large_session_is_opened_and_leaves_in_a_process_of_its_own(
    store: Store, screened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_snapshot(store, screened)
    for end, here in jobs.ENDS.items():
        there = worker.run("Mine", jobs.exported, store.reach, screened, end)
        made = here(session)
        if end.endswith(".xlsx"):  # holds the time at which it was written
            assert there.startswith(b"PK")
        else:
            assert there == (made if isinstance(made, bytes) else made.encode())
    text = worker.run("Mine", jobs.exported, store.reach, screened, jobs.SESSION)
    assert text.decode() == export_session(store, screened)
    opened = worker.run("Mine", jobs.in_store, store.reach, session_snapshot, screened)
    assert opened.records.equals(session.records) and opened.steps == session.steps


DIAGRAM = ["SVG", "CSV"]


def test_a_large_export_is_written_first_and_offered_until_something_is_recorded(
    open_app: Open, store: Store, screened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.parts.sessions.LARGE_LIST", 0)
    page = open_app("sessions", session=screened)
    key = f"session_detail/{screened}-documents.csv"
    page.button(f"{key}/write").click().run()
    assert not page.exception and "Now save it" in downloads(page)
    asked, content = page.session_state["session_detail/written"]
    assert asked[0] == key and content == jobs.exported(store.reach, screened, "-documents.csv")
    page.button(f"session_detail/{screened}-documents.ris/write").click().run()
    assert downloads(page) == ["Now save it", *DIAGRAM]  # a tab holds one
    store.rename(screened, "Otherwise")
    page.run()
    assert downloads(page) == DIAGRAM


def test_the_report_of_a_long_session_is_written_first(
    open_app: Open, screened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.parts.sessions.LONG_LOG", 2)
    page = open_app("sessions", session=screened)
    assert "Documents (CSV)" in downloads(page) and "Report (HTML)" not in downloads(page)
    page.button(f"session_detail/{screened}-report.html/write").click().run()
    assert not page.exception and "Now save it" in downloads(page)


def test_a_large_session_file_is_taken_in_from_the_page(
    open_app: Open, store: Store, screened: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = export_session(store, screened)
    url = f"sqlite:///{tmp_path}/other.db"
    monkeypatch.setenv("TARSTOP_DATABASE_URL", url)
    for module in (sessions_page, widgets):
        monkeypatch.setattr(module, "LARGE_FILE", 0)
    page = open_app("sessions")
    page.file_uploader("sessions/import").set_value(("mine.json", text.encode(), "application/json")).run()
    with Store(url) as other:
        assert before_import(export_session(other, other.sessions()[0].id)) == text
    page.file_uploader("sessions/import").set_value(("x.json", b"{}", "application/json")).run()
    assert "x.json" in shown(page) and page.error
