"""Explore: what is at stake, and what follows from it."""

from dashboard import shell
from dashboard.explore import explore_page

shell.show("Explore", explore_page)
