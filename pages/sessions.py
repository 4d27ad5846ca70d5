"""All sessions: find, resume, compare, take elsewhere."""

from dashboard import shell
from dashboard.sessions import sessions_page

shell.show("Sessions", sessions_page)
