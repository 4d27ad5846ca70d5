"""``tarstop belief --measure``: the belief about the effect of an intervention."""

import math
from dataclasses import asdict
from pathlib import Path

import click

from tarstop_core.cli import shared
from tarstop_core.documents.reports import studies_of
from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import NAMES, Engine, Measure
from tarstop_core.effects.studies import Form, forms_of
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_effects
from tarstop_core.presentation.numbers import count_of, number, percent
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Payoffs


def print_belief(
    table: Path,
    state: State | None,
    measure: str | None,
    engine: Engine | None,
    stakes: Payoffs | None,
    *,
    delta: float | None,
    direction: str | None,
    ratio: bool | None,
    b_0: float | None,
    prior_sd: float | None,
    prefixes: bool,
    as_json: bool,
) -> None:
    """Print the belief about the effect in a table, as text or JSON.

    Parameters
    ----------
    table : Path
        Studies, one a line.
    state : State or None
        State of the session, if the file is one: it supplies what is not given.
    measure : str or None
        One of :class:`Measure`; needed unless a session has it.
    engine : {"exact", "normal", "reml", "dl", "fe"} or None
        Engine that computes the belief; by default that of the session or the measure.
    stakes : Payoffs or None
        Payoffs, if a choice is asked for.
    delta : float or None
        Smallest effect that matters, in the measure's unit; no difference unless given.
    direction : {"above", "below"} or None
        Side of `delta` on which an effect matters; needed unless a session has it.
    ratio : bool or None
        Whether generic estimates are ratios (default: inferred from their limits).
    b_0 : float or None
        Belief before any study; 0.5 unless given.
    prior_sd : float or None
        Prior standard deviation of the average effect, on the scale of analysis.
    prefixes : bool
        Whether the belief after each study is printed too.
    as_json : bool
        Whether to print JSON instead of text.

    Raises
    ------
    InputProblem
        If the session is not about an intervention, the direction is not given, or an option does not fit the measure.
    """
    own = state.settings if state else None
    if own is not None and not isinstance(own, EffectSettings):
        raise InputProblem(
            f"{table} is not a session about an intervention; leave --measure out or give another file."
        )
    if own:
        if measure is None or measure == own.measure:
            delta = own.delta if delta is None else delta
            ratio = own.ratio if ratio is None and own.kind is Measure.GENERIC else ratio
            engine = engine or own.used_engine
        measure = measure or own.measure
        direction = direction or ("above" if own.above else "below")
        b_0 = own.b_0 if b_0 is None else b_0
    if direction is None:
        raise InputProblem("Say on which side of delta an effect matters: --direction above or below.")
    assert measure is not None, "a table without a session is read by the measure that was given"
    chosen = Measure(measure)
    if state:
        is_ratio = bool(ratio) or chosen.is_ratio
        studies, notes = studies_of(state.evidence.rows, forms_of(chosen)[0], is_ratio), tuple[str, ...]()
    else:
        studies, notes = read_effects(table)
    if chosen is not Measure.GENERIC and ratio is not None:
        raise InputProblem("--ratio is for --measure generic; OR and RR are ratios, the others are not.")
    ratio = chosen.is_ratio or (
        chosen is Measure.GENERIC and (studies.looks_like_ratios() if ratio is None else ratio)
    )
    if chosen is Measure.GENERIC and ratio and studies.form is Form.LIMITS:
        notes += ("Read as ratios; their limits are symmetric on the log scale.",)
    delta = float(ratio) if delta is None else delta
    target = EffectTarget(chosen, delta, direction == "above", ratio)
    notes += tuple(studies.notes(chosen, ratio))
    studies = studies.complete()
    belief = belief_of_effect(studies, target, engine, 0.5 if b_0 is None else b_0, prior_sd)
    shared.say(notes)
    if as_json:
        pooled = ("engine", "mu", "se", "tau2", "prediction", "new_setting")
        result = {"belief": belief.beliefs[-1], **{name: getattr(belief, name) for name in pooled}}
        result |= {"measure": chosen.value, "delta": target.delta, "direction": direction, "ratio": ratio}
        prior = asdict(belief.prior) if belief.prior else None
        result |= {"studies": len(studies), "prior": prior}
        if prefixes:
            result["prefixes"] = list(belief.beliefs)
        shared.print_json(result | shared.choice_at(stakes, belief.beliefs[-1]))
        return
    last = belief.beliefs[-1]
    beyond = f"{NAMES[chosen]} is {direction} {target.delta:g}"
    if last is None or belief.mu is None or belief.se is None:
        click.echo(f"Not identified: {belief.engine} needs at least 2 informative studies.")
        return
    click.echo(
        f"After {count_of(len(studies), 'study', 'studies')} the chance that {beyond} is {percent(last)} ({belief.engine})."
    )
    shared.print_choice(stakes, last)

    def unit(value: float) -> str:
        return number(math.exp(value) if ratio else value)

    ends = unit(belief.mu - 1.96 * belief.se), unit(belief.mu + 1.96 * belief.se)
    click.echo(f"It is about {unit(belief.mu)} (95 %: {ends[0]} to {ends[1]}).")
    if belief.new_setting is not None:
        where = (
            f", 95 % of them from {unit(belief.prediction[0])} to {unit(belief.prediction[1])}"
            if belief.prediction
            else ""
        )
        click.echo(f"In a new setting the chance is {percent(belief.new_setting)}{where}.")
    if belief.prior is not None:
        click.echo(
            f"It begins with {percent(0.5 if b_0 is None else b_0)}; the prior's standard deviation is {number(belief.prior.sd)}."
        )
    if prefixes:
        shared.print_prefixes(belief.beliefs)
