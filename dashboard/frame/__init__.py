"""The frame of every page: its first call, the session open in a tab, figures and scripts."""
