"""The store: sessions with their logs, collections of documents, calibrators and accounts in a database."""
