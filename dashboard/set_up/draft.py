"""What was entered survives a reload: it is kept in the store, under a name that the address has."""

from dataclasses import asdict
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import LASTING
from dashboard.parts import documents
from dashboard.set_up.forms import review
from dashboard.set_up.order import PREFIX
from tarstop_core.belief.prior import from_json
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes

ADDRESS = "draft"
HELD = "_draft"
"""What this tab knows: the name of its draft, empty while nothing was entered, and what was stored last."""
STAKES = "/stakes/truth"
"""How keys end that hold what is at stake."""


def take_up() -> None:
    """Put back what was entered before the page was loaded anew; called before anything is drawn."""
    state = st.session_state
    if HELD in state:
        return
    name = st.query_params.get(ADDRESS, "")
    draft = shell.store().draft(name) if name else {}
    state[HELD] = (name if draft else "", draft)
    state.update(draft.get("fields", {}))
    for key, stakes in draft.get("stakes", {}).items():
        state[key] = Stakes(**stakes | {"payoffs": Payoffs(**stakes["payoffs"])})
        state[key.removesuffix("truth") + "problems"] = {}
    if draft.get("imported"):
        documents.put_back(draft["imported"])
    if draft.get("prior"):
        state[review.TAKEN] = from_json(draft["prior"], "The prior of this draft")


def keep() -> None:
    """Store what is entered now, where it is not what was stored last."""
    state = st.session_state
    if HELD not in state:
        return
    (name, stored), now = state[HELD], _entered()
    if stored and now != stored:  # what a page begins with is no draft
        name = shell.store().save_draft(now, name)
    state[HELD] = (name, now)
    if name:
        st.query_params[ADDRESS] = name


def let_go() -> None:
    """A session came of it."""
    name, _ = st.session_state.pop(HELD, ("", {}))
    if name:
        shell.store().delete_draft(name)


def _entered() -> dict[str, Any]:
    state, prior = st.session_state, st.session_state.get(review.TAKEN)
    ours = [key for key in map(str, state) if key.startswith(f"{PREFIX}/")]
    fields = {*state.get(LASTING, ())} & {*ours}
    return {
        "fields": {key: state[key] for key in sorted(fields)},
        "stakes": {key: asdict(state[key]) for key in ours if key.endswith(STAKES)},
        "imported": documents.imported(),
        "prior": prior.to_json() if prior is not None else "",
    }
