"""The maps of Explore: the cell that is looked into, of one list or of a whole collection, by a click or by sliders."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.explore import controls
from dashboard.explore.controls import ExploreChoices
from dashboard.frame.drawing import chart_key, figure, files, heading_of, note
from dashboard.frame.shell import dark, escape_label
from dashboard.frame.widgets import switch
from dashboard.frame.work import button
from dashboard.parts.sessions import OF
from tarstop_core.explore import map_figure, message
from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.maps import Map
from tarstop_core.policies import Policy
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action
from tarstop_core.value.payoffs import Payoffs

MAP_FIGURE = "explore-map"


def nearest(
    q_stars: Sequence[float], fractions: Sequence[float], at: tuple[float, float]
) -> tuple[float, float]:
    """Return q* and c/K of the cell that lies nearest.

    Parameters
    ----------
    q_stars, fractions
        Rows and columns of a map.
    at
        q* and c/K.

    Returns
    -------
    tuple of float
        Of a row and of a column.

    Examples
    --------
    >>> nearest((0.1, 0.2), (0.001, 0.01), (0.17, 0.0011)), nearest((0.1, 0.2), (0.001, 0.01), (0.9, 0))
    ((0.2, 0.001), (0.2, 0.001))
    """
    q_star = min(q_stars, key=lambda row: abs(row - at[0]))
    cost = max(at[1], fractions[0])
    return q_star, min(fractions, key=lambda column: abs(math.log(column / cost)))


def where(settings: Settings) -> str:
    """Say what marks the person's own place on a map, or that no place on a log scale costs nothing.

    >>> from tarstop_core.screening.patent_settings import PatentSettings
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> losses = Payoffs(0, 200_000, 50_000, 0, "£")
    >>> where(PatentSettings(losses, 2)), where(PatentSettings(losses, 0))
    ('× is where you are', 'Reading costs you nothing, so your position is left of the map')
    """
    return (
        "× is where you are"
        if settings.cost
        else "Reading costs you nothing, so your position is left of the map"
    )


def at_cell(settings: Settings, cell: tuple[float, float]) -> Settings:
    """Return the settings with q* and c/K of a cell."""
    return settings.with_stakes(settings.stakes.with_q_star(cell[0]).with_fraction(cell[1]))


def draw_map(
    key: str,
    maps: Sequence[Map],
    choices: ExploreChoices,
    of: str,
    sentence: str,
    file_stem: str,
    simulated: bool,
) -> tuple[float, float]:
    """Draw the first of the maps, less the second one if there are two; return the cell that is looked into.

    Parameters
    ----------
    key
        The prefix of the widgets.
    maps
        Of one rule, or of two.
    asked
        What they show, and where the person is.
    of
        What the heading ends with.
    sentence, file_stem
        As for :func:`~dashboard.frame.drawing.figure`.
    simulated
        Whether the lists are.

    Returns
    -------
    tuple of float
        q* and c/K.
    """
    measure, settings = choices.measure, choices.settings
    here = (settings.payoffs.q_star, settings.stakes.fraction)
    q_stars, fractions = maps[0].q_stars, maps[0].fractions
    cell = nearest(q_stars, fractions, st.session_state.get(f"{key}/cell") or here)
    figure(
        MAP_FIGURE,
        f"{map_figure.MEASURES[measure]} of {' minus that of '.join(str(one.policy) for one in maps)}, {of}",
        map_figure.map_figure(
            maps[0],
            measure,
            against=maps[1] if len(maps) > 1 else None,
            here=here,
            cell=(q_stars.index(cell[0]), fractions.index(cell[1])),
            simulated=simulated,
            dark=dark(),
        ),
        f"{sentence} {where(settings)}; the square marks the chosen cell. Click another.",
        pd.concat([pd.DataFrame(one.columns()) for one in maps]),
        file_stem,
        on_select=lambda: look_into_clicked(key, maps[0]),
    )
    return cell


def look_into_clicked(key: str, grid: Map) -> None:
    """Look into the cell whose point was clicked; the points lie in the order of the cells."""
    points = st.session_state[chart_key(MAP_FIGURE)]["selection"]["points"]
    if points and points[0].get("curve_number") == 1:
        row, column = divmod(int(points[0]["point_index"]), len(grid.fractions))
        st.session_state[f"{key}/cell"] = (grid.q_stars[row], grid.fractions[column])


def choose_cell(key: str, payoffs: Payoffs, maps: Sequence[Map], cell: tuple[float, float]) -> Policy:
    """Ask for the cell by two sliders, which is the same as a click, and for its rule; return the rule."""
    state = st.session_state
    state[f"{key}/cell_q"], state[f"{key}/cell_c"] = cell
    box = st.container(key="explore-cell")
    with box:
        heading_of("The chosen cell")
    left, right = box.columns(2, gap="medium")

    def moved() -> None:
        state[f"{key}/cell"] = (state[f"{key}/cell_q"], state[f"{key}/cell_c"])

    how: dict[str, Any] = {"on_change": moved}
    sure: dict[str, Any] = {"key": f"{key}/cell_q", "format_func": percent}
    left.select_slider("How sure before you act", maps[0].q_stars, value=cell[0], **sure, **how)
    how |= {"format_func": lambda fraction: escape_label(amount(fraction * payoffs.K, payoffs.unit))}
    right.select_slider("Cost of a document", maps[0].fractions, value=cell[1], key=f"{key}/cell_c", **how)
    back, of = box.columns(2, gap="medium", vertical_alignment="bottom")
    place = {"at": back, "disabled": state.get(f"{key}/cell") is None, "width": "stretch"}
    button("Back to where you are", state.pop, f"{key}/cell", None, key=f"{key}/cell_back", **place)
    if len(maps) == 1:
        return maps[0].policy
    names = {one.policy.spec: str(one.policy) for one in maps}
    chosen = switch("Path of", names, at=of, key=f"{key}/cell_rule/{'/'.join(names)}")
    return next(one.policy for one in maps if one.policy.spec == chosen)


def lists_of_cell(
    lists: Mapping[str, LabelledList], mean: Map, settings: Settings, cell: tuple[float, float]
) -> None:
    """Show the rule's result in one cell, list by list, with a link to each list."""
    at = mean.q_stars.index(cell[0]), mean.fractions.index(cell[1])
    there = at_cell(settings, cell)
    unit = there.payoffs.unit
    rows: list[dict[str, Any]] = []
    for (key, listing), one in zip(lists.items(), mean.lists, strict=True):
        option = int(one.option[at])
        choices = ExploreChoices(there, mean.policy.spec, world=mean.world, cell=cell)
        filled = {name: value for name, value in controls.address_of(choices).items() if value}
        row = {
            "List": listing.name,
            "Open it": f"explore?{urlencode({OF: key, 'show': controls.MAP_TAB, **filled})}",
            "Stops after": int(one.values("depth")[at]),
            "Of": len(listing),
            "Chooses": action(option, settings),
        }
        if one.omega is not None:
            row["Right?"] = "yes" if one.values("agreement")[at] else "no"
        row["Net utility"] = float(one.values("net_utility")[at])
        rows.append(row)
    place = message("place", q_star=cell[0], cost=there.cost, unit=unit)
    heading_of(f"{mean.policy} at {place}, list by list")
    frame = pd.DataFrame(rows)
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        column_config={
            "Net utility": st.column_config.NumberColumn(
                f"Net utility ({unit})" if unit else "Net utility", format="%.4g"
            ),
            "List": st.column_config.TextColumn(width=280),
            "Open it": st.column_config.LinkColumn(display_text="map, path", width=80),
        },
    )
    depths = frame["Stops after"]
    stops = f"{mean.policy} stops after {depths.min():,} to {depths.max():,} documents"
    utility = f"mean net utility {amount(float(frame['Net utility'].mean()), unit)}"
    if "Right?" in frame:
        right = percent(float((frame["Right?"] == "yes").mean()))
        note(f"{stops} and decides correctly on {right} of the lists; {utility}.")
    else:
        note(f"{stops}; {utility}.")
    files(
        "Lists", f"tarstop-explore-lists-{mean.policy.name}", frame.drop(columns="Open it"), "explore-lists"
    )


def with_cell(key: str, choices: ExploreChoices) -> ExploreChoices:
    """Return the choices with the cell that was clicked."""
    return replace(choices, cell=st.session_state.get(f"{key}/cell"))
