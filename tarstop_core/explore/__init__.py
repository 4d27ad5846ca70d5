"""How payoffs, cost and starting chance change the answer."""

from tarstop_core.presentation.messages import Messages

message = Messages("explore/messages.jinja")
"""The sentences of this package."""
