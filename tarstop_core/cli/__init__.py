"""The ``tarstop`` command."""

from tarstop_core.cli.commands import main as main
