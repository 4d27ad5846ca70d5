"""Convert between effect measures and numbers of people at a baseline risk."""

import math

from tarstop_core.effects.measures import Measure
from tarstop_core.errors import InputProblem

PER = 1000  # Numbers of people are per 1,000 treated


def delta_of_difference(measure: Measure, baseline: float, per_thousand: float, above: bool) -> float:
    """Convert a number of events per 1,000 treated to the smallest effect that matters, in the measure's unit.

    Parameters
    ----------
    measure : Measure
        OR, RR or RD.
    baseline : float
        Risk of the event without the intervention, in (0, 1).
    per_thousand : float
        Events that the intervention must prevent per 1,000 treated, or add if more events are good. A negative number allows
        that many events in the wrong direction.
    above : bool
        Whether more events are good.

    Returns
    -------
    float
        A ratio for OR and RR, a difference of risks for RD.

    Raises
    ------
    InputProblem
        When the baseline is not between 0 and 1, or the risk with the intervention would not be.

    Examples
    --------
    >>> round(delta_of_difference(Measure.RR, 0.2, 20, above=False), 3)
    0.9
    >>> delta_of_difference(Measure.RD, 0.2, 20, above=False)
    -0.02
    """
    if not 0 < baseline < 1:
        raise InputProblem(f"The risk without the intervention is {baseline:g}; give one between 0 and 1.")
    with_it = baseline + (per_thousand if above else -per_thousand) / PER
    if not 0 < with_it < 1:
        raise InputProblem(
            f"Of 1,000 people about {baseline * PER:,.0f} have the event without the intervention, so it cannot change "
            f"{per_thousand:,g}; give a number closer to 0."
        )
    if measure is Measure.RD:
        return round(with_it - baseline, 12)
    if measure is Measure.RR:
        return with_it / baseline
    return with_it / (1 - with_it) * (1 - baseline) / baseline


def difference_of_delta(measure: Measure, baseline: float, delta: float) -> float:
    """Convert an effect to the number of events that it prevents per 1,000 treated.

    Parameters
    ----------
    measure : Measure
        OR, RR or RD.
    baseline : float
        Risk of the event without the intervention, in (0, 1).
    delta : float
        The effect, in the measure's unit.

    Returns
    -------
    float
        Negative if events are added.

    Examples
    --------
    >>> round(difference_of_delta(Measure.OR, 0.2, delta_of_difference(Measure.OR, 0.2, 20, above=False)), 6)
    20.0
    """
    if measure is Measure.RD:
        return -delta * PER
    if measure is Measure.RR:
        return (1 - delta) * baseline * PER
    odds = delta * baseline / (1 - baseline)
    return (baseline - odds / (1 + odds)) * PER if math.isfinite(odds) else (baseline - 1) * PER
