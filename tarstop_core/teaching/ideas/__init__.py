"""Five ideas in pictures."""
