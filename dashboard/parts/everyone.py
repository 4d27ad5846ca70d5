"""The people whom a decision concerns, as Decisions and Evidence ask for them."""

from typing import Any

import streamlit as st

from dashboard.frame import address
from dashboard.frame.widgets import bound, lasting
from tarstop_core.value.actions.population import Concerned

NAMED = ("people", "years", "discount", "unit")
"""Their parameters in the address of either page."""


def number_asked(
    label: str, value: float, name: str, *, low: float | None = 0.0, at: Any = st, **more: Any
) -> float:
    """Ask for a number that the address keeps."""
    return float(at.number_input(label, low, value=value, format="%g", **bound(name), **more))


def own_number(label: str, usual: float, name: str, key: str, *, at: Any = st, **more: Any) -> float:
    """Ask for a number whose default depends on the decision; the address keeps any other value."""
    try:
        begun = float(st.query_params.get(name, usual))
    except ValueError:
        begun = usual
    how = lasting(f"{key}/{usual}")
    # What was typed is also the default, because it may not be in the address yet when another page is opened.
    begun = st.session_state.get(how["key"], begun)
    value = float(at.number_input(label, 0.0, value=begun, format="%g", **how, **more))
    address.write({name: "" if value == usual else f"{value:.12g}"})
    return value


def concerned(prefix: str, usual: float = 0.0) -> Concerned | None:
    """Ask for the people whom the decision concerns, with widgets of one page; None for nobody."""
    left, right = st.columns(2)
    people = own_number("People a year", usual, "people", f"{prefix}/people", at=left)
    years = number_asked("Years", 10.0, "years", at=right)
    from_then = "From the second year on."
    rate = number_asked("Discount, % a year", 3.5, "discount", at=left, help=from_then) / 100
    return Concerned(annual_population=people, years=years, rate=rate) if people and years else None
