"""A session is one list that people screen: its store, its events, its reports, and what compares and ends it."""

from tarstop_core.presentation.messages import Messages

message = Messages("sessions/messages.jinja")
