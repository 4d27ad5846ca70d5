"""Content of a lecture: lesson, game, ideas in pictures, methods and glossary."""

from tarstop_core.presentation.messages import Messages

message = Messages("teaching/messages.jinja")
"""The sentences of the lesson and of the game."""
