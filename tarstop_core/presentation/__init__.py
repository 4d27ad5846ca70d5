"""How anything is said or drawn, knowing nothing of the domain."""
