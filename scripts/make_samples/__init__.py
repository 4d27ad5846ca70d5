"""The sample data that a person can read, patents and reviews, invented to the last word; no page or command needs this."""
