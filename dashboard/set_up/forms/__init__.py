"""What a scenario asks of its own when a session is set up; `named` lists those that do."""
