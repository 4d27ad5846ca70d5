"""From scores to chances, and whether they come true."""
