"""Another question of the same labels: a session of its own, with all that was read in this one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.frame.widgets import LONGEST_NAME, one_of
from dashboard.frame.work import go_to
from dashboard.parts import effect, stakes
from dashboard.parts.sessions import PREFIX
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.named import SCENARIOS
from tarstop_core.screening.settings import Settings, StudySettings
from tarstop_core.sessions.compare import asked_otherwise, duplicate, other_scenarios
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.stakes import FULL_TIMES

OWN: dict[str, Callable[[str, Any, list[str]], Any]] = {EFFECT.name: effect.ask}
"""By scenario: what asks more of the question than what is to be exceeded."""
STAYS = "This session stays as it is. The new one has its labels, notes and reports, with their times."


def another_question(store: Store, session: SessionSnapshot) -> None:
    """Ask which question, and what is at stake where that is weighed; one press makes the session."""
    others = {name: SCENARIOS[name].title for name in other_scenarios(session.state.settings)}
    if not others:
        st.write("Labels of a prior-art search cannot answer another question.")
        return
    key = f"{PREFIX}/another/{session.row.id}"
    chosen = one_of("What do you decide instead?", others, key=key)
    settings, calibrator = asked_otherwise(session, chosen)
    problems: list[str] = []
    if settings.weighs:
        settings = _at_stake(settings, f"{key}/{chosen}", problems)
    disabled = bool(problems)
    if st.button("Start it with these labels", type="primary", key=f"{key}/make", disabled=disabled):
        name = f"{session.row.name} ({SCENARIOS[chosen].short})"[:LONGEST_NAME]
        go_to(duplicate(store, session.row.id, settings, name, calibrator))
    st.caption(STAYS)


def _at_stake(start: Settings, key: str, problems: list[str]) -> Settings:
    """Ask what is at stake; the rest begins as on Set up, and can be changed on Screen."""
    tried: Settings = st.session_state.get(key, start)
    stakes.compact(tried, f"{key}/stakes", lambda moved: st.session_state.update({key: moved}))
    if (own := OWN.get(tried.scenario)) is not None:
        tried = own(f"{key}/{tried.scenario}", tried, problems)
    elif (threshold := tried.threshold) is not None:
        tried = tried.with_threshold(stakes.beyond(threshold, key=f"{key}/{tried.threshold_field}"))
    if isinstance(tried, StudySettings):
        least = StudySettings.first_floor_studies
        tried = replace(tried, full_cost=FULL_TIMES * tried.cost, floor_studies=least)
    return tried
