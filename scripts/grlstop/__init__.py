"""How GRLStop's agents are trained: the world they learn in, the descent, and PPO; ``scripts/train_grlstop.py`` begins it."""
