"""Every method at every cost: figures, tables, and the topics behind them."""

from dashboard import shell
from dashboard.results import results_page

shell.show("Results", results_page)
