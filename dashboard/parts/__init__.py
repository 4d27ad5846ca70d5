"""Pieces of several pages."""
