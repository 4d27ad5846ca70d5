"""Simulated lists for experiments: scores, labels and 2×2 tables without text, made anew when they are needed."""
