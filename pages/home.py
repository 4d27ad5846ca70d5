"""Start, continue, or try the demo."""

from dashboard.frame import shell
from dashboard.home.page import home_page

shell.show("Home", home_page)
