"""What reaches the browser first."""

from collections.abc import Callable

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import SECONDS


@pytest.mark.parametrize("query", [{}, {"numbers": "trials"}, None], ids=["tests", "trials", "explore"])
def test_a_figure_comes_before_the_fields_beside_it(
    open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, query: dict[str, str] | None
) -> None:
    sent = list[ForwardMsg]()
    enqueue = ForwardMsgQueue.enqueue

    def noted(queue: ForwardMsgQueue, message: ForwardMsg) -> None:
        sent.append(message)
        enqueue(queue, message)

    monkeypatch.setattr(ForwardMsgQueue, "enqueue", noted)
    app = open_app("explore") if query is None else open_app("evidence", **query)
    assert not app.exception and not app.error
    elements = [message.delta.new_element for message in sent]
    figure = next(at for at, each in enumerate(elements) if "tar-fluid" in each.html.body)
    fields = [at for at, each in enumerate(elements) if each.WhichOneof("type") in ("slider", "number_input")]
    assert fields and figure < min(fields)


def failing() -> None:
    import streamlit as st

    from dashboard.frame import shell
    from tarstop_core.errors import InputProblem

    with shell.problems_shown(), shell.answer_first() as last:
        with last():
            st.text_input("Field")
        raise InputProblem("Not with this.")


def test_fields_are_there_where_what_follows_from_them_fails() -> None:
    app = AppTest.from_function(failing, default_timeout=SECONDS).run()
    assert len(app.text_input) == len(app.error) == 1
