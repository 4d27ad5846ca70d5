"""The Screen page."""
