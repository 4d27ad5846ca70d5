"""``tarstop look-back``: report where each rule would have stopped in a project screened elsewhere."""

from dataclasses import asdict
from pathlib import Path

import click

from tarstop_core.cli.shared import PATH, json_option, print_json, progress, require_writable, say, writing
from tarstop_core.errors import InputProblem


@click.command("look-back")
@click.argument("project", type=PATH)
@click.option("--out", type=PATH, required=True, help="Report to write (HTML).")
@click.option("--labels", "column", help="Column with the labels, if it has no usual name.")
@click.option("--policy", "spec", default="few-left", show_default=True, help="The rule to report first.")
@json_option
def look_back(project: Path, out: Path, column: str | None, spec: str, as_json: bool) -> None:
    """Replay the labels of PROJECT in the order they were given, and report where each rule would have stopped."""
    from tarstop_core.calibration.calibrator import INCLUSION
    from tarstop_core.files import read_records
    from tarstop_core.policies import parse_policy
    from tarstop_core.samples.shipped import calibrators, default_calibrator
    from tarstop_core.screening import look_back as looking
    from tarstop_core.screening.enough_settings import EnoughSettings
    from tarstop_core.screening.kept_labels import labels_found
    from tarstop_core.screening.look_back_report import look_back_report

    require_writable(out, project)
    rule = parse_policy(spec)
    if not EnoughSettings.may_follow(type(rule)) or rule.needs_draws:
        raise InputProblem(
            f"{rule.title} {EnoughSettings.unfit}; choose a rule about recall, such as few-left."
        )
    table = read_records(project, columns={column: "label"} if column else None, progress=progress)
    labels = labels_found(table.frame)
    ranking = looking.order_read(table.frame, labels)
    if ranking is None:
        raise InputProblem(
            f"{project.name} does not say in which order its labels were given; it needs a number or a time for every "
            "label, in a column read_order or labelled_at."
        )
    calibrator = calibrators()[default_calibrator(False, scenario=INCLUSION)]
    settings = EnoughSettings.beginning(policy=spec, calibrator=calibrator.digest)
    back = looking.look_back(ranking, labels, settings, calibrator, looking.rules_for(settings))
    with writing(out):
        out.write_text(look_back_report(back, project.stem, project.name), encoding="utf-8")
    say(table.notes)
    if as_json:
        stops = [asdict(stop) | {"policy": str(stop.policy)} for stop in back.stops]
        counts = {"documents": back.documents, "read": back.read, "relevant": back.relevant}
        print_json({**counts, "stops": stops})
        return
    click.echo(looking.message("facts", back=back))
    click.echo(looking.message("methods", back=back, stop=back.stops[0], unit="", source=project.name))
    click.echo(f"All rules are in {out}.")
