"""The Explore page: move what is at stake and see every consequence follow, on samples or on one's own sessions."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pandas as pd
import streamlit as st

from dashboard import shell, stakes
from dashboard.evidence import SAVE_SCRIPT
from dashboard.results_panels import chart_key, figure, heading_of, note, unbroken
from tarstop_core import explore, explore_figures
from tarstop_core.errors import InputProblem
from tarstop_core.explain import action, amount, percent, question
from tarstop_core.explore import COMPARED, FRACTIONS, Explored, Measure, World, rules, sample, samples
from tarstop_core.payoffs import Payoffs
from tarstop_core.policies import POLICIES, Policy, parse_policy
from tarstop_core.session import Settings, replay
from tarstop_core.stakes import PAYOFF_NAMES, Stakes

PREFIX = "explore"
LEAD = (
    "What your payoffs, your cost and your starting chance make of a list: move them and see where screening would "
    "stop, what that is worth, and which number would change your mind."
)
OF = "of"
"""The parameter of the address that names what is explored; the others belong to it."""
WORLDS: dict[World, str] = {"planned": "As planned", "played": "As it turned out"}
CURRENT, MAP, SENSITIVITY = "At stake now", "Map of q* and cost", "Sensitivity"
NONE = "none"
_PLAIN = re.compile(r"[^\w-]+")


def explore_page() -> None:
    """Draw the page."""
    for name in ("evidence.css", "results.css"):
        st.html(shell.ROOT / "dashboard" / name)
    st.title("Explore")
    st.html(f'<p class="tar-lead">{html.escape(LEAD)}</p>')
    chosen = _choose()
    with shell.problems_shown():
        _explorer(chosen, _load(chosen))
    st.html(SAVE_SCRIPT, unsafe_allow_javascript=True)
    st.html(_paper_script(), unsafe_allow_javascript=True)


def _paper_script() -> str:
    """Colours of this page's texts in a saved picture, beside those of every page."""

    def rgb(colour: str) -> str:
        return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"

    paper = {rgb(dark): rgb(light) for dark, light in explore_figures.FOR_PAPER.items()}
    return f"<script>window.tarstopPaper = {{...window.tarstopPaper, ...{json.dumps(paper)}}};</script>"


# --- what is explored ---------------------------------------------------------------------------------


def _choose() -> str:
    """The key of a list: "search:…", "review:…", "session:…" or "collection:…"; the address has it."""
    store = shell.store()
    titles = {f"session:{each.id}": f"Your session: {each.name}" for each in store.sessions()}
    titles |= {
        f"collection:{each.id}": f"Your list, unread, in its own order: {each.name}"
        for each in store.collections()
    }
    for key, title in samples():
        kind = "search" if key.startswith("search") else "review"
        titles[key] = f"Sample {kind} (simulated): {title}"
    keys = list(titles)
    first = next(key for key, _ in samples())
    named = st.query_params.get(OF, first)
    if named not in keys:
        shell.problem_box(f"There is nothing to explore under the name {named}; a sample is shown instead.")
        named = first
    return str(
        st.selectbox(
            "What to explore",
            keys,
            index=keys.index(named),
            format_func=titles.__getitem__,
            key=f"{PREFIX}/{OF}",
            persist_state="session",
        )
    )


def _load(chosen: str) -> Explored:
    kind, _, name = chosen.partition(":")
    if kind in ("search", "review"):
        return sample(chosen)
    store = shell.store()
    if kind == "collection":
        collection = store.collection(name)
        version: tuple[str, int] = (collection.name, collection.documents)

        def load() -> Explored:
            return explore.in_own_order(collection.name, collection.documents, collection.simulated)

    else:
        row, events = store.session(name), store.events(name)
        version = (row.name, events[-1].seq if events else 0)

        def load() -> Explored:
            state = replay(row.settings, row.ids, events)
            calibrator = store.calibrator(state.settings.calibrator)
            p = calibrator.probabilities(row.scores, len(row.ids))
            simulated = store.collection(row.collection_id).simulated
            return Explored(row.name, state.settings, calibrator, p, state, simulated=simulated)

    held = st.session_state.get(f"{PREFIX}/held")
    if held is None or held[:2] != (chosen, version):
        held = (chosen, version, load())
        st.session_state[f"{PREFIX}/held"] = held
    return cast(Explored, held[2])


