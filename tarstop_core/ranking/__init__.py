"""The order in which documents are read."""
