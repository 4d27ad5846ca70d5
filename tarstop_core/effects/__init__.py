"""Effects of interventions: effect sizes, pooled estimates, and beliefs about the average effect and new settings."""
