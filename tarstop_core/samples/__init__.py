"""What comes with the programme: sample lists, calibrators, priors, and what simulates them."""
