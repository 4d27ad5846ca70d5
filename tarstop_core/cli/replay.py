"""``tarstop replay``: apply one rule to labelled rankings."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarstop_core.belief.engines import ENGINES
from tarstop_core.cli import shared
from tarstop_core.cli.review_options import review_options
from tarstop_core.errors import InputProblem

if TYPE_CHECKING:
    from tarstop_core.calibration.calibrator import Calibrator


@click.command()
@click.argument("run", type=shared.PATH)
@click.argument("qrels", type=shared.PATH)
@click.option("--calibrator", type=shared.PATH, help="Where the chances come from (JSON).")
@click.option(
    "--chances",
    type=shared.PATH,
    help="Reviews, instead of a calibrator: each document's chance at the moment it came next, as 'tarstop rerank' writes it with RUN; "
    "later chances are forecast from the labels so far.",
)
@click.option(
    "--policy", "spec", required=True, help="NAME[:param=value,…], e.g. optimal, smooth:K=5, budget:d=100."
)
@shared.q_star_option
@click.option("--payoffs", help="B,L_r,L_g,G instead of --q-star.")
@shared.others_option
@click.option("--cost", type=float, help="Cost per document, in the payoffs' unit; not for 'enough'.")
@click.option("--target-recall", type=float, help="Enough: target recall (default: the rule's own, or 0.95).")
@click.option(
    "--scenario",
    type=shared.LazyChoice("tarstop_core.evaluation.tasks:TASKS"),
    default="patent",
    show_default=True,
    help="What is searched for.",
)
@click.option(
    "--tables",
    type=shared.PATH,
    help="Reviews: a CSV topic,outcome,study,docid,TP,FP,FN,TN, or a folder of such; for interventions with the columns of "
    "'tarstop belief --measure'.",
)
@review_options("where the belief comes from; bivariate unless given")
@click.option("--prior", type=shared.PATH, help="Reviews: a prior as JSON.")
@click.option(
    "--scale",
    type=float,
    default=1.0,
    help="Multiply every chance by this, up to 1, as a session's live check does.",
)
@shared.json_option
def replay(
    run: Path,
    qrels: Path,
    calibrator: Path | None,
    spec: str,
    q_star: float | None,
    payoffs: str | None,
    others: tuple[str, ...],
    cost: float | None,
    target_recall: float | None,
    scenario: str,
    b_0: float | None,
    scale: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Apply a rule to the labelled rankings RUN in paper mode, and report the result.

    Whatever the actions are called, false_adopt counts a⁺ although ω⁻ holds and false_reject a⁻ although ω⁺ holds.
    """
    from tarstop_core.belief.decisive import check_prior
    from tarstop_core.belief.prior import check_theta
    from tarstop_core.belief.question import Question
    from tarstop_core.evaluation import replay as replaying
    from tarstop_core.evaluation.tasks import TASKS
    from tarstop_core.evaluation.tasks.effect import EffectTask
    from tarstop_core.files import read_chances
    from tarstop_core.policies import parse_policy
    from tarstop_core.policies.check import refuse_looking_ahead
    from tarstop_core.value.payoffs import check_cost

    policy = parse_policy(spec)
    refuse_looking_ahead([policy], TASKS[scenario].in_steps)
    if not TASKS[scenario].weighs:
        _replay_enough(run, qrels, calibrator, options["chances"], policy, target_recall, scale, as_json)
        return
    if target_recall is not None:
        raise InputProblem("--target-recall is for --scenario enough; leave it out.")
    if cost is None:
        raise InputProblem("Give --cost, the cost of reading a document.")
    stakes = shared.given_payoffs(q_star, payoffs, others)
    check_cost(cost)
    needs_tables, tables = TASKS[scenario].needs_tables, options["tables"]
    if needs_tables and tables is None:
        raise InputProblem("Reviews need their 2×2 tables; give --tables FILE or DIR.")
    if others and not needs_tables:
        raise InputProblem("--option is for reviews; leave it out, or give --scenario review.")
    of_effects = TASKS[scenario] is EffectTask
    names = ("chances", "tables", "truth", "theta", "theta_sp", "engine", "prior")
    given = [f"--{name.replace('_', '-')}" for name in names if options[name] is not None]
    if given and not needs_tables:
        raise InputProblem(f"{given[0]} is for reviews; leave it out, or give --scenario review.")
    foreign = ("theta", "theta_sp", "prior") if of_effects else ("measure", "delta", "direction")
    if other := [f"--{name.replace('_', '-')}" for name in foreign if options[name] is not None]:
        whose = "reviews of accuracy" if of_effects else "reviews of interventions"
        raise InputProblem(f"{other[0]} is for {whose}; leave it out.")
    if options["engine"] and (options["engine"] in ENGINES) == of_effects:
        raise InputProblem(f"The engine {options['engine']} is for another kind of review; leave it out.")
    check_prior(0.5 if b_0 is None else b_0)
    if not (scale > 0 and math.isfinite(scale)):
        raise InputProblem(f"--scale is {scale:g}; give a number above 0.")
    theta = check_theta(0.75 if options["theta"] is None else options["theta"])
    theta_sp: float | None = options["theta_sp"]
    if theta_sp is not None:
        check_theta(theta_sp, "specificity")
    chances: Path | None = options["chances"]
    fitted = _calibrator(calibrator, chances, TASKS[scenario].chance_of)
    topics, notes = shared.labelled_topics(run, qrels)
    topic_of = {topic.name: topic for topic in topics}

    if tables is None:
        assert fitted is not None  # only reviews may have chances instead
        outcomes = replaying.replay(topics, fitted, policy, stakes, cost, 0.5 if b_0 is None else b_0, scale)
    else:
        reviews, table_notes = TASKS[scenario].read_outcomes(tables, topic_of)
        notes += table_notes
        # The judgments say what is relevant, so that recall divides by their R.
        reviews = [replace(each, topic=replace(topic_of[each.review], name=each.name)) for each in reviews]
        read_topics = {each.review: topic_of[each.review] for each in reviews}
        source = fitted if chances is None else read_chances(chances, read_topics)
        assert source is not None  # either a calibrator or chances are given
        above = options["direction"] == "above"
        engine: Any = options["engine"] or (None if of_effects else "bivariate")
        checked = {"above": above, "engine": engine, "theta": theta, "b_0": b_0, "scale": scale}
        task = TASKS[scenario].asked({**options, **checked})
        prior = None if of_effects else shared.given_prior(b_0, options["prior"], theta, theta_sp)
        outcomes = replaying.replay_reviews(reviews, source, policy, stakes, cost, task, prior)
        if as_json and prior is not None:
            question = Question(theta, engine, prior, theta_sp)
            outcomes = [*replaying.with_left(outcomes, reviews, source, stakes, question)]
    mean = replaying.summary(outcomes)
    refused = 0 if fitted is None else sum(bool(fitted.refusal(topic.scores)) for topic in topics)
    if refused:
        notes += (
            f"{refused:,} of {len(topics):,} lists differ from those the calibrator was fitted on, in length or best score: chances from scores mean little there; "
            "a calibrator of kind 'rank-frailty' does not depend on that.",
        )
    shared.say(notes)
    if as_json:
        rows = [asdict(each) for each in outcomes]
        if not others:  # of two actions, `omega` already says which is right
            for row in rows:
                del row["best"]
        shared.print_json({"topics": rows, "mean": mean})
        return
    click.echo(f"{'topic':<14}{'truth':>6}{'read':>8}{'action':>8}{'net utility':>13}{'recall':>8}")
    for outcome in outcomes:
        truth = "ω⁺" if outcome.omega else "ω⁻"
        click.echo(
            f"{outcome.topic:<14}{truth:>6}{f'{outcome.depth:,.1f}'.removesuffix('.0'):>8}{outcome.action:>8}"
            f"{outcome.net_utility:>13.4f}{outcome.recall:>8.3f}"
        )
    click.echo(
        f"{policy}: {mean['topics']} topics, {mean['depth']:.1f} documents read on average, net utility "
        f"{mean['net_utility']:.4f}, same decision as the truth in {mean['decision_agreement']:.1%}."
    )


