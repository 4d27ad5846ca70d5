"""What 2×2 tables say, without screening."""

from dashboard import shell
from dashboard.evidence import evidence_page

shell.show("Evidence", evidence_page)
