"""``tarstop check-policy``: whether a rule looks ahead."""

import sys

import click

from tarstop_core.cli.shared import json_option, print_json


@click.command("check-policy")
@click.argument("spec")
@click.option("--lists", default=60, show_default=True, help="Random lists to try it on.")
@json_option
def check_policy_command(spec: str, lists: int, as_json: bool) -> None:
    """Show that a rule never looks ahead: SPEC is NAME[:param=value,…] or FILE.py:NAME. Exits with 1 when it does."""
    from tarstop_core.policies import parse_policy
    from tarstop_core.policies.check import check_policy

    report = check_policy(parse_policy(spec), lists)
    if as_json:
        print_json({name: getattr(report, name) for name in ("policy", "lists", "ok", "findings", "remark")})
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
