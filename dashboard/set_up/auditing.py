"""Set-up, step 1, behind 'More': whether documents are drawn at random, so that recall can be stated."""

import secrets
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.widgets import lasting, switch
from dashboard.frame.work import kept
from dashboard.set_up.came_along import Arranged
from tarstop_core.screening.audit import SHARES, price_sentence, with_draws

PREFIX = "set_up/audit"


def ask(arranged: Arranged, more: DeltaGenerator) -> Arranged:
    """The list as it will be screened, with the draws that are asked for."""
    unread = len(arranged.screened) - arranged.kept
    if not unread:
        return arranged
    with more:
        options = {0: "no draws"} | {every: f"one in {every}" for every in SHARES}
        every = switch("Must you report recall? Draws for an audit", options, **lasting(f"{PREFIX}/every"))
        st.caption(
            f"[A bound on recall at every stop]({shell.guide('recall_statement')}) needs documents drawn at random. "
            f"{price_sentence(unread)}"
        )
        if every:
            st.caption(f"One document in {every} will not be the next of the order above but a drawn one.")
    if not every:
        return arranged
    seed = kept(f"{PREFIX}/seed", arranged.screened, lambda: secrets.randbelow(2**32))
    return kept(f"{PREFIX}/held", (arranged, every), lambda: _drawn(arranged, every, seed))


def _drawn(arranged: Arranged, every: int, seed: int) -> Arranged:
    ranks = next((event.payload["ranks"] for event in arranged.events if event.kind == "kept"), ())
    screened, event = with_draws(arranged.screened, ranks, every, seed)
    return replace(arranged, screened=screened, events=(*arranged.events, event))
