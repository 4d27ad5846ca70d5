"""``tarstop experiment``: tune and test rules by the paper's protocol."""

import inspect
import math
import time
from pathlib import Path
from typing import Any

import click

from tarstop_core.cli.review_options import review_options
from tarstop_core.cli.shared import PATH, LazyChoice, json_option, print_json, progress, say
from tarstop_core.errors import InputProblem

CACHE = ".finished"
"""Folder, in the one of results, that keeps finished jobs for a further run."""


class _Benchmarks(click.Command):
    """A command whose help lists the benchmarks and the rules, imported only when the help is shown."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Fill in a line for each benchmark and each rule."""
        from tarstop_core.evaluation.benchmarks.named import BENCHMARKS
        from tarstop_core.policies import POLICIES

        offered = {kind.name: kind.summary for kind in BENCHMARKS.values() if not kind.variant}
        widest, widest_rule = max(map(len, offered)), max(map(len, POLICIES))
        variants: dict[str, list[str]] = {}
        for kind in BENCHMARKS.values():
            if kind.variant:
                variants.setdefault(kind.variant, []).append(kind.name)
        self.help = inspect.cleandoc(self.help or "").format(
            benchmarks="\n".join(f"{name:<{widest}}  {summary}" for name, summary in offered.items()),
            rules="\n".join(
                f"{name:<{widest_rule}}  {kind.promise.value:<11}  "
                f"{', '.join(need.value for need in kind.needs) or 'nothing'}"
                for name, kind in POLICIES.items()
            ),
            variants="; ".join(f"{' and '.join(names)} take {what}" for what, names in variants.items()),
        )
        super().format_help_text(ctx, formatter)


@click.command(cls=_Benchmarks)
@click.argument("benchmark")
@click.option("--out", type=PATH, required=True, help="Folder for tables and figures.")
@review_options("by what rules believe, univariate unless given; the truth is always bivariate")
@click.option(
    "--scenario",
    type=LazyChoice("tarstop_core.evaluation.tasks:TASKS"),
    help="'enough' judges rules by the recall they reach and the share of the list they read, on any benchmark.",
)
@click.option(
    "--methods",
    help="Comma-separated: names, name:param=value, combinations either(a;b) and both(a;b), rules in files file.py:Name, each also with @variant; "
    "'paper', 'all' (default: every rule).",
)
@click.option(
    "--share", type=float, help="Reweight results to this share of ω⁺ topics (default: no reweighting)."
)
@click.option(
    "--target-recall",
    type=float,
    default=0.95,
    show_default=True,
    help="Recall for the table of how often rules reach it.",
)
@click.option(
    "--replications",
    type=click.IntRange(min=1),
    help="Random samples of QBCB and Target (the paper: 50; default for patents: exact expectation).",
)
@click.option(
    "--pseudo",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Imagined documents added to every calibration step.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of random samples.")
@click.option("--workers", type=int, default=0, help="Processes (default: all cores). They change no number.")
@click.option("--dask", metavar="ADDRESS", help="Dask scheduler to run on instead.")
@click.option("--fresh", is_flag=True, help="Compute again what an earlier run left in the folder.")
@click.option(
    "--pictures/--no-pictures", default=True, help="Also write figures as SVG and PNG, if possible."
)
@json_option
def experiment(
    benchmark: str,
    out: Path,
    methods: str | None,
    fresh: bool,
    pictures: bool,
    as_json: bool,
    direction: str | None,
    **options: Any,
) -> None:
    """Tune and test every rule on BENCHMARK for every q* and cost.

    BENCHMARK is one of these, or a folder of your own:

    \b
    {benchmarks}

    {variants}. The real ones are in the folder that
    TARSTOP_REAL_DATA names; docs/benchmarks_of_your_own.md describes its layout and that of your own folder.

    The rules, what each promises and what it needs:

    \b
    {rules}

    Writes tables, figures and a self-contained report into the folder --out. After an interruption, run it again
    to continue. Whatever the actions are called, false_adopt counts a⁺ although ω⁻ holds and
    false_reject a⁻ although ω⁺ holds.
    """
    from tarstop_core.evaluation.findings.conduct import conduct
    from tarstop_core.evaluation.findings.report import write
    from tarstop_core.evaluation.jobs import ResultCache

    begun = time.perf_counter()
    if out.exists() and not out.is_dir():
        raise InputProblem(f"{out} is a file; name a folder for the results.")
    cache = ResultCache(out / CACHE)
    if fresh:
        cache.clear()
    options["above"] = direction == "above"
    chosen, report = conduct(benchmark, methods, cache=cache, progress=progress, **options)
    written = write(report, out, pictures=pictures)
    say((*chosen.notes, *written.missing))
    seconds = time.perf_counter() - begun
    if as_json:
        rows = [{key: _plain(value) for key, value in row.items()} for row in report.rows.to_dict("records")]
        print_json({"rows": rows, "seconds": seconds})
        return
    _print_tables(report)
    click.echo(
        f"\n{len(report.results.methods)} methods in {seconds:.0f} s; wrote {out / 'report.html'} and {len(written.files) - 1} more."
    )


def _print_tables(report: Any) -> None:
    """Print the paper's table for each q*; without payoffs, recall and share read of each method."""
    from tarstop_core.evaluation.findings.tables import panel, without_bootstrap
    from tarstop_core.evaluation.tasks import TASKS

    click.echo(report.caption + ".")
    if not TASKS[report.results.scenario].weighs:
        rows = report.rows.assign(read=1 - report.rows["effort_saved"])
        click.echo(rows[["approach", "recall", "read", "reached"]].round(3).to_string(index=False))
        return
    plain = without_bootstrap(report.rows)
    digits = TASKS[report.results.scenario].icer_digits
    for q_star in sorted(report.results.q_stars, reverse=True):
        table = panel(plain, q_star, report.cost, digits)
        click.echo(f"\nq* = {q_star:g}\n{table.to_string(index=False)}")
    click.echo("\n" + "\n".join(report.notes))


def _plain(value: Any) -> Any:
    """Return a cell as a JSON value: numpy scalars become Python's, NaN and infinities become None."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
