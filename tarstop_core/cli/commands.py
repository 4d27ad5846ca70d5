"""The ``tarstop`` command."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarstop_core.cli.experiment import experiment
from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Payoffs, check_cost, exceeds

if TYPE_CHECKING:
    from tarstop_core.belief.prior import Prior
    from tarstop_core.documents.topic import Topic


KINDS = ("marginal", "hazard", "frailty", "rank")


def main() -> None:
    """Entry point: bad input is one line on stderr and exit code 2."""
    try:
        code = tarstop.main(args=sys.argv[1:] or ["--help"], standalone_mode=False)
    except click.ClickException as problem:
        _fail(problem.format_message())
    except InputProblem as problem:
        _fail(str(problem))
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"tarstop: {' '.join(message.split())}", err=True)
    sys.exit(2)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tarstop")
def tarstop() -> None:
    """Screen ranked documents until reading on is no longer worth it."""


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
q_star_option = click.option(
    "--q-star", type=float, help="Threshold belief q*, between 0 and 1 (payoffs add up to 1)."
)


@tarstop.command()
@click.option("--port", default=8501, show_default=True, help="Port to serve on.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option("--headless", is_flag=True, help="Do not open a browser.")
def app(port: int, address: str, headless: bool) -> None:
    """Start the dashboard."""
    from tarstop_core.cli.launch import run_app

    run_app(port=port, address=address, headless=headless)


@tarstop.command()
@q_star_option
@click.option("--payoffs", help="B,L_r,L_g,G: four positive amounts in the unit of the cost.")
@click.option("--belief", "b", type=float, required=True, help="Belief in ω⁺ now, 0 to 1.")
@click.option("--rho", type=float, required=True, help="Chance that the next document is a hit, 0 to 1.")
@click.option("--cost", type=float, required=True, help="Cost of reading it, in the payoffs' unit.")
@json_option
def decide(
    q_star: float | None, payoffs: str | None, b: float, rho: float, cost: float, as_json: bool
) -> None:
    """One decision of the paper's rule, explained: is the next document worth its cost?"""
    stakes = _stakes(q_star, payoffs)
    for name, value in (("--belief", b), ("--rho", rho)):
        if not 0 <= value <= 1:
            raise InputProblem(f"{name} is {value:g}; give a number from 0 to 1.")
    check_cost(cost)
    evpi = float(stakes.evpi(b))
    value, plus = rho * evpi, bool(stakes.chooses_plus(b))
    go_on = bool(exceeds(value, cost))
    if as_json:
        _print_json(
            {
                "q_star": stakes.q_star,
                "evpi": evpi,
                "value": value,
                "action": "a+" if plus else "a-",
                "continue": go_on,
            }
        )
        return
    from tarstop_core.presentation.numbers import number

    verdict = "continue" if go_on else "stop"
    sign = ">" if go_on else "≤"
    click.echo(
        f"{verdict.capitalize()}: the paper's score ρ·EVPI = {number(rho)} × {number(evpi)} = {number(value)} "
        f"{sign} {number(cost)}, the cost.\n"
        f"Stopping now means {'a+' if plus else 'a-'}: belief {number(b)} is "
        f"{'above' if plus else 'not above'} q* = {number(stakes.q_star)}."
    )


