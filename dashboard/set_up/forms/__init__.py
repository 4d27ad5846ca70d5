"""The questions of Set up: `base` has those of every scenario, the other files those of one scenario."""
