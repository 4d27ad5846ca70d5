"""Questions on an effect: the measure, the good direction, and how much is enough."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame.shell import problem_box, term
from dashboard.frame.widgets import lasting, one_of
from tarstop_core.effects.absolute import delta_of_difference
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import EVENT_MEASURES
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import unbroken
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.scenarios.named import scenario_of

MEASURES = {
    Measure.OR: "Odds ratio",
    Measure.RR: "Risk ratio",
    Measure.RD: "Risk difference",
    Measure.MD: "Mean difference",
    Measure.SMD: "Standardised mean difference",
    Measure.GENERIC: "An estimate with its error",
}
DIRECTIONS = {
    True: {False: "Events are bad", True: "Events are good"},
    False: {False: "Lower is better", True: "Higher is better"},
}
"""Labels of the good direction, by whether events are counted and whether more is good."""
LONGEST_OUTCOME = 60
"""Most characters of an outcome."""
RISK, PREVENTED = 20.0, 20.0
"""Defaults: per cent of people with the event, and events of 1,000 people to prevent."""
NO_DIFFERENCE = {True: 1.0, False: 0.0}
"""Value of a measure without an effect, by whether the measure is a ratio."""


def ask(key: str, start: EffectSettings, problems: list[str]) -> EffectSettings:
    """Ask for the measure and for the effect that is enough.

    Parameters
    ----------
    key : str
        Prefix of the keys of the fields.
    start : EffectSettings
        The settings so far.
    problems : list of str
        Problems with the answers are appended.

    Returns
    -------
    EffectSettings
    """
    left, right = st.columns([1.3, 1], gap="medium")
    how = lasting(f"{key}/outcome") | {"placeholder": "stroke, days in hospital …"}
    outcome = left.text_input("Outcome", "", LONGEST_OUTCOME, **how).strip()
    measure = Measure(one_of("Measure", MEASURES, at=right, **lasting(f"{key}/measure")))
    of_events = measure in EVENT_MEASURES
    above = one_of("Direction", DIRECTIONS[of_events], at=left, **lasting(f"{key}/above/{of_events}"))
    ratio = False
    if measure is Measure.GENERIC:
        kinds = {True: "Ratios (HR, rate ratio)", False: "Differences"}
        ratio = one_of("Estimates are", kinds, at=right, **lasting(f"{key}/ratio"))
    asked = replace(start, outcome=outcome, measure=measure.value, above=above, ratio=ratio, delta=1.0)
    try:
        return _ask_events(key, asked) if of_events else _ask_amount(key, asked)
    except InputProblem as problem:
        problem_box(problem)
        problems.append(str(problem))
        return asked


def _ask_amount(key: str, asked: EffectSettings) -> EffectSettings:
    """Ask for the smallest effect that matters in the measure's own unit."""
    unit = "a ratio" if asked.is_ratio else "in its own unit"
    how = lasting(f"{key}/delta/{asked.is_ratio}")
    words = f"The smallest effect that matters (δ), {unit}"
    delta = st.number_input(words, value=NO_DIFFERENCE[asked.is_ratio], step=0.1, format="%g", **how)
    return replace(asked, delta=delta)


def events_and_risk(
    key: str,
    above: bool,
    left: DeltaGenerator,
    right: DeltaGenerator,
    first: tuple[float, float] = (PREVENTED, RISK),
    least: float = 0.0,
) -> tuple[float, float]:
    """Ask how many events per 1,000 people a treatment must prevent, or add, and for the risk without it.

    Parameters
    ----------
    key
        Prefix of the keys of the fields.
    above
        Whether more events are good.
    left, right
        Containers of the two fields.
    first
        Default events of 1,000, and default risk in per cent.
    least
        Fewest events; below 0 if the effect may be a harm.

    Returns
    -------
    events, risk : float
        Events of 1,000, and the risk in per cent.
    """
    words = f"Events to {'add' if above else 'prevent'}, of 1,000 treated"
    events, risk = first
    how = lasting(f"{key}/people")
    per_thousand = left.number_input(words, least, 999.0, events, step=1.0, format="%g", **how)
    how = lasting(f"{key}/risk")
    percents = right.number_input("Risk without it, %", 0.001, 99.999, risk, step=1.0, format="%g", **how)
    return float(per_thousand), float(percents)


def _ask_events(key: str, asked: EffectSettings) -> EffectSettings:
    """Ask how many events per 1,000 people a treatment must prevent, and convert that to the measure."""
    left, right = st.columns([1.3, 1], gap="medium")
    events, percents = events_and_risk(key, asked.above, left, right)
    risk = percents / 100
    delta = delta_of_difference(asked.kind, risk, events, asked.above)
    settings = replace(asked, delta=delta, baseline=risk)
    smallest = scenario_of(settings).message("smallest", settings=settings)
    words = f"The {term('smallest-effect', 'smallest effect that matters')}, δ"
    st.caption(unbroken(f"{words}: {MEASURES[asked.kind].lower()} {smallest}."))
    return settings
