"""On the page: a list that learns, why a document is next, and the switch."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.screening.fold import replay
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tests.sessions.test_learning import IDS, LEARNS, REVIEW, WANTED, begun

Open = Callable[..., AppTest]


def label(page: AppTest, store: Store, session: str) -> str:
    """Press the right answer to the document on the page; which it was."""
    row, events = store.session(session), store.events(session)
    state = replay(row.settings, row.ids, events)
    doc = row.as_read(state).ids[state.depth]
    verdict = "Include" if doc in WANTED else "Exclude"
    next(each for each in page.button if each.label == verdict).click().run()
    assert not page.exception
    return doc


def told(page: AppTest) -> str:
    return next(
        (each.proto.body for each in page.get("html") if 'data-testid="why-next"' in each.proto.body), ""
    )


def test_the_list_learns_and_says_why(open_app: Open, store: Store) -> None:
    session = begun(store, features=False)
    page = open_app("screen", session=session)
    assert "nothing has been learned from labels yet" in told(page)
    read = [label(page, store, session) for _ in range(6)]
    assert read[0] == IDS[0] and len(WANTED.intersection(read)) >= 4
    said = told(page)
    assert "because of your labels: " in said and "hip" in said
    assert "own order" in said
    document = next(each.proto.body for each in page.get("html") if "<article>" in each.proto.body)
    assert "<mark>hip</mark>" in document
    opened = OpenSession.load(store, session)
    assert [event.kind for event in opened.events].count("fit") == 6
    next(each for each in page.button if each.label == "Earlier").click().run()
    assert "Next" not in told(page) and "own order" in told(page), "it is another document that is next"


@pytest.mark.parametrize("settings", [LEARNS, REVIEW])
def test_the_switch_is_recorded(open_app: Open, store: Store, settings: Settings) -> None:
    session = begun(store, settings)
    page = open_app("screen", session=session)
    label(page, store, session)
    page.session_state["at_stake"] = True
    page.run()
    toggle = next(each for each in page.toggle if each.label == "Learn from my labels")
    assert toggle.value is settings.learns
    toggle.set_value(not settings.learns).run()
    state = OpenSession.load(store, session).state
    assert state.settings.learns is not settings.learns


def test_words_typed_on_the_page_change_what_comes_next(open_app: Open, store: Store) -> None:
    session = begun(store, features=False)
    page = open_app("screen", session=session)
    page.session_state["at_stake"] = True
    page.run()
    field = next(each for each in page.text_input if each.label == "Words that speak for it")
    field.set_value(" hip  infants").run()
    opened = OpenSession.load(store, session)
    assert opened.state.settings.words_for == "hip infants"
    assert opened.row.ids[0] in WANTED and [event.kind for event in opened.events] == ["settings", "fit"]
    assert "because of your words: " in told(page)
    assert next(each for each in page.text_input if each.label == field.label).value == "hip infants"
