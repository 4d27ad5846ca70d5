"""Every method at every cost: figures, tables, and the topics behind them."""

from dashboard.frame import shell
from dashboard.results.page import results_page

shell.show("Results", results_page)
