"""How cases are played, a scenario a file; `named` lists them."""
