"""Sessions, in which people screen a list: store, events, exports, reports and comparisons."""

from tarstop_core.presentation.messages import Messages

message = Messages("sessions/messages.jinja")
