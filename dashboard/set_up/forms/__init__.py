"""What Set up asks: `base` what every scenario asks, then a scenario a file."""
