"""Questions on the people whom a decision concerns, for Decisions and Evidence."""

from typing import Any

import streamlit as st

from dashboard.frame import address
from dashboard.frame.widgets import bound, lasting
from tarstop_core.value.actions.population import Concerned

NAMED = ("people", "years", "discount", "unit")
"""Their parameters in the addresses of these pages."""


def number_asked(
    label: str, value: float, name: str, *, low: float | None = 0.0, at: Any = st, **more: Any
) -> float:
    """Ask for a number that the address keeps."""
    return float(at.number_input(label, low, value=value, format="%g", **bound(name), **more))


def own_number(label: str, usual: float, name: str, key: str, *, at: Any = st, **more: Any) -> float:
    """Ask for a number whose default depends on the decision; the address keeps any other value."""
    try:
        first = float(st.query_params.get(name, usual))
    except ValueError:
        first = usual
    how = lasting(f"{key}/{usual}")
    # The typed value is the default too, because it may not be in the address yet when another page is opened.
    first = st.session_state.get(how["key"], first)
    value = float(at.number_input(label, 0.0, value=first, format="%g", **how, **more))
    address.write({name: "" if value == usual else f"{value:.12g}"})
    return value


def concerned(prefix: str, usual: float = 0.0) -> Concerned | None:
    """Ask for the people whom the decision concerns; `prefix` begins the keys of the widgets. None if nobody."""
    left, right = st.columns(2)
    people = own_number("People a year", usual, "people", f"{prefix}/people", at=left)
    years = number_asked("Years", 10.0, "years", at=right)
    from_then = "From the second year on."
    rate = number_asked("Discount, % a year", 3.5, "discount", at=left, help=from_then) / 100
    return Concerned(annual_population=people, years=years, rate=rate) if people and years else None
