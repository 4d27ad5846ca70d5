"""The Explore page: move what is at stake and see every consequence follow, on samples or on your own sessions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from dashboard.explore import controls, map_views
from dashboard.explore.controls import ExploreChoices
from dashboard.frame import address, people, shell
from dashboard.frame.drawing import all_figures, beside_title, figure, heading_of, note, table
from dashboard.frame.markup import badges, bullets, told
from dashboard.frame.scripts import SAVE_ACTIONS_SCRIPT
from dashboard.frame.widgets import bound, lasting, one_of, tabs
from dashboard.frame.work import OPEN, flash, kept
from dashboard.parts.sessions import CHOSEN, OF, file_stem, newly_chosen, not_weighed, offer_reset
from tarstop_core.documents.topic import Outcome
from tarstop_core.explore import (
    figures,
    map_figure,
    maps,
    message,
    order_comparison,
    plans,
    sensitivity,
    sensitivity_figure,
)
from tarstop_core.explore import lists as explore
from tarstop_core.explore.lists import COLLECTIONS, LabelledList, sample, samples
from tarstop_core.explore.maps import Measure
from tarstop_core.explore.plans import World
from tarstop_core.policies import Policy
from tarstop_core.presentation.numbers import amount, count_of, percent, unbroken
from tarstop_core.screening.fold import replay
from tarstop_core.screening.paths import chances
from tarstop_core.screening.scenarios.named import SCENARIOS
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import not_as_in_session
from tarstop_core.screening.wording import about_documents, chances_badge
from tarstop_core.sessions.store.listing import SessionSummary

LEAD = "Where screening stops, and what changes that."
CURRENT, MAP, SENSITIVITY, LEARNED = "At stake now", controls.MAP_TAB, "Sensitivity", "Order by labels"
OF_ONE: tuple[Measure, ...] = ("depth", "net_utility", "decision", "regret")
"""What a map of one list can show."""
WHOLE = {name: f"All sample {name} together (simulated)" for name in COLLECTIONS}
"""What can be chosen on the page, by its key."""
OF_MANY: tuple[Measure, ...] = ("depth", "net_utility", "regret")
MEASURES: dict[World, tuple[Measure, ...]] = {"planned": OF_MANY, "played": (*OF_MANY, "agreement")}
PREFIX = controls.PREFIX
SEEN = f"{PREFIX}/seen"


def explore_page() -> None:
    shell.opening("Explore", LEAD)
    beside_title(present=True)
    flash()
    chosen, title = _choose()
    with shell.problems_shown():
        if chosen in WHOLE:
            _collection(chosen)
        else:
            listing = _load(chosen, title)
            _explorer(chosen, listing, _about(listing))
    shell.glossary("evpi", "q-star", "score", "break-even")
    all_figures("tarstop-explore", SAVE_ACTIONS_SCRIPT)


def _choose() -> tuple[str, str]:
    """Ask for a list; return its key, as in the address, and its title.

    The key is "search:…", "review:…", "session:…" or "collection:…".
    """
    listed = [] if people.lecture() is not None else shell.store().sessions()
    not_weighed(listed, "it has no stakes, so a sample shows what knowing would be worth.")
    sessions, collections = ({}, {}) if people.lecture() is not None else _own(listed)
    titles = sessions | collections
    titles |= {
        key: f"Sample {key.partition(':')[0]} (simulated): {title}" for key, title in samples().items()
    }
    titles |= WHOLE
    key, first = f"{PREFIX}/{OF}", next(iter([*sessions, *samples()]))
    if CHOSEN in st.query_params:  # so Screen, Sessions and Evidence name a session
        address.write({OF: f"session:{st.query_params[CHOSEN]}", CHOSEN: ""})
    in_address = st.query_params.get(OF, "")
    if in_address in sessions:  # Screen opens it too, unless another session is open
        st.session_state.setdefault(OPEN, in_address.partition(":")[2])
    opened = f"session:{st.session_state.get(OPEN, '')}"
    named = newly_chosen(SEEN, in_address, opened, titles)
    if named and named not in titles:
        shell.problem_box(f"There is nothing to explore under the name {named}; a sample is shown instead.")
    elif named:
        st.session_state[key] = named
    begun = named if named in titles else first
    chosen = one_of("What to explore", titles, first=begun, **lasting(key), label_visibility="collapsed")
    # The choice is in the address from now on, so the next run must not take it for a new one.
    st.session_state[SEEN] = {st.query_params.get(OF, ""), chosen}, opened
    return chosen, titles[chosen]


def _own(listed: Sequence[SessionSummary]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the titles of the person's sessions, and those of their collections, by key."""
    # The most recent session comes first: a new tab opens it.
    sessions = {
        f"session:{each.id}": f"Your session: {each.name}"
        for each in listed
        if SCENARIOS[each.scenario].settings_class.weighs
    }
    own = "Your list, unread, in its own order"
    return sessions, {f"collection:{each.id}": f"{own}: {each.name}" for each in shell.store().collections()}


