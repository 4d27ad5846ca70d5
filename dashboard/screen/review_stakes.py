"""What else is at stake in a review: the sensitivity to exceed, the cost of a report, and the floor."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.frame.shell import caption, escape_label, term
from dashboard.frame.widgets import hundredths
from dashboard.parts.stakes import FRACTIONS, following, nearest_fraction
from tarstop_core.belief.engines import ENGINES
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.screening.settings import Settings

ADJUSTABLE = (
    *("payoffs", "cost", "theta", "b_0", "full_cost", "floor"),
    *("learns", "words_for", "words_against", "weighs_scores"),
)
"""Settings that a person may change while screening."""


def sliders(settings: Settings, key: str, on_change: Callable[[Settings], Any]) -> None:
    """Three sliders beside those of every session; they follow settings changed elsewhere.

    `on_change` takes the new settings before the page is drawn again; where it does not take them over, they go back.
    """
    now: dict[str, Any] = {
        "theta": min(99, max(1, round(100 * settings.theta))),
        "full_cost": nearest_fraction(settings.full_cost / settings.payoffs.K),
        "floor": round(100 * settings.floor),
    }
    moves = following(key, now, lambda name, value: on_change(changed(settings, name, value)))
    left, middle, right = st.columns(3, gap="medium")
    said = f"θ, the {term('theta', 'threshold')} on {term('pooled', 'sensitivity pooled')} over all studies."
    hundredths("Sensitivity to exceed", now["theta"], at=left, **moves("theta"), help=said)
    left.caption(f"θ = {settings.theta:.3g}.")
    if settings.stages == 2:
        with middle:
            payoffs = settings.payoffs
            st.select_slider(
                "Cost per report in full",
                FRACTIONS,
                value=now["full_cost"],
                format_func=lambda fraction: escape_label(amount(fraction * payoffs.K, payoffs.unit)),
                **moves("full_cost"),
                help=f"What reading one included report {term('full-cost', 'in full')} costs, beside its title and abstract.",
            )
            times = ""
            if settings.cost and settings.full_cost:
                times = f": as much as {settings.full_cost / settings.cost:,.3g} titles and abstracts"
            caption(f"{amount(settings.full_cost, payoffs.unit)}{times}.")
    said = (
        f"No rule says stop while the {term('right-decision', 'chance of the right decision')} is below this "
        f"{term('floor', 'floor')}; 0 % is no floor."
    )
    with right:
        asked = "Never stop below a chance of the right decision of"
        hundredths(asked, now["floor"], low=0, **moves("floor"), help=said)
        floor = (
            f"Floor: {percent(settings.floor)}." if settings.floor else "No floor: the rule alone decides."
        )
        st.caption(floor)


def changed(settings: Settings, name: str, value: float) -> Settings:
    """The settings after one slider was moved.

    A learned prior says how likely any sensitivity is, so with another θ the starting chance is another too.
    """
    if name == "full_cost":
        return replace(settings, full_cost=value * settings.payoffs.K)
    if name == "floor":
        return replace(settings, floor=value / 100)
    theta, prior = value / 100, settings.prior
    if prior.learned_from is None or prior.width_alone or not ENGINES[settings.engine].knows_prior:
        return replace(settings, theta=theta)
    return replace(settings, theta=theta, b_0=prior.at(theta).b_0)
