"""What knowing more is worth: payoffs, paths of belief, value of information."""
