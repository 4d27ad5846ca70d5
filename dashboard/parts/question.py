"""What is asked of the question of a session before what is at stake, where it is begun from another one."""

from collections.abc import Callable
from typing import Any

from dashboard.parts import effect
from dashboard.parts.stakes import beyond
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.settings import S

OWN: dict[str, Callable[[str, Any, list[str]], Any]] = {EFFECT.name: effect.ask}
"""By scenario: what asks more than what is to be exceeded."""


def ask(key: str, start: S, problems: list[str]) -> S:
    """Ask what the question is.

    Parameters
    ----------
    key : str
        Begins the keys of the fields.
    start : Settings
        What is known already.
    problems : list of str
        Takes what cannot be used.

    Returns
    -------
    Settings
    """
    if (own := OWN.get(start.scenario)) is not None:
        asked: S = own(f"{key}/{start.scenario}", start, problems)
        return asked
    if (threshold := start.threshold) is None:
        return start
    return start.with_threshold(beyond(threshold, key=f"{key}/{start.threshold_field}"))
