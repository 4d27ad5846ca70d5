"""Six ideas in pictures."""
