"""What screening so far says about the state of the world."""
