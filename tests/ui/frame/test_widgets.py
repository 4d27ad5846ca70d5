"""Widgets that come and go."""

from streamlit.testing.v1 import AppTest


def a_page() -> None:
    """Buttons that are others at every press, and one that stays."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from dashboard.frame.widgets import forget_earlier

    @st.fragment
    def drawn() -> None:
        at = st.session_state.setdefault("at", 0)
        for number in range(30):
            st.button("Next", key=f"{number}/{at}", on_click=st.session_state.update, args=({"at": at + 1},))
        st.checkbox("Ticked", key="ticked")
        forget_earlier()
        context = get_script_run_ctx()
        assert context is not None
        st.session_state["known"] = len(context.session_state._state._new_widget_state.widget_metadata)

    st.checkbox("Outside", key="outside")
    drawn()


def test_widgets_of_earlier_documents_are_let_go_of_and_no_others() -> None:
    app = AppTest.from_function(a_page)
    app.run()
    app.checkbox("ticked").check().run()
    app.checkbox("outside").check().run()
    for at in range(8):
        app.button(f"0/{at}").click().run()
    assert not app.exception and app.session_state["at"] == 8
    assert app.session_state["known"] == 100 + 30 + 2
    assert app.checkbox("ticked").value and app.checkbox("outside").value
