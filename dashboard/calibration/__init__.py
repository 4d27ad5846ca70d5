"""The Calibration page."""
