"""What 2×2 tables make of a belief, in numbers, words and figures."""
