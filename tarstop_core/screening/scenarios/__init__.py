"""What is screened for, a scenario a file; `named` lists them."""