@tarstop.command()
@click.argument("records", type=click.Path(path_type=Path))
@click.option("--query", required=True, help="What is searched for: a sentence or a claim.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="TREC run to write.")
@click.option("--topic", help="Topic name in the run; the file's name without suffixes unless given.")
@json_option
def rank(records: Path, query: str, out: Path, topic: str | None, as_json: bool) -> None:
    """Rank RECORDS by BM25 against a query and write a TREC run."""
    from tarstop_core.documents.records import ranking_text
    from tarstop_core.files import read_records, write_run
    from tarstop_core.ranking.bm25 import rank_documents

    begun = time.perf_counter()
    _writable(out, records)
    table = read_records(records, progress=_progress)
    order, scores = rank_documents(ranking_text(table.frame), query)
    name = topic or records.name.split(".")[0]
    ids = table.frame["id"].to_numpy()[order]
    with _writing(out):
        write_run(out, name, ids, scores[order])
    _say(table.notes)
    seconds = time.perf_counter() - begun
    if as_json:
        _print_json({"documents": len(ids), "seconds": seconds})
    else:
        click.echo(f"Ranked {len(ids):,} documents in {seconds:.1f} s; wrote {out}.")


@tarstop.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("qrels", type=click.Path(path_type=Path))
@json_option
def metrics(run: Path, qrels: Path, as_json: bool) -> None:
    """Quality of the ranking RUN against QRELS, as trec_eval computes it."""
    from tarstop_core.evaluation.ranking_metrics import ranking_metrics
    from tarstop_core.files import read_qrels, read_run

    ranked, judged = read_run(run), read_qrels(qrels)
    found = ranking_metrics(ranked, judged)
    _say((*ranked.notes, *judged.notes))
    if as_json:
        _print_json(found)
    else:
        click.echo(
            f"{found['topics']} topics: MAP {found['map']:.4f}, NDCG {found['ndcg']:.4f}, "
            f"recall at 100 {found['recall_100']:.4f}."
        )


@tarstop.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("qrels", type=click.Path(path_type=Path))
@click.option(
    "--scenario",
    type=click.Choice(["patent", "review", "inclusion"]),
    required=True,
    help="Whose judgments: relevant patents; documents with data; documents included by title and abstract.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Calibrator to write (JSON).")
@click.option("--kind", type=click.Choice(KINDS), default="marginal", show_default=True)
@click.option(
    "--name", help="What the topics are, for the people who will rely on it; the run's name unless given."
)
@click.option(
    "--pseudo",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Imagined documents added to every step (0: plain isotonic).",
)
@click.option("--test-run", type=click.Path(path_type=Path), help="Held-out run to judge it on.")
@click.option("--test-qrels", type=click.Path(path_type=Path), help="Judgments of the held-out run.")
@json_option
def calibrate(
    run: Path,
    qrels: Path,
    scenario: str,
    out: Path,
    kind: str,
    name: str | None,
    pseudo: float,
    test_run: Path | None,
    test_qrels: Path | None,
    as_json: bool,
) -> None:
    """Fit a calibrator on RUN and QRELS: from scores to chances. Without a test run: 5-fold by topic."""
    from dataclasses import replace

    from tarstop_core.calibration.fitting import assess, cross_validate, fit

    if (test_run is None) != (test_qrels is None):
        raise InputProblem("Give --test-run and --test-qrels together, or neither.")
    _writable(out, run, qrels, test_run, test_qrels)
    topics, notes = _labelled(run, qrels)
    settings: dict[str, Any] = {
        "kind": kind,
        "scenario": scenario,
        "name": name or run.name.split(".")[0],
        "source": run.name,
        "pseudo": pseudo,
    }
    calibrator = fit(topics, **settings)
    if test_run is not None and test_qrels is not None:
        held_out, more = _labelled(test_run, test_qrels)
        quality = assess(calibrator, held_out, how=f"held-out run {test_run.name}")
        notes = (*notes, *more)
    else:
        quality = cross_validate(topics, **settings)
    with _writing(out):
        out.write_text(replace(calibrator, quality=quality).to_json(), encoding="utf-8")
    _say(notes)
    if as_json:
        _print_json(
            {
                "brier": quality.brier,
                "ece": quality.ece,
                "topics": quality.topics,
                "documents": quality.documents,
            }
        )
    else:
        seen = calibrator.fitted_on
        click.echo(
            f"Fitted on {seen.topics} topics with {seen.documents:,} documents; wrote {out}.\n"
            f"Judged by {quality.how} ({quality.topics} topics, {quality.documents:,} documents): "
            f"Brier score {quality.brier:.4f}, expected calibration error {quality.ece:.4f}."
        )


@tarstop.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--theta", type=float, default=0.75, show_default=True, help="Threshold on pooled sensitivity.")
@click.option(
    "--engine", type=click.Choice(["bivariate", "univariate", "reml"]), default="bivariate", show_default=True
)
@click.option("--prefixes", is_flag=True, help="The belief after each study too, from 0 studies on.")
@click.option("--b0", "b_0", type=float, help="Belief before any study; 0.5, or the prior's, unless given.")
@click.option("--prior", "prior_file", type=click.Path(path_type=Path), help="A prior as JSON.")
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
    theta: float,
    engine: str,
    prefixes: bool,
    b_0: float | None,
    prior_file: Path | None,
    correction: str,
    as_json: bool,
) -> None:
    """Belief that pooled sensitivity exceeds a threshold, from the 2×2 tables in TABLE (CSV)."""
    from tarstop_core.belief.of_tables import belief_path
    from tarstop_core.files import read_tables

    file = read_tables(table)
    if engine == "reml" and (b_0 is not None or prior_file is not None):
        raise InputProblem("The engine reml knows no prior; leave out --b0 and --prior.")
    path = belief_path(file.tables, theta, engine, _prior(b_0, prior_file, theta), correction=correction)
    for note in (*file.notes, *path.notes):
        click.echo(note, err=True)
    last = path.beliefs[-1]
    if as_json:
        found: dict[str, Any] = {"belief": last, "engine": engine, "mu": path.mu, "se": path.se}
        if prefixes:
            found["prefixes"] = list(path.beliefs)
        _print_json(found)
        return
    from tarstop_core.presentation.numbers import number, percent

    if last is None:
        click.echo(f"Not identified: {engine} needs at least 3 studies with all four counts.")
    else:
        click.echo(
            f"After {len(file.tables)} studies the chance that pooled sensitivity exceeds {percent(theta)} is "
            f"{percent(last)} ({engine})."
        )
    if prefixes:
        for count, each in enumerate(path.beliefs):
            click.echo(f"{count:>5}  {'not identified' if each is None else number(each)}")


