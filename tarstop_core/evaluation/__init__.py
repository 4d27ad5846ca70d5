"""How well rankings and stopping rules do when the labels are known."""

from tarstop_core.presentation.messages import Messages

message = Messages("evaluation/messages.jinja")
"""The sentences of this package."""
