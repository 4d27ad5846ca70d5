"""What is read: records, ranked lists, 2×2 tables and reports."""
