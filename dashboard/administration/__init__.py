"""The Administration page."""
