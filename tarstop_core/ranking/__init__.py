"""Rank documents by a query, by scores, or by learning from labels."""
