"""The Set up page."""