def _load(chosen: str, title: str) -> LabelledList:
    kind, _, name = chosen.partition(":")
    if kind in {scenario.sample for scenario in SCENARIOS.values()}:
        return sample(chosen)
    store = shell.store()
    if kind == "collection":
        collection = store.collection(name)
        of: tuple[str, int, bool] = (collection.name, collection.documents, collection.simulated)
        return kept(f"{PREFIX}/held", (chosen, of), lambda: explore.in_own_order(*of))
    events = store.events(name)

    def load() -> LabelledList:
        row = store.session(name)
        state = replay(row.settings, row.ids, events)
        calibrator = store.calibrator(state.settings.calibrator)
        p = chances(state.settings, calibrator, row.scores, state)
        simulated = store.collection(row.collection_id).simulated
        return LabelledList(row.name, state.settings, calibrator, p, state, simulated=simulated)

    return kept(f"{PREFIX}/held", (chosen, title, events[-1].seq if events else 0), load)


@dataclass(frozen=True, eq=False)
class Selection:
    """The list on the page, with the settings and the rule that were chosen; `key` is the prefix of its widgets."""

    key: str
    listing: LabelledList
    settings: Settings
    policy: Policy

    @property
    def stem(self) -> str:
        """What the names of saved files begin with."""
        return f"tarstop-explore-{file_stem(self.listing.name)[:40]}"

    @property
    def style(self) -> dict[str, bool]:
        """Arguments for how every figure is drawn."""
        return {"simulated": self.listing.simulated, "dark": shell.dark()}


@st.fragment
def _explorer(chosen: str, listing: LabelledList, about: str) -> None:
    """The part of the page that a slider redraws; `about` is what no slider changes."""
    with shell.problems_shown(), shell.in_one_piece():
        state = st.session_state
        key, first = controls.begin(chosen, listing)
        is_session = chosen.startswith("session:")
        own = ExploreChoices(listing.settings, listing.settings.policy) if is_session else None
        headline_at = st.container(key="explore-headline")
        headline_at.empty()  # without anything in it a container would take its place late
        figures_at, settings, policy = controls.controls(key, first)
        selection = Selection(key, listing, settings, policy)
        with headline_at:
            _headline(selection)
            if own is not None:
                _settings_changed(chosen, selection)
        # The address keeps the choices of the other tabs.
        choices = replace(state.get(f"{key}/last", first), settings=settings, rule=policy.spec)
        with figures_at:
            drawn_by = {CURRENT: _current, MAP: _map, SENSITIVITY: _sensitivity}
            if isinstance(listing.truth, Outcome):
                drawn_by[LEARNED] = _learned
            choices = tabs(drawn_by, selection, choices, **bound("show")) or choices
            st.html(about)
        state[f"{key}/last"] = choices
        controls.write_address(chosen, choices, own)


def _settings_changed(chosen: str, selection: Selection) -> None:
    """Say what differs from the session: the rule, and the settings, which can be reset."""
    own = selection.listing.settings
    if note_on_rule := figures.rule_note(own, selection.policy):
        note(note_on_rule)
    differs = not_as_in_session(own, replace(selection.settings, policy=selection.policy.spec))
    offer_reset(differs, controls.forget, chosen, prefix=PREFIX)


def _about(listing: LabelledList) -> str:
    """Badges on a list, as HTML."""
    marks = (
        *about_documents(listing.simulated, listing.settings),
        f"{len(listing):,} documents",
        f"{listing.start:,} read" if listing.start else "",
        f"chances {chances_badge(listing.calibrator, listing.settings)}",
        "paper mode, truth known" if listing.truth is not None else "",
    )
    return f'<p class="tar-about">{badges(*filter(None, marks))}</p>'


