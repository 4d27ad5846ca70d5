"""The cell of a map that is looked into: by a click, or by sliders for keyboards."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from dashboard.parts.panels import chart_key, heading_of
from tarstop_core.explore.maps import FRACTIONS
from tarstop_core.policies import Policy
from tarstop_core.presentation.numbers import amount
from tarstop_core.value.payoffs import Payoffs

MAP_FIGURE = "explore-map"


def nearest(q_stars: Sequence[float], at: tuple[float, float]) -> tuple[float, float]:
    """q* and c/K of the cell that lies nearest.

    Examples
    --------
    >>> nearest((0.1, 0.2), (0.17, 0.0011)), nearest((0.1, 0.2), (0.9, 0))
    ((0.2, 0.001), (0.2, 1e-05))
    """
    q_star = min(q_stars, key=lambda each: abs(each - at[0]))
    cost = max(at[1], FRACTIONS[0])
    return q_star, min(FRACTIONS, key=lambda each: abs(math.log(each / cost)))


def clicked(key: str, q_stars: Sequence[float]) -> None:
    """Look into the cell whose point was clicked; the points lie in the order of the cells."""
    points = st.session_state[chart_key(MAP_FIGURE)]["selection"]["points"]
    if points and points[0].get("curve_number") == 1:
        row, column = divmod(int(points[0]["point_index"]), len(FRACTIONS))
        st.session_state[f"{key}/cell"] = (q_stars[row], FRACTIONS[column])


def selectors(
    key: str,
    payoffs: Payoffs,
    q_stars: Sequence[float],
    cell: tuple[float, float],
    policies: Sequence[Policy],
) -> Policy:
    """The cell by two sliders, and of which rule: the same as a click, for keyboards."""
    state = st.session_state
    state[f"{key}/cell_q"], state[f"{key}/cell_c"] = cell
    heading_of("The cell looked into")
    left, right = st.columns(2, gap="medium")
    left.select_slider("Its q\\*", q_stars, value=cell[0], key=f"{key}/cell_q", on_change=_moved, args=(key,))
    right.select_slider(
        "Its cost of a document",
        FRACTIONS,
        value=cell[1],
        format_func=lambda fraction: amount(fraction * payoffs.K, payoffs.unit),
        key=f"{key}/cell_c",
        on_change=_moved,
        args=(key,),
    )
    back, of = st.columns(2, gap="medium", vertical_alignment="bottom")
    back.button(
        "Back to where you are",
        key=f"{key}/cell_back",
        on_click=_follow,
        args=(key,),
        disabled=state.get(f"{key}/cell") is None,
        width="stretch",
    )
    if len(policies) == 1:
        return policies[0]
    names = {each.spec: str(each) for each in policies}
    chosen = of.segmented_control(
        "Path of",
        list(names),
        default=policies[0].spec,
        required=True,
        format_func=names.__getitem__,
        key=f"{key}/cell_rule/{'/'.join(names)}",
    )
    return next(each for each in policies if each.spec == chosen)


def _moved(key: str) -> None:
    state = st.session_state
    state[f"{key}/cell"] = (state[f"{key}/cell_q"], state[f"{key}/cell_c"])


def _follow(key: str) -> None:
    st.session_state[f"{key}/cell"] = None
