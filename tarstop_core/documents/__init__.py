"""Documents and their data: records, ranked lists, reports and 2×2 tables."""
