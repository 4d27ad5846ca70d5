"""The command line."""

from tarstop_core.cli.commands import main as main
