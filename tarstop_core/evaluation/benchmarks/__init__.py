"""What an experiment is run on: one benchmark a file, ``named`` lists those that have a name."""
