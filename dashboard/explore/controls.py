"""The controls of the Explore page, and the address that keeps them all."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import address, shell
from dashboard.frame.address import AddressParameter, choice, finite
from dashboard.frame.drawing import note
from dashboard.frame.widgets import lasting, one_of, radio, share
from dashboard.frame.work import button
from dashboard.parts import stakes
from dashboard.parts.sessions import OF
from tarstop_core.errors import InputProblem
from tarstop_core.explore import sensitivity
from tarstop_core.explore.figures import check_sentence
from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.map_figure import MEASURES
from tarstop_core.explore.maps import COMPARED, Measure
from tarstop_core.explore.plans import World, rules_of
from tarstop_core.policies import POLICIES, Policy, parse_policy
from tarstop_core.policies.registry import titled
from tarstop_core.screening.scenarios.named import SCENARIOS, scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, Stakes

PREFIX = "explore"
WORLDS: dict[World, str] = {"planned": "As planned", "played": "As it turned out"}
NONE = "none"
MAP_TAB = "Map"
LONGEST_UNIT = 20  # characters
HOUR = 60.0  # Pounds that an hour of screening costs in the examples


@dataclass(frozen=True)
class ExploreChoices:
    """What is chosen on the page: the settings, the rule, and what the map shows."""

    settings: Settings
    rule: str
    other: str = ""  # The rule that the first is compared with; "" for none
    measure: Measure = "depth"
    world: World = "planned"
    cell: tuple[float, float] | None = None  # q* and c/K of the selected cell of the map


def _spec(text: str) -> str:
    return parse_policy(text, files=False).spec


def _cell(text: str) -> tuple[float, float]:
    q_star, fraction = map(finite, text.split(","))
    return q_star, fraction


def _exact(number: float) -> str:
    return repr(float(number))


def _joined(numbers: Sequence[float] | None) -> str:
    return ",".join(map(_exact, numbers or ()))


PARAMETERS = {
    "rule": AddressParameter("rule", _spec),
    "other": AddressParameter("against", _spec),
    "measure": AddressParameter("measure", choice(MEASURES)),
    "world": AddressParameter("world", choice(WORLDS)),
    "cell": AddressParameter("cell", _cell, _joined),
}
STARTING_CHANCE = {"b_0": AddressParameter("b_0", finite, _exact)}
THRESHOLDS = {
    name: AddressParameter(name, finite, _exact)
    for scenario in SCENARIOS.values()
    if (name := scenario.settings_class.threshold_field)
}
EVERY = PARAMETERS | STARTING_CHANCE | THRESHOLDS
AT_STAKE = {"payoffs", "unit", "cost", "full_cost"}
"""Parameters that an address has all together or not at all: a missing one keeps its ratio to the others."""


def read_address(given: Mapping[str, str], listing: LabelledList) -> ExploreChoices:
    """Return the choices in an address; the settings of the list fill what is missing or cannot be used."""
    settings = listing.settings.with_stakes(_stakes(given, listing.settings.stakes))
    settings = address.read(STARTING_CHANCE | _threshold(settings), given, settings)
    choices = address.read(PARAMETERS, given, ExploreChoices(settings, settings.policy))
    return choices if listing.truth is not None else replace(choices, world="planned")


def _threshold(settings: Settings) -> dict[str, AddressParameter]:
    """Return the parameter of the settings' threshold, by name; empty if they have none."""
    return {name: parameter for name, parameter in THRESHOLDS.items() if name == settings.threshold_field}


def _stakes(given: Mapping[str, str], before: Stakes) -> Stakes:
    """Return the payoffs and costs in an address; a missing one keeps its ratio to the others."""
    payoffs = before.payoffs
    named = _numbers(given.get("payoffs", ""))
    if len(named) == len(PAYOFF_NAMES):
        with suppress(InputProblem):  # impossible payoffs change nothing
            B, L_r, L_g, G = named
            payoffs = Payoffs(B, L_r, L_g, G, given.get("unit", "")[:LONGEST_UNIT], before.payoffs.others)
    costs = _numbers(given.get("cost", ""))
    if len(costs) == 1 and costs[0] >= 0:
        cost = costs[0]
    else:
        cost = before.cost if payoffs == before.payoffs else before.fraction * payoffs.K
    stakes = before.restated(payoffs, cost) if (payoffs, cost) != (before.payoffs, before.cost) else before
    full_costs = _numbers(given.get("full_cost", ""))
    return stakes.with_full_cost(full_costs[0]) if len(full_costs) == 1 and full_costs[0] >= 0 else stakes


def _numbers(text: str) -> tuple[float, ...]:
    """Return the finite numbers between commas; nothing if one of them is not a finite number."""
    try:
        return tuple(map(finite, text.split(",")))
    except ValueError:
        return ()


