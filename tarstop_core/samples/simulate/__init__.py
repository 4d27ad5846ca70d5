"""Simulate lists for experiments: scores, labels and 2×2 tables, without texts."""
