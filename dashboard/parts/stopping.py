"""The stopping rule of a session that weighs no decision: the rule, the recall to reach, and what the rule promises."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.frame.shell import caption
from dashboard.frame.widgets import following, one_of, whole_percent
from tarstop_core.policies import POLICIES
from tarstop_core.policies.registry import message, titled
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.scenarios.named import scenario_of

LEAST = 50  # Percent of recall that may be asked for


def rules(drawn: bool) -> dict[str, str]:
    """Titles of the rules that can be chosen, by name; some need documents to be `drawn` at random."""
    can = (kind for kind in POLICIES.values() if EnoughSettings.may_follow(kind))
    return {kind.name: titled(kind.name) for kind in can if drawn or not kind.needs_draws}


def compact(
    settings: EnoughSettings, drawn: bool, key: str, on_change: Callable[[EnoughSettings], Any]
) -> None:
    """Ask for rule and recall in one row; if the settings change elsewhere, the widgets show the new ones.

    Parameters
    ----------
    settings : EnoughSettings
        Shown at first.
    drawn : bool
        Whether documents of the list are drawn at random.
    key : str
        Prefix of the widgets' keys.
    on_change : callable
        Takes the new settings before the page is drawn again.
    """
    rule, target = settings.rule, settings.target
    now: dict[str, Any] = {"rule": rule.name}
    if target is not None:
        now["tau"] = max(LEAST, round(100 * target))

    def moved(name: str, value: Any) -> None:
        if name == "tau":
            chosen = type(rule)(**rule.settings | {"tau": value / 100})
        else:
            same = {} if target is None or "tau" not in POLICIES[value]().settings else {"tau": target}
            chosen = POLICIES[value](**same)
        on_change(replace(settings, policy=chosen.spec))

    moves = following(key, now, moved)
    left, right = st.columns(2, gap="medium")
    one_of("Stopping rule", rules(drawn), at=left, **moves("rule"))
    if target is not None:
        whole_percent("Recall to reach", now["tau"], low=LEAST, high=100, at=right, **moves("tau"))
    promise = scenario_of(settings).message("promise", settings=settings)
    caption(f"{rule.rule} {message('needs', kind=type(rule))} {promise}")
