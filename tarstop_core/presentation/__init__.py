"""Numbers, text and figures, independent of the domain."""
