"""Calibration: where the chances come from, and whether they can be trusted."""

from dashboard import shell
from dashboard.calibration_page import calibration_page

shell.show("Calibration", calibration_page)
