"""The dashboard's entry: it only routes."""

from dashboard.frame import shell

shell.route()
