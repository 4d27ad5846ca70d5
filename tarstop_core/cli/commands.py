"""The ``tarstop`` command: the group of all commands, and its exit codes.

Commands import the modules they compute with only when they run, so that ``tarstop --help`` stays quick.
"""

import logging
import sys

import click

from tarstop_core.cli import (
    belief,
    calibrate,
    check_policy,
    experiment,
    launch,
    look_back,
    rank,
    readers,
    replay,
    samples,
    value,
)
from tarstop_core.errors import InputProblem


def main() -> None:
    """Run the command line; bad input ends it with one line on stderr and exit code 2."""
    # The store logs warnings for people who run a server; here they would be further lines on stderr.
    logging.getLogger("tarstop_core").addHandler(logging.NullHandler())
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
    """Write the error as one line to stderr and exit with code 2."""
    click.echo(f"tarstop: {' '.join(message.split())}", err=True)
    sys.exit(2)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tarstop")
def tarstop() -> None:
    """Screen ranked documents until reading on is no longer worth it."""


MODULES = (
    belief,
    calibrate,
    check_policy,
    experiment,
    launch,
    look_back,
    rank,
    readers,
    replay,
    samples,
    value,
)
for command in (each for module in MODULES for each in vars(module).values()):
    if isinstance(command, click.Command):
        tarstop.add_command(command)