@tarstop.command("learn-prior")
@click.argument("tables", type=click.Path(path_type=Path))
@click.option("--theta", type=float, default=0.75, show_default=True, help="Threshold on pooled sensitivity.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Prior to write (JSON).")
@click.option(
    "--name", help="What the reviews are, for the people who will rely on it; the file's name unless given."
)
@json_option
def learn_prior_command(tables: Path, theta: float, out: Path, name: str | None, as_json: bool) -> None:
    """Learn a prior from the 2×2 tables of past reviews: TABLES is a CSV topic,outcome,study,TP,FP,FN,TN or a folder."""
    from tarstop_core.belief.learned_prior import learn_prior
    from tarstop_core.belief.prior import check_theta, save
    from tarstop_core.files import read_outcome_tables
    from tarstop_core.presentation.numbers import number

    _writable(out, tables)
    found = read_outcome_tables(tables)
    reviews = [review for review, _, _ in found]
    prior = learn_prior([each for _, _, each in found], reviews, check_theta(theta), name or tables.stem)
    with _writing(out):
        save(prior, out)
    seen = prior.learned_from
    assert seen is not None
    if as_json:
        _print_json(
            {
                "b_0": prior.b_0,
                "s": prior.s,
                "tau": prior.tau,
                "reviews": seen.reviews,
                "outcomes": seen.outcomes,
                "gain": seen.gain,
            }
        )
        return
    click.echo(
        f"Learned from {seen.outcomes} outcomes of {seen.reviews} reviews; wrote {out}.\n"
        f"b_0 {number(prior.b_0)}, s {number(prior.s)}, scale of τ {number(prior.tau)}; log evidence a review "
        f"{number(seen.gain)} above the default prior's."
    )


