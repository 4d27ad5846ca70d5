"""Sessions: what people screened, kept in a store, continued, compared and written out."""

from tarstop_core.presentation.messages import Messages

message = Messages("sessions/messages.jinja")
