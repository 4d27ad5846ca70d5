"""How payoffs, cost and starting chance change the answer."""
