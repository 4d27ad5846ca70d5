"""``tarstop calibrate``: from scores to chances."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tarstop_core.cli.shared import (
    PATH,
    Listed,
    json_option,
    labelled_topics,
    print_json,
    say,
    writable,
    writing,
)
from tarstop_core.errors import InputProblem

KINDS = ("marginal", "hazard", "frailty", "rank")


@click.command()
@click.argument("run", type=PATH)
@click.argument("qrels", type=PATH)
@click.option(
    "--scenario",
    type=Listed("tarstop_core.calibration.calibrator:SCENARIOS"),
    required=True,
    help="Whose judgments: relevant patents; documents with data; documents included by title and abstract.",
)
@click.option("--out", type=PATH, required=True, help="Calibrator to write (JSON).")
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
@click.option("--test-run", type=PATH, help="Held-out run to judge it on.")
@click.option("--test-qrels", type=PATH, help="Judgments of the held-out run.")
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
    from tarstop_core.calibration.fitting import assess, cross_validate, fit

    if (test_run is None) != (test_qrels is None):
        raise InputProblem("Give --test-run and --test-qrels together, or neither.")
    writable(out, run, qrels, test_run, test_qrels)
    topics, notes = labelled_topics(run, qrels)
    settings: dict[str, Any] = {
        "kind": kind,
        "scenario": scenario,
        "name": name or run.name.split(".")[0],
        "source": run.name,
        "pseudo": pseudo,
    }
    calibrator = fit(topics, **settings)
    if test_run is not None and test_qrels is not None:
        held_out, more = labelled_topics(test_run, test_qrels)
        quality = assess(calibrator, held_out, how=f"held-out run {test_run.name}")
        notes = (*notes, *more)
    else:
        quality = cross_validate(topics, **settings)
    with writing(out):
        out.write_text(replace(calibrator, quality=quality).to_json(), encoding="utf-8")
    say(notes)
    if as_json:
        print_json({name: getattr(quality, name) for name in ("brier", "ece", "topics", "documents")})
    else:
        seen = calibrator.fitted_on
        click.echo(
            f"Fitted on {seen.topics} topics with {seen.documents:,} documents; wrote {out}.\n"
            f"Judged by {quality.how} ({quality.topics} topics, {quality.documents:,} documents): "
            f"Brier score {quality.brier:.4f}, expected calibration error {quality.ece:.4f}."
        )
