"""Screen ranked documents, with advice after each."""

from dashboard import shell
from dashboard.screen import screen_page

shell.show("Screen", screen_page)
