"""No label is without a name unless a person said so, and the browser keeps the name."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.screen.page import ASKED_NAME
from tarstop_core.sessions.store.store import Store
from tests.session_cases import START, N, a_collection

Open = Callable[..., AppTest]


@pytest.fixture
def session(store: Store, cookies: dict[str, str]) -> str:
    """One on documents that are no sample, and nobody has said who reads."""
    cookies.clear()
    held = store.collection(a_collection(store))
    frame = store.records(held.id)
    real = store.save_collection("Real", frame, list(held.files), 3)
    return store.create_session("Real", real, list(range(N)), None, START, "a hinge", "own order")


def names(store: Store, session: str) -> list[str]:
    return [event.reviewer for event in store.events(session) if event.kind == "label"]


def label(page: AppTest) -> None:
    next(each for each in page.button if each.label == "Not relevant").click().run()


def labels(page: AppTest) -> set[str]:
    return {each.label for each in page.button}


def test_a_name_is_asked_for_once_before_the_first_label(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    assert "Not relevant" not in labels(page) and {"OK", "Without a name"} <= labels(page)
    page.button("whose_on").click().run()
    assert "Not relevant" not in labels(page)
    page.text_input(ASKED_NAME).set_value(" Ann <b> ").run()
    for _ in range(2):
        label(page)
    assert names(store, session) == ["Ann <b>"] * 2
    assert any('data-reviewer="Ann &lt;b&gt;"' in each.proto.body for each in page.get("html"))


def test_without_a_name_is_a_press(open_app: Open, store: Store, session: str) -> None:
    page = open_app("screen", session=session)
    page.button("nameless").click().run()
    label(page)
    assert names(store, session) == [""] and "Without a name" not in labels(page)
    assert any('data-reviewer=" "' in each.proto.body for each in page.get("html"))


def test_the_browser_keeps_that_no_name_was_given(
    open_app: Open, store: Store, session: str, cookies: dict[str, str]
) -> None:
    cookies["tarstop_reviewer"] = "%20"
    page = open_app("screen", session=session)
    label(page)
    assert names(store, session) == [""]


def test_the_name_that_the_browser_kept_is_used(
    open_app: Open, store: Store, session: str, cookies: dict[str, str]
) -> None:
    cookies["tarstop_reviewer"] = "Ann%20%3Cb%3E"
    page = open_app("screen", session=session)
    label(page)
    assert names(store, session) == ["Ann <b>"]
    assert open_app("set_up").text_input("set_up/reviewer").value == "Ann <b>"