def _calibrator(calibrator: Path | None, chances: Path | None, scenario: str) -> Calibrator | None:
    """Load the calibrator and check that it is of this scenario; None if a file of chances is given instead."""
    from tarstop_core.calibration.calibrator import load

    if (calibrator is None) == (chances is None):
        raise InputProblem("Give either --calibrator or --chances.")
    fitted = None if calibrator is None else load(calibrator)
    if fitted is not None and fitted.scenario != scenario:
        raise InputProblem(
            f"The calibrator {calibrator} was fitted for the scenario {fitted.scenario}, not {scenario}; "
            f"fit one with --scenario {scenario}."
        )
    return fitted


def _replay_enough(
    run: Path,
    qrels: Path,
    calibrator: Path | None,
    chances: Path | None,
    policy: Any,
    target: float | None,
    scale: float,
    as_json: bool,
) -> None:
    """Replay a rule without payoffs, and print the recall it reaches and the share of the list it reads."""
    from tarstop_core.calibration.calibrator import INCLUSION
    from tarstop_core.evaluation import replay as replaying
    from tarstop_core.files import read_chances

    target_recall = policy.settings.get("tau", 0.95) if target is None else target
    if not 0 < target_recall <= 1:
        raise InputProblem(f"--target-recall is {target_recall:g}; give a number above 0, at most 1.")
    source: Any = _calibrator(calibrator, chances, INCLUSION)
    topics, notes = shared.labelled_topics(run, qrels)
    if chances is not None:
        source = read_chances(chances, {topic.name: topic for topic in topics})
    played = replaying.replay_enough(topics, source, policy, target_recall, scale)
    mean = replaying.reliability(played)
    shared.say(notes)
    if as_json:
        shared.print_json({"topics": [asdict(each) for each in played], "mean": mean})
        return
    click.echo(f"{'topic':<24}{'read':>8}{'of list':>9}{'recall':>8}")
    for outcome in played:
        click.echo(f"{outcome.topic:<24}{outcome.depth:>8,.0f}{outcome.share:>9.1%}{outcome.recall:>8.3f}")
    click.echo(
        f"{policy}: {mean['topics']} topics, {mean['share']:.1%} of the lists read on average, recall {mean['recall']:.3f}; "
        f"{target_recall:.0%} reached on {mean['reliability']:.1%} of topics."
    )
