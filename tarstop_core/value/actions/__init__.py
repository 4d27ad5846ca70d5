"""Decisions between any number of actions: what they bring, and what knowing more is worth."""
