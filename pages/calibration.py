"""Calibration: where the chances come from, and whether they can be trusted."""

from dashboard.calibration.page import calibration_page
from dashboard.frame import shell

shell.show("Calibration", calibration_page)
