"""Simulated data: rankings for experiments and a readable patent collection for trying things out."""
