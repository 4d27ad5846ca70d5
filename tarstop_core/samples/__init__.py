"""What comes with the program: sample lists, calibrators, priors, and what simulates them."""
