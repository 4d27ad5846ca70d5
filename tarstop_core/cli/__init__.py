"""The command line."""

from tarstop_core.cli.commands import main

__all__ = ["main"]