def address_of(choices: ExploreChoices) -> dict[str, str]:
    """Return the parameters that :func:`read_address` reads back."""
    settings, payoffs = choices.settings, choices.settings.payoffs
    return {
        "payoffs": _joined([getattr(payoffs, name) for name in PAYOFF_NAMES]),
        "unit": payoffs.unit,
        "cost": _exact(settings.cost),
        "full_cost": _exact(settings.cost_in_full) if settings.two_stages else "",
        **address.texts(STARTING_CHANCE, settings),
        **dict.fromkeys(THRESHOLDS, ""),
        **address.texts(_threshold(settings), settings),
        **address.texts(PARAMETERS, choices),
    }


def write_address(chosen: str, choices: ExploreChoices, own: ExploreChoices | None = None) -> None:
    """Put the choices into the address, except those equal to the session's `own`, which may change."""
    wanted = address_of(choices)
    if own is not None:
        changed = {name for name, text in address_of(own).items() if wanted[name] != text}
        changed |= AT_STAKE if changed & AT_STAKE else set()
        wanted = {name: text if name in changed else "" for name, text in wanted.items()}
    address.write({OF: chosen, **wanted})


def begin(chosen: str, listing: LabelledList) -> tuple[str, ExploreChoices]:
    """Return the prefix of a list's widgets, and the choices in the address when it was opened."""
    state, settings_key = st.session_state, f"{PREFIX}/{chosen}/settings"
    if state.setdefault(settings_key, listing.settings) != listing.settings:
        forget(chosen)  # the session's settings changed since it was explored
        state[settings_key] = listing.settings
    turn = state.get(f"{PREFIX}/{chosen}/turn", 0)
    key = f"{PREFIX}/{chosen}/{turn}" if turn else f"{PREFIX}/{chosen}"
    if f"{key}/first" not in state:
        here = st.query_params.get(OF, chosen) == chosen
        state[f"{key}/first"] = read_address(st.query_params.to_dict() if here else {}, listing)
        state[f"{key}/cell"] = state[f"{key}/first"].cell
    return key, state[f"{key}/first"]


def forget(chosen: str) -> None:
    """Reset the choices for a list: clear its address, and give its widgets new keys, because a browser keeps old values."""
    turn = f"{PREFIX}/{chosen}/turn"
    st.session_state[turn] = st.session_state.get(turn, 0) + 1
    address.write(dict.fromkeys((*AT_STAKE, *(parameter.name for parameter in EVERY.values())), ""))


def controls(key: str, first: ExploreChoices) -> tuple[DeltaGenerator, Settings, Policy]:
    """Ask for settings and rule beside the place for figures; return that place, the settings and the rule."""
    figures_at, questions_at = shell.beside(1.75, 1)
    with questions_at:
        settings = _settings_panel(key, first.settings)
        policy = rule_choice(f"{key}/rule", "Stopping rule", "planned", first.rule)
    assert policy is not None
    return figures_at, settings, policy


def map_choices(
    key: str,
    settings: Settings,
    policy: Policy,
    title: str,
    offered: Mapping[World, Sequence[Measure]],
    labels: str,
) -> tuple[ExploreChoices, list[Policy], Sequence[Policy]]:
    """Ask what a map shows, whether lists are planned or played, and which rule is subtracted.

    Parameters
    ----------
    key
        The prefix of the widgets.
    settings, policy
        What is at stake, and the rule.
    title
        Label of the choice of a measure.
    offered
        The measures to choose from.
    labels
        Whose labels a list is played with; "" where it can only be planned.

    Returns
    -------
    choices : ExploreChoices
        Everything that is chosen on the page.
    policies : list of Policy
        The rule, and the one that is subtracted, if any.
    compared : sequence of Policy
        If the map shows regret, the rules among which the best is taken; otherwise none.
    """
    first: ExploreChoices = st.session_state[f"{key}/first"]
    at = st.popover("What is shown", key="present-shown") if shell.presenting() else st.container()
    left, middle, right = at.columns([1.2, 1, 1], vertical_alignment="top")
    world: World = "planned"
    if labels:
        how = f"Show what is expected before anything is known, or the result with {labels}."
        world = one_of("How", WORLDS, at=middle, first=first.world, **lasting(f"{key}/world"), help=how)
    titles = {name: MEASURES[name] for name in offered[world]}
    first_measure = first.measure if first.measure in titles else offered[world][0]
    measure = one_of(
        title, titles, at=left, first=first_measure, **lasting(f"{key}/measure/{'/'.join(titles)}")
    )
    with right:
        other = rule_choice(f"{key}/against", "Compared with", world, first.other, none="nothing")
    choices = ExploreChoices(settings, policy.spec, other.spec if other else "", measure, world)
    return choices, [policy] if other is None else [policy, other], COMPARED if measure == "regret" else ()