# --- the address ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What the address says; what cannot be read is left as it would be without it.

    Parameters
    ----------
    settings : Settings
    rule, other : str
        Of the rule, and of the one it is compared with ("" for none).
    measure : str
    world : str
    cell : tuple of float, or None
        q* and c/K of the cell that is looked into.
    """

    settings: Settings
    rule: str
    other: str = ""
    measure: Measure = "depth"
    world: World = "planned"
    cell: tuple[float, float] | None = None


def read_address(address: Mapping[str, str], explored: Explored) -> Asked:
    """What an address asks of a list.

    Parameters
    ----------
    address : mapping of str to str
    explored : Explored
        Its settings stand where the address says nothing usable.
    """
    settings = explored.settings
    payoffs = _numbers(address.get("payoffs", ""), 4)
    if payoffs and all(0 < each < math.inf for each in payoffs):
        B, L_r, L_g, G = payoffs
        settings = replace(settings, payoffs=Payoffs(B, L_r, L_g, G, address.get("unit", "")[:20]))
    for name in ("cost", "b_0", "theta"):
        value = _numbers(address.get(name, ""), 1)
        if value:
            changed: dict[str, Any] = {name: value[0]}
            try:
                settings = replace(settings, **changed)
            except InputProblem:
                continue
    measure, world = address.get("measure", ""), address.get("world", "")
    cell = _numbers(address.get("cell", ""), 2)
    return Asked(
        settings,
        _spec(address.get("rule", "")) or settings.policy,
        _spec(address.get("against", "")),
        measure if measure in explore_figures.MEASURES else "depth",
        "played" if world == "played" and explored.truth is not None else "planned",
        (cell[0], cell[1]) if cell else None,
    )


def address_of(asked: Asked) -> dict[str, str]:
    """The parameters that :func:`read_address` reads back."""
    settings = asked.settings
    payoffs = settings.payoffs
    return {
        "payoffs": ",".join(repr(float(getattr(payoffs, name))) for name in PAYOFF_NAMES),
        "unit": payoffs.unit,
        "cost": repr(float(settings.cost)),
        "b_0": repr(float(settings.b_0)),
        "theta": repr(float(settings.theta)) if settings.review else "",
        "rule": asked.rule,
        "against": asked.other,
        "measure": asked.measure,
        "world": asked.world,
        "cell": ",".join(map(repr, asked.cell)) if asked.cell else "",
    }


def _numbers(text: str, count: int) -> tuple[float, ...]:
    """As many finite numbers as wanted, or none."""
    try:
        values = tuple(map(float, text.split(",")))
    except ValueError:
        return ()
    return values if len(values) == count and all(map(math.isfinite, values)) else ()


def _spec(text: str) -> str:
    """The rule that a text names, as it calls itself; "" where there is none."""
    try:
        return parse_policy(text, files=False).spec if text else ""
    except InputProblem:
        return ""


def _write(chosen: str, asked: Asked) -> None:
    wanted = {OF: chosen, **address_of(asked)}
    now = st.query_params
    for name in [name for name, value in wanted.items() if not value and name in now]:
        del now[name]
    changed = {name: value for name, value in wanted.items() if value and now.get(name) != value}
    if changed:
        now.update(changed)


# --- the explorer ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Look:
    """What is looked at.

    Parameters
    ----------
    key : str
        Prefix of the widgets: each list keeps its own.
    explored : Explored
    settings : Settings
    policy : Policy
    dark : bool
    """

    key: str
    explored: Explored
    settings: Settings
    policy: Policy
    dark: bool

    @property
    def stem(self) -> str:
        """Begins the names of files."""
        return f"tarstop-explore-{_PLAIN.sub('-', self.explored.name).strip('-')[:40]}"

    @property
    def how(self) -> dict[str, Any]:
        """What every figure is told."""
        return {"simulated": self.explored.simulated, "dark": self.dark}


@st.fragment
def _explorer(chosen: str, explored: Explored) -> None:
    with shell.problems_shown():
        key = f"{PREFIX}/{chosen}"
        state = st.session_state
        if f"{key}/first" not in state:
            told = st.query_params.to_dict() if st.query_params.get(OF, chosen) == chosen else {}
            state[f"{key}/first"] = read_address(told, explored)
            state[f"{key}/cell"] = state[f"{key}/first"].cell
        first: Asked = state[f"{key}/first"]
        _badges(explored)
        told_at = st.container()
        drawn, asked_at = st.columns([1.75, 1], gap="large")
        with asked_at:
            settings = _settings(key, explored, first)
            policy = _rule(f"{key}/rule", "Stopping rule", "planned", first.rule)
        assert policy is not None
        look = Look(key, explored, settings, policy, st.context.theme.type == "dark")
        with told_at:
            _headline(look)
        # What a tab that is closed holds stays in the address.
        asked = replace(state.get(f"{key}/last", first), settings=settings, rule=policy.spec)
        with drawn:
            tabs = st.tabs([CURRENT, MAP, SENSITIVITY], key="show", on_change="rerun", bind="query-params")
            for tab, draw in zip(tabs, (_current, _map, _sensitivity), strict=True):
                if tab.open:
                    with tab, shell.problems_shown():
                        asked = draw(look, asked)
        state[f"{key}/last"] = asked
        _write(chosen, asked)


def _badges(explored: Explored) -> None:
    marks = [f"{len(explored):,} documents", explored.calibrator.fitted_on.badge]
    if explored.simulated:
        marks.insert(0, "simulated")
    if explored.start:
        marks.insert(1, f"{explored.start:,} read")
    if explored.truth is not None:
        marks.append("paper mode, truth known")
    shown = " ".join(f'<span class="tar-badge">{html.escape(mark)}</span>' for mark in marks)
    st.html(f'<p class="tar-about">{shown}</p>')


def _headline(look: Look) -> None:
    plan = explore_figures.cell_of(look.explored, look.settings, look.policy, "planned")
    said = explore_figures.plan_sentence(plan, look.explored)
    path, settings = plan.path, look.settings
    sure = stakes.q_star_in_words(settings.payoffs.q_star, settings.plus, question(settings))
    act = action(bool(plan.plan.plus[0]), settings)
    second = f"Then you would choose “{act}”, at a chance of {percent(path.belief_at(plan.depth))}; {sure}."
    st.html(
        f'<div class="tar-told" role="status"><div class="tar-word">{html.escape(unbroken(said))}</div>'
        f"<p>{html.escape(unbroken(second))}</p></div>"
    )


def _settings(key: str, explored: Explored, first: Asked) -> Settings:
    """Payoffs, cost, b_0 and θ as the widgets hold them."""
    start = first.settings
    # Its widgets cost time at every change: they are drawn only where they are wanted.
    unsure = st.expander(
        "I do not know these numbers", icon=":material/help:", key=f"{key}/ask", on_change="rerun"
    )
    if unsure.open:
        with unsure:
            _questions(key, start)
    panel = stakes.panel(f"{key}/stakes", start)
    edged = min(0.99, max(0.01, start.b_0))
    b_0 = st.slider(
        f"Chance before any {'study' if start.review else 'document'}",
        0.01,
        0.99,
        edged,
        step=0.01,
        format="percent",
        key=f"{key}/b_0",
        persist_state="session",
        disabled=start.review and start.engine == "reml",
        help="The starting belief b₀.",
    )
    if b_0 == edged:
        b_0 = start.b_0  # also where it lies beyond the slider's ends
    theta = start.theta
    if start.review:
        theta = st.slider(
            "Sensitivity to exceed",
            0.01,
            0.99,
            start.theta,
            step=0.01,
            format="percent",
            key=f"{key}/theta",
            persist_state="session",
            help="The threshold θ on pooled sensitivity.",
        )
    found = panel.stakes
    return replace(start, payoffs=found.payoffs, cost=found.cost, b_0=b_0, theta=theta)


def _questions(key: str, settings: Settings) -> None:
    """Plain questions that give q*, the cost and a sentence to check them by."""
    keys = {name: f"{key}/ask/{name}" for name in ("worse", "times", "loss", "hour", "per_hour", "unit")}
    names = {"plus": f"A wrong “{settings.plus}”", "minus": f"A wrong “{settings.minus}”"}
    worse = st.radio(
        "Which mistake is worse?",
        list(names),
        format_func=lambda name: shell.escape_markdown(names[name]),
        key=keys["worse"],
        persist_state="session",
        horizontal=True,
    )
    lesser = names["minus" if worse == "plus" else "plus"].removeprefix("A ")
    times = st.number_input(
        f"How many mistakes of the other kind ({shell.escape_markdown(lesser)}) are as bad as one of these?",
        value=4.0,
        step=1.0,
        format="%g",
        key=keys["times"],
        persist_state="session",
    )
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    loss = left.number_input(
        "What does one of the worse mistakes cost?",
        value=10_000.0,
        step=1000.0,
        format="%g",
        key=keys["loss"],
        persist_state="session",
    )
    unit = right.text_input(
        "Counted in", "£", max_chars=20, key=keys["unit"], persist_state="session"
    ).strip()
    left, right = st.columns(2, vertical_alignment="bottom")
    hour = left.number_input(
        "What does an hour of screening cost?",
        value=60.0,
        step=5.0,
        format="%g",
        key=keys["hour"],
        persist_state="session",
    )
    per_hour = right.number_input(
        "How many documents an hour?",
        value=30.0,
        step=5.0,
        format="%g",
        key=keys["per_hour"],
        persist_state="session",
    )
    with shell.problems_shown():
        found = explore.elicited(worse == "plus", times, loss, hour, per_hour, unit)
        said = explore_figures.check_sentence(found, settings)
        note(f"q* = {found.payoffs.q_star:.2f}, c = {amount(found.cost, unit)}. {said}")
        st.button(
            "Use these",
            key=f"{key}/ask/use",
            on_click=_take,
            args=(f"{key}/stakes", found),
            width="stretch",
        )


def _take(key: str, found: Stakes) -> None:
    """Put what was answered into the panel of stakes."""
    state = st.session_state
    state[f"{key}/truth"] = found
    state[f"{key}/problems"] = {}
    for name, value in stakes.views(found).items():
        state[f"{key}/{name}"] = value


def _rule(key: str, title: str, world: World, first: str, none: str = "") -> Policy | None:
    """A rule and its first parameter; None where `none` is chosen."""
    known = {name: rule.title for name, rule in rules(world).items()}
    options = {**({NONE: none} if none else {}), **known}
    if st.session_state.get(f"{key}/name") not in (None, *options):
        del st.session_state[f"{key}/name"]
    begun = parse_policy(first, files=False) if first else None
    at = begun.name if begun is not None and begun.name in options else next(iter(options))
    name = st.selectbox(
        title,
        list(options),
        index=list(options).index(at),
        format_func=options.__getitem__,
        key=f"{key}/name",
        persist_state="session",
    )
    if name == NONE:
        return None
    rule = POLICIES[name]
    same = begun if begun is not None and begun.name == name else rule()
    if len(rule.parameters) != 1 or rule.parameters[0].kind != "int":
        return same
    parameter = rule.parameters[0]
    value = st.number_input(
        f"{parameter.name}: {parameter.meaning}",
        int(parameter.low),
        int(parameter.high),
        int(same.settings[parameter.name]),
        key=f"{key}/{name}/{parameter.name}",
        persist_state="session",
    )
    return rule(**{parameter.name: value})


# --- at stake now ---------------------------------------------------------------------------------------


def _current(look: Look, asked: Asked) -> Asked:
    settings, explored = look.settings, look.explored
    now = explore.decide(explored.planned(settings), explored.start, settings.cost)
    names = (settings.plus, settings.minus)
    figure(
        "explore-stakes",
        f"Certainty is worth most at q* = {settings.payoffs.q_star:.2f}, and here {amount(now.evpi, settings.payoffs.unit)}",
        explore_figures.stakes_figure(
            settings.payoffs,
            now,
            settings.cost,
            *names,
            belief_title=f"chance that {question(settings)}",
            **look.how,
        ),
        explore_figures.stakes_sentence(
            settings.payoffs, now, settings.cost, *names, "bring data" if settings.review else "settle it"
        ),
        pd.DataFrame(explore_figures.stakes_rows(settings.payoffs)),
        look.stem,
    )
    if settings.citation_needed:
        note(
            f"In this session “{settings.plus}” needs a document to cite, so before a hit the rules count what a missed one "
            "would cost at every chance, also above q*. The figure shows the paper’s EVPI."
        )
    return asked


# --- the map --------------------------------------------------------------------------------------------


def _map(look: Look, asked: Asked) -> Asked:
    key, explored, settings = look.key, look.explored, look.settings
    first: Asked = st.session_state[f"{key}/first"]
    left, middle, right = st.columns([1.2, 1, 1], vertical_alignment="top")
    with left:
        measure = st.selectbox(
            "Show",
            list(explore_figures.MEASURES),
            index=list(explore_figures.MEASURES).index(first.measure),
            format_func=lambda name: explore_figures.MEASURES[name],
            key=f"{key}/measure",
            persist_state="session",
        )
    world: World = "planned"
    with middle:
        if explored.truth is not None:
            world = st.selectbox(
                "How",
                list(WORLDS),
                index=list(WORLDS).index(first.world),
                format_func=lambda name: WORLDS[name],
                key=f"{key}/world",
                persist_state="session",
                help="What is expected before anything is known, or what comes of it with this list’s labels.",
            )
    with right:
        other = _rule(f"{key}/against", "Minus the same of", world, first.other, none="nothing")
    policies = [look.policy] if other is None else [look.policy, other]
    shown, *others = explore.maps(
        explored, settings, policies, world, COMPARED if measure == "regret" else ()
    )
    against = others[0] if others else None
    here = (settings.payoffs.q_star, Stakes(settings.payoffs, settings.cost).fraction)
    chosen: tuple[float, float] | None = st.session_state.get(f"{key}/cell")
    cell = _nearest(shown.q_stars, chosen or here)
    at = shown.q_stars.index(cell[0]), FRACTIONS.index(cell[1])
    rows = pd.concat([pd.DataFrame(each.columns()) for each in (shown, *others)])
    title = f"{explore_figures.MEASURES[measure]} of {look.policy}"
    figure(
        "explore-map",
        f"{title}{f' minus that of {other}' if other else ''}, {WORLDS[world].lower()}",
        explore_figures.map_figure(shown, measure, against=against, here=here, cell=at, **look.how),
        explore_figures.map_sentence(shown, measure, against)
        + " × is where you are; the square is the cell looked into below. Click another.",
        rows,
        look.stem,
        on_select=lambda: _clicked(key, shown.q_stars),
    )
    policy = _selectors(look, shown.q_stars, cell, policies)
    _path(look, cell, policy, world)
    return replace(asked, other=other.spec if other else "", measure=measure, world=world, cell=chosen)


def _nearest(q_stars: Sequence[float], at: tuple[float, float]) -> tuple[float, float]:
    """q* and c/K of the cell that lies nearest.

    Examples
    --------
    >>> _nearest((0.1, 0.2), (0.17, 0.0011)), _nearest((0.1, 0.2), (0.9, 0))
    ((0.2, 0.001), (0.2, 1e-05))
    """
    q_star = min(q_stars, key=lambda each: abs(each - at[0]))
    cost = max(at[1], FRACTIONS[0])
    return q_star, min(FRACTIONS, key=lambda each: abs(math.log(each / cost)))


def _clicked(key: str, q_stars: Sequence[float]) -> None:
    """Look into the cell whose point was clicked; the points lie in the order of the cells."""
    points = st.session_state[chart_key("explore-map")]["selection"]["points"]
    if points and points[0].get("curve_number") == 1:
        row, column = divmod(int(points[0]["point_index"]), len(FRACTIONS))
        st.session_state[f"{key}/cell"] = (q_stars[row], FRACTIONS[column])


def _selectors(
    look: Look, q_stars: Sequence[float], cell: tuple[float, float], policies: Sequence[Policy]
) -> Policy:
    """The cell by two sliders, and of which rule: the same as a click, for keyboards."""
    key, state, payoffs = look.key, st.session_state, look.settings.payoffs
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


def _path(look: Look, cell: tuple[float, float], policy: Policy, world: World) -> None:
    own = Stakes(look.settings.payoffs, look.settings.cost).with_q_star(cell[0]).with_fraction(cell[1])
    settings = replace(look.settings, payoffs=own.payoffs, cost=own.cost)
    found = explore_figures.cell_of(look.explored, settings, policy, world)
    figure(
        "explore-path",
        f"{policy} at q* = {cell[0]:g} and a cost of {amount(own.cost, own.payoffs.unit)}",
        explore_figures.path_figure(
            found,
            belief_title="chance it exists" if not settings.review else "chance it is sensitive",
            **look.how,
        ),
        explore_figures.path_sentence(found, settings.plus, settings.minus),
        pd.DataFrame(explore_figures.path_columns(found)),
        look.stem,
    )


# --- sensitivity ------------------------------------------------------------------------------------------


def _sensitivity(look: Look, asked: Asked) -> Asked:
    explored, settings, policy = look.explored, look.settings, look.policy
    found = explore.tornado(explored, settings, policy)
    figure(
        "explore-tornado",
        f"What moves {policy}: one assumption changed at a time",
        explore_figures.tornado_figure(found, settings, **look.how),
        explore_figures.tornado_sentence(found, settings),
        pd.DataFrame(explore_figures.tornado_rows(found)),
        look.stem,
    )
    heading_of("Where the advice would turn")
    now, turns = explore.break_evens(explored, settings, policy)
    sentences = explore_figures.break_even_sentences(explored, settings, now, turns)
    items = "".join(f"<li>{html.escape(unbroken(each))}</li>" for each in sentences)
    st.html(f'<ul class="tar-notes">{items}</ul>')
    return asked
