"""A walk through a topic with every formula filled in."""
