"""What callbacks leave to the page, which can draw a bar and Cancel."""

from streamlit.testing.v1 import AppTest


def a_page() -> None:
    """A press that takes long: until there is an `end`, the script is ended before it is done."""
    import streamlit as st

    from dashboard.frame.waiting import take_in, taken_in
    from dashboard.frame.work import flash

    def take(what: str) -> None:
        st.session_state["begun"] = st.session_state.get("begun", 0) + 1
        if what == "broken":
            raise KeyError
        if "end" not in st.session_state:
            st.stop()
        st.session_state["taken"] = what

    flash()
    st.button("Large", key="large", on_click=take_in, args=("k", take, "a"), kwargs={"large": True})
    st.button("Small", key="small", on_click=take_in, args=("k", take, "b"), kwargs={"large": False})
    st.button("Broken", key="broken", on_click=take_in, args=("k", take, "broken"), kwargs={"large": True})
    st.button("Other", key="other")
    taken_in("k")


def test_what_is_large_is_taken_in_on_the_page_until_it_is_done_or_cancelled() -> None:
    app = AppTest.from_function(a_page)
    app.run()
    assert [each.key for each in app.button] == ["large", "small", "broken", "other"]
    app.button("large").click().run()
    assert app.session_state["begun"] == 1
    app.button("other").click().run()  # it begins again, for nothing that was given is lost
    assert app.session_state["begun"] == 2
    app.button("k/cancel").click().run()
    assert app.session_state["begun"] == 2 and "k/cancel" not in [each.key for each in app.button]
    assert len(app.toast) == 1 and "kept" in app.toast[0].value
    app.session_state["end"] = True
    app.button("large").click().run()
    assert app.session_state["taken"] == "a" and "k/cancel" not in [each.key for each in app.button]
    app.button("small").click().run()
    assert app.session_state["taken"] == "b"


def test_what_cannot_be_taken_in_is_said_once() -> None:
    app = AppTest.from_function(a_page)
    app.run()
    app.button("broken").click().run()
    assert "unexpected" in app.warning[0].value.replace("\\", "") and not app.exception
    app.button("other").click().run()
    assert not app.warning and app.session_state["begun"] == 1
