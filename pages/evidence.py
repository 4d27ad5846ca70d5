"""What 2×2 tables say, without screening."""

from dashboard.evidence.page import evidence_page
from dashboard.frame import shell

shell.show("Evidence", evidence_page)
