"""Screening that is kept: stored, listed, compared, and taken elsewhere."""
