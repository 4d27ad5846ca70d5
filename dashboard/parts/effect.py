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
from tarstop_core.screening.effect_settings import EffectSettings

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
SMALLEST = "smallest effect that matters"
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
    left, middle, right = st.columns([1.4, 1, 1.1], gap="small", vertical_alignment="bottom")
    with right.popover("Measure", width="stretch", key=f"{key}/what"):
        how = lasting(f"{key}/outcome") | {"placeholder": "stroke, days in hospital …"}
        outcome = st.text_input("Outcome", "", LONGEST_OUTCOME, **how).strip()
        measure = Measure(one_of("Measure", MEASURES, **lasting(f"{key}/measure")))
        of_events = measure in EVENT_MEASURES
        above = one_of("Direction", DIRECTIONS[of_events], **lasting(f"{key}/above/{of_events}"))
        ratio = False
        if measure is Measure.GENERIC:
            kinds = {True: "Ratios (HR, rate ratio)", False: "Differences"}
            ratio = one_of("Estimates are", kinds, **lasting(f"{key}/ratio"))
    asked = replace(start, outcome=outcome, measure=measure.value, above=above, ratio=ratio, delta=1.0)
    if not of_events:
        words, how = f"The {SMALLEST}, δ", lasting(f"{key}/delta/{asked.is_ratio}")
        how |= {"step": 0.1, "format": "%g", "help": "In the unit of the measure."}
        return replace(asked, delta=left.number_input(words, value=NO_DIFFERENCE[asked.is_ratio], **how))
    events, percents = events_and_risk(key, above, left, middle)
    risk = percents / 100
    try:
        return replace(asked, delta=delta_of_difference(measure, risk, events, above), baseline=risk)
    except InputProblem as problem:
        problem_box(problem)
        problems.append(str(problem))
        return asked


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
    words = f"Events to {'add' if above else 'prevent'} in 1,000"
    events, risk = first
    hint = f"With the risk, this gives the {term('smallest-effect', SMALLEST)}, δ."
    how = lasting(f"{key}/people") | {"help": hint}
    per_thousand = left.number_input(words, least, 999.0, events, step=1.0, format="%g", **how)
    how = lasting(f"{key}/risk")
    percents = right.number_input("Risk without it, %", 0.001, 99.999, risk, step=1.0, format="%g", **how)
    return float(per_thousand), float(percents)
