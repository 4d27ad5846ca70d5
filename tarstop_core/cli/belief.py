"""``tarstop belief``, ``tarstop learn-prior`` and ``tarstop decide``: beliefs, priors and single decisions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tarstop_core.belief.engines import ENGINES
from tarstop_core.cli import shared
from tarstop_core.cli.shared import PATH, json_option, print_json
from tarstop_core.effects.measures import ENGINES as EFFECT_ENGINES
from tarstop_core.effects.measures import Measure
from tarstop_core.errors import InputProblem

if TYPE_CHECKING:
    from tarstop_core.documents.tables import Tables
    from tarstop_core.effects.measures import Engine
    from tarstop_core.screening.review_settings import ReviewSettings
    from tarstop_core.screening.state import State
    from tarstop_core.value.payoffs import Payoffs


@click.command()
@click.argument("table", type=PATH)
@click.option("--theta", type=float, help="Threshold on pooled sensitivity (default 0.75).")
@click.option("--theta-sp", type=float, help="Pooled specificity must exceed this too.")
@click.option(
    "--engine",
    type=click.Choice([*ENGINES, *(name for name in EFFECT_ENGINES if name not in ENGINES)]),
    help="Engine that computes the belief (default bivariate; for effects exact for OR, otherwise normal).",
)
@click.option(
    "--measure",
    type=click.Choice([measure.value for measure in Measure]),
    help="TABLE has studies of an intervention: events, means or estimates.",
)
@click.option(
    "--delta", type=float, help="Smallest effect that matters, in the measure's unit (default 1 or 0)."
)
@click.option(
    "--direction", type=click.Choice(["above", "below"]), help="Side of delta on which an effect matters."
)
@click.option(
    "--ratio/--no-ratio",
    default=None,
    help="Whether generic estimates are ratios (default: inferred from their limits).",
)
@click.option(
    "--prior-sd", type=float, help="Prior standard deviation of the average effect, on the scale of analysis."
)
@click.option("--prefixes", is_flag=True, help="Also print the belief after each study, from 0 studies on.")
@shared.q_star_option
@click.option("--payoffs", help="B,L_r,L_g,G instead of --q-star.")
@shared.others_option
@click.option("--b0", "b_0", type=float, help="Belief before any study (default: the prior's, or 0.5).")
@click.option(
    "--prior", "prior_file", type=PATH, help="A prior as JSON, or the name of an included one (default weak)."
)
@click.option(
    "--correction",
    type=click.Choice(["single", "all", "none"]),
    default="single",
    show_default=True,
    help="Continuity correction; reml only.",
)
@json_option
def belief(
    table: Path,
    theta: float | None,
    theta_sp: float | None,
    engine: str | None,
    measure: str | None,
    prefixes: bool,
    b_0: float | None,
    prior_file: Path | None,
    correction: str,
    q_star: float | None,
    payoffs: str | None,
    others: tuple[str, ...],
    as_json: bool,
    **effect_options: Any,
) -> None:
    """Belief that pooled sensitivity exceeds a threshold, from the 2×2 tables in TABLE (CSV).

    With --theta-sp, the belief that specificity exceeds its threshold too.
    TABLE may be a review's session file: its question, thresholds, engine and prior then apply unless you give others, so the answer is that of Screen.
    With --measure, TABLE has studies of an intervention: belief that their average effect is beyond --delta.
    With --q-star or --payoffs, also what is chosen at the belief, among as many options as you name.
    """
    from tarstop_core.screening.effect_settings import EffectSettings

    state = _session_state(table)
    stakes = _payoffs(state, q_star, payoffs, others)
    if measure is not None or (state and isinstance(state.settings, EffectSettings)):
        from tarstop_core.cli.effect import print_belief

        if any(option is not None for option in (theta, theta_sp, prior_file)):
            raise InputProblem(
                "--theta, --theta-sp and --prior are for 2×2 tables of a test; leave them out for effects of interventions."
            )
        effect_options |= {"b_0": b_0, "prefixes": prefixes, "as_json": as_json}
        print_belief(table, state, measure, cast("Engine | None", engine), stakes, **effect_options)
        return
    if any(option is not None for option in effect_options.values()):
        raise InputProblem(
            "--delta, --direction, --ratio and --prior-sd are for effects; say which --measure."
        )
    if engine is not None and engine not in ENGINES:
        raise InputProblem(f"The engine {engine} is for effects of interventions; say which --measure.")
    from tarstop_core.belief.both import claim
    from tarstop_core.belief.of_tables import belief_path, beliefs_of_each
    from tarstop_core.belief.prior import check_theta
    from tarstop_core.belief.question import Question

    tables, notes, session_settings = _tables(table, state)
    theta = check_theta(theta if theta is not None else session_settings.theta if session_settings else 0.75)
    if theta_sp is None and session_settings:
        theta_sp = session_settings.theta_sp
    engine = engine or (session_settings.engine if session_settings else "bivariate")
    if engine == "reml" and (b_0 is not None or prior_file is not None):
        raise InputProblem("The engine reml uses no prior; leave out --b0 and --prior.")
    if session_settings and prior_file is None:
        prior = session_settings.belief_prior
        if theta_sp is not None and session_settings.theta_sp is None:
            prior = shared.for_both_margins(prior)
        prior = prior if b_0 is None else replace(prior, b_0=b_0)
    else:
        prior = shared.given_prior(b_0, prior_file, theta, theta_sp)
    question = Question(theta, engine, prior, theta_sp)
    path = belief_path(tables, question, correction=correction)
    margin_beliefs = beliefs_of_each(tables, question)
    shared.say((*notes, *path.notes))
    last, knows_prior = path.beliefs[-1], ENGINES[engine].knows_prior
    if as_json:
        result: dict[str, Any] = {"belief": last, "engine": engine, "mu": path.mu, "se": path.se}
        result |= {"theta": theta, "studies": len(tables), "prior": prior.to_dict() if knows_prior else None}
        if theta_sp is not None:
            result |= {"theta_sp": theta_sp, "belief_of_each": margin_beliefs}
        if prefixes:
            result["prefixes"] = list(path.beliefs)
        print_json(result | shared.choice_at(stakes, last))
        return
    from tarstop_core.presentation.numbers import count_of, percent

    if last is None:
        click.echo(f"Not identified: {engine} needs at least 3 studies with all four counts.")
    else:
        studies, exceeds = count_of(len(tables), "study", "studies"), claim(theta, theta_sp)
        click.echo(f"After {studies} the chance that pooled {exceeds} is {percent(last)} ({engine}).")
        if margin_beliefs is not None:
            click.echo(
                f"For sensitivity alone it is {percent(margin_beliefs[0])}, for specificity alone {percent(margin_beliefs[1])}."
            )
        shared.print_choice(stakes, last)
    if knows_prior:
        from tarstop_core.screening.scenarios.review import REVIEW

        click.echo(f"It begins with {percent(prior.b_0)}, by a {REVIEW.message('prior', prior=prior)}.")
    if prefixes:
        shared.print_prefixes(path.beliefs)


def _payoffs(
    state: State | None, q_star: float | None, payoffs: str | None, others: tuple[str, ...]
) -> Payoffs | None:
    """Return the payoffs of the options, else those of the session if it has further options; None if no choice is asked for."""
    if q_star is not None or payoffs is not None:
        return shared.given_payoffs(q_star, payoffs, others)
    own = state.settings.payoffs if state else None
    if others and own is None:
        raise InputProblem("--option stands beside two others; give --q-star or --payoffs for these.")
    if own and others:
        return replace(own, others=shared.given_options(others))
    return own if own and own.others else None


def _session_state(path: Path) -> State | None:
    """Return the state of the session in a file; None if the file holds no session."""
    from tarstop_core.sessions.file import is_session, state_of

    text = ""
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8") if path.suffix == ".json" else ""
    return state_of(text, str(path)) if is_session(text) else None


def _tables(path: Path, state: State | None) -> tuple[Tables, tuple[str, ...], ReviewSettings | None]:
    """Return the 2×2 tables of a file or session, notes on them, and the session's settings or None."""
    from tarstop_core.files import UnrecognisedColumns, read_tables
    from tarstop_core.screening.review_settings import ReviewSettings

    if state:
        if not isinstance(state.settings, ReviewSettings):
            raise InputProblem(
                f"{path} is not a session of a review, so it has no studies; give another file."
            )
        return state.evidence.tables, tuple(state.evidence.notes), state.settings
    try:
        read = read_tables(path)
    except UnrecognisedColumns as problem:
        if {"events_treated", "mean_treated", "effect", "o_minus_e"} & {*problem.columns}:
            raise InputProblem(f"{path} holds studies of an intervention; say which --measure.") from None
        raise
    return read.tables, read.notes, None


