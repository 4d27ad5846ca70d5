"""From documents and stakes to a session."""

from dashboard.frame import shell
from dashboard.set_up.page import set_up_page

shell.show("Set up", set_up_page)
