"""Screening of one list: settings, a log of events, and the advice that follows from them. Nothing is stored here."""

from tarstop_core.presentation.messages import Messages

advice_message = Messages("screening/messages/shared.jinja")
"""Sentences about advice that all scenarios share."""
record_message = Messages("screening/messages/record.jinja")
"""Sentences for the record of a session: settings, protocol, audit draws, documents set aside, and where it came from."""