@click.command("learn-prior")
@click.argument("tables", type=PATH)
@click.option("--theta", type=float, default=0.75, show_default=True, help="Threshold on pooled sensitivity.")
@click.option("--out", type=PATH, required=True, help="Prior to write (JSON).")
@click.option(
    "--name", help="Name of the reviews, for people who will rely on the prior (default: the file's name)."
)
@click.option("--width", is_flag=True, help="Learn only the width; b_0 and the threshold stay free.")
@json_option
def learn_prior_command(
    tables: Path, theta: float, out: Path, name: str | None, width: bool, as_json: bool
) -> None:
    """Learn a prior from the 2×2 tables of past reviews: TABLES is a CSV topic,outcome,study,TP,FP,FN,TN or a folder."""
    from tarstop_core.belief.learned_prior import learn_prior, learn_width
    from tarstop_core.belief.prior import check_theta
    from tarstop_core.files import read_outcome_tables
    from tarstop_core.presentation.numbers import number

    shared.require_writable(out, tables)
    outcomes = read_outcome_tables(tables)
    reviews = [review for review, _, _ in outcomes]
    learn = learn_width if width else learn_prior
    prior = learn([studies for _, _, studies in outcomes], reviews, check_theta(theta), name or tables.stem)
    with shared.writing(out):
        out.write_text(prior.to_json(), encoding="utf-8")
    learned_from = prior.learned_from
    assert learned_from is not None
    if as_json:
        figures = vars(prior) | vars(learned_from)
        print_json({name: figures[name] for name in "b_0 s tau weight reviews outcomes gain".split()})
        return
    click.echo(
        f"Learned from {learned_from.outcomes} outcomes of {learned_from.reviews} reviews; wrote {out}.\n"
        f"b_0 {number(prior.b_0)}, s {number(prior.s)}, scale of τ {number(prior.tau)}, a study counts "
        f"{number(prior.weight)}; log evidence a review {number(learned_from.gain)} above the weak prior's."
    )


