"""One person, one list: settings and a log of events, and the advice that follows from them. Nothing is stored here."""

from tarstop_core.presentation.messages import Messages

advice_message = Messages("screening/messages/shared.jinja")
"""Sentences about advice that are the same in every scenario."""
record_message = Messages("screening/messages/record.jinja")
"""Sentences for the record of a session: settings, protocol, draws, documents set aside, and where it came from."""
