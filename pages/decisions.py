"""Decisions: several actions, what is worth knowing, and whether a study is worth its price."""

from dashboard.decisions.page import decisions_page
from dashboard.frame import shell

shell.show("Decisions", decisions_page)