@tarstop.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("qrels", type=click.Path(path_type=Path))
@click.option("--calibrator", type=click.Path(path_type=Path), required=True)
@click.option(
    "--policy", "spec", required=True, help="NAME[:param=value,…], e.g. optimal, smooth:K=5, budget:d=100."
)
@q_star_option
@click.option("--payoffs", help="B,L_r,L_g,G instead of --q-star.")
@click.option("--cost", type=float, required=True, help="Cost per document, in the payoffs' unit.")
@click.option("--scenario", type=click.Choice(["patent", "review"]), default="patent", show_default=True)
@click.option(
    "--tables",
    type=click.Path(path_type=Path),
    help="Reviews: a CSV topic,outcome,study,docid,TP,FP,FN,TN, or a folder of such.",
)
@click.option(
    "--truth",
    type=click.Choice(["pooled", "full_evidence"]),
    help="Reviews: pooled sensitivity exceeds θ (the default), or what full evidence would choose.",
)
@click.option("--theta", type=float, help="Reviews: threshold on pooled sensitivity; 0.75 unless given.")
@click.option(
    "--engine",
    type=click.Choice(["bivariate", "univariate", "reml"]),
    help="Reviews: where the belief comes from; bivariate unless given.",
)
@click.option("--prior", "prior_file", type=click.Path(path_type=Path), help="Reviews: a prior as JSON.")
@click.option(
    "--b0", "b_0", type=float, help="Belief before any document; 0.5, or the prior's, unless given."
)
@click.option(
    "--scale",
    type=float,
    default=1.0,
    help="Every chance times this, at most 1, as a session's live check has it.",
)
@json_option
def replay(
    run: Path,
    qrels: Path,
    calibrator: Path,
    spec: str,
    q_star: float | None,
    payoffs: str | None,
    cost: float,
    scenario: str,
    tables: Path | None,
    truth: str | None,
    theta: float | None,
    engine: str | None,
    prior_file: Path | None,
    b_0: float | None,
    scale: float,
    as_json: bool,
) -> None:
    """Stop on the labelled rankings RUN in paper mode, and say what came of it."""
    from dataclasses import replace

    from tarstop_core.belief.decisive import check_prior
    from tarstop_core.belief.prior import check_theta
    from tarstop_core.calibration.calibrator import load
    from tarstop_core.evaluation import replay as replaying
    from tarstop_core.files import read_outcomes
    from tarstop_core.policies import parse_policy

    stakes, policy = _stakes(q_star, payoffs), parse_policy(spec)
    check_cost(cost)
    if scenario == "review" and tables is None:
        raise InputProblem("Reviews need their 2×2 tables; give --tables FILE or DIR.")
    of_reviews = {
        "--tables": tables,
        "--truth": truth,
        "--theta": theta,
        "--engine": engine,
        "--prior": prior_file,
    }
    given = [name for name, value in of_reviews.items() if value is not None]
    if scenario == "patent" and given:
        raise InputProblem(f"{given[0]} is for reviews; leave it out, or give --scenario review.")
    check_prior(0.5 if b_0 is None else b_0)
    if not (scale > 0 and math.isfinite(scale)):
        raise InputProblem(f"--scale is {scale:g}; give a number above 0.")
    theta = check_theta(0.75 if theta is None else theta)
    fitted = load(calibrator)
    if fitted.scenario != scenario:
        raise InputProblem(
            f"The calibrator {calibrator} was fitted for the scenario {fitted.scenario}, not {scenario}; "
            f"fit one with --scenario {scenario}."
        )
    if tables is None:
        topics, notes = _labelled(run, qrels)
        outcomes = replaying.replay(topics, fitted, policy, stakes, cost, 0.5 if b_0 is None else b_0, scale)
    else:
        topics, notes = _labelled(run, qrels)
        judged = {topic.name: topic for topic in topics}
        file = read_outcomes(tables, judged)
        notes = (*notes, *file.notes)
        outcomes = replaying.replay_reviews(
            # Relevant is what the judgments say, so that recall divides by their R.
            [replace(each, topic=replace(judged[each.review], name=each.name)) for each in file.outcomes],
            fitted,
            policy,
            stakes,
            cost,
            theta,
            truth or "pooled",
            engine or "bivariate",
            _prior(b_0, prior_file, theta),
            scale,
        )
    mean = replaying.summary(outcomes)
    _say(notes)
    if as_json:
        _print_json({"topics": replaying.rows(outcomes), "mean": mean})
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


