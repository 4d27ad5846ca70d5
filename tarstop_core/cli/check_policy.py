"""``tarstop check-policy`` and ``tarstop check-ranker``: test that a rule or a ranker never looks ahead."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from tarstop_core.cli.shared import json_option, print_json

if TYPE_CHECKING:
    from tarstop_core.policies.check import CheckResult


@click.command("check-policy")
@click.argument("spec")
@click.option("--lists", default=60, show_default=True, help="Number of random lists to test it on.")
@json_option
def check_policy_command(spec: str, lists: int, as_json: bool) -> None:
    """Show that a rule never looks ahead: SPEC is NAME[:param=value,…] or FILE.py:NAME. Exits with 1 when it does."""
    from tarstop_core.policies import parse_policy
    from tarstop_core.policies.check import check_policy

    _print_result("policy", check_policy(parse_policy(spec), lists), as_json)


@click.command("check-ranker")
@click.argument("spec")
@click.option("--lists", default=8, show_default=True, help="Number of random lists to test it on.")
@json_option
def check_ranker_command(spec: str, lists: int, as_json: bool) -> None:
    """Show that a ranker never looks ahead: SPEC is NAME or FILE.py:NAME. Exits with 1 when it does."""
    from tarstop_core.evaluation.reranking import check_ranker
    from tarstop_core.ranking.learning import parse_ranker

    _print_result("ranker", check_ranker(parse_ranker(spec), lists), as_json)


def _print_result(what: str, report: CheckResult, as_json: bool) -> None:
    """Print what the trials found, and exit with 1 if that is anything; `what` is the key of the name in JSON."""
    if as_json:
        result = {name: getattr(report, name) for name in ("lists", "ok", "findings", "remark")}
        print_json({what: report.policy, **result})
    else:
        for finding in report.findings:
            click.echo(finding)
        if report.remark:
            click.echo(report.remark)
        elif report.ok:
            on = f"on {report.lists} random lists"
            click.echo(f"{report.policy}: no problem {on}; it never looked ahead.")
    if not report.ok:
        sys.exit(1)
