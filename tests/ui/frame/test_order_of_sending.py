"""When what is drawn reaches the browser."""

import time

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import SECONDS

events = list[str]()
"""Texts that were sent to the browser, and what the page below notes itself, in their order."""


@pytest.fixture(autouse=True)
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = ForwardMsgQueue.enqueue

    def note(queue: ForwardMsgQueue, message: ForwardMsg) -> None:
        if body := message.delta.new_element.text.body:
            events.append(body)
        enqueue(queue, message)

    monkeypatch.setattr(ForwardMsgQueue, "enqueue", note)
    events.clear()


def fast() -> None:
    import streamlit as st

    from dashboard.frame import shell
    from tests.ui.frame.test_order_of_sending import events

    with shell.in_one_piece():
        st.text("one")
        st.text("two")
        events.append("drawn")
    st.text("after it")


def slow() -> None:
    import streamlit as st

    from dashboard.frame import shell
    from tests.ui.frame.test_order_of_sending import events, wait_for_one

    with shell.in_one_piece():
        st.text("one")
        wait_for_one()
        events.append("waited")
        st.text("two")
        events.append("drawn")


def pressed_again() -> None:
    import streamlit as st

    from dashboard.frame import shell
    from tests.ui.frame.test_order_of_sending import events

    with shell.in_one_piece():
        st.text("one")
        if not st.session_state.get("again"):
            st.session_state["again"] = True
            st.rerun()
            events.append("after the rerun")


def failing() -> None:
    import streamlit as st

    from dashboard.frame import shell
    from tarstop_core.errors import InputProblem

    with shell.problems_shown(), shell.in_one_piece():
        st.text_input("Field")
        raise InputProblem("Not with this.")


def wait_for_one() -> None:
    until = time.monotonic() + SECONDS
    while "one" not in events and time.monotonic() < until:
        time.sleep(0.01)


def test_what_is_drawn_within_a_moment_is_sent_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.frame.shell.MOMENT", SECONDS)
    AppTest.from_function(fast, default_timeout=SECONDS).run()
    assert events == ["drawn", "one", "two", "after it"]


def test_what_takes_longer_is_sent_as_it_is_drawn() -> None:
    AppTest.from_function(slow, default_timeout=SECONDS).run()
    assert events == ["one", "waited", "two", "drawn"]


def test_a_page_ends_where_it_is_drawn_again() -> None:
    app = AppTest.from_function(pressed_again, default_timeout=SECONDS).run()
    assert app.session_state["again"] and "after the rerun" not in events


def test_fields_are_there_where_what_follows_from_them_fails() -> None:
    app = AppTest.from_function(failing, default_timeout=SECONDS).run()
    assert len(app.text_input) == len(app.error) == 1
