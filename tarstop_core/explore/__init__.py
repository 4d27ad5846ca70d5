"""Explore: how payoffs, cost and starting chance change the advice."""

from tarstop_core.presentation.messages import Messages

message = Messages("explore/messages.jinja")
"""The sentences of this package."""
