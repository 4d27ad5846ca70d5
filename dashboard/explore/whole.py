"""A whole sample collection on the Explore page: what a rule comes to on average, and list by list."""

from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.explore.asked import (
    MAP_TAB,
    WORLDS,
    Asked,
    address_of,
    begin,
    controls,
    map_choices,
    write_address,
)
from dashboard.explore.cells import at_cell, drawn, selectors
from dashboard.frame import shell
from dashboard.frame.markup import badges
from dashboard.parts.panels import files, heading_of, note
from dashboard.parts.whole_session import OF
from tarstop_core.explore import lists as explore
from tarstop_core.explore import map_figure, maps
from tarstop_core.explore.lists import COLLECTIONS, Explored
from tarstop_core.explore.maps import COMPARED, FRACTIONS, MeanMap, Measure, World
from tarstop_core.policies import Policy
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.screening.explain import action
from tarstop_core.screening.settings import Settings

WHOLE = {name: f"All sample {name} together (simulated)" for name in COLLECTIONS}
"""What can be chosen on the page, by its key."""
MEASURES: dict[World, tuple[Measure, ...]] = {
    "planned": ("depth", "net_utility", "regret"),
    "played": ("depth", "net_utility", "regret", "agreement"),
}


@st.fragment
def show(chosen: str) -> None:
    """Draw the collection of this name."""
    lists = explore.collection(chosen)
    key, first = begin(chosen, lists[0][1])
    learned = lists[0][1].calibrator.fitted_on.badge
    marks = ["simulated", f"{len(lists)} lists", learned, "paper mode, truth known"]
    st.html(f'<p class="tar-about">{badges(*marks)}</p>')
    shown, settings, policy = controls(key, first)
    with shown, shell.problems_shown():
        asked = _map(key, lists, settings, policy, first)
        write_address(chosen, asked)


def _map(
    key: str, lists: list[tuple[str, Explored]], settings: Settings, policy: Policy, first: Asked
) -> Asked:
    labels = "the labels of each list"
    measure, world, other = map_choices(key, first, "Show the mean", MEASURES, labels)
    policies = [policy] if other is None else [policy, other]
    found = maps.mean_maps(
        [each for _, each in lists], settings, policies, world, COMPARED if measure == "regret" else ()
    )
    cell = drawn(
        key,
        found,
        measure,
        settings,
        f"mean of {len(lists)} lists, {WORLDS[world].lower()}",
        map_figure.mean_sentence(found[0], measure, *found[1:2]),
        f"tarstop-explore-{key.rpartition('/')[2]}",
        simulated=True,
    )
    of = selectors(key, settings.payoffs, found, cell)
    _lists(lists, next(each for each in found if each.policy == of), settings, cell)
    chosen = st.session_state.get(f"{key}/cell")
    return Asked(settings, policy.spec, other.spec if other else "", measure, world, chosen)


def _lists(
    lists: list[tuple[str, Explored]], shown: MeanMap, settings: Settings, at_stake: tuple[float, float]
) -> None:
    """What the rule comes to in one cell, list by list, each with the way to its own page."""
    at = shown.q_stars.index(at_stake[0]), FRACTIONS.index(at_stake[1])
    cell = at_cell(settings, at_stake)
    unit = cell.payoffs.unit
    rows: list[dict[str, Any]] = []
    for (key, explored), found in zip(lists, shown.maps, strict=True):
        plus = bool(found.plus[at])
        asked = Asked(cell, shown.policy.spec, world=shown.world, cell=at_stake)
        told = {name: value for name, value in address_of(asked).items() if value}
        row = {
            "List": explored.name,
            "Look into it": f"explore?{urlencode({OF: key, 'show': MAP_TAB, **told})}",
            "Stops after": int(found.depth[at]),
            "Of": len(explored),
            "Chooses": action(plus, settings),
        }
        if found.omega is not None:
            row["Right?"] = "yes" if plus == bool(found.omega[at[0]]) else "no"
        row["Net utility"] = float(found.net_utility[at])
        rows.append(row)
    heading_of(
        f"{shown.policy} at q* = {at_stake[0]:g} and a cost of {amount(cell.cost, unit)}, list by list"
    )
    frame = pd.DataFrame(rows)
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        column_config={
            "Net utility": st.column_config.NumberColumn(
                f"Net utility ({unit})" if unit else "Net utility", format="%.4g"
            ),
            "List": st.column_config.TextColumn(width=170),
            "Look into it": st.column_config.LinkColumn(display_text="map, path", width=80),
        },
    )
    depths = frame["Stops after"]
    said = f"{shown.policy} stops after {depths.min():,} to {depths.max():,} documents"
    if "Right?" in frame:
        said += f" and decides rightly on {percent(float((frame['Right?'] == 'yes').mean()))} of the lists"
    note(f"{said}; mean net utility {amount(float(frame['Net utility'].mean()), unit)}.")
    files(f"tarstop-explore-lists-{shown.policy.name}", frame.drop(columns="Look into it"), "explore-lists")
