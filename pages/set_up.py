"""From documents and stakes to a session."""

from dashboard import shell
from dashboard.set_up import set_up_page

shell.show("Set up", set_up_page)
