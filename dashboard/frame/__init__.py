"""What every page stands in: its first call, the session that a tab has open, figures and scripts."""
