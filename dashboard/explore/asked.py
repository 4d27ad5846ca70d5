"""What is asked of the Explore page: its controls, and the address that holds every one of them."""

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import address, shell
from dashboard.frame.drawing import note
from dashboard.frame.widgets import lasting, one_of, press, radio, share
from dashboard.parts import stakes
from dashboard.parts.sessions import OF
from tarstop_core.errors import InputProblem
from tarstop_core.explore import map_figure, sensitivity
from tarstop_core.explore.lists import Explored
from tarstop_core.explore.maps import COMPARED, Measure, World, rules
from tarstop_core.policies import POLICIES, Policy, parse_policy
from tarstop_core.presentation.numbers import amount
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, Stakes

PREFIX = "explore"
WORLDS: dict[World, str] = {"planned": "As planned", "played": "As it turned out"}
NONE = "none"
MAP_TAB = "Map of q* and cost"


@dataclass(frozen=True)
class Asked:
    """What the address says; what cannot be read is left as it would be without it."""

    settings: Settings
    rule: str
    other: str = ""  # Of the rule, and of the one it is compared with ("" for none)
    measure: Measure = "depth"
    world: World = "planned"
    cell: tuple[float, float] | None = None  # q* and c/K of the cell that is looked into


def read_address(given: Mapping[str, str], explored: Explored) -> Asked:
    """What an address asks of a list, whose settings stand where the address says nothing usable."""
    settings = explored.settings
    settings = settings.with_stakes(_stakes(given, settings.stakes))
    for name in ("b_0", "theta"):
        for value in _numbers(given.get(name, ""), 1):
            changed: dict[str, Any] = {name: value}
            with contextlib.suppress(InputProblem):
                settings = replace(settings, **changed)
    measure, world = given.get("measure", ""), given.get("world", "")
    cell = _numbers(given.get("cell", ""), 2)
    return Asked(
        settings,
        _spec(given.get("rule", "")) or settings.policy,
        _spec(given.get("against", "")),
        measure if measure in map_figure.MEASURES else "depth",
        "played" if world == "played" and explored.truth is not None else "planned",
        (cell[0], cell[1]) if cell else None,
    )


def _stakes(given: Mapping[str, str], before: Stakes) -> Stakes:
    """What the address says of payoffs and costs; what it leaves out is as large beside the rest as it was."""
    payoffs, fraction = before.payoffs, before.fraction
    named = _numbers(given.get("payoffs", ""), 4)
    if named and min(named) > 0:
        B, L_r, L_g, G = named
        payoffs = Payoffs(B, L_r, L_g, G, given.get("unit", "")[:20])
    cost, full_cost = (
        next((value for value in _numbers(given.get(name, ""), 1) if value >= 0), None)
        for name in ("cost", "full_cost")
    )
    if cost is None:
        cost = before.cost if payoffs == before.payoffs else fraction * payoffs.K
    stakes = before.restated(payoffs, cost) if (payoffs, cost) != (before.payoffs, before.cost) else before
    return stakes if full_cost is None else stakes.with_full_cost(full_cost)


