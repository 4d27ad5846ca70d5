"""Guide: how to use each page, which files can be brought, and what was measured."""

from dashboard.frame import shell
from dashboard.guide.page import guide_page

shell.show("Guide", guide_page, in_parts=True)