def _headline(selection: Selection) -> None:
    plan = plans.cell_of(selection.listing, selection.settings, selection.policy, "planned")
    worth, choice = (
        figures.worth_sentence(plan, selection.settings),
        figures.choice_sentence(plan, selection.settings),
    )
    st.html(told(figures.plan_sentence(plan, selection.listing), worth, choice))


def _current(selection: Selection, choices: ExploreChoices) -> ExploreChoices:
    settings, listing, payoffs = selection.settings, selection.listing, selection.settings.payoffs
    acts_on_belief = selection.policy.acts_on_belief
    now = plans.decide(listing.planned(settings), listing.start, settings.cost, acts_on_belief)
    plan = plans.cell_of(listing, settings, selection.policy, "planned")
    here = amount(now.evpi, payoffs.unit)
    if not payoffs.unit and settings.cost:
        here = f"what {count_of(round(now.evpi / settings.cost))} cost"
    peak = max(payoffs.ranges().ends, key=payoffs.evpi)
    most = f"Certainty is worth {here} here, and most at a chance of {percent(peak)}"
    figure(
        "explore-stakes",
        most if now.plus_open else f"Certainty is worth {here} here",
        figures.stakes_figure(now, settings, **selection.style),
        figures.stakes_sentence(now, settings, plan),
        figures.stakes_rows(now, payoffs),
        selection.stem,
        at_once=True,
    )
    return choices


def _map(selection: Selection, choices: ExploreChoices) -> ExploreChoices:
    key, listing, settings = selection.key, selection.listing, selection.settings
    labels = "this list’s labels" if listing.truth is not None else ""
    offered = dict.fromkeys(controls.WORLDS, OF_ONE)
    choices, policies, compared = controls.map_choices(
        key, settings, selection.policy, "Show", offered, labels
    )
    grids = maps.maps(listing, settings, policies, choices.world, compared)
    sentence = map_figure.map_sentence(grids[0], choices.measure, *grids[1:2])
    of = controls.WORLDS[choices.world].lower()
    map_at, path_at = shell.in_turn()
    with map_at:
        cell = map_views.draw_map(key, grids, choices, of, sentence, selection.stem, listing.simulated)
        _full_cost(selection)
    with path_at:
        policy = map_views.choose_cell(key, settings.payoffs, grids, cell)
        _path(selection, cell, policy, choices.world)
    return map_views.with_cell(key, choices)


def _full_cost(selection: Selection) -> None:
    """Say what stays as it is while the cost of a document changes."""
    sentence = figures.full_cost_note(selection.listing.planned(selection.settings), selection.settings.cost)
    if sentence and not shell.presenting():
        note(sentence)


def _path(selection: Selection, at: tuple[float, float], policy: Policy, world: World) -> None:
    settings = map_views.at_cell(selection.settings, at)
    cell = plans.cell_of(selection.listing, settings, policy, world)
    figure(
        "explore-path",
        f"{policy} at {message('place', q_star=at[0], cost=settings.cost, unit=settings.payoffs.unit)}",
        figures.path_figure(cell, settings, **selection.style),
        figures.path_sentence(cell, settings),
        figures.path_columns(cell),
        selection.stem,
    )


def _sensitivity(selection: Selection, choices: ExploreChoices) -> ExploreChoices:
    listing, settings, policy = selection.listing, selection.settings, selection.policy
    tornado = sensitivity.tornado(listing, settings, policy)
    figure_at, turns_at = shell.in_turn()
    with figure_at:
        figure(
            "explore-tornado",
            f"What affects {policy}: one assumption changed at a time",
            sensitivity_figure.tornado_figure(tornado, settings, **selection.style),
            sensitivity_figure.tornado_sentence(tornado, settings),
            sensitivity_figure.tornado_rows(tornado),
            selection.stem,
        )
    with turns_at:
        heading_of("Where the advice would change")
        goes_on, break_evens = sensitivity.break_evens(listing, settings, policy)
        sentences = sensitivity_figure.break_even_sentences(listing, settings, goes_on, break_evens)
        st.html(bullets(map(unbroken, sentences)))
        _full_cost(selection)
    return choices


