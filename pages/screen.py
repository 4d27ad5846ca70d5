"""Screen ranked documents, with advice after each."""

from dashboard.frame import shell
from dashboard.screen.page import screen_page

shell.show("Screen", screen_page)
