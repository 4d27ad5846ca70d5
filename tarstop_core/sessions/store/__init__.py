"""Where sessions, collections and calibrators are stored."""
