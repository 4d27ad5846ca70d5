"""Lesson, game, ideas, methods, glossary: what a lecture shows."""

from tarstop_core.presentation.messages import Messages

message = Messages("teaching/messages.jinja")
"""The sentences of the lesson and of the game."""
