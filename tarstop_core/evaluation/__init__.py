"""How well rankings and stopping rules do when the labels are known."""
