"""Accounts, backups, limits and the audit log, for administrators."""

from dashboard.administration.page import administration_page
from dashboard.frame import shell

shell.show("Administration", administration_page)