def address_of(asked: Asked) -> dict[str, str]:
    """The parameters that :func:`read_address` reads back."""
    settings = asked.settings
    payoffs = settings.payoffs
    return {
        "payoffs": ",".join(repr(float(getattr(payoffs, name))) for name in PAYOFF_NAMES),
        "unit": payoffs.unit,
        "cost": repr(float(settings.cost)),
        "full_cost": repr(float(settings.full_cost)) if settings.two_stages else "",
        "b_0": repr(float(settings.b_0)),
        "theta": repr(float(settings.theta)) if settings.kind.reads_full_texts else "",
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
    """The rule that a text names, as it calls itself."""
    try:
        return parse_policy(text, files=False).spec if text else ""
    except InputProblem:
        return ""


def write_address(chosen: str, asked: Asked) -> None:
    address.write({OF: chosen, **address_of(asked)})


def begin(chosen: str, explored: Explored) -> tuple[str, Asked]:
    """The prefix of the widgets for what is chosen, and what the address asked of it when it was opened."""
    key, state = f"{PREFIX}/{chosen}", st.session_state
    if f"{key}/first" not in state:
        told = st.query_params.to_dict() if st.query_params.get(OF, chosen) == chosen else {}
        state[f"{key}/first"] = read_address(told, explored)
        state[f"{key}/cell"] = state[f"{key}/first"].cell
    return key, state[f"{key}/first"]


def controls(key: str, first: Asked) -> tuple[DeltaGenerator, Settings, Policy]:
    """Ask for settings and rule beside where figures go."""
    shown, asked_at = shell.beside(1.75, 1)
    with asked_at:
        settings = _settings_panel(key, first.settings)
        policy = rule_choice(f"{key}/rule", "Stopping rule", "planned", first.rule)
    assert policy is not None
    return shown, settings, policy


def map_choices(
    key: str,
    settings: Settings,
    policy: Policy,
    show: str,
    offered: Mapping[World, Sequence[Measure]],
    labels: str,
) -> tuple[Asked, list[Policy], Sequence[Policy]]:
    """Ask what a map shows, whether lists are planned or played, and what is taken off; without `labels` all is planned.

    With the answer come the rule and the one it is compared with, and those that regret is against.
    """
    first: Asked = st.session_state[f"{key}/first"]
    at = st.popover("What is shown", key="present-shown") if shell.presenting() else st.container()
    left, middle, right = at.columns([1.2, 1, 1], vertical_alignment="top")
    world: World = "planned"
    if labels:
        how = f"What is expected before anything is known, or what comes of it with {labels}."
        world = one_of("How", WORLDS, at=middle, first=first.world, **lasting(f"{key}/world"), help=how)
    titles = {name: map_figure.MEASURES[name] for name in offered[world]}
    begun = first.measure if first.measure in titles else offered[world][0]
    measure = one_of(show, titles, at=left, first=begun, **lasting(f"{key}/measure/{'/'.join(titles)}"))
    with right:
        other = rule_choice(f"{key}/against", "Minus the same of", world, first.other, none="nothing")
    asked = Asked(settings, policy.spec, other.spec if other else "", measure, world)
    return asked, [policy] if other is None else [policy, other], COMPARED if measure == "regret" else ()


def _settings_panel(key: str, start: Settings) -> Settings:
    """Payoffs, cost, b_0 and θ as the widgets hold them."""
    # Its widgets cost time at every change: they are drawn only where they are wanted.
    how: dict[str, Any] = {"icon": ":material/help:", "key": f"{key}/ask", "on_change": "rerun"}
    unsure = st.expander("I do not know these numbers", **how)
    if unsure.open:
        with unsure:
            _questions(key, start)
    settings, _ = stakes.panel(f"{key}/stakes", start, reports=start.two_stages)
    edged, scenario = min(0.99, max(0.01, start.b_0)), scenario_of(start)
    how = lasting(f"{key}/b_0") | {"disabled": not scenario.has_starting_chance(start)}
    said = f"The {shell.term('b-0', 'starting belief')} b₀."
    b_0 = share(f"Chance before any {scenario.observed}", edged, help=said, **how)
    if b_0 == edged:
        b_0 = start.b_0  # also where it lies beyond the slider's ends
    theta = start.theta
    if start.kind.reads_full_texts:
        theta = stakes.sensitivity_to_exceed(start.theta, **lasting(f"{key}/theta"))
    return replace(settings, b_0=b_0, theta=theta)


def _questions(key: str, settings: Settings) -> None:
    """Plain questions that give q*, the cost and a sentence to check them by."""

    def how(name: str) -> dict[str, Any]:
        return {"key": f"{key}/ask/{name}", "persist_state": "session"}

    def count(label: str, value: float, step: float, name: str, at: Any = st) -> float:
        return at.number_input(label, value=value, step=step, format="%g", **how(name))

    names = {"plus": f"A wrong “{settings.plus}”", "minus": f"A wrong “{settings.minus}”"}
    shown = {name: shell.escape_label(words) for name, words in names.items()}
    worse = radio("Which mistake is worse?", shown, horizontal=True, **how("worse"))
    lesser = shell.escape_markdown(names["minus" if worse == "plus" else "plus"].removeprefix("A "))
    asked = f"How many mistakes of the other kind ({lesser}) are as bad as one of these?"
    times = count(asked, 4.0, 1.0, "times")
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    loss = count("What does one of the worse mistakes cost?", 10_000.0, 1000.0, "loss", left)
    unit = right.text_input("Counted in", "£", max_chars=20, **how("unit")).strip()
    left, right = st.columns(2, vertical_alignment="bottom")
    hour = count("What does an hour of screening cost?", 60.0, 5.0, "hour", left)
    per_hour = count("How many documents an hour?", 30.0, 5.0, "per_hour", right)
    with shell.problems_shown():
        found = sensitivity.elicited(worse == "plus", times, loss, hour, per_hour, unit)
        said = map_figure.check_sentence(found, settings)
        note(f"q* = {found.payoffs.q_star:.2f}, c = {amount(found.cost, unit)}. {said}")
        press("Use these", _take, f"{key}/stakes", found, key=f"{key}/ask/use", width="stretch")


def _take(key: str, found: Stakes) -> None:
    """Put what was answered into the panel of stakes; of reports in full nothing was asked."""
    state = st.session_state
    before: Stakes = state[f"{key}/truth"]
    state[f"{key}/truth"] = taken = before.restated(found.payoffs, found.cost)
    state[f"{key}/problems"] = {}
    for name, value in stakes.views(taken).items():
        state[f"{key}/{name}"] = value


def rule_choice(key: str, title: str, world: World, first: str, none: str = "") -> Policy | None:
    """A rule and its first parameter; None where `none` is chosen."""
    options = {NONE: none} if none else {}
    options |= {name: rule.title for name, rule in rules(world).items()}
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
    return rule(**{asked.name: st.number_input(f"{asked.name}: {asked.meaning}", *bounds, **how)})
