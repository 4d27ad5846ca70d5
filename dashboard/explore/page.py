"""The Explore page: move what is at stake and see every consequence follow, on samples or on one's own sessions."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.explore import asked as ask
from dashboard.explore import cells
from dashboard.frame import shell
from dashboard.frame.drawing import all_figures, dark, figure, files, heading_of, note, table
from dashboard.frame.markup import badges, bullets, told
from dashboard.frame.scripts import SAVE_ACTIONS_SCRIPT
from dashboard.frame.widgets import bound, lasting, one_of, tabs
from dashboard.frame.work import OPEN, flash, kept
from dashboard.parts.sessions import OF, file_stem
from tarstop_core.documents.topic import Outcome
from tarstop_core.explore import lists as explore
from tarstop_core.explore import map_figure, maps, path_figure, plans, reread, sensitivity, sensitivity_figure
from tarstop_core.explore import stakes_figure as explore_figures
from tarstop_core.explore.lists import COLLECTIONS, Explored, sample, samples
from tarstop_core.explore.maps import FRACTIONS, MeanMap, Measure, World
from tarstop_core.policies import Policy
from tarstop_core.presentation.html import unbroken
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.screening.explain import about_documents, action, question
from tarstop_core.screening.fold import replay
from tarstop_core.screening.paths import chances
from tarstop_core.screening.scenarios.named import SCENARIOS, scenario_of
from tarstop_core.screening.settings import Settings

LEAD = "Where screening would stop, and what would change that."
CURRENT, MAP, SENSITIVITY, LEARNED = "At stake now", ask.MAP_TAB, "Sensitivity", "Order by labels"
OF_ONE: tuple[Measure, ...] = ("depth", "net_utility", "decision", "regret")
"""What a map of one list can show."""
WHOLE = {name: f"All sample {name} together (simulated)" for name in COLLECTIONS}
"""What can be chosen on the page, by its key."""
OF_MANY: tuple[Measure, ...] = ("depth", "net_utility", "regret")
MEASURES: dict[World, tuple[Measure, ...]] = {"planned": OF_MANY, "played": (*OF_MANY, "agreement")}
SEEN = f"{ask.PREFIX}/seen"


def explore_page() -> None:
    shell.opening("Explore", LEAD, "results.css")
    shell.presentation()
    flash()
    chosen = _choose()
    with shell.problems_shown():
        if chosen in WHOLE:
            _collection(chosen)
        else:
            _explorer(chosen, _load(chosen))
    shell.glossary("evpi", "q-star", "score", "break-even")
    all_figures("tarstop-explore", SAVE_ACTIONS_SCRIPT)


def _choose() -> str:
    """The key of a list: "search:…", "review:…", "session:…" or "collection:…"; the address has it."""
    store = shell.store()
    titles = {f"session:{each.id}": f"Your session: {each.name}" for each in store.sessions()}
    own = "Your list, unread, in its own order"
    titles |= {f"collection:{each.id}": f"{own}: {each.name}" for each in store.collections()}
    titles |= {key: f"Sample {key.partition(':')[0]} (simulated): {title}" for key, title in samples()}
    titles |= WHOLE
    key, first = f"{ask.PREFIX}/{OF}", next(each for each, _ in samples())
    named = _named(titles)
    if named and named not in titles:
        shell.problem_box(f"There is nothing to explore under the name {named}; a sample is shown instead.")
    elif named:
        st.session_state[key] = named
    begun = named if named in titles else first
    chosen = one_of("What to explore", titles, first=begun, **lasting(key), label_visibility="collapsed")
    # The page puts what is chosen into the address: that is no news next time.
    st.session_state[SEEN] = {st.query_params.get(OF, ""), chosen}, st.session_state.get(OPEN, "")
    return chosen


def _named(keys: Collection[str]) -> str:
    """What the address newly names, or else the session newly opened in this tab; "" where neither is news."""
    named, opened = st.query_params.get(OF, ""), st.session_state.get(OPEN, "")
    known, known_open = st.session_state.get(SEEN, (set(), ""))
    if named:
        return "" if named in known else named
    own = f"session:{opened}"
    return own if opened != known_open and own in keys else ""


def _load(chosen: str) -> Explored:
    kind, _, name = chosen.partition(":")
    if kind in {each.sample for each in SCENARIOS.values()}:
        return sample(chosen)
    store = shell.store()
    if kind == "collection":
        collection = store.collection(name)
        of: tuple[str, int, bool] = (collection.name, collection.documents, collection.simulated)
        return kept(f"{ask.PREFIX}/held", (chosen, of), lambda: explore.in_own_order(*of))
    row, events = store.session(name), store.events(name)

    def load() -> Explored:
        state = replay(row.settings, row.ids, events)
        calibrator = store.calibrator(state.settings.calibrator)
        p = chances(state.settings, calibrator, row.scores, state)
        simulated = store.collection(row.collection_id).simulated
        return Explored(row.name, state.settings, calibrator, p, state, simulated=simulated)

    return kept(f"{ask.PREFIX}/held", (chosen, row.name, events[-1].seq if events else 0), load)


@dataclass(frozen=True, eq=False)
class Look:
    """What is looked at; `key` is the prefix of the widgets, of which each list keeps its own."""

    key: str
    explored: Explored
    settings: Settings
    policy: Policy

    @property
    def stem(self) -> str:
        """Begins the names of files."""
        return f"tarstop-explore-{file_stem(self.explored.name)[:40]}"

    @property
    def how(self) -> dict[str, Any]:
        """What every figure is told."""
        return {"simulated": self.explored.simulated, "dark": dark()}


@st.fragment
def _explorer(chosen: str, explored: Explored) -> None:
    with shell.problems_shown():
        state = st.session_state
        key, first = ask.begin(chosen, explored)
        _badges(explored)
        told_at = st.container()
        shown, settings, policy = ask.controls(key, first)
        look = Look(key, explored, settings, policy)
        with told_at:
            _headline(look)
        # What a tab that is closed holds stays in the address.
        asked = replace(state.get(f"{key}/last", first), settings=settings, rule=policy.spec)
        with shown:
            drawn_by = {CURRENT: _current, MAP: _map, SENSITIVITY: _sensitivity}
            if isinstance(explored.truth, Outcome):
                drawn_by[LEARNED] = _learned
            asked = tabs(drawn_by, look, asked, **bound("show")) or asked
        state[f"{key}/last"] = asked
        ask.write_address(chosen, asked)


def _badges(explored: Explored) -> None:
    marks = (
        *about_documents(explored.simulated, explored.settings),
        f"{len(explored):,} documents",
        f"{explored.start:,} read" if explored.start else "",
        explored.calibrator.fitted_on.badge,
        "paper mode, truth known" if explored.truth is not None else "",
    )
    st.html(f'<p class="tar-about">{badges(*filter(None, marks))}</p>')


def _headline(look: Look) -> None:
    plan = map_figure.cell_of(look.explored, look.settings, look.policy, "planned")
    said = path_figure.plan_sentence(plan, look.explored)
    path, settings = plan.path, look.settings
    act = action(bool(plan.plan.plus[0]), settings)
    second = f"Then you would choose “{act}”, at a chance of {percent(path.belief_at(plan.depth))}."
    if not settings.payoffs.unit:
        K = settings.payoffs.K
        cost = count_of(round(K / settings.cost)) if settings.cost else number(K)
        both = f"a wrong “{settings.plus}” and a wrong “{settings.minus}” together cost {cost}"
        second = f"{second[:-1]} ({both})."
    st.html(told(said, second))


def _current(look: Look, asked: ask.Asked) -> ask.Asked:
    settings, explored = look.settings, look.explored
    now = plans.decide(explored.planned(settings), explored.start, settings.cost)
    names, payoffs = (settings.plus, settings.minus), settings.payoffs
    belief = f"chance that {question(settings)}"
    figure(
        "explore-stakes",
        f"Certainty is worth most at q* = {payoffs.q_star:.2f}, and here {amount(now.evpi, payoffs.unit)}",
        explore_figures.stakes_figure(payoffs, now, *names, belief_title=belief, **look.how),
        explore_figures.stakes_sentence(payoffs, now, settings.cost, *names, scenario_of(settings).settling),
        explore_figures.stakes_rows(payoffs),
        look.stem,
    )
    if settings.citation_needed:
        note(
            f"In this session “{settings.plus}” needs a document to cite, so before a hit the rules count what a missed one "
            "would cost at every chance, also above q*. The figure shows the paper’s EVPI."
        )
    return asked


def _map(look: Look, asked: ask.Asked) -> ask.Asked:
    key, explored, settings = look.key, look.explored, look.settings
    labels = "this list’s labels" if explored.truth is not None else ""
    offered = dict.fromkeys(ask.WORLDS, OF_ONE)
    asked, policies, compared = ask.map_choices(key, settings, look.policy, "Show", offered, labels)
    found = maps.maps(explored, settings, policies, asked.world, compared)
    said = map_figure.map_sentence(found[0], asked.measure, *found[1:2])
    of = ask.WORLDS[asked.world].lower()
    map_at, path_at = shell.in_turn()
    with map_at:
        cell = cells.drawn(key, found, asked, of, said, look.stem, explored.simulated)
        _in_full(look)
    with path_at:
        policy = cells.selectors(key, settings.payoffs, found, cell)
        _path(look, cell, policy, asked.world)
    return replace(asked, cell=st.session_state.get(f"{key}/cell"))


def _in_full(look: Look) -> None:
    """What stays as it is while the cost of a document changes."""
    if (said := path_figure.full_cost_note(look.explored.planned(look.settings))) and not shell.presenting():
        note(said)


def _path(look: Look, cell: tuple[float, float], policy: Policy, world: World) -> None:
    settings = cells.at_cell(look.settings, cell)
    found = map_figure.cell_of(look.explored, settings, policy, world)
    figure(
        "explore-path",
        f"{policy} at q* = {cell[0]:g} and a cost of {amount(settings.cost, settings.payoffs.unit)}",
        path_figure.path_figure(found, belief_title=scenario_of(settings).belief_title, **look.how),
        path_figure.path_sentence(found, settings),
        path_figure.path_columns(found),
        look.stem,
    )


def _sensitivity(look: Look, asked: ask.Asked) -> ask.Asked:
    explored, settings, policy = look.explored, look.settings, look.policy
    found, (drawn_at, said_at) = sensitivity.tornado(explored, settings, policy), shell.in_turn()
    with drawn_at:
        figure(
            "explore-tornado",
            f"What moves {policy}: one assumption changed at a time",
            sensitivity_figure.tornado_figure(found, settings, **look.how),
            sensitivity_figure.tornado_sentence(found, settings),
            sensitivity_figure.tornado_rows(found),
            look.stem,
        )
    with said_at:
        heading_of("Where the advice would turn")
        now, turns = sensitivity.break_evens(explored, settings, policy)
        sentences = sensitivity_figure.break_even_sentences(explored, settings, now, turns)
        st.html(bullets(map(unbroken, sentences)))
        _in_full(look)
    return asked


def _learned(look: Look, asked: ask.Asked) -> ask.Asked:
    explored, settings = look.explored, look.settings
    found, (drawn_at, told_at) = reread.reread(explored, settings, look.policy), shell.in_turn()
    rows, (heading, sentence) = (
        reread.reread_rows(found, settings),
        reread.reread_said(explored, found, look.policy),
    )
    with drawn_at:
        figure(
            "explore-learned",
            heading,
            reread.reread_figure(explored, found, dark=dark()),
            sentence,
            rows,
            look.stem,
        )
    with told_at:
        heading_of(f"{look.policy} in both orders, as it turned out")
        table(rows)
        others = st.expander("Other rules", key=f"{look.key}/others", on_change="rerun")
        with others:
            for rule in (each() for each in plans.LOOKING if others.open and each() != look.policy):
                heading_of(str(rule))
                table(reread.reread_rows(reread.reread(explored, settings, rule), settings))
        _learned_from()
    return asked


def _learned_from() -> None:
    came = f"calibration?{urlencode({'part': 'Lists that learn'})}"
    st.caption(
        "Chances by score or rank were learned on simulated lists like these, which stay as they are; those by what was "
        f"found on real ones that learn ([how they came out]({came}), [what they are worth]({shell.guide('reranked_chances')}))."
    )


@st.fragment
def _collection(chosen: str) -> None:
    """Draw the collection of this name."""
    lists = explore.collection(chosen)
    key, first = ask.begin(chosen, lists[0][1])
    learned = lists[0][1].calibrator.fitted_on.badge
    marks = ("simulated", f"{len(lists)} lists", learned, "paper mode, truth known")
    st.html(f'<p class="tar-about">{badges(*marks)}</p>')
    shown, settings, policy = ask.controls(key, first)
    with shown, shell.problems_shown():
        asked = _mean_map(key, lists, settings, policy)
        ask.write_address(chosen, asked)


def _mean_map(key: str, lists: list[tuple[str, Explored]], settings: Settings, policy: Policy) -> ask.Asked:
    labels = "the labels of each list"
    asked, policies, compared = ask.map_choices(key, settings, policy, "Show the mean", MEASURES, labels)
    found = maps.mean_maps([each for _, each in lists], settings, policies, asked.world, compared)
    said = map_figure.mean_sentence(found[0], asked.measure, *found[1:2])
    of, stem = f"mean of {len(lists)} lists, {ask.WORLDS[asked.world].lower()}", key.rpartition("/")[2]
    map_at, lists_at = shell.in_turn()
    with map_at:
        cell = cells.drawn(key, found, asked, of, said, f"tarstop-explore-{stem}", simulated=True)
    with lists_at:
        rule = cells.selectors(key, settings.payoffs, found, cell)
        _lists(lists, next(each for each in found if each.policy == rule), settings, cell)
        if isinstance(lists[0][1].truth, Outcome):
            _mean_learned(key, [each for _, each in lists], cells.at_cell(settings, cell), rule)
    return replace(asked, cell=st.session_state.get(f"{key}/cell"))


def _mean_learned(key: str, lists: list[Explored], settings: Settings, rule: Policy) -> None:
    """What the rule comes to where the lists learn, computed where it is opened."""
    opened = st.expander(
        f"{LEARNED}: {rule} in both orders, as it turned out on average",
        key=f"{key}/learned",
        on_change="rerun",
    )
    if opened.open:
        with opened, st.spinner("Reading every list in both orders …"):
            made = partial(_each_reread, lists, settings, rule)
            table(reread.mean_rows(kept(f"{ask.PREFIX}/reread", (settings, rule), made), settings))
            _learned_from()


def _each_reread(lists: list[Explored], settings: Settings, rule: Policy) -> list[reread.Reread]:
    return [reread.reread(each, settings, rule) for each in lists]


def _lists(
    lists: list[tuple[str, Explored]], shown: MeanMap, settings: Settings, at_stake: tuple[float, float]
) -> None:
    """What the rule comes to in one cell, list by list, each with the way to its own page."""
    at = shown.q_stars.index(at_stake[0]), FRACTIONS.index(at_stake[1])
    cell = cells.at_cell(settings, at_stake)
    unit = cell.payoffs.unit
    rows: list[dict[str, Any]] = []
    for (key, explored), found in zip(lists, shown.maps, strict=True):
        plus = bool(found.plus[at])
        asked = ask.Asked(cell, shown.policy.spec, world=shown.world, cell=at_stake)
        told = {name: value for name, value in ask.address_of(asked).items() if value}
        row = {
            "List": explored.name,
            "Look into it": f"explore?{urlencode({OF: key, 'show': ask.MAP_TAB, **told})}",
            "Stops after": int(found.depth[at]),
            "Of": len(explored),
            "Chooses": action(plus, settings),
        }
        if found.omega is not None:
            row["Right?"] = "yes" if plus == bool(found.omega[at[0]]) else "no"
        row["Net utility"] = float(found.net_utility[at])
        rows.append(row)
    where = f"q* = {at_stake[0]:g} and a cost of {amount(cell.cost, unit)}"
    heading_of(f"{shown.policy} at {where}, list by list")
    frame, utility = pd.DataFrame(rows), f"Net utility ({unit})" if unit else "Net utility"
    known = {
        "Net utility": st.column_config.NumberColumn(utility, format="%.4g"),
        "List": st.column_config.TextColumn(width=220),
        "Look into it": st.column_config.LinkColumn(display_text="map, path", width=80),
    }
    st.dataframe(frame, hide_index=True, width="stretch", column_config=known)
    depths = frame["Stops after"]
    said = f"{shown.policy} stops after {depths.min():,} to {depths.max():,} documents"
    if "Right?" in frame:
        said += f" and decides rightly on {percent(float((frame['Right?'] == 'yes').mean()))} of the lists"
    note(f"{said}; mean net utility {amount(float(frame['Net utility'].mean()), unit)}.")
    files(f"tarstop-explore-lists-{shown.policy.name}", frame.drop(columns="Look into it"), "explore-lists")
