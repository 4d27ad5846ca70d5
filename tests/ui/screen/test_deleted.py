"""Somebody deletes the session that is open here: what is pressed is kept, and counts once the session is back."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.screening.log import Event
from tarstop_core.sessions.demo import start_demo, start_review_demo
from tarstop_core.sessions.store.store import Store
from tests.ui.screen.test_page import html_of, press

Open = Callable[..., AppTest]


@pytest.fixture
def session(store: Store) -> str:
    return start_demo(store, "Ada")


def said(page: AppTest) -> str:
    return html_of(page) + " ".join(each.value for each in (*page.warning, *page.toast))


def kinds(store: Store, session: str) -> list[str]:
    return [event.kind for event in store.events(session) if event.kind != "fit"]


def test_a_label_is_refused_kept_and_taken_in(open_app: Open, store: Store, session: str) -> None:
    page = press(open_app("screen", session=session), "Not relevant")
    store.delete_session(session)
    press(page, "Not relevant")
    assert kinds(store, session) == ["label"]
    assert "This session was deleted" in said(page) and "What you pressed is kept" in said(page)
    assert not {"Not relevant", "Undo", "Stop and decide"} & {each.label for each in page.button}
    press(page, "Bring it back")
    assert kinds(store, session) == ["label", "label"] and not store.sessions(deleted=True)
    assert "is recorded" in said(page) and "was deleted" not in said(page)
    [_, last] = store.events(session)
    assert (last.payload["doc"], last.reviewer) == (store.session(session).ids[1], "Rita")


def test_when_others_bring_it_back_the_press_counts_too(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    store.delete_session(session)
    press(page, "Not relevant")
    store.restore_session(session)
    page.run()
    assert kinds(store, session) == ["label"] and "is recorded" in said(page)


def test_a_press_that_others_were_quicker_with_is_refused_as_ever(
    open_app: Open, store: Store, session: str
) -> None:
    page = open_app("screen", session=session)
    store.delete_session(session)
    press(page, "Not relevant")
    store.restore_session(session)
    doc = store.session(session).ids[0]
    store.append(session, Event("label", {"doc": doc, "label": "relevant"}), 0)
    page.run()
    assert kinds(store, session) == ["label"] and "recorded before your press" in said(page)


def test_a_decision_with_its_reason_is_kept_whole(open_app: Open, store: Store, session: str) -> None:
    page = press(press(open_app("screen", session=session), "Not relevant"), "Stop and decide")
    next(each for each in page.text_input if each.label.startswith("Reason")).set_value("No time left")
    store.delete_session(session)
    press(page, "Record the decision")
    assert kinds(store, session) == ["label"]
    press(page, "Bring it back")
    assert kinds(store, session) == ["label", "stopped", "decided"]
    assert store.events(session)[-1].payload["reason"] == "No time left"


def test_a_deleted_session_says_so_before_anything_is_pressed(open_app: Open, store: Store) -> None:
    session = start_review_demo(store, "Ada")
    store.delete_session(session)
    page = open_app("screen", session=session)
    assert not page.exception and "This session was deleted" in said(page)
    assert "What you pressed" not in said(page) and kinds(store, session) == []
    press(page, "Bring it back")
    assert "Include" in {each.label for each in page.button} and not store.news(session)[1]
