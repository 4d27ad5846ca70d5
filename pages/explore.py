"""Explore: what is at stake, and what follows from it."""

from dashboard.explore.page import explore_page
from dashboard.frame import shell

shell.show("Explore", explore_page)
