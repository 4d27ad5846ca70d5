"""Where a session stands: its verdict, what is left to do, and a small curve of the belief so far."""

import base64
from functools import partial

from dashboard.frame.drawing import dark
from dashboard.frame.markup import Blocks
from dashboard.frame.waiting import LARGE_LIST
from dashboard.frame.work import kept
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.figures import stroke
from tarstop_core.presentation.palette import BELIEF
from tarstop_core.presentation.svg import small_curve
from tarstop_core.screening.wording import chance_in_words, verdict
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.listing import SessionSummary
from tarstop_core.sessions.store.store import Store

block = Blocks("home/blocks.html")


def standing(store: Store, session: SessionSummary, line: str, most: int) -> str:
    """A session's line with where it stands, as HTML; the line alone for a long list, which takes too long to open.

    `most` sessions are remembered in this tab.
    """
    if session.documents > LARGE_LIST:
        return line
    try:
        asked = session.id, line, len(store.events(session.id)), dark()
        return kept("home/standing", asked, partial(_standing, store, session.id, line), most)
    except InputProblem:  # the page that opens the session says what is damaged
        return line


def _standing(store: Store, session_id: str, line: str) -> str:
    work = OpenSession.load(store, session_id)
    state, settings = work.state, work.state.settings
    advice, curve, chance = work.advice(settings), "", ""
    if settings.weighs:
        path, end = work.paths(settings).path, state.depth + max(0, advice.more)
        beliefs, chance = [float(b) for b in path.b[: end + 1]], chance_in_words(advice, settings)
        drawn = small_curve(
            beliefs,
            state.depth,
            settings.payoffs.q_star,
            stroke(BELIEF, dark()),
            in_steps=path.in_steps,
            says=chance,
        )
        curve = base64.b64encode(drawn.encode()).decode()
    glance = None if state.decision else verdict(advice, settings)
    return block("standing", line, glance, curve, chance)
