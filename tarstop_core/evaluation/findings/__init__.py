"""What an experiment found: every table, figure and claim, computed from its results."""