def _learned(selection: Selection, choices: ExploreChoices) -> ExploreChoices:
    listing, settings = selection.listing, selection.settings
    comparison = order_comparison.compare_orders(listing, settings, selection.policy)
    rows = order_comparison.order_rows([comparison], settings)
    heading, sentence = order_comparison.order_sentences(listing, comparison, selection.policy)
    figure_at, rows_at = shell.in_turn()
    with figure_at:
        drawing = order_comparison.order_figure(listing, comparison, dark=shell.dark())
        figure("explore-learned", heading, drawing, sentence, rows, selection.stem)
    with rows_at:
        heading_of(f"{selection.policy} in both orders, as it turned out")
        table(rows)
        others = st.expander("Other rules", key=f"{selection.key}/others", on_change="rerun")
        with others:
            for rule in [kind() for kind in plans.LOOKING] if others.open else ():
                if rule != selection.policy:
                    heading_of(rule.brief)
                    other = order_comparison.compare_orders(listing, settings, rule)
                    table(order_comparison.order_rows([other], settings))
        _about_chances()
    return choices


def _about_chances() -> None:
    if people.lecture() is not None:
        return
    came = f"calibration?{urlencode({'part': 'Lists that learn'})}"
    st.caption(
        "Chances from scores or ranks were learned on simulated lists like these, in their own order. Chances that "
        f"follow the finds were learned on real lists that learn ([how accurate they are]({came}), [what they gain]({shell.guide('reranked_chances')}))."
    )


@st.fragment
def _collection(chosen: str) -> None:
    """Draw the collection of this name."""
    lists = explore.collection(chosen)
    begun = next(iter(lists.values()))
    key, first = controls.begin(chosen, begun)
    learned = begun.calibrator.fitted_on.badge
    marks = ("simulated", f"{len(lists)} lists", learned, "paper mode, truth known")
    st.html(f'<p class="tar-about">{badges(*marks)}</p>')
    figures_at, settings, policy = controls.controls(key, first)
    with figures_at, shell.problems_shown():
        choices = _mean_map(key, lists, settings, policy)
        controls.write_address(chosen, choices)


def _mean_map(key: str, lists: dict[str, LabelledList], settings: Settings, policy: Policy) -> ExploreChoices:
    labels = "the labels of each list"
    choices, policies, compared = controls.map_choices(
        key, settings, policy, "Show the mean", MEASURES, labels
    )
    listings = list(lists.values())
    # Computing the maps takes seconds; another measure or cell of them needs no new ones.
    grids = kept(
        f"{PREFIX}/mean",
        (key, settings, tuple(policies), choices.world, tuple(compared)),
        lambda: maps.mean_maps(listings, settings, policies, choices.world, compared),
    )
    sentence = map_figure.mean_sentence(grids[0], choices.measure, *grids[1:2])
    of = f"mean of {len(lists)} lists, {controls.WORLDS[choices.world].lower()}"
    stem = f"tarstop-explore-{key.rpartition('/')[2]}"
    map_at, lists_at = shell.in_turn()
    with map_at:
        cell = map_views.draw_map(key, grids, choices, of, sentence, stem, simulated=True)
    with lists_at:
        rule = map_views.choose_cell(key, settings.payoffs, grids, cell)
        grid = next(grid for grid in grids if grid.policy == rule)
        map_views.lists_of_cell(lists, grid, settings, cell)
        if isinstance(listings[0].truth, Outcome):
            _mean_learned(key, listings, map_views.at_cell(settings, cell), rule)
    return map_views.with_cell(key, choices)


def _mean_learned(key: str, listings: list[LabelledList], settings: Settings, rule: Policy) -> None:
    """Show the rule's result if the lists learn, computed when a person opens it."""
    words = f"{LEARNED}: {rule} in both orders, as it turned out on average"
    opened = st.expander(words, key=f"{key}/learned", on_change="rerun")
    if not opened.open:
        return

    def compared() -> list[order_comparison.OrderComparison]:
        return [order_comparison.compare_orders(listing, settings, rule) for listing in listings]

    with opened, st.spinner("Reading every list in both orders …"):
        comparisons = kept(f"{PREFIX}/reread", (settings, rule), compared)
        table(order_comparison.order_rows(comparisons, settings))
        _about_chances()
