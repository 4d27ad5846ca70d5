"""The cell of a map that is looked into: by a click, or by sliders for keyboards."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.explore.asked import Asked
from dashboard.frame.drawing import chart_key, dark, figure, heading_of
from dashboard.frame.shell import escape_label
from dashboard.frame.widgets import press, switch
from tarstop_core.explore import map_figure
from tarstop_core.explore.maps import FRACTIONS, Map, MeanMap
from tarstop_core.policies import Policy
from tarstop_core.presentation.numbers import amount
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs

MAP_FIGURE = "explore-map"


def nearest(q_stars: Sequence[float], at: tuple[float, float]) -> tuple[float, float]:
    """q* and c/K of the cell that lies nearest.

    >>> nearest((0.1, 0.2), (0.17, 0.0011)), nearest((0.1, 0.2), (0.9, 0))
    ((0.2, 0.001), (0.2, 1e-05))
    """
    q_star = min(q_stars, key=lambda each: abs(each - at[0]))
    cost = max(at[1], FRACTIONS[0])
    return q_star, min(FRACTIONS, key=lambda each: abs(math.log(each / cost)))


def where(settings: Settings) -> str:
    """What marks the person's own place on a map, or that it lies beyond the costs which are drawn.

    >>> from tarstop_core.value.payoffs import Payoffs
    >>> losses = Payoffs(0, 200_000, 50_000, 0, "£")
    >>> where(Settings(losses, 20)), where(Settings(losses, 2))
    ('× is where you are', 'Where you are, at £2 a document, lies beyond the costs of the map')
    """
    if FRACTIONS[0] <= settings.stakes.fraction <= FRACTIONS[-1]:
        return "× is where you are"
    own = amount(settings.cost, settings.payoffs.unit)
    return f"Where you are, at {own} a document, lies beyond the costs of the map"


def at_cell(settings: Settings, cell: tuple[float, float]) -> Settings:
    """The settings with q* and c/K of a cell."""
    return settings.with_stakes(settings.stakes.with_q_star(cell[0]).with_fraction(cell[1]))


def drawn(
    key: str,
    found: Sequence[Map] | Sequence[MeanMap],
    asked: Asked,
    of: str,
    sentence: str,
    file_stem: str,
    simulated: bool,
) -> tuple[float, float]:
    """Draw the first of the maps, less the second one if there are two; q* and c/K of the cell that is looked into.

    `asked` says what they show and where the person is, `of` ends the heading; sentence and file stem as in
    :func:`~dashboard.frame.drawing.figure`.
    """
    measure, settings = asked.measure, asked.settings
    here, q_stars = (settings.payoffs.q_star, settings.stakes.fraction), found[0].q_stars
    cell = nearest(q_stars, st.session_state.get(f"{key}/cell") or here)
    how: dict[str, Any] = {"here": here, "cell": (q_stars.index(cell[0]), FRACTIONS.index(cell[1]))}
    how |= {"against": found[1] if len(found) > 1 else None, "simulated": simulated, "dark": dark()}
    figure(
        MAP_FIGURE,
        f"{map_figure.MEASURES[measure]} of {' minus that of '.join(str(each.policy) for each in found)}, {of}",
        map_figure.map_figure(found[0], measure, **how),
        f"{sentence} {where(settings)}; the square is the cell looked into below. Click another.",
        pd.concat([pd.DataFrame(each.columns()) for each in found]),
        file_stem,
        on_select=lambda: clicked(key, q_stars),
    )
    return cell


def clicked(key: str, q_stars: Sequence[float]) -> None:
    """Look into the cell whose point was clicked; the points lie in the order of the cells."""
    points = st.session_state[chart_key(MAP_FIGURE)]["selection"]["points"]
    if points and points[0].get("curve_number") == 1:
        row, column = divmod(int(points[0]["point_index"]), len(FRACTIONS))
        st.session_state[f"{key}/cell"] = (q_stars[row], FRACTIONS[column])


def selectors(
    key: str, payoffs: Payoffs, found: Sequence[Map] | Sequence[MeanMap], cell: tuple[float, float]
) -> Policy:
    """The cell by two sliders, and of which rule: the same as a click, for keyboards."""
    state = st.session_state
    state[f"{key}/cell_q"], state[f"{key}/cell_c"] = cell
    heading_of("The cell looked into")
    left, right = st.columns(2, gap="medium")

    def moved() -> None:
        state[f"{key}/cell"] = (state[f"{key}/cell_q"], state[f"{key}/cell_c"])

    how: dict[str, Any] = {"on_change": moved}
    left.select_slider("Its q\\*", found[0].q_stars, value=cell[0], key=f"{key}/cell_q", **how)
    how |= {"format_func": lambda fraction: escape_label(amount(fraction * payoffs.K, payoffs.unit))}
    right.select_slider("Its cost of a document", FRACTIONS, value=cell[1], key=f"{key}/cell_c", **how)
    back, of = st.columns(2, gap="medium", vertical_alignment="bottom")
    shown = {"at": back, "disabled": state.get(f"{key}/cell") is None, "width": "stretch"}
    press("Back to where you are", state.pop, f"{key}/cell", None, key=f"{key}/cell_back", **shown)
    if len(found) == 1:
        return found[0].policy
    names = {each.policy.spec: str(each.policy) for each in found}
    chosen = switch("Path of", names, at=of, key=f"{key}/cell_rule/{'/'.join(names)}")
    return next(each.policy for each in found if each.policy.spec == chosen)
