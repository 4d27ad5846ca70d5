"""The Learn page: a lecture in the browser, for a class or for oneself, on the sample collections."""

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import all_figures
from dashboard.frame.scripts import KEYS_SCRIPT, SAVE_ACTIONS_SCRIPT
from dashboard.frame.widgets import switch
from dashboard.frame.work import flash
from dashboard.learn import game, ideas, reference, walk, walk_state

LEAD = "Why it says stop: followed one document at a time, tried yourself, and seen in pictures."
PARTS = {
    "walk": ("Walk through", walk.show),
    "call": ("Your call", game.show),
    "ideas": ("Ideas in pictures", ideas.show),
    "formulas": ("Formulas", reference.show_formulas),
    "glossary": ("Glossary", reference.show_glossary),
}
"""Title and drawing of each part, by its name in the address."""
KEY, WRITTEN = "learn/part", "learn/part/written"


def learn_page() -> None:
    """Draw the page with the part that is open."""
    shell.opening("Learn", LEAD, "results.css")
    shell.presentation()
    flash()
    _, show = PARTS[_part()]
    with shell.problems_shown():
        show()
    all_figures("tarstop-learn", SAVE_ACTIONS_SCRIPT)
    st.html(KEYS_SCRIPT, unsafe_allow_javascript=True)


def _part() -> str:
    """Return the part that is open: the one that the address names, else the one that was open last."""
    address, state = st.query_params, st.session_state
    named = address.get("part")
    if named in PARTS and named != state.get(WRITTEN):
        state[KEY] = named
    part = switch(
        "Part",
        {name: title for name, (title, _) in PARTS.items()},
        default=state.get(KEY, "walk"),
        key=KEY,
        label_visibility="collapsed",
        persist_state="session",
    )
    if part != state.get(WRITTEN, part):
        # What stands in the address belongs to the part that was left; what is bound to widgets leaves with them.
        for name in {*walk_state.NAMES, *game.NAMES} & {*address}:
            del address[name]
    if named != part:
        address["part"] = part
    state[WRITTEN] = part
    return part
