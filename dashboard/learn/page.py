"""The Learn page: a lecture in the browser, for a class or for oneself, on the sample collections."""

from importlib import import_module

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import all_figures
from dashboard.frame.scripts import KEYS_SCRIPT, SAVE_ACTIONS_SCRIPT
from dashboard.frame.widgets import switch
from dashboard.frame.work import flash
from dashboard.learn import call as learn_call
from dashboard.learn import walk

LEAD = "Why it says stop: followed one document at a time, tried yourself, and seen in pictures."
PARTS = {
    "walk": "Walk through",
    "call": "Your call",
    "ideas": "Ideas in pictures",
    "formulas": "Formulas",
    "glossary": "Glossary",
}
"""By their names in the address; `dashboard.learn.<name>.show` draws each."""
KEY, WRITTEN = "learn/part", "learn/part/written"


def learn_page() -> None:
    shell.opening("Learn", LEAD, "results.css")
    shell.presentation()
    flash()
    part = _part()
    # A part is loaded when it is opened: nobody waits for the others.
    with shell.problems_shown():
        import_module(f"dashboard.learn.{part}").show()
    all_figures("tarstop-learn", SAVE_ACTIONS_SCRIPT)
    st.html(KEYS_SCRIPT, unsafe_allow_javascript=True)


def _part() -> str:
    """The part that is open: the one that the address names, else the one that was open last."""
    address, state = st.query_params, st.session_state
    named = address.get("part")
    if named in PARTS and named != state.get(WRITTEN):
        state[KEY] = named
    part = switch(
        "Part",
        PARTS,
        default=state.get(KEY, "walk"),
        key=KEY,
        label_visibility="collapsed",
        persist_state="session",
    )
    if part != state.get(WRITTEN, part):
        # What stands in the address belongs to the part that was left; what is bound to widgets leaves with them.
        for name in {*walk.NAMES, *learn_call.NAMES} & {*address}:
            del address[name]
    if named != part:
        address["part"] = part
    state[WRITTEN] = part
    return part
