"""Start, continue, or try the demo."""

from dashboard import shell
from dashboard.home import home_page

shell.show("Home", home_page)
