"""Simulated lists for experiments: scores, labels and 2×2 tables without text, made again when they are needed."""
