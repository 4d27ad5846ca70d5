"""The dashboard's entry: it only routes."""

from dashboard import shell

shell.route()
