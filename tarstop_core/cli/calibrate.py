"""``tarstop calibrate``: fit a calibrator, which turns scores or ranks into chances."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tarstop_core.cli import shared
from tarstop_core.errors import InputProblem


@click.command()
@click.argument("run", type=shared.PATH)
@click.argument("qrels", type=shared.PATH)
@click.option(
    "--scenario",
    type=shared.LazyChoice("tarstop_core.calibration.calibrator:SCENARIOS"),
    required=True,
    help="What the judgments mark: relevant patents; documents with data; documents included by title and abstract.",
)
@click.option("--out", type=shared.PATH, required=True, help="Calibrator to write (JSON).")
@click.option(
    "--kind",
    type=shared.LazyChoice("tarstop_core.calibration.calibrator:KINDS"),
    default="marginal",
    show_default=True,
    help="What the chances are chances of, and whether they use scores or ranks.",
)
@click.option(
    "--name", help="Name of the topics, for people who will rely on the calibrator (default: the run's name)."
)
@click.option(
    "--pseudo",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Imagined documents added to every step (0: plain isotonic).",
)
@click.option("--test-run", type=shared.PATH, help="Held-out run to judge it on.")
@click.option("--test-qrels", type=shared.PATH, help="Judgments of the held-out run.")
@click.option(
    "--also",
    type=(shared.PATH, shared.PATH),
    multiple=True,
    metavar="RUN QRELS",
    help="Another collection, for kind rank-frailty: shows how much collections differ. Repeatable.",
)
@click.option(
    "--start",
    type=shared.PATH,
    help="A calibrator of kind rank-frailty that RUN and QRELS update, instead of a vague prior.",
)
@shared.json_option
def calibrate(
    run: Path,
    qrels: Path,
    out: Path,
    name: str | None,
    test_run: Path | None,
    test_qrels: Path | None,
    also: tuple[tuple[Path, Path], ...],
    start: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Fit a calibrator on RUN and QRELS: from scores to chances. Without a test run: 5-fold by topic."""
    from tarstop_core.calibration.calibrator import load
    from tarstop_core.calibration.fitting import assess, assess_each, cross_validate, fit

    if (test_run is None) != (test_qrels is None):
        raise InputProblem("Give --test-run and --test-qrels together, or neither.")
    kind = settings["kind"]
    if (also or start) and kind != "rank-frailty":
        raise InputProblem("--also and --start are for --kind rank-frailty; leave them out.")
    if also and start:
        raise InputProblem("--start updates one calibrator with your own lists; leave --also out.")
    further = (path for pair in also for path in pair)
    shared.require_writable(out, run, qrels, test_run, test_qrels, start, *further)
    read = [shared.labelled_topics(*pair) for pair in ((run, qrels), *also)]
    notes = [note for _, more in read for note in more]
    with_collection = [(topic, str(number)) for number, (lists, _) in enumerate(read) for topic in lists]
    topics = [topic for topic, _ in with_collection]
    settings |= {"name": name or run.name.split(".")[0], "source": run.name}
    if start is not None:
        settings["start"] = load(start)
    of_collections: dict[str, Any] = {}
    if kind == "rank-frailty" and start is None:
        # The chances are for lists from elsewhere, not for the next list of the same run.
        of_collections = {"collections": [collection for _, collection in with_collection]}
    calibrator = fit(topics, **settings, **of_collections)
    if test_run is not None and test_qrels is not None:
        held_out, more = shared.labelled_topics(test_run, test_qrels)
        quality = assess(calibrator, held_out, how=f"held-out run {test_run.name}")
        notes += more
    elif also:
        held_out_fits = []
        for lists, _ in read:
            names = {topic.name for topic in lists}
            others = [pair for pair in with_collection if pair[0].name not in names]
            names_of_others = [collection for _, collection in others]
            fitted = fit([topic for topic, _ in others], **settings, collections=names_of_others)
            held_out_fits.append((fitted, lists))
        quality = assess_each(held_out_fits, "leaving each collection, with its topics, out")
    else:
        quality = cross_validate(topics, **settings)
    with shared.writing(out):
        out.write_text(replace(calibrator, quality=quality).to_json(), encoding="utf-8")
    shared.say(notes)
    if as_json:
        shared.print_json({name: getattr(quality, name) for name in ("brier", "ece", "topics", "documents")})
    else:
        fitted_on = calibrator.fitted_on
        click.echo(
            f"Fitted on {fitted_on.topics} topics with {fitted_on.documents:,} documents; wrote {out}.\n"
            f"Judged by {quality.how} ({quality.topics} topics, {quality.documents:,} documents): "
            f"Brier score {quality.brier:.4f}, expected calibration error {quality.ece:.4f}."
        )
