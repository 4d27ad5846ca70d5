"""Effects of interventions: sizes, pooled estimates, and beliefs about the effect on average and in a new setting."""
