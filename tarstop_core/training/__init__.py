"""Learning a stopping rule by reinforcement: environment, network and PPO in numpy, and nothing else."""
