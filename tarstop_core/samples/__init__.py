"""Data that come with the program: sample lists, calibrators and priors, and simulators of lists."""