tarstop.add_command(experiment)


@tarstop.command("check-policy")
@click.argument("spec")
@click.option("--lists", default=60, show_default=True, help="Random lists to try it on.")
@json_option
def check_policy_command(spec: str, lists: int, as_json: bool) -> None:
    """Show that a rule never looks ahead: SPEC is NAME[:param=value,…] or FILE.py:NAME. Exits with 1 when it does."""
    from tarstop_core.policies import parse_policy
    from tarstop_core.policies.check import check_policy

    report = check_policy(parse_policy(spec), lists)
    if as_json:
        _print_json(
            {
                "policy": report.policy,
                "lists": report.lists,
                "ok": report.ok,
                "findings": list(report.findings),
                "remark": report.remark,
            }
        )
    else:
        for finding in report.findings:
            click.echo(finding)
        if report.remark:
            click.echo(report.remark)
        elif report.ok:
            click.echo(
                f"{report.policy}: nothing wrong on {report.lists} random lists; it never looked ahead."
            )
    if not report.ok:
        sys.exit(1)


def _prior(b_0: float | None, file: Path | None, theta: float) -> Prior:
    from dataclasses import replace

    from tarstop_core.belief.prior import Prior, load

    # A learned b_0 refers to the θ it was learned at.
    prior = load(file).at(theta) if file is not None else Prior()
    return prior if b_0 is None else replace(prior, b_0=b_0)


def _stakes(q_star: float | None, payoffs: str | None) -> Payoffs:
    if (q_star is None) == (payoffs is None):
        raise InputProblem("Give either --q-star or --payoffs B,L_r,L_g,G.")
    if q_star is not None:
        return Payoffs.from_q_star(q_star)
    try:
        values = [float(part) for part in str(payoffs).split(",")]
        B, L_r, L_g, G = values
    except ValueError:
        raise InputProblem(f"--payoffs is '{payoffs}'; give four numbers B,L_r,L_g,G.") from None
    return Payoffs(B=B, L_r=L_r, L_g=L_g, G=G)


def _labelled(run: Path, qrels: Path) -> tuple[list[Topic], tuple[str, ...]]:
    """Topics that both files know, and what is to be said of the files."""
    from tarstop_core.files import label_topics, read_qrels, read_run

    ranked, judged = read_run(run), read_qrels(qrels)
    topics, notes = label_topics(ranked, judged)
    return list(topics.values()), (*ranked.notes, *judged.notes, *notes)


def _say(notes: Iterable[str]) -> None:
    """Notes go to stderr once the work is done: when it fails, the one line there is the error's."""
    for note in notes:
        click.echo(note, err=True)


def _writable(path: Path, *inputs: Path | None) -> None:
    """Refuse a place that cannot be written to before the work begins, and touch nothing."""
    if path.exists() and any(each is not None and each.exists() and path.samefile(each) for each in inputs):
        raise InputProblem(f"--out is {path}, which is read from; name another file to write.")
    if path.is_dir():
        raise InputProblem(f"{path} is a folder; name a file to write.")
    if not path.parent.is_dir():
        raise InputProblem(f"There is no folder {path.parent} to write {path.name} to; make it first.")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputProblem(f"{path} cannot be written: {problem.strerror}.") from None


def _progress(share: float, what: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{what} {share:4.0%}", nl=share >= 1, err=True)


def _print_json(content: Any) -> None:
    click.echo(json.dumps(content, ensure_ascii=False, allow_nan=False))
