"""A whole sample collection on the Explore page: what a rule comes to on average, and list by list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.explore.asked import (
    MAP_TAB,
    NONE_OF_THEM,
    WORLDS,
    Asked,
    address_of,
    begin,
    controls,
    measure_choice,
    rule_choice,
    world_choice,
    write_address,
)
from dashboard.explore.cells import drawn, selectors
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
from tarstop_core.value.stakes import Stakes

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
    marks = [
        "simulated",
        f"{len(lists)} lists",
        lists[0][1].calibrator.fitted_on.badge,
        "paper mode, truth known",
    ]
    st.html(f'<p class="tar-about">{badges(*marks)}</p>')
    shown, settings, policy = controls(key, first)
    with shown, shell.problems_shown():
        asked = _map(key, lists, settings, policy, first)
        write_address(chosen, asked)


def _map(
    key: str, lists: list[tuple[str, Explored]], settings: Settings, policy: Policy, first: Asked
) -> Asked:
    left, middle, right = st.columns([1.2, 1, 1], vertical_alignment="top")
    with middle:
        world = world_choice(key, first, "the labels of each list")
    with left:
        measure = measure_choice("Show the mean", MEASURES[world], first, key=f"{key}/measure/{world}")
    with right:
        other = rule_choice(f"{key}/against", "Minus the same of", world, first.other, none=NONE_OF_THEM)
    policies = [policy] if other is None else [policy, other]
    found = maps.mean_maps(
        [each for _, each in lists], settings, policies, world, COMPARED if measure == "regret" else ()
    )
    minus = f" minus that of {other}" if other else ""
    cell = drawn(
        key,
        found,
        measure,
        settings,
        f"{map_figure.MEASURES[measure]} of {policy}{minus}, mean of {len(lists)} lists, {WORLDS[world].lower()}",
        map_figure.mean_sentence(found[0], measure, *found[1:2]),
        f"tarstop-explore-{key.rpartition('/')[2]}",
        simulated=True,
    )
    of = selectors(key, settings.payoffs, found[0].q_stars, cell, policies)
    _lists(lists, next(each for each in found if each.policy == of), settings, cell)
    chosen = st.session_state.get(f"{key}/cell")
    return Asked(settings, policy.spec, other.spec if other else "", measure, world, chosen)


def _lists(
    lists: list[tuple[str, Explored]], shown: MeanMap, settings: Settings, at_stake: tuple[float, float]
) -> None:
    """What the rule comes to in one cell, list by list, each with the way to its own page."""
    q_star, fraction = at_stake
    at = shown.q_stars.index(q_star), FRACTIONS.index(fraction)
    own = Stakes(settings.payoffs, settings.cost).with_q_star(q_star).with_fraction(fraction)
    cell = replace(settings, payoffs=own.payoffs, cost=own.cost)
    unit = own.payoffs.unit
    rows: list[dict[str, Any]] = []
    for (key, explored), found in zip(lists, shown.maps, strict=True):
        plus = bool(found.plus[at])
        asked = Asked(cell, shown.policy.spec, world=shown.world, cell=(q_star, fraction))
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
    heading_of(f"{shown.policy} at q* = {q_star:g} and a cost of {amount(own.cost, unit)}, list by list")
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