@click.command()
@shared.q_star_option
@click.option("--payoffs", help="B,L_r,L_g,G: four amounts, none negative, in the unit of the cost.")
@shared.others_option
@click.option("--belief", "b", type=float, required=True, help="Belief in ω⁺ now, 0 to 1.")
@click.option("--rho", type=float, required=True, help="Chance that the next document is a hit, 0 to 1.")
@click.option("--cost", type=float, required=True, help="Cost of reading it, in the payoffs' unit.")
@json_option
def decide(
    q_star: float | None,
    payoffs: str | None,
    others: tuple[str, ...],
    b: float,
    rho: float,
    cost: float,
    as_json: bool,
) -> None:
    """One decision of the paper's rule, explained: is the next document worth its cost?"""
    from tarstop_core.value.payoffs import weigh

    stakes = shared.given_payoffs(q_star, payoffs, others)
    for name, value in (("--belief", b), ("--rho", rho)):
        if not 0 <= value <= 1:
            raise InputProblem(f"{name} is {value:g}; give a number from 0 to 1.")
    decision = weigh(stakes, b, rho, cost)
    if as_json:
        weighed = {"q_star": decision.q_star, "evpi": decision.evpi, "value": decision.value}
        action = shared.option_names(stakes)[decision.option]
        print_json({**weighed, "action": action, "continue": decision.go_on})
        return
    from tarstop_core.presentation.numbers import number

    verdict = "continue" if decision.go_on else "stop"
    sign = ">" if decision.go_on else "≤"
    click.echo(
        f"{verdict.capitalize()}: the paper's score ρ·EVPI = {number(rho)} × {number(decision.evpi)} = {number(decision.value)} "
        f"{sign} {number(cost)}, the cost.\n"
        f"Stopping now means {shared.choice_words(stakes, b)}."
    )
