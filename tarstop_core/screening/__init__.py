"""One person, one list: settings and a log of events, and the advice that follows from them. Nothing is stored here."""
