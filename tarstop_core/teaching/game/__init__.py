"""Your call: the game in which a person decides when to stop."""
