"""All sessions: find, resume, compare, take elsewhere."""

from dashboard.frame import shell
from dashboard.sessions.page import sessions_page

shell.show("Sessions", sessions_page)
