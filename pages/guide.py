"""Guide: how to use each page, which files can be brought, and what was measured."""

from dashboard import shell
from dashboard.guide import guide_page

shell.show("Guide", guide_page)