def _settings_panel(key: str, start: Settings) -> Settings:
    """Ask for payoffs, cost, b_0 and what is to be exceeded."""
    # Its widgets cost time at every change: they are drawn only where they are wanted.
    how: dict[str, Any] = {"icon": ":material/help:", "key": f"{key}/ask", "on_change": "rerun"}
    unsure = st.expander("I do not know these numbers", **how)
    if unsure.open:
        with unsure:
            _questions(key, start)
    settings, _ = stakes.panel(f"{key}/stakes", start, reports=start.two_stages)
    scenario = scenario_of(start)
    how = lasting(f"{key}/b_0") | {"disabled": not scenario.has_starting_chance(start)}
    explained = f"The {shell.term('b-0', 'starting belief')} b₀."
    b_0 = share(f"Chance before any {scenario.message('observed')}", start.b_0, help=explained, **how)
    settings = replace(settings, b_0=b_0)
    if (threshold := settings.threshold) is not None:
        chosen = stakes.beyond(threshold, **lasting(f"{key}/{settings.threshold_field}"))
        return settings.with_threshold(chosen)
    return settings


def _questions(key: str, settings: Settings) -> None:
    """Ask plain questions that give q*, the cost and a sentence to check them by.

    They begin, anew once these are changed elsewhere, with what the stakes on the page come to, in the examples at £60 an hour.
    """
    state = st.session_state
    stakes: Stakes = state.get(f"{key}/stakes/truth", settings.stakes)
    price, unit_before = stakes.price
    hour_before = HOUR if unit_before == "£" else 30 * price
    begun: dict[str, Any] = {
        "worse": "minus" if stakes.worse == "minus" else "plus",
        "times": _rounded(stakes.times),
        "loss": _rounded(price * stakes.documents if math.isfinite(stakes.documents) else 10_000.0),
        "unit": unit_before,
        "hour": _rounded(hour_before),
        "per_hour": _rounded(hour_before / price),
    }
    if state.get(f"{key}/ask/of") != stakes:
        state.update({f"{key}/ask/of": stakes} | {f"{key}/ask/{name}": begun[name] for name in begun})

    def how(name: str) -> dict[str, Any]:
        return {"key": f"{key}/ask/{name}", "persist_state": "session"}

    def count(label: str, step: float, name: str, at: Any = st) -> float:
        return at.number_input(label, value=begun[name], step=step, format="%g", **how(name))

    names = {"plus": f"wrong “{settings.plus}”", "minus": f"wrong “{settings.minus}”"}
    titles = {name: f"A {shell.escape_label(mistake)}" for name, mistake in names.items()}
    worse = radio("Which mistake is worse?", titles, first=begun["worse"], horizontal=True, **how("worse"))
    lesser = shell.escape_markdown(names["minus" if worse == "plus" else "plus"])
    asked = f"How many mistakes of the other kind ({lesser}) are as bad as one of these?"
    times = count(asked, 1.0, "times")
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    loss = count("What does one of the worse mistakes cost?", 1000.0, "loss", left)
    unit = right.text_input("Counted in", unit_before, max_chars=LONGEST_UNIT, **how("unit")).strip()
    left, right = st.columns(2, vertical_alignment="bottom")
    hour = count("What does an hour of screening cost?", 5.0, "hour", left)
    per_hour = count("How many documents an hour?", 5.0, "per_hour", right)
    with shell.problems_shown():
        elicited = sensitivity.elicited(worse == "plus", times, loss, hour, per_hour, unit)
        check = check_sentence(elicited, settings)
        note(check)
        button("Use these", _take, key, elicited, key=f"{key}/ask/use", width="stretch")


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")


def _take(key: str, elicited: Stakes) -> None:
    """Copy the elicited payoffs and cost into the panel of stakes; the cost of full texts was not asked."""
    state = st.session_state
    before: Stakes = state[f"{key}/stakes/truth"]
    taken = replace(before.restated(elicited.payoffs, elicited.cost), entered=True)
    state[f"{key}/stakes/truth"] = state[f"{key}/ask/of"] = taken
    state[f"{key}/stakes/problems"] = {}
    for name, value in taken.views().items():
        state[f"{key}/stakes/{name}"] = value


def rule_choice(key: str, title: str, world: World, first: str, none: str = "") -> Policy | None:
    """Ask for a rule and its first parameter; None where `none` is chosen."""
    options = {NONE: none} if none else {}
    options |= {name: titled(name) for name in rules_of(world)}
    if st.session_state.get(f"{key}/name") not in (None, *options):
        del st.session_state[f"{key}/name"]
    begun = parse_policy(first, files=False) if first else None
    at = begun.name if begun is not None and begun.name in options else next(iter(options))
    name = one_of(title, options, first=at, **lasting(f"{key}/name"))
    if name == NONE:
        return None
    rule = POLICIES[name]
    same = begun if begun is not None and begun.name == name else rule()
    if len(rule.parameters) != 1 or rule.parameters[0].kind != "int":
        return same
    asked = rule.parameters[0]
    bounds = (int(asked.low), int(asked.high), int(same.settings[asked.name]))
    how = lasting(f"{key}/{name}/{asked.name}")
    return rule(**{asked.name: st.number_input(asked.label, *bounds, **how)})
