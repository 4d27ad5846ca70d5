"""A whole sample collection on the Explore page: what a rule comes to on average, and list by list."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.explore.asked import (
    MAP_TAB,
    NONE_OF_THEM,
    PREFIX,
    WORLDS,
    Asked,
    address_of,
    read_address,
    rule_choice,
    settings_panel,
    write_address,
)
from dashboard.explore.cells import MAP_FIGURE, clicked, nearest, selectors
from dashboard.frame import shell
from dashboard.parts.panels import figure, files, heading_of, note
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
    key, state = f"{PREFIX}/{chosen}", st.session_state
    if f"{key}/first" not in state:
        told = st.query_params.to_dict() if st.query_params.get(OF) == chosen else {}
        state[f"{key}/first"] = read_address(told, lists[0][1])
        state[f"{key}/cell"] = state[f"{key}/first"].cell
    first: Asked = state[f"{key}/first"]
    marks = [
        "simulated",
        f"{len(lists)} lists",
        lists[0][1].calibrator.fitted_on.badge,
        "paper mode, truth known",
    ]
    st.html(f'<p class="tar-about">{" ".join(map(_badge, marks))}</p>')
    drawn, asked_at = st.columns([1.75, 1], gap="large")
    with asked_at:
        settings = settings_panel(key, first)
        policy = rule_choice(f"{key}/rule", "Stopping rule", "planned", first.rule)
    assert policy is not None
    with drawn, shell.problems_shown():
        asked = _map(key, lists, settings, policy, first)
        write_address(chosen, asked)


def _badge(mark: str) -> str:
    return f'<span class="tar-badge">{html.escape(mark)}</span>'


def _map(
    key: str, lists: list[tuple[str, Explored]], settings: Settings, policy: Policy, first: Asked
) -> Asked:
    left, middle, right = st.columns([1.2, 1, 1], vertical_alignment="top")
    with middle:
        world: World = st.selectbox(
            "How",
            list(WORLDS),
            index=list(WORLDS).index(first.world),
            format_func=lambda name: WORLDS[name],
            key=f"{key}/world",
            persist_state="session",
            help="What is expected before anything is known, or what comes of it with the labels of each list.",
        )
    with left:
        offered = MEASURES[world]
        measure = st.selectbox(
            "Show the mean",
            offered,
            index=offered.index(first.measure) if first.measure in offered else 0,
            format_func=lambda name: map_figure.MEASURES[name],
            key=f"{key}/measure/{world}",
            persist_state="session",
        )
    with right:
        other = rule_choice(f"{key}/against", "Minus the same of", world, first.other, none=NONE_OF_THEM)
    policies = [policy] if other is None else [policy, other]
    shown, *others = maps.mean_maps(
        [each for _, each in lists], settings, policies, world, COMPARED if measure == "regret" else ()
    )
    against = others[0] if others else None
    here = (settings.payoffs.q_star, Stakes(settings.payoffs, settings.cost).fraction)
    chosen: tuple[float, float] | None = st.session_state.get(f"{key}/cell")
    cell = nearest(shown.q_stars, chosen or here)
    at = shown.q_stars.index(cell[0]), FRACTIONS.index(cell[1])
    minus = f" minus that of {other}" if other else ""
    figure(
        MAP_FIGURE,
        f"{map_figure.MEASURES[measure]} of {policy}{minus}, mean of {len(lists)} lists, {WORLDS[world].lower()}",
        map_figure.map_figure(
            shown,
            measure,
            against=against,
            here=here,
            cell=at,
            simulated=True,
            dark=st.context.theme.type == "dark",
        ),
        map_figure.mean_sentence(shown, measure, against)
        + " × is where you are; the square is the cell looked into below. Click another.",
        pd.concat([pd.DataFrame(each.columns()) for each in (shown, *others)]),
        f"tarstop-explore-{key.rpartition('/')[2]}",
        on_select=lambda: clicked(key, shown.q_stars),
    )
    of = selectors(key, settings.payoffs, shown.q_stars, cell, policies)
    _lists(lists, next(each for each in (shown, *others) if each.policy == of), settings, at)
    return Asked(settings, policy.spec, other.spec if other else "", measure, world, chosen)


def _lists(
    lists: list[tuple[str, Explored]], shown: MeanMap, settings: Settings, at: tuple[int, int]
) -> None:
    """What the rule comes to in one cell, list by list, each with the way to its own page."""
    q_star, fraction = shown.q_stars[at[0]], FRACTIONS[at[1]]
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
